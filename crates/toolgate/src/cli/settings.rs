//! `toolgate settings …` and `toolgate secrets …`

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum SettingsCommand {
    /// List all settings with their versions
    #[command(after_help = "Example:\n  toolgate settings list")]
    List,
    /// Print the value of one setting
    #[command(after_help = "Example:\n  toolgate settings get mcp_servers")]
    Get { key: String },
    /// Change a setting; running gateways apply it within a second
    #[command(
        after_help = "Examples:\n  toolgate settings set mcp_servers '[{\"name\": \"job-app\", \"url\": \"http://localhost:4000/mcp\"}]'\n  toolgate settings set registry '{\"drift\": \"accept\"}' --if-version 3\n  toolgate settings set mcp_servers - < servers.json"
    )]
    Set {
        key: String,
        /// Whole new value, as JSON; `-` is standard input
        #[arg(value_name = "JSON")]
        value: String,
        /// Change it only if this is still its version
        #[arg(long, value_name = "N")]
        if_version: Option<u64>,
        /// Why it changes; the setting policy needs it
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

#[derive(Subcommand)]
pub(crate) enum SecretsCommand {
    /// Store a secret for a server, encrypted; the value is read from standard input, or prompted for
    #[command(
        after_help = "Examples:\n  toolgate secrets set github TOKEN\n  toolgate secrets set github TOKEN --principal ann < token.txt\n\nThe server gets it where the configuration says ${vault:TOKEN}:\n  headers = { Authorization = \"Bearer ${vault:TOKEN}\" }"
    )]
    Set(SecretArgs),
    /// List the names of all secrets, where they are stored and where they may be sent; values are never
    /// shown
    #[command(after_help = "Example:\n  toolgate secrets list")]
    List {
        /// Only entries of this server
        #[arg(value_name = "SERVER")]
        server: Option<String>,
    },
    /// Set the origins that a secret may be sent to, if the configuration file does not have the server's
    /// address
    #[command(
        after_help = "Examples:\n  toolgate secrets allow github TOKEN https://api.githubcopilot.com\n  toolgate \
             secrets allow github TOKEN '*'    # wherever the server is\n  toolgate secrets allow github TOKEN        \
             # nowhere\n\nThis replaces the previous origins, and applies to every principal's secret of this name."
    )]
    Allow {
        server: String,
        #[arg(value_parser = secret_name)]
        name: String,
        /// Origins: scheme, host and port; none: nowhere
        #[arg(value_name = "ORIGIN")]
        origins: Vec<String>,
    },
    /// Remove a secret
    #[command(after_help = "Example:\n  toolgate secrets remove github TOKEN")]
    Remove(SecretArgs),
}

#[derive(Args)]
pub(crate) struct SecretArgs {
    pub(crate) server: String,
    /// 1 to 64 letters, digits, `.`, `_` and `-`
    #[arg(value_parser = secret_name)]
    pub(crate) name: String,
    /// Secret of this principal, used instead of the shared one
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,
}

fn secret_name(text: &str) -> Result<String, String> {
    match crate::config::reference::is_secret_name(text) {
        true => Ok(text.to_owned()),
        false => Err("expected 1 to 64 letters, digits, `.`, `_` and `-`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_has_a_name_that_a_reference_can_say() {
        assert_eq!(secret_name("API.key_1-b"), Ok("API.key_1-b".to_owned()));
        for bad in ["", "a b", "a:b", "a}", "ä", &"x".repeat(65)] {
            assert!(secret_name(bad).is_err(), "{bad}");
        }
    }
}
