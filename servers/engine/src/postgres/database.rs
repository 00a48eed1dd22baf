//! The connections to the database, and waiting for it: the engines' port blocks, `sqlx` does not.

use std::future::Future;
use std::time::Duration;

use engine_protocol::{EngineErrorCode, EngineFault};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, PgPool, Postgres};
use tokio::runtime::{Builder, Runtime};

use crate::fault::{bad_request, hinted, internal};

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];
/// Searches and builds at a time; a build has one as long as it lasts.
const CONNECTIONS_MAX: u32 = 16;
const ACQUIRE_LIMIT: Duration = Duration::from_secs(10);
const THREADS: usize = 2;
/// The time of a search, of which a statement may take most.
pub(super) const SEARCH_LIMIT: Duration = Duration::from_secs(30);
/// One step of a build: a batch of passages, or joining segments at the end.
pub(super) const BUILD_STEP_LIMIT: Duration = Duration::from_secs(1800);
/// Preparing the schema, also when another engine does the same.
pub(super) const OPEN_LIMIT: Duration = Duration::from_secs(60);

/// All statements of a search see the same versions. PgBouncer forgets settings of a session, so that these are of the transaction.
const BEGIN_READING: &str =
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '25s'";
/// The timeout ends the build of an engine that vanished with its machine.
const BEGIN_WRITING: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL statement_timeout = '1500s'; \
    SET LOCAL idle_in_transaction_session_timeout = '1h'";

pub(super) type EngineTransaction = sqlx::Transaction<'static, Postgres>;

/// A failed step: the database's word, or ours.
#[derive(Debug, thiserror::Error)]
pub(super) enum StepError {
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    #[error(transparent)]
    Refused(#[from] EngineFault),
}

pub(super) struct EngineDatabase {
    pool: PgPool,
    /// Taken only when this is dropped.
    runtime: Option<Runtime>,
}

impl EngineDatabase {
    pub(super) fn open(url: &str) -> Result<Self, EngineFault> {
        let options = options(url)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|error| internal("starting threads", error))?;
        let pool = {
            let _inside = runtime.enter();
            PgPoolOptions::new()
                .max_connections(CONNECTIONS_MAX)
                .acquire_timeout(ACQUIRE_LIMIT)
                .connect_lazy_with(options)
        };
        Ok(Self { pool, runtime: Some(runtime) })
    }

    /// Blocks until the work is done, or too late.
    pub(super) fn wait<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, StepError>>,
    ) -> Result<T, EngineFault> {
        let work = Box::pin(work);
        match self.runtime().block_on(async { tokio::time::timeout(limit, work).await }) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(StepError::Refused(fault))) => Err(fault),
            Ok(Err(StepError::Database(error))) => Err(database_fault(&error)),
            Err(_) => Err(too_late()),
        }
    }

    pub(super) async fn reading(&self) -> Result<EngineTransaction, StepError> {
        Ok(self.pool.begin_with(BEGIN_READING).await?)
    }

    pub(super) async fn writing(&self) -> Result<EngineTransaction, StepError> {
        Ok(self.pool.begin_with(BEGIN_WRITING).await?)
    }

    /// Ends a transaction as if it had never been.
    pub(super) fn forget(&self, transaction: EngineTransaction) {
        // Its connection goes back to the pool by a task.
        let _inside = self.runtime().enter();
        drop(transaction);
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the runtime is there until the database is dropped")
    }
}

impl Drop for EngineDatabase {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for its threads is not allowed on threads of another runtime.
            runtime.shutdown_background();
        }
    }
}

fn options(url: &str) -> Result<PgConnectOptions, EngineFault> {
    let hint = "it has the form postgres://user:password@host/database";
    if !SCHEMES.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(bad_request("the address of the database does not begin with postgres://", hint));
    }
    // The error would repeat a part of the address, which has a password in it.
    let options: PgConnectOptions =
        url.parse().map_err(|_| bad_request("the address of the database cannot be read", hint))?;
    // PgBouncer refuses the setting; numbers travel as bytes.
    Ok(options.extra_float_digits(None).application_name("toolgate-engine").disable_statement_logging())
}

fn too_late() -> EngineFault {
    hinted(
        EngineErrorCode::TimedOut,
        "the database took too long",
        "try again; if it stays slow, look at the load of the database",
    )
}

/// The texts of the database name tables and roles, never the address or a password.
fn database_fault(error: &sqlx::Error) -> EngineFault {
    tracing::warn!(%error, "the database failed");
    match error {
        sqlx::Error::Database(said) => match said.code().as_deref() {
            // The server ended a statement that took too long.
            Some("57014") => too_late(),
            // A missing right.
            Some("42501") => hinted(
                EngineErrorCode::Unsupported,
                format!("the database refuses it: {}", said.message()),
                "let the database's owner give the engine's user the right: GRANT CREATE ON DATABASE … TO …",
            ),
            _ => hinted(
                EngineErrorCode::Internal,
                format!("the database refuses it: {}", said.message()),
                "see the log of the database; the index is as it was before",
            ),
        },
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
            hinted(
                EngineErrorCode::Internal,
                format!("the database does not answer: {error}"),
                "check that Postgres runs and that its address is right, then try again",
            )
        }
        error => internal("using the database", error),
    }
}
