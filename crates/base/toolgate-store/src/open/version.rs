//! How far a database has come, read without changing it: before an upgrade people want to know what it would do.

use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection, SqliteConnection};

use super::{BUSY_TIMEOUT, DATABASE, postgres};
use crate::{Store, StoreError, migrations};

const SQLITE_HAS_STEPS: &str = "SELECT count(*) FROM sqlite_master WHERE name = '_sqlx_migrations'";
const POSTGRES_HAS_STEPS: &str = "SELECT count(to_regclass('_sqlx_migrations'))";
/// The names of streams whose gateways have shown a sign of life.
const GATEWAYS: &str = "SELECT stream FROM gateways WHERE seen_ms >= $1 ORDER BY stream";
const STEPS: &str = "SELECT version FROM _sqlx_migrations ORDER BY version";

/// The form of a database, and the one that this program writes. Each is the number of its last migration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreVersion {
    /// The form of the database; 0 for one without tables.
    pub stored: i64,
    /// The form that this program writes.
    pub known: i64,
    /// The names of the steps between them, in their order.
    pub missing: Vec<String>,
}

impl StoreVersion {
    /// True if a newer version of Toolgate has written the database.
    pub fn is_from_the_future(&self) -> bool {
        self.stored > self.known
    }

    fn of(done: &[i64]) -> Self {
        let steps = migrations::sqlite();
        let missing = steps.iter().filter(|step| !done.contains(&step.version));
        Self {
            stored: done.last().copied().unwrap_or(0),
            known: steps.iter().next_back().map_or(0, |step| step.version),
            missing: missing.map(|step| step.description.to_string()).collect(),
        }
    }
}

impl Store {
    /// Reads how far the database in this folder has come. `None`: there is none.
    pub async fn version_in(folder: &Path) -> Result<Option<StoreVersion>, StoreError> {
        if !Self::is_kept_in(folder) {
            return Ok(None);
        }
        let path = folder.join(DATABASE);
        let place = path.display().to_string();
        let options = SqliteConnectOptions::new().filename(&path).busy_timeout(BUSY_TIMEOUT);
        let read = async {
            let mut connection = options.read_only(true).disable_statement_logging().connect().await?;
            let done = steps_in_sqlite(&mut connection).await;
            connection.close().await?;
            done
        };
        let done = read.await.map_err(|cause| StoreError::OpenDatabase { place, cause })?;
        Ok(Some(StoreVersion::of(&done)))
    }

    /// The same for a Postgres database.
    pub async fn version_at(url: &str) -> Result<StoreVersion, StoreError> {
        let options = postgres::options(url)?;
        let place = postgres::place(&options);
        let read = async {
            let mut connection = options.disable_statement_logging().connect().await?;
            let done = steps_in_postgres(&mut connection).await;
            connection.close().await?;
            done
        };
        let done = read.await.map_err(|cause| StoreError::OpenDatabase { place, cause })?;
        Ok(StoreVersion::of(&done))
    }

    /// The streams of the gateways on a Postgres database that have shown a sign of life since then. Reads only,
    /// whatever version wrote the database.
    pub async fn gateways_at(url: &str, since_ms: i64) -> Result<Vec<String>, StoreError> {
        let options = postgres::options(url)?;
        let place = postgres::place(&options);
        let read = async {
            let mut connection = options.disable_statement_logging().connect().await?;
            let streams = sqlx::query_scalar(GATEWAYS).bind(since_ms).fetch_all(&mut connection).await;
            connection.close().await?;
            streams
        };
        read.await.map_err(|cause| StoreError::OpenDatabase { place, cause })
    }
}

async fn steps_in_sqlite(connection: &mut SqliteConnection) -> Result<Vec<i64>, sqlx::Error> {
    let tables: i64 = sqlx::query_scalar(SQLITE_HAS_STEPS).fetch_one(&mut *connection).await?;
    match tables {
        0 => Ok(Vec::new()),
        _ => sqlx::query_scalar(STEPS).fetch_all(connection).await,
    }
}

async fn steps_in_postgres(connection: &mut PgConnection) -> Result<Vec<i64>, sqlx::Error> {
    let tables: i64 = sqlx::query_scalar(POSTGRES_HAS_STEPS).fetch_one(&mut *connection).await?;
    match tables {
        0 => Ok(Vec::new()),
        _ => sqlx::query_scalar(STEPS).fetch_all(connection).await,
    }
}
