//! `toolgate files …`

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::span::span;

const LIMIT_MAX: u64 = 10_000;

#[derive(Subcommand)]
pub(crate) enum FilesCommand {
    /// Store a file and print its id, by which agents use it
    #[command(
        after_help = "Examples:\n  toolgate files put report.pdf\n  toolgate files put cv.pdf --owner agent-7 --expires-in 7d\n  pg_dump sales | toolgate files put - --name sales.sql"
    )]
    Put(PutArgs),
    /// List files, newest first
    #[command(after_help = "Examples:\n  toolgate files list\n  toolgate files list --owner agent-7")]
    List(ListFilesArgs),
    /// Fetch a file
    #[command(
        after_help = "Examples:\n  toolgate files get 3f2a\n  toolgate files get 3f2a --output /tmp/\n  toolgate files get 3f2a --output - | less"
    )]
    Get(GetArgs),
    /// Show the metadata of a file
    #[command(after_help = "Example:\n  toolgate files show 3f2a")]
    Show {
        #[command(flatten)]
        which: FileIdArg,
    },
    /// Delete a file; what was made from it stays
    #[command(after_help = "Example:\n  toolgate files delete 3f2a")]
    Delete {
        #[command(flatten)]
        which: FileIdArg,
    },
}

#[derive(Args)]
pub(crate) struct FileIdArg {
    /// Its id, or a unique beginning or ending of at least three characters
    #[arg(value_name = "FILE_ID")]
    pub(crate) id: String,
}

#[derive(Args)]
pub(crate) struct PutArgs {
    /// File to store; `-` is standard input
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Name of the file [default: the last part of the path]
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Owner, who may use it in calls [default: local]
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    /// The time to keep it, such as 45m or 7d [default: `files.keep_days` of the configuration]
    #[arg(long, value_name = "SPAN", value_parser = span)]
    pub(crate) expires_in: Option<Duration>,
}

#[derive(Args)]
pub(crate) struct ListFilesArgs {
    /// Only entries of this principal
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    /// Only files of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Maximum number of entries
    #[arg(long, short = 'n', value_name = "N", default_value = "100", value_parser = clap::value_parser!(u64).range(1..=LIMIT_MAX))]
    pub(crate) limit: u64,
}

#[derive(Args)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    pub(crate) which: FileIdArg,
    /// File or folder to write to, or `-` for standard output [default: its own name in the working folder]
    #[arg(long, short = 'o', value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &str) -> Result<FilesCommand, String> {
        let words = ["toolgate", "files"].into_iter().chain(words.split_whitespace());
        match Cli::try_parse_from(words).map_err(|error| error.to_string())?.command {
            Command::Files(command) => Ok(command),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn a_file_is_put_with_what_is_said_of_it() {
        let put = parse("put a/b.pdf --name c.pdf --owner erna --expires-in 1h30m");
        let Ok(FilesCommand::Put(args)) = put else { panic!("it puts") };
        assert_eq!((args.name.as_deref(), args.owner.as_deref()), (Some("c.pdf"), Some("erna")));
        assert_eq!(args.expires_in, Some(Duration::from_secs(5_400)));
        assert!(parse("put").is_err_and(|told| told.contains("PATH")));
        assert!(parse("put a --expires-in soon").is_err_and(|told| told.contains("1h30m")));
        assert!(parse("list --limit 0").is_err());
        assert!(parse("get").is_err_and(|told| told.contains("FILE_ID")));
        assert!(
            matches!(parse("get 3f2a -o -"), Ok(FilesCommand::Get(args)) if args.output == Some("-".into()))
        );
    }
}
