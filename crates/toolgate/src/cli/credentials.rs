//! `toolgate credentials …`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use toolgate_core::credential::{CredentialHandle, CredentialUser};

use super::span::span;

#[derive(Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Create a credential for a site; values are read from standard input, one line for each field, or prompted for
    #[command(
        after_help = "Examples:\n  toolgate credentials add \"Example Jobs (Ada)\" --origin https://jobs.example --for agent:applicant \\\n    --server browser --field username --field password\n  toolgate credentials add \"Example Jobs\" --origin https://jobs.example --for agent:applicant --server browser \\\n    --field password --file seed=seed.txt --secret pin=JOBS_PIN < password.txt\n\nAn agent writes the handle, such as cred_….password, where a tool takes a secret."
    )]
    Add(CredentialAddArgs),
    /// List all credentials: their site, their fields, who may use them and when that was last done; values are
    /// never shown
    #[command(after_help = "Example:\n  toolgate credentials list")]
    List,
    /// Show one credential without its values
    #[command(after_help = "Example:\n  toolgate credentials show \"Example Jobs (Ada)\"")]
    Show {
        /// Its id or its name
        #[arg(value_name = "CREDENTIAL")]
        which: String,
    },
    /// Give a field another value, from standard input or a file; the handle stays the same
    #[command(
        after_help = "Examples:\n  toolgate credentials rotate cred_019a… password < password.txt\n  toolgate credentials rotate \"Example Jobs\" seed --file seed.txt"
    )]
    Rotate(CredentialRotateArgs),
    /// Erase a credential with its values; calls that name it are told so
    #[command(after_help = "Example:\n  toolgate credentials remove \"Example Jobs (Ada)\"")]
    Remove {
        /// Its id or its name
        #[arg(value_name = "CREDENTIAL")]
        which: String,
    },
}

#[derive(Args)]
pub(crate) struct CredentialAddArgs {
    /// Name to recognise it by
    pub(crate) name: String,
    /// Address of the site; only pages of its origin get the values
    #[arg(long, value_name = "URL")]
    pub(crate) origin: String,
    /// User: agent:NAME, principal:ID or group:NAME; repeatable
    #[arg(long = "for", value_name = "USER", required = true)]
    pub(crate) users: Vec<CredentialUser>,
    /// Server that may get the values; repeatable
    #[arg(long = "server", value_name = "NAME", required = true)]
    pub(crate) servers: Vec<String>,
    /// Field whose value comes from standard input; repeatable, and then one line for each
    #[arg(long = "field", value_name = "FIELD", value_parser = field_name)]
    pub(crate) fields: Vec<String>,
    /// Field whose value is in a file; repeatable
    #[arg(long = "file", value_name = "FIELD=PATH", value_parser = field_file)]
    pub(crate) files: Vec<(String, PathBuf)>,
    /// Field whose value is a secret of server `toolgate`, which may lie outside; repeatable
    #[arg(long = "secret", value_name = "FIELD=SECRET", value_parser = field_secret)]
    pub(crate) secrets: Vec<(String, String)>,
    /// The lifetime of the credential, such as 12h or 30d [default: until it is removed]
    #[arg(long, value_name = "TIME", value_parser = span)]
    pub(crate) expires: Option<Duration>,
}

#[derive(Args)]
pub(crate) struct CredentialRotateArgs {
    /// Its id or its name
    #[arg(value_name = "CREDENTIAL")]
    pub(crate) which: String,
    /// Name of the field
    #[arg(value_parser = field_name)]
    pub(crate) field: String,
    /// File with the value
    #[arg(long, value_name = "PATH", conflicts_with = "secret")]
    pub(crate) file: Option<PathBuf>,
    /// Secret of server `toolgate` that has the value
    #[arg(long, value_name = "SECRET")]
    pub(crate) secret: Option<String>,
}

fn field_name(text: &str) -> Result<String, String> {
    match CredentialHandle::is_field(text) {
        true => Ok(text.to_owned()),
        false => Err("expected 1 to 64 of the characters a-z 0-9 _".to_owned()),
    }
}

fn field_file(text: &str) -> Result<(String, PathBuf), String> {
    let (field, path) = pair(text)?;
    Ok((field, path.into()))
}

fn field_secret(text: &str) -> Result<(String, String), String> {
    let (field, name) = pair(text)?;
    Ok((field, name.to_owned()))
}

fn pair(text: &str) -> Result<(String, &str), String> {
    let (field, rest) = text.split_once('=').ok_or("expected a field, `=` and the rest")?;
    match rest {
        "" => Err("there is nothing after `=`".to_owned()),
        rest => Ok((field_name(field)?, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_a_name_that_a_handle_can_say() {
        assert_eq!(field_name("code_2"), Ok("code_2".to_owned()));
        for bad in ["", "Code", "a b", "a.b", "ä"] {
            assert!(field_name(bad).is_err(), "{bad}");
        }
        assert_eq!(field_secret("pin=JOBS=PIN"), Ok(("pin".to_owned(), "JOBS=PIN".to_owned())));
        for bad in ["pin", "pin=", "=x", "P=x"] {
            assert!(field_file(bad).is_err(), "{bad}");
        }
    }
}
