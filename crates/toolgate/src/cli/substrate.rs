//! `toolgate substrate …`, as far as it is more than a call of a tool. `platform.rs` adds the tools.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use toolgate_core::substrate::ManifestDigest;

#[derive(Subcommand)]
pub(crate) enum SubstrateCommand {
    /// Check the proof of a path, without a store and without a configuration
    #[command(after_help = "Example:\n  toolgate substrate check path.proof --manifest sha256:9f86d081…")]
    Check {
        /// Proof that `toolgate substrate manifest prove` made
        #[arg(value_name = "FILE")]
        proof: PathBuf,
        /// Manifest that it must be about, as you have it from somewhere you trust
        #[arg(long, value_name = "SHA256")]
        manifest: Option<ManifestDigest>,
    },
    /// Write a manifest with everything in it to one file: an OCI image layout in a tar
    #[command(
        after_help = "Examples:\n  toolgate substrate export project/a:draft --out draft.tar\n  toolgate substrate export sha256:9f86d081… --out draft.tar\n  skopeo copy oci-archive:draft.tar docker://registry.example.com/drafts:1"
    )]
    Export(ExportManifestArgs),
    /// Make a manifest of an exported file, a folder, a zip or a git work tree; what is there already is not uploaded again
    #[command(
        after_help = "Examples:\n  toolgate substrate import draft.tar\n  toolgate substrate import ./reports --message \"June\"\n  toolgate substrate import ~/src/project --kind git"
    )]
    Import(ImportManifestArgs),
}

#[derive(Args)]
pub(crate) struct ExportManifestArgs {
    /// Digest of a manifest, or the namespace and name of a pointer: `project/a:draft` or `project/a/draft`
    #[arg(value_name = "MANIFEST")]
    pub(crate) what: String,
    /// File to write
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct ImportManifestArgs {
    /// File or folder to read
    #[arg(value_name = "PATH")]
    pub(crate) path: PathBuf,
    /// Kind of the file or folder
    #[arg(long, value_name = "KIND", default_value = "auto")]
    pub(crate) kind: ImportKind,
    /// Message of the manifest [default: the one that was exported, or the name of the path]
    #[arg(long, short = 'm', value_name = "TEXT")]
    pub(crate) message: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportKind {
    /// A folder with `.git` is a git work tree; a file is looked into
    Auto,
    /// A file that `toolgate substrate export` wrote
    Archive,
    /// Every file of a folder
    Folder,
    Zip,
    /// The tracked files of a git work tree, as they are in the folder
    Git,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    fn parse(words: &str) -> Result<SubstrateCommand, String> {
        let words = ["toolgate", "substrate"].into_iter().chain(words.split_whitespace());
        match Cli::try_parse_from(words).map_err(|error| error.to_string())?.command {
            Command::Substrate(command) => Ok(command),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn manifests_go_out_and_in_by_file() {
        let export = parse("export project/a:draft --out a.tar");
        assert!(matches!(export, Ok(SubstrateCommand::Export(args)) if args.out == Path::new("a.tar")));
        assert!(parse("export project/a:draft").is_err_and(|told| told.contains("--out")));
        let import = parse("import reports");
        assert!(matches!(import, Ok(SubstrateCommand::Import(args)) if args.kind == ImportKind::Auto));
        let import = parse("import . --kind git -m June");
        assert!(matches!(import, Ok(SubstrateCommand::Import(args))
            if args.kind == ImportKind::Git && args.message.as_deref() == Some("June")));
        assert!(parse("import . --kind rar").is_err_and(|told| told.contains("folder")));
    }
}
