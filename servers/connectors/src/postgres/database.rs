//! The way to the database. Each call has a connection of its own, so that nothing of one call's session is left for the next, and
//! every statement runs in a transaction that cannot write and is rolled back.

use std::time::Duration;

use capability_kit::{Trouble, TroubleCode};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::failure;
use super::options::PostgresOptions;
use super::stream::TableStream;
use crate::credential::ProviderSecret;
use crate::net::{Encryption, HostPort, check_name};
use crate::options::WayOptions;

const PASSWORD: &str = "CONNECTORS_PASSWORD";
const PORT: u16 = 5432;
const CONNECTIONS_MAX: usize = 8;
const APPLICATION: &str = "toolgate connector";

/// The database as configured.
pub(super) struct Database {
    pub(super) place: HostPort,
    pub(super) rows_max: u32,
    pub(super) streams: Vec<TableStream>,
    encryption: Encryption,
    connect: PgConnectOptions,
    statement_limit: Duration,
    silence_max: Duration,
    connections: Semaphore,
}

/// A connection within a transaction that cannot write. Dropping it ends both.
pub(super) struct ReadOnly<'a> {
    pub(super) connection: PgConnection,
    _permit: SemaphorePermit<'a>,
}

impl Database {
    pub(super) fn of(options: &PostgresOptions, way: &WayOptions) -> Result<Self, Trouble> {
        let bad = |what: &str| {
            Trouble::unavailable(what.to_owned())
                .hint("the operator starts this server with --database postgres://USER@HOST:PORT/DATABASE")
        };
        let url = options.database.as_deref().ok_or_else(|| bad("--database was not set"))?;
        let url = check_name("--database", url, &["postgres", "postgresql"])?;
        let place = HostPort::of_url(&url, PORT).ok_or_else(|| bad("--database has no host"))?;
        let name = url.path().trim_start_matches('/');
        if name.is_empty() || url.username().is_empty() || url.query().is_some() {
            return Err(bad("--database lacks a user or a database, or has settings behind a question mark"));
        }
        let encryption = if way.without_tls { Encryption::Never } else { Encryption::FromTheStart };
        let mut connect = PgConnectOptions::new_without_pgpass()
            .host(&place.host())
            .port(place.port())
            .username(url.username())
            .database(name)
            .password(ProviderSecret::required(PASSWORD)?.reveal())
            .ssl_mode(if way.without_tls { PgSslMode::Disable } else { PgSslMode::VerifyFull })
            .application_name(APPLICATION)
            .statement_cache_capacity(0)
            .disable_statement_logging();
        if let Some(ca_file) = &way.ca_file {
            connect = connect.ssl_root_cert(ca_file);
        }
        let streams =
            options.stream.iter().map(|written| TableStream::read(written)).collect::<Result<_, _>>()?;
        Ok(Self {
            place,
            rows_max: options.rows_max,
            streams,
            encryption,
            connect,
            statement_limit: Duration::from_secs(options.statement_seconds),
            silence_max: way.silence_max(),
            connections: Semaphore::new(CONNECTIONS_MAX),
        })
    }

    /// A transaction that cannot write, with a limit on each of its statements.
    pub(super) async fn open(&self) -> Result<ReadOnly<'_>, Trouble> {
        let busy = || {
            Trouble::new(TroubleCode::Busy, format!("{CONNECTIONS_MAX} questions are being answered"))
                .hint("try again in a moment")
        };
        let permit = tokio::time::timeout(self.silence_max, self.connections.acquire()).await;
        let permit = permit.map_err(|_| busy())?.map_err(|_| busy())?;
        let silent = |_| failure::unreachable(&self.place, "it did not answer in time");
        // The driver looks names up by itself: this look is for names that lead where they must not.
        let looked = tokio::time::timeout(self.silence_max, self.place.addresses(self.encryption)).await;
        looked.map_err(silent)?.map_err(|error| failure::unreachable(&self.place, &error.to_string()))?;
        let connected =
            tokio::time::timeout(self.silence_max, PgConnection::connect_with(&self.connect)).await;
        let connected =
            connected.map_err(silent)?.map_err(|error| failure::of_connection(&self.place, &error))?;
        let mut session = ReadOnly { connection: connected, _permit: permit };
        self.within_time(sqlx::raw_sql(AssertSqlSafe(self.preamble())).execute(&mut session.connection))
            .await?;
        Ok(session)
    }

    fn preamble(&self) -> String {
        let milliseconds = self.statement_limit.as_millis();
        format!(
            "BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = {milliseconds}; SET LOCAL lock_timeout = {milliseconds}; \
             SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'"
        )
    }

    /// The server ends statements by itself; this is for one that no longer answers.
    pub(super) async fn within_time<T>(
        &self,
        asking: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, Trouble> {
        let answered = tokio::time::timeout(self.statement_limit + self.silence_max, asking).await;
        let answered =
            answered.map_err(|_| failure::unreachable(&self.place, "it did not answer in time"))?;
        answered.map_err(|error| failure::of_statement(&self.place, &error))
    }
}

impl ReadOnly<'_> {
    /// Rolls back and hangs up. If that fails, the connection is gone, and the transaction with it.
    pub(super) async fn end(mut self) {
        drop(sqlx::raw_sql("ROLLBACK").execute(&mut self.connection).await);
        drop(self.connection.close().await);
    }
}
