//! The server's folder while it runs: it holds the refs and a lock that shows other servers that this one is
//! running. A killed server leaves its folder behind; the next one on this machine removes it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

const PREFIX: &str = "capability-server-";
const LOCK: &str = "lock";
const REFS: &str = "refs";
/// The creator of a folder has locked it by then.
const FRESH: Duration = Duration::from_secs(60);

pub(crate) struct ServerHome {
    folder: TempDir,
    /// Held by being open; the kernel lets go of it however the server ends.
    _lock: File,
}

impl ServerHome {
    pub(crate) fn create() -> io::Result<Self> {
        Self::create_in(&std::env::temp_dir())
    }

    /// Private to its owner.
    fn create_in(parent: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        fs::create_dir(folder.path().join(REFS))?;
        Ok(Self { folder, _lock: lock })
    }

    /// A file that only this user may read.
    pub(crate) fn keep(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.path().join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(text.as_bytes())?;
        Ok(path)
    }

    pub(crate) fn refs(&self) -> PathBuf {
        self.folder.path().join(REFS)
    }
}

/// Removes the leftovers of servers that were killed.
pub(crate) fn sweep() {
    if let Err(error) = sweep_in(&std::env::temp_dir(), FRESH) {
        tracing::debug!(%error, "the folders that killed servers left behind could not be listed");
    }
}

fn sweep_in(parent: &Path, age_min: Duration) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_ours && is_left(&entry, age_min) {
            // Another server may be at it too, or it may be another user's.
            drop(fs::remove_dir_all(entry.path()));
        }
    }
    Ok(())
}

fn is_left(entry: &fs::DirEntry, age_min: Duration) -> bool {
    let Ok(changed) = entry.metadata().and_then(|data| data.modified()) else { return false };
    let age = changed.elapsed().unwrap_or_default();
    age >= age_min && File::open(entry.path().join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_without_a_living_server_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let living = ServerHome::create_in(parent.path()).unwrap();
        let ServerHome { folder, _lock } = ServerHome::create_in(parent.path()).unwrap();
        let left = folder.keep();
        fs::write(left.join(REFS).join("doc_1"), "x").unwrap();
        drop(_lock);
        fs::create_dir(parent.path().join("somebody-elses")).unwrap();
        sweep_in(parent.path(), Duration::from_secs(3600)).unwrap();
        assert!(left.exists(), "it may be about to be locked");
        sweep_in(parent.path(), Duration::ZERO).unwrap();
        assert!(!left.exists());
        assert!(living.refs().exists() && parent.path().join("somebody-elses").exists());
    }
}
