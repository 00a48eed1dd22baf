//! Opening a data folder: made if it is not there, private to its owner, brought up to date by one process at a time.

use std::fs::{DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::{Store, StoreError, TENANT, TokenCache};

pub(crate) const DATABASE: &str = "toolgate.db";
const LOCK: &str = "toolgate.lock";

static MIGRATIONS: Migrator = sqlx::migrate!();

/// Each connection is a thread; readers do not wait for the writer.
const CONNECTIONS_MAX: u32 = 3;
/// How long a writer waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(15);
/// A negative number is KiB. The database is small; SQLite's own 2 MiB for each connection would be idle memory.
const CACHE_SIZE: &str = "-512";

impl Store {
    /// Opens the data folder, creating what is missing.
    pub async fn open(folder: &Path) -> Result<Store, StoreError> {
        create_folder(folder)?;
        // SQLite has no lock for migrations: two processes on a new folder would both create the tables.
        let lock = lock(folder.join(LOCK)).await?;
        let path = folder.join(DATABASE);
        create_database(&path)?;
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS_MAX)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .test_before_acquire(false)
            .connect_with(options(&path))
            .await
            .map_err(|cause| StoreError::OpenDatabase { path: path.clone(), cause })?;
        MIGRATIONS.run(&pool).await.map_err(|cause| migration_error(&path, cause))?;
        drop(lock);
        Ok(Store { pool, tokens: Arc::new(TokenCache::default()), tenant: TENANT })
    }
}

/// What users of this machine other than the owner may do with the data folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Others {
    Nothing,
    /// See what files there are.
    Look,
    /// Put other files in the place of those that are there.
    Change,
}

impl Others {
    /// What the mode of the folder allows. A folder that was there already keeps the mode it had.
    #[cfg(unix)]
    pub fn of(folder: &Path) -> Others {
        let mode = std::fs::metadata(folder)
            .map_or(0, |found| std::os::unix::fs::PermissionsExt::mode(&found.permissions()));
        match mode & 0o077 {
            0 => Others::Nothing,
            mode if mode & 0o022 == 0 => Others::Look,
            _ => Others::Change,
        }
    }
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("cache_size", CACHE_SIZE)
}

fn create_folder(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|cause| StoreError::CreateFolder { path: folder.to_owned(), cause })
}

async fn lock(path: PathBuf) -> Result<File, StoreError> {
    let wait = move || {
        let locked = private().read(true).open(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|cause| StoreError::LockFolder { path, cause })
    };
    // Waiting blocks the thread, and the holder may be a task of this very runtime.
    tokio::task::spawn_blocking(wait).await.expect("taking a file lock does not panic")
}

/// Makes the file before SQLite does, for its mode. Its companions (`-wal`, `-shm`) get the mode of the database.
///
/// An existing database is never opened here: closing it would drop the locks SQLite holds in this process.
fn create_database(path: &Path) -> Result<(), StoreError> {
    if path.exists() {
        return Ok(());
    }
    let created = private().create_new(true).open(path);
    created.map(drop).map_err(|cause| StoreError::CreateDatabase { path: path.to_owned(), cause })
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn migration_error(path: &Path, cause: MigrateError) -> StoreError {
    let path = path.to_owned();
    match cause {
        MigrateError::VersionMissing(version) => StoreError::FromTheFuture { path, version },
        cause => StoreError::Migrate { path, cause },
    }
}
