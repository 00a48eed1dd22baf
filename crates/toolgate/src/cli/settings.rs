//! `toolgate settings …` and `toolgate secrets …`

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum SettingsCommand {
    /// All settings, each with its version
    #[command(after_help = "Example:\n  toolgate settings list")]
    List,
    /// The value of one setting
    #[command(after_help = "Example:\n  toolgate settings get mcp_servers")]
    Get { key: String },
    /// Change a setting; running gateways take it up within a second
    #[command(
        after_help = "Examples:\n  toolgate settings set mcp_servers '[{\"name\": \"job-app\", \"url\": \"http://localhost:4000/mcp\"}]'\n  toolgate settings set registry '{\"drift\": \"accept\"}' --if-version 3\n  toolgate settings set mcp_servers - < servers.json"
    )]
    Set {
        key: String,
        /// The whole new value, as JSON; `-` reads it from standard input
        #[arg(value_name = "JSON")]
        value: String,
        /// Only if this is still its version
        #[arg(long, value_name = "N")]
        if_version: Option<u64>,
    },
}

#[derive(Subcommand)]
pub(crate) enum SecretsCommand {
    /// Store a secret for a server, encrypted; the value comes from standard input, or is asked for
    #[command(
        after_help = "Examples:\n  toolgate secrets set github TOKEN\n  toolgate secrets set github TOKEN --principal ann < token.txt\n\nThe server gets it where the configuration says ${vault:TOKEN}:\n  headers = { Authorization = \"Bearer ${vault:TOKEN}\" }"
    )]
    Set(SecretArgs),
    /// The names of all secrets, where they are kept and where they may be sent; values are never shown
    #[command(after_help = "Example:\n  toolgate secrets list")]
    List {
        /// Only those of this server
        #[arg(value_name = "SERVER")]
        server: Option<String>,
    },
    /// Say where a secret may be sent, if the operator's file does not have the server's address
    #[command(
        after_help = "Examples:\n  toolgate secrets allow github TOKEN https://api.githubcopilot.com\n  toolgate secrets allow github TOKEN '*'    # wherever the server is\n  toolgate secrets allow github TOKEN        # nowhere\n\nIt takes the place of what was said before, and holds for every principal's secret of this name."
    )]
    Allow {
        server: String,
        #[arg(value_parser = secret_name)]
        name: String,
        /// Schemes, hosts and ports; none: nowhere
        #[arg(value_name = "ORIGIN")]
        origins: Vec<String>,
    },
    /// Forget a secret
    #[command(after_help = "Example:\n  toolgate secrets remove github TOKEN")]
    Remove(SecretArgs),
}

#[derive(Args)]
pub(crate) struct SecretArgs {
    pub(crate) server: String,
    /// 1 to 64 letters, digits, `.`, `_` and `-`
    #[arg(value_parser = secret_name)]
    pub(crate) name: String,
    /// That of this principal, who then uses it instead of everybody's
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
