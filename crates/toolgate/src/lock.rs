//! One gateway per data folder: a lock that the system releases when the process ends, in any way.

use std::fs::{File, Permissions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};

const FILE_NAME: &str = "gateway.lock";
/// `running` holds the lock for a moment; a concurrent start tries again after this.
const RETRY_PAUSE: Duration = Duration::from_millis(50);

/// Held while this gateway runs; the file has its address.
pub(crate) struct GatewayLock {
    file: File,
    store: String,
}

#[derive(serde::Serialize, serde::Deserialize, Clone, Debug)]
pub(crate) struct RunningGateway {
    pub(crate) pid: u32,
    /// Absent until the gateway listens.
    pub(crate) endpoint: Option<String>,
    /// The place of its state, without credentials.
    #[serde(default)]
    pub(crate) store: String,
}

impl GatewayLock {
    /// `url` names the store of this gateway, if it is not in the folder.
    pub(crate) async fn take(data: &Path, url: Option<&str>) -> anyhow::Result<Self> {
        let store = shown(url);
        let path = data.join(FILE_NAME);
        let file = open(&path)?;
        let mut locked = file.try_lock();
        if let Err(TryLockError::WouldBlock) = locked {
            tokio::time::sleep(RETRY_PAUSE).await;
            locked = file.try_lock();
        }
        match locked {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!("{}", taken(data, read(&file), &store));
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("could not lock {}", path.display()));
            }
        }
        let lock = Self { file, store };
        lock.announce(None)?;
        Ok(lock)
    }

    /// Says where the gateway listens, for other commands on the same data folder.
    pub(crate) fn announce(&self, endpoint: Option<String>) -> anyhow::Result<()> {
        let text = serde_json::to_vec(&RunningGateway {
            pid: std::process::id(),
            endpoint,
            store: self.store.clone(),
        })?;
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)?;
        Ok(())
    }
}

/// A data folder has one gateway, whatever the stores: its lock, sockets and files are in it.
fn taken(data: &Path, running: Option<RunningGateway>, store: &str) -> String {
    let pid = running.as_ref().map_or_else(|| "unknown".to_owned(), |running| running.pid.to_string());
    let other = running.map(|running| running.store).filter(|other| !other.is_empty() && other != store);
    let told = other.map_or_else(String::new, |other| {
        format!(", with its state in {other}; this one would have it in {store}")
    });
    format!(
        "another gateway (pid {pid}) already uses the data folder {}{told}\nhint: stop it, or give this one its own with --data DIR",
        data.display()
    )
}

/// The place of a store, for people: without the user, the password and the options of its URL.
fn shown(url: Option<&str>) -> String {
    let Some(url) = url else { return "SQLite in the data folder".to_owned() };
    let url = url.split('?').next().unwrap_or_default();
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
    format!("{scheme}://{place}")
}

/// The gateway that runs on this data folder, if one does.
pub(crate) fn running(data: &Path) -> Option<RunningGateway> {
    let file = File::open(data.join(FILE_NAME)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => read(&file),
        _ => None,
    }
}

/// Opens the lock for its owner only: anyone who can open it could hold it and keep the gateway from
/// starting.
fn open(path: &Path) -> anyhow::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(path).with_context(|| format!("could not open {}", path.display()))?;
    let private = file.set_permissions(Permissions::from_mode(0o600));
    private.with_context(|| format!("could not make {} private", path.display()))?;
    Ok(file)
}

fn read(mut file: &File) -> Option<RunningGateway> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_lock_is_private_even_if_it_was_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        let lock = GatewayLock::take(folder.path(), None).await.unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(running(folder.path()).map(|running| running.pid), Some(std::process::id()));
        drop(lock);
        assert!(running(folder.path()).is_none());
    }

    #[tokio::test]
    async fn a_glance_at_the_lock_does_not_keep_a_gateway_from_starting() {
        let folder = tempfile::tempdir().unwrap();
        drop(GatewayLock::take(folder.path(), None).await.unwrap());
        let glance = File::open(folder.path().join(FILE_NAME)).unwrap();
        glance.lock_shared().unwrap();
        let (lock, ()) = tokio::join!(GatewayLock::take(folder.path(), None), async { drop(glance) });
        assert!(lock.is_ok());
    }

    #[tokio::test]
    async fn a_second_gateway_is_told_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let first = GatewayLock::take(folder.path(), None).await.unwrap();
        let refused = GatewayLock::take(folder.path(), None).await.err().expect("it is taken").to_string();
        assert!(refused.contains(&std::process::id().to_string()), "{refused}");
        assert!(!refused.contains("SQLite"), "both have the same: {refused}");
        let url = "postgres://me:geheim@db.example.com/gate?sslmode=require";
        let refused =
            GatewayLock::take(folder.path(), Some(url)).await.err().expect("it is taken").to_string();
        let expected = "with its state in SQLite in the data folder; this one would have it in postgres://db.example.com/gate";
        assert!(refused.contains(expected) && !refused.contains("geheim"), "{refused}");
        drop(first);
    }
}
