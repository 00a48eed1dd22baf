//! Bytes between this machine's files and the gateway.

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use toolgate_core::Digest;

use super::progress::{PAUSE, TransferProgress};
use crate::local::{DownloadBody, LocalApi, UploadBody};
use crate::output;

/// Stands for standard input or output.
const DASH: &str = "-";

/// The content to send.
pub(super) struct UploadSource {
    pub(super) name: String,
    upload: UploadBody,
    bytes: Option<u64>,
}

impl UploadSource {
    pub(super) async fn open(path: &Path, name: Option<String>) -> anyhow::Result<Self> {
        if path == Path::new(DASH) {
            let name = name
                .context("standard input has no name\nhint: say what the file is called with --name NAME")?;
            return Ok(Self { name, upload: UploadBody::new(tokio::io::stdin(), None), bytes: None });
        }
        let own = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let name = name.or(own).with_context(|| {
            format!("{} has no name that could be told\nhint: give one with --name NAME", path.display())
        })?;
        let file = tokio::fs::File::open(path).await.map_err(|error| {
            let hint = "give the path of a file that you may read, or `-` for standard input";
            anyhow::anyhow!("could not open {}: {error}\nhint: {hint}", path.display())
        })?;
        let about = file.metadata().await.with_context(|| format!("could not look at {}", path.display()))?;
        if about.is_dir() {
            bail!("{} is a folder\nhint: pack it into one file first, such as with tar", path.display());
        }
        // A pipe reports a length too, which is meaningless.
        let bytes = about.is_file().then_some(about.len());
        Ok(Self { name, upload: UploadBody::new(file, bytes), bytes })
    }

    /// Sends it, and tells those who watch how far it is.
    pub(super) async fn send(self, api: &mut LocalApi, query: &[(&str, String)]) -> anyhow::Result<Value> {
        let (passed, mut progress) = (self.upload.passed(), TransferProgress::new(self.bytes));
        let mut sending = Box::pin(api.send(&["files"], query, self.upload));
        loop {
            match tokio::time::timeout(PAUSE, &mut sending).await {
                Ok(sent) => return sent,
                Err(_) => progress.at(passed.bytes()),
            }
        }
    }
}

/// The target of a download.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum DownloadTarget {
    StandardOutput,
    File {
        path: PathBuf,
        /// True if an existing file may be replaced.
        replaces: bool,
    },
}

impl DownloadTarget {
    /// `name` is the gateway's name for it, without folders.
    pub(super) fn of(output: Option<&Path>, cwd: &Path, name: &str) -> anyhow::Result<Self> {
        let own = |folder: &Path| DownloadTarget::File { path: folder.join(name), replaces: false };
        let place = match output {
            Some(path) if path == Path::new(DASH) => DownloadTarget::StandardOutput,
            Some(path) if path.is_dir() => own(path),
            Some(path) => DownloadTarget::File { path: path.to_owned(), replaces: true },
            None => own(cwd),
        };
        match &place {
            DownloadTarget::File { path, replaces: false } if path.symlink_metadata().is_ok() => {
                bail!(
                    "{} is there already\nhint: --output PATH writes it elsewhere, or over it",
                    path.display()
                )
            }
            _ => Ok(place),
        }
    }
}

/// Writes it, and verifies its digest. A broken download leaves no file.
pub(super) async fn save(download: DownloadBody, place: &DownloadTarget, digest: &str) -> anyhow::Result<()> {
    match place {
        DownloadTarget::StandardOutput => {
            let write = |piece: &[u8]| output::try_write_bytes(piece);
            copy(download, digest, write).await.context("could not write to standard output")
        }
        DownloadTarget::File { path, replaces } => {
            let could_not = || format!("could not write {}", path.display());
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let mut file = new_file(folder.unwrap_or(Path::new("."))).with_context(could_not)?;
            copy(download, digest, |piece| file.write_all(piece)).await.with_context(could_not)?;
            let kept = if *replaces { file.persist(path) } else { file.persist_noclobber(path) };
            kept.map(drop).map_err(|error| error.error).with_context(could_not)
        }
    }
}

/// With the usual mode of this user's files: a temporary file would be private.
fn new_file(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)
}

async fn copy(
    mut download: DownloadBody,
    digest: &str,
    mut write: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let (mut hash, mut progress) = (Sha256::new(), TransferProgress::new(download.bytes));
    while let Some(piece) = download.next().await? {
        hash.update(&piece);
        write(&piece)?;
        progress.at(download.passed());
    }
    drop(progress);
    let came = Digest::from_bytes(hash.finalize().into());
    match came.to_string() == digest {
        true => Ok(()),
        false => bail!("what came is {came}, and not {digest}\nhint: fetch it again"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_where_it_is_told_and_over_nothing_by_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let there = folder.path().join("a.txt");
        let of = |output: Option<&Path>| DownloadTarget::of(output, folder.path(), "a.txt");
        assert_eq!(of(None).expect("free"), DownloadTarget::File { path: there.clone(), replaces: false });
        assert_eq!(of(Some(Path::new("-"))).expect("free"), DownloadTarget::StandardOutput);
        std::fs::write(&there, "mine").expect("written");
        for output in [None, Some(folder.path())] {
            assert!(of(output).is_err_and(|error| error.to_string().contains("--output")));
        }
        assert_eq!(
            of(Some(&there)).expect("said"),
            DownloadTarget::File { path: there.clone(), replaces: true }
        );
    }

    #[tokio::test]
    async fn what_is_not_what_it_should_be_leaves_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = DownloadTarget::of(None, folder.path(), "a.txt").expect("free");
        let came = || DownloadBody::of_bytes("hello", 5);
        let wrong = Digest::of("other").to_string();
        assert!(
            save(came(), &place, &wrong)
                .await
                .is_err_and(|error| format!("{error:#}").contains("and not sha256:"))
        );
        let short = DownloadBody::of_bytes("hell", 5);
        assert!(save(short, &place, &Digest::of("hell").to_string()).await.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        save(came(), &place, &Digest::of("hello").to_string()).await.expect("saved");
        assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("there"), "hello");
    }
}
