//! Big results, stored for a while in a folder that server and workers share. A ref is a file with its bytes
//! and one with its metadata; the server removes expired ones, and everything with the folder when it ends.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::trouble::{Trouble, TroubleCode};

/// The name of a stored item, such as `doc_0197…`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefId(String);

impl RefId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// A stored result, with its metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredResult {
    pub bytes: Vec<u8>,
    pub media_type: String,
    pub name: String,
}

#[derive(Serialize, Deserialize)]
struct RefLabel {
    media_type: String,
    name: String,
}

/// The folder.
#[derive(Clone, Debug)]
pub struct RefStore {
    folder: Arc<PathBuf>,
    bytes_max: u64,
}

impl RefStore {
    /// The prefix of ids. It differs from that of a gateway's own refs, which would be confused otherwise.
    const PREFIX: &'static str = "doc_";

    /// A store in an existing folder, with at most `bytes_max`.
    pub fn open(folder: impl Into<PathBuf>, bytes_max: u64) -> Self {
        Self { folder: Arc::new(folder.into()), bytes_max }
    }

    pub fn put(&self, bytes: &[u8], media_type: &str, name: &str) -> Result<RefId, Trouble> {
        if bytes.len() as u64 > self.bytes_max {
            let message =
                format!("the result has {} MiB, more than this server can store", bytes.len() >> 20);
            return Err(Trouble::new(TroubleCode::TooLarge, message)
                .hint("ask for less at a time; the server's option --refs-mib sets the limit"));
        }
        let held = self.size().map_err(|error| Self::broken(&error))?;
        if held + bytes.len() as u64 > self.bytes_max {
            return Err(Trouble::new(TroubleCode::Busy, "there is no room for another result right now")
                .hint("results expire after a while; try again in a few minutes"));
        }
        let id = RefId(format!("{}{}", Self::PREFIX, uuid::Uuid::now_v7().simple()));
        let label = RefLabel { media_type: media_type.to_owned(), name: name.to_owned() };
        self.write(&id, bytes, &label).map_err(|error| Self::broken(&error))?;
        Ok(id)
    }

    /// `None` for an id that is unknown or has expired.
    pub fn get(&self, id: &str) -> Result<Option<StoredResult>, Trouble> {
        let Some(path) = self.path(id) else { return Ok(None) };
        let read = fs::read(label_of(&path)).and_then(|label| Ok((label, fs::read(&path)?)));
        match read {
            Ok((label, bytes)) => {
                let label: RefLabel = serde_json::from_slice(&label).map_err(|error| {
                    Trouble::internal(format!("the stored data about {id} is damaged: {error}"))
                })?;
                Ok(Some(StoredResult { bytes, media_type: label.media_type, name: label.name }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Self::broken(&error)),
        }
    }

    /// Removes everything older than `age_max`.
    pub fn sweep(&self, age_max: Duration) -> io::Result<()> {
        for entry in fs::read_dir(self.folder.as_path())? {
            let entry = entry?;
            let age = entry.metadata()?.modified()?.elapsed().unwrap_or_default();
            if age > age_max {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// The number of bytes that it contains.
    pub fn size(&self) -> io::Result<u64> {
        let entries = fs::read_dir(self.folder.as_path())?;
        entries.map(|entry| Ok(entry?.metadata()?.len())).sum()
    }

    fn write(&self, id: &RefId, bytes: &[u8], label: &RefLabel) -> io::Result<()> {
        let path = self.folder.join(id.as_str());
        fs::write(&path, bytes)?;
        fs::write(label_of(&path), serde_json::to_vec(label)?)
    }

    /// Only names that this store assigns lead to files.
    fn path(&self, id: &str) -> Option<PathBuf> {
        let rest = id.strip_prefix(Self::PREFIX)?;
        rest.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| self.folder.join(id))
    }

    fn broken(error: &io::Error) -> Trouble {
        Trouble::internal(format!("the folder of results cannot be used: {error}"))
    }
}

fn label_of(path: &Path) -> PathBuf {
    path.with_extension("json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_until_it_is_too_old() {
        let folder = tempfile::tempdir().unwrap();
        let refs = RefStore::open(folder.path(), 1 << 20);
        let id = refs.put(b"content", "text/plain", "a.txt").unwrap();
        let stored = StoredResult {
            bytes: b"content".to_vec(),
            media_type: "text/plain".into(),
            name: "a.txt".into(),
        };
        assert_eq!(refs.get(id.as_str()).unwrap(), Some(stored.clone()));
        refs.sweep(Duration::from_secs(60)).unwrap();
        assert_eq!(refs.get(id.as_str()).unwrap(), Some(stored));
        refs.sweep(Duration::ZERO).unwrap();
        assert_eq!(refs.get(id.as_str()).unwrap(), None);
        assert_eq!(refs.size().unwrap(), 0);
    }

    #[test]
    fn only_ids_that_were_given_lead_to_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        let refs = RefStore::open(folder.path(), 1 << 20);
        let id = refs.put(b"content", "text/plain", "a.txt").unwrap();
        for other in
            ["", "doc_", "secret", "doc_/../secret", "../secret", "doc_1", &format!("{}.json", id.as_str())]
        {
            assert_eq!(refs.get(other).unwrap(), None, "{other}");
        }
    }
}
