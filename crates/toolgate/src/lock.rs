//! One gateway per data folder: a lock that the system lets go when the process ends, however it ends.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use anyhow::{Context, bail};

const FILE_NAME: &str = "gateway.lock";

/// Held while this gateway runs; the file says where it listens.
pub(crate) struct GatewayLock(File);

#[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
pub(crate) struct Running {
    pub(crate) pid: u32,
    /// Absent until the gateway listens.
    pub(crate) endpoint: Option<String>,
}

impl GatewayLock {
    pub(crate) fn take(data: &Path) -> anyhow::Result<Self> {
        let path = data.join(FILE_NAME);
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let pid = read(&file).map_or_else(|| "unknown".to_owned(), |running| running.pid.to_string());
                bail!(
                    "another gateway (pid {pid}) already uses the data folder {}\nhint: stop it, or give this one its own with --data DIR",
                    data.display()
                );
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", path.display()));
            }
        }
        let lock = Self(file);
        lock.announce(None)?;
        Ok(lock)
    }

    /// Says where the gateway listens, for other commands on the same data folder.
    pub(crate) fn announce(&self, endpoint: Option<String>) -> anyhow::Result<()> {
        let text = serde_json::to_vec(&Running { pid: std::process::id(), endpoint })?;
        let mut file = &self.0;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)?;
        Ok(())
    }
}

/// The gateway that runs on this data folder, if one does.
pub(crate) fn running(data: &Path) -> Option<Running> {
    let file = File::open(data.join(FILE_NAME)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => read(&file),
        _ => None,
    }
}

fn open(path: &Path) -> anyhow::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .with_context(|| format!("could not open {}", path.display()))
}

fn read(mut file: &File) -> Option<Running> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
