//! Opening a Postgres database: two pools, and migrations by one process at a time.
//!
//! Nothing here or elsewhere in the crate needs a session of its own on the server, so PgBouncer in transaction mode may
//! stand in between, if it knows prepared statements (1.21 or newer): locks are those of a transaction, settings are
//! `SET LOCAL`, and there is neither `LISTEN` nor a temporary table.

use std::ops::RangeInclusive;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection as _, PgPool};

use super::migration_error;
use crate::db::{DbLock, LOCK, PgPools};
use crate::{StoreError, migrations};

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
const HAS_STANDBY: &str = "SELECT current_setting('synchronous_standby_names') <> ''";
/// The ledger's writer has one transaction at a time, and the claim to its stream another.
const WRITER_CONNECTIONS: u32 = 2;
/// The time for which an unavailable server is retried; callers wait for the answer.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);
/// A connection that was idle for longer is tested first: the server may have been restarted.
const IDLE_TRUSTED: Duration = Duration::from_secs(1);

/// The connections that a gateway may be given.
pub const POSTGRES_CONNECTIONS: RangeInclusive<u32> = 4..=500;

/// The use of a Postgres server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PostgresSettings {
    /// The most connections at a time, those of the ledger's writer included. One more, which is idle, probes the server.
    pub connections_max: u32,
}

impl Default for PostgresSettings {
    /// A tenth of the connections that a server allows by default, so that several gateways find room.
    fn default() -> Self {
        Self { connections_max: 10 }
    }
}

pub(super) fn options(url: &str) -> Result<PgConnectOptions, StoreError> {
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(StoreError::DatabaseUrl { cause: "it does not begin with postgres://".into() });
    }
    let options: PgConnectOptions =
        url.parse().map_err(|cause: sqlx::Error| StoreError::DatabaseUrl { cause: cause.to_string() })?;
    // PgBouncer refuses the setting, and no number here has a fraction.
    Ok(options.extra_float_digits(None).application_name("toolgate"))
}

/// The database as messages name it: not by its URL, which has a password in it.
pub(super) fn place(options: &PgConnectOptions) -> String {
    match options.get_database() {
        Some(database) => format!("{database} at {}:{}", options.get_host(), options.get_port()),
        None => format!("at {}:{}", options.get_host(), options.get_port()),
    }
}

pub(super) async fn open(
    options: &PgConnectOptions,
    settings: PostgresSettings,
) -> Result<PgPools, StoreError> {
    let place = place(options);
    let connections =
        settings.connections_max.clamp(*POSTGRES_CONNECTIONS.start(), *POSTGRES_CONNECTIONS.end());
    let usual = pool(connections - WRITER_CONNECTIONS)
        .connect_with(options.clone())
        .await
        .map_err(|cause| StoreError::OpenDatabase { place: place.clone(), cause })?;
    migrate(&usual, place.clone()).await?;
    let has_standby = sqlx::query_scalar::<_, bool>(HAS_STANDBY).fetch_one(&usual).await;
    let has_standby = has_standby.map_err(|cause| StoreError::OpenDatabase { place, cause })?;
    let writer = options.clone().application_name("toolgate ledger");
    Ok(PgPools { usual, writer: pool(WRITER_CONNECTIONS).connect_lazy_with(writer), has_standby })
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .test_before_acquire(false)
        .before_acquire(|connection, found| {
            Box::pin(async move {
                if found.idle_for > IDLE_TRUSTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
}

/// All steps in one transaction, which also holds the lock: a lock of the session would stay behind on a server
/// connection that a pooler hands to another client.
async fn migrate(pool: &PgPool, place: String) -> Result<(), StoreError> {
    let opening = |cause| StoreError::OpenDatabase { place: place.clone(), cause };
    let mut tx = pool.begin().await.map_err(opening)?;
    sqlx::query(LOCK).bind(DbLock::Migrations as i64).execute(&mut *tx).await.map_err(opening)?;
    let mut migrator = migrations::postgres();
    migrator.set_locking(false);
    let migrated = migrator.run_direct(None, &mut *tx, false).await;
    migrated.map_err(|cause| migration_error(place.clone(), cause))?;
    tx.commit().await.map_err(opening)
}
