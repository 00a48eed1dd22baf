//! Opening a data folder: created if it is missing, private to its owner, migrated by one process at a time.
//! The database is a file in it, or Postgres if a URL is given.

mod postgres;
mod version;

use std::fs::{DirBuilder, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::migrate::MigrateError;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use tokio::sync::Mutex;
use tokio_util::task::TaskTracker;
use toolgate_core::event::Durability;

use crate::db::{Db, Pools, SqlitePools};
use crate::store::TENANT;
use crate::{Store, StoreError, migrations};
pub use postgres::{POSTGRES_CONNECTIONS, PostgresSettings};
pub use version::StoreVersion;

pub(crate) const DATABASE: &str = "toolgate.db";
const LOCK: &str = "toolgate.lock";

/// Each connection is a thread; readers do not wait for the writer.
const SQLITE_CONNECTIONS_MAX: u32 = 3;
/// The time that a writer waits for another writing process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
const SQLITE_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(15);
/// A negative number is KiB. The database is small; SQLite's own 2 MiB for each connection would be idle memory.
const CACHE_SIZE: &str = "-512";
/// Pages in the write-ahead log before they are copied into the database: a page that is written often is copied once.
const CHECKPOINT_PAGES: &str = "4000";

impl Store {
    /// Opens the data folder with the database in it, creating whatever is missing.
    pub async fn open(folder: &Path) -> Result<Store, StoreError> {
        create_folder(folder)?;
        // SQLite has no lock for migrations: two processes on a new folder would both create the tables.
        let lock = lock(folder.join(LOCK)).await?;
        let path = folder.join(DATABASE);
        create_database(&path)?;
        let store = Store::with(Pools::Sqlite(open_sqlite(&path).await?));
        store.convert_ledger().await?;
        drop(lock);
        Ok(store)
    }

    /// True if this folder was used before. The check creates nothing.
    pub fn is_kept_in(folder: &Path) -> bool {
        folder.join(DATABASE).exists()
    }

    /// Opens the data folder, but keeps everything in the Postgres database that the URL names.
    pub async fn open_url(folder: &Path, url: &str) -> Result<Store, StoreError> {
        Self::open_url_with(folder, url, PostgresSettings::default()).await
    }

    /// The same with settings.
    pub async fn open_url_with(
        folder: &Path,
        url: &str,
        settings: PostgresSettings,
    ) -> Result<Store, StoreError> {
        create_folder(folder)?;
        let (store, options) = connect(url, settings).await?;
        store.refuse_unfinished_transfer().await?;
        store.make_ledger_days().await?;
        store.convert_ledger().await?;
        store.db.pulse().feel(options.application_name("toolgate pulse"));
        Ok(store)
    }

    /// Opens a Postgres database that a store is moved to, with whatever part of it is there.
    pub async fn open_target(url: &str) -> Result<Store, StoreError> {
        let (store, _) = connect(url, PostgresSettings::default()).await?;
        // Tables of the ledger's first form, which are empty here, go now: later they would be taken for the ledger.
        store.convert_ledger().await?;
        Ok(store)
    }

    fn with(pools: Pools) -> Store {
        let holder = uuid::Uuid::now_v7().simple().to_string().into();
        let (tokens, waiting, revisions) = (Arc::default(), Arc::default(), Arc::default());
        let (db, tasks) = (Db::new(pools), TaskTracker::new());
        Store { db, tokens, waiting, revisions, tasks, holder, tenant: TENANT }
    }
}

async fn connect(url: &str, settings: PostgresSettings) -> Result<(Store, PgConnectOptions), StoreError> {
    let options = postgres::options(url)?;
    let store = Store::with(Pools::Postgres(postgres::open(&options, settings).await?));
    Ok((store, options))
}

async fn open_sqlite(path: &Path) -> Result<SqlitePools, StoreError> {
    let place = path.display().to_string();
    let pool = |max| {
        let pool = SqlitePoolOptions::new().max_connections(max).acquire_timeout(SQLITE_ACQUIRE_TIMEOUT);
        pool.test_before_acquire(false).idle_timeout(None).max_lifetime(None)
    };
    let usual = pool(SQLITE_CONNECTIONS_MAX)
        .connect_with(sqlite_options(path))
        .await
        .map_err(|cause| StoreError::OpenDatabase { place: place.clone(), cause })?;
    migrations::sqlite().run(&usual).await.map_err(|cause| migration_error(place, cause))?;
    // A new connection is as strict as possible, regardless of the settings of the one before it.
    let writer = sqlite_options(path).synchronous(SqliteSynchronous::Full);
    let writer = pool(1).connect_lazy_with(writer.pragma("wal_autocheckpoint", CHECKPOINT_PAGES));
    Ok(SqlitePools { path: path.into(), usual, writer, writing: Arc::new(Mutex::new(Durability::OnDisk)) })
}

/// The access of other users of this machine to the data folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherUsersAccess {
    Nothing,
    /// They can list the files.
    Look,
    /// Replace files with others.
    Change,
}

impl OtherUsersAccess {
    /// The access that the mode of the folder allows. An existing folder keeps its mode.
    #[cfg(unix)]
    pub fn of(folder: &Path) -> OtherUsersAccess {
        let mode = std::fs::metadata(folder)
            .map_or(0, |found| std::os::unix::fs::PermissionsExt::mode(&found.permissions()));
        match mode & 0o077 {
            0 => OtherUsersAccess::Nothing,
            mode if mode & 0o022 == 0 => OtherUsersAccess::Look,
            _ => OtherUsersAccess::Change,
        }
    }
}

fn sqlite_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .pragma("cache_size", CACHE_SIZE)
        // Pages that are written anyway keep no copies of deleted rows.
        .pragma("secure_delete", "FAST")
        // The undo data of a statement goes to memory, not to a file that is created and deleted each time.
        .pragma("temp_store", "memory")
        .disable_statement_logging()
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

/// Creates the file before SQLite does, to set its mode. Its companions (`-wal`, `-shm`) get the mode of the
/// database.
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

fn migration_error(place: String, cause: MigrateError) -> StoreError {
    match cause {
        MigrateError::VersionMissing(version) => StoreError::FromTheFuture { place, version },
        cause => StoreError::Migrate { place, cause },
    }
}
