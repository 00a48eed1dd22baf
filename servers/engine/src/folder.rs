//! The engine's folder: one engine at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

const LOCK: &str = "lock";
const SCRATCH: &str = "scratch";
const VECTORS: &str = "vectors";
/// An engine whose gateway died ends within this time.
const WAIT_MAX: Duration = Duration::from_secs(15);
const WAIT_STEP: Duration = Duration::from_millis(50);

/// The folder, while this engine has it.
pub(crate) struct EngineFolder {
    path: PathBuf,
    /// Held by being open; the kernel lets go of it however the engine ends.
    _lock: File,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("the folder {} cannot be used: {source}", .path.display())]
    Unusable { path: PathBuf, source: io::Error },
    #[error("another engine uses the folder {}\nhint: end it, or give this one a folder of its own with --folder", .path.display())]
    InUse { path: PathBuf },
}

impl EngineFolder {
    /// Takes the folder, and waits for an engine that is about to end.
    pub(crate) fn take(path: &Path) -> Result<Self, FolderError> {
        let unusable = |source| FolderError::Unusable { path: path.to_owned(), source };
        fs::create_dir_all(path).map_err(unusable)?;
        let lock = File::create(path.join(LOCK)).map_err(unusable)?;
        let until = Instant::now() + WAIT_MAX;
        while let Err(refused) = lock.try_lock() {
            match refused {
                TryLockError::Error(source) => return Err(unusable(source)),
                TryLockError::WouldBlock if Instant::now() >= until => {
                    return Err(FolderError::InUse { path: path.to_owned() });
                }
                TryLockError::WouldBlock => thread::sleep(WAIT_STEP),
            }
        }
        let taken = Self { path: path.to_owned(), _lock: lock };
        fs::create_dir_all(taken.scratch()).map_err(unusable)?;
        Ok(taken)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Of builds and open indexes.
    pub(crate) fn scratch(&self) -> PathBuf {
        self.path.join(SCRATCH)
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.path.join(VECTORS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_engine_until_that_one_ends() {
        let folder = tempfile::tempdir().unwrap();
        let first = EngineFolder::take(folder.path()).unwrap();
        let second = File::open(folder.path().join(LOCK)).unwrap();
        assert!(matches!(second.try_lock(), Err(TryLockError::WouldBlock)));
        drop(first);
        assert!(EngineFolder::take(folder.path()).is_ok());
    }
}
