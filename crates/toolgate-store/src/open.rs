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
            .map_err(|source| StoreError::OpenDatabase { path: path.clone(), source })?;
        MIGRATIONS.run(&pool).await.map_err(|source| migration_error(&path, source))?;
        drop(lock);
        Ok(Store { pool, tokens: Arc::new(TokenCache::default()), tenant: TENANT })
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
    builder.create(folder).map_err(|source| StoreError::CreateFolder { path: folder.to_owned(), source })
}

async fn lock(path: PathBuf) -> Result<File, StoreError> {
    let wait = move || {
        let locked = private().read(true).open(&path).and_then(|file| file.lock().map(|()| file));
        locked.map_err(|source| StoreError::LockFolder { path, source })
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
    created.map(drop).map_err(|source| StoreError::CreateDatabase { path: path.to_owned(), source })
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn migration_error(path: &Path, source: MigrateError) -> StoreError {
    let path = path.to_owned();
    match source {
        MigrateError::VersionMissing(version) => StoreError::FromTheFuture { path, version },
        source => StoreError::Migrate { path, source },
    }
}
