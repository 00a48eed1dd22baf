//! Opening the database: made if it is missing, readable for its owner alone, brought up to date by one process at a time.

use std::borrow::Cow;
use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqlSafeStr as _};

use super::{DatabasePools, JobDatabase};

const FILE: &str = "job-app.db";
const LOCK_FILE: &str = "job-app.lock";
const POSTGRES: [&str; 2] = ["postgres://", "postgresql://"];
/// The time that a writer waits for another process.
const BUSY_LIMIT: Duration = Duration::from_secs(10);
const ACQUIRE_LIMIT: Duration = Duration::from_secs(12);
/// Every transaction may write, and SQLite has one writer.
const SQLITE_CONNECTIONS_MAX: u32 = 2;
const POSTGRES_CONNECTIONS_MAX: u32 = 5;

pub(super) const LOCK: &str = "SELECT 1 FROM (SELECT pg_advisory_xact_lock($1)) AS locked";
const MIGRATIONS_LOCK: i64 = 0x6a61_0001;

/// Number, name and text of each step. Released steps never change: a database remembers their digests.
type MigrationText = (i64, &'static str, &'static str);
const SQLITE_STEPS: &[MigrationText] =
    &[(1, "start", include_str!("../../migrations/sqlite/0001_start.sql"))];
const POSTGRES_STEPS: &[MigrationText] =
    &[(1, "start", include_str!("../../migrations/postgres/0001_start.sql"))];

/// The place of the data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DatabasePlace {
    /// A folder with a file of SQLite.
    Folder(PathBuf),
    /// The URL of a database on Postgres.
    Url(String),
}

/// Each text includes its cause, and none a URL, which has a password in it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseOpenError {
    #[error("the folder {} cannot be used: {cause}", path.display())]
    Folder { path: PathBuf, cause: std::io::Error },
    #[error("the URL of the database cannot be read: {0}")]
    Url(String),
    #[error("the database {place} cannot be opened: {cause}")]
    Database { place: String, cause: sqlx::Error },
    #[error(
        "the database {place} is of a newer version of this server, or of another program: its step {version} is not known here"
    )]
    NotOurs { place: String, version: i64 },
    #[error("the database {place} cannot be brought up to date: {cause}")]
    Migrate { place: String, cause: MigrateError },
}

impl JobDatabase {
    pub(crate) async fn open(place: &DatabasePlace) -> Result<Self, DatabaseOpenError> {
        let pools = match place {
            DatabasePlace::Folder(folder) => Box::pin(open_sqlite(folder)).await?,
            DatabasePlace::Url(url) => Box::pin(open_postgres(url)).await?,
        };
        Ok(Self { pools })
    }
}

async fn open_sqlite(folder: &Path) -> Result<DatabasePools, DatabaseOpenError> {
    let failed = |cause| DatabaseOpenError::Folder { path: folder.to_owned(), cause };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let lock = lock(folder.join(LOCK_FILE)).await.map_err(failed)?;
    let path = folder.join(FILE);
    if !path.exists() {
        // Before SQLite does it, for the mode, which its companions take over.
        private().create_new(true).open(&path).map(drop).map_err(failed)?;
    }
    let place = path.display().to_string();
    let options = SqliteConnectOptions::new()
        .filename(&path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_LIMIT)
        .pragma("temp_store", "memory")
        .disable_statement_logging();
    let pool = SqlitePoolOptions::new()
        .max_connections(SQLITE_CONNECTIONS_MAX)
        .acquire_timeout(ACQUIRE_LIMIT)
        .connect_with(options)
        .await
        .map_err(|cause| DatabaseOpenError::Database { place: place.clone(), cause })?;
    migrator(SQLITE_STEPS).run(&pool).await.map_err(|cause| migration_error(place, cause))?;
    drop(lock);
    Ok(DatabasePools::Sqlite(pool))
}

/// SQLite has no lock for migrations. Waiting blocks the thread.
async fn lock(path: PathBuf) -> std::io::Result<File> {
    let wait = move || private().create(true).open(&path).and_then(|file| file.lock().map(|()| file));
    tokio::task::spawn_blocking(wait).await.expect("taking a file lock does not panic")
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600);
    options
}

async fn open_postgres(url: &str) -> Result<DatabasePools, DatabaseOpenError> {
    if !POSTGRES.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(DatabaseOpenError::Url("it does not begin with postgres://".to_owned()));
    }
    let options: PgConnectOptions =
        url.parse().map_err(|cause: sqlx::Error| DatabaseOpenError::Url(cause.to_string()))?;
    // PgBouncer refuses the setting, and no number here has a fraction.
    let options =
        options.extra_float_digits(None).application_name("job-app-mcp").disable_statement_logging();
    let place = match options.get_database() {
        Some(database) => format!("{database} at {}:{}", options.get_host(), options.get_port()),
        None => format!("at {}:{}", options.get_host(), options.get_port()),
    };
    let opening = |cause| DatabaseOpenError::Database { place: place.clone(), cause };
    let pool = PgPoolOptions::new().max_connections(POSTGRES_CONNECTIONS_MAX).acquire_timeout(ACQUIRE_LIMIT);
    let pool = pool.connect_with(options).await.map_err(opening)?;
    // All steps in one transaction, which also has the lock: one of the session would stay behind at a pooler.
    let mut tx = pool.begin().await.map_err(opening)?;
    sqlx::query(LOCK).bind(MIGRATIONS_LOCK).execute(&mut *tx).await.map_err(opening)?;
    let mut migrator = migrator(POSTGRES_STEPS);
    migrator.set_locking(false);
    let migrated = migrator.run_direct(None, &mut *tx, false).await;
    migrated.map_err(|cause| migration_error(place.clone(), cause))?;
    tx.commit().await.map_err(opening)?;
    Ok(DatabasePools::Postgres(pool))
}

fn migrator(steps: &'static [MigrationText]) -> Migrator {
    let steps = steps.iter().map(|(version, name, text)| {
        Migration::new(*version, Cow::Borrowed(*name), MigrationType::Simple, text.into_sql_str(), false)
    });
    Migrator::with_migrations(steps.collect())
}

fn migration_error(place: String, cause: MigrateError) -> DatabaseOpenError {
    match cause {
        MigrateError::VersionMissing(version) | MigrateError::VersionMismatch(version) => {
            DatabaseOpenError::NotOurs { place, version }
        }
        cause => DatabaseOpenError::Migrate { place, cause },
    }
}
