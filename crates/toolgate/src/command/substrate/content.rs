//! Contents on their way to the gateway: small ones in the call itself, large ones as a file first.

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use manifest_tree::{BlobDigest, EntryPath};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use toolgate_core::file::FileName;

use super::calls::SubstrateCalls;
use crate::local::UploadBody;

/// Larger contents are sent as files.
const INLINE_BYTES_MAX: u64 = 256 << 10;
const PIECE_BYTES: usize = 256 << 10;
/// The name of contents whose path has none that a file can have.
const NAME_USUAL: &str = "artifact";

/// Bytes on this machine.
pub(super) enum LocalContent {
    File(PathBuf),
    /// A part of a file.
    Part {
        path: PathBuf,
        offset: u64,
        bytes: u64,
    },
    /// A file without a name, at its start.
    Temporary(File),
}

/// Bytes on this machine, and what they are.
pub(super) struct MeasuredContent {
    pub(super) content: LocalContent,
    pub(super) digest: BlobDigest,
    pub(super) bytes: u64,
}

impl LocalContent {
    /// A reader of all of it.
    fn open(&self) -> anyhow::Result<Box<dyn Read>> {
        Ok(match self {
            LocalContent::File(path) => Box::new(open(path)?),
            LocalContent::Part { path, offset, bytes } => {
                let mut file = open(path)?;
                file.seek(SeekFrom::Start(*offset))?;
                Box::new(file.take(*bytes))
            }
            LocalContent::Temporary(file) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(0))?;
                Box::new(file)
            }
        })
    }

    /// The same for a request, which is sent while it is read.
    fn body(&self, bytes: u64) -> anyhow::Result<UploadBody> {
        let (file, offset) = match self {
            LocalContent::File(path) => (open(path)?, 0),
            LocalContent::Part { path, offset, .. } => (open(path)?, *offset),
            LocalContent::Temporary(file) => (file.try_clone()?, 0),
        };
        let mut file = file;
        file.seek(SeekFrom::Start(offset))?;
        // A file that grows meanwhile is cut here, and its digest is another one.
        let reader = tokio::io::AsyncReadExt::take(tokio::fs::File::from_std(file), bytes);
        Ok(UploadBody::new(reader, Some(bytes)))
    }
}

impl MeasuredContent {
    /// Reads a file to its end.
    pub(super) fn of_file(path: PathBuf) -> anyhow::Result<Self> {
        let content = LocalContent::File(path);
        let (digest, bytes) = measure(&mut *content.open()?, |_| Ok(()))?;
        Ok(Self { content, digest, bytes })
    }

    /// Stores it as an artifact.
    pub(super) async fn upload(
        &self,
        calls: &mut SubstrateCalls<'_>,
        path: &EntryPath,
    ) -> anyhow::Result<()> {
        let name = file_name(path);
        let stored = if self.bytes <= INLINE_BYTES_MAX {
            let mut content = Vec::new();
            self.content.open()?.take(INLINE_BYTES_MAX).read_to_end(&mut content)?;
            let arguments = json!({ "base64": STANDARD.encode(&content), "filename": name });
            calls.upload(&arguments).await?
        } else {
            self.upload_file(calls, name).await?
        };
        if stored != self.digest {
            bail!(
                "{path} changed while it was read\nhint: repeat the command; what is there is not sent again"
            );
        }
        Ok(())
    }

    async fn upload_file(&self, calls: &mut SubstrateCalls<'_>, name: &str) -> anyhow::Result<BlobDigest> {
        let body = self.content.body(self.bytes)?;
        let file = calls.0.send(&["files"], &[("name", name.to_owned())], body).await?;
        let id = file["id"].as_str().context("the gateway answered in another form than expected")?;
        let stored = calls.upload(&json!({ "file_id": id, "filename": name })).await;
        // The artifact has the bytes now. If it has not, the file is of no use either.
        let deleted = calls.0.delete(&["files", id]).await;
        let stored = stored?;
        deleted.map(|_| stored)
    }
}

/// The digest and the number of bytes. Each piece goes to `piece`.
pub(super) fn measure(
    source: &mut dyn Read,
    mut piece: impl FnMut(&[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<(BlobDigest, u64)> {
    let (mut hash, mut bytes, mut space) = (Sha256::new(), 0, vec![0; PIECE_BYTES]);
    loop {
        let length = source.read(&mut space)?;
        if length == 0 {
            return Ok((BlobDigest::new(hash.finalize().into()), bytes));
        }
        hash.update(&space[..length]);
        piece(&space[..length])?;
        bytes += length as u64;
    }
}

/// The last part of a path, if a file can be called so.
fn file_name(path: &EntryPath) -> &str {
    let last = path.as_str().rsplit('/').next().unwrap_or_default();
    if FileName::new(last).is_ok() { last } else { NAME_USUAL }
}

fn open(path: &Path) -> anyhow::Result<File> {
    File::open(path).with_context(|| format!("could not open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_file_is_read_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, "hello world").expect("written");
        let part = LocalContent::Part { path: path.clone(), offset: 6, bytes: 3 };
        let mut read = String::new();
        part.open().expect("opened").read_to_string(&mut read).expect("read");
        assert_eq!(read, "wor");
        let whole = MeasuredContent::of_file(path).expect("measured");
        assert_eq!((whole.digest, whole.bytes), (BlobDigest::of(b"hello world"), 11));
    }

    #[test]
    fn a_name_that_no_file_can_have_is_replaced() {
        let name = |path: &str| file_name(&EntryPath::new(path).expect("a path")).to_owned();
        assert_eq!(name("a/b.txt"), "b.txt");
        assert_eq!(name("a/ b"), NAME_USUAL);
    }
}
