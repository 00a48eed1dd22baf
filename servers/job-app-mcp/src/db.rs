//! The server's own database: a file of SQLite, or Postgres. Every statement goes through here, and every tool is one transaction.
//!
//! `let mut tx = db.begin().await?; tx.sql(TEXT).bind(a).fetch_all::<(String, i64)>().await?; tx.commit().await?`. Without a commit
//! nothing has happened. On SQLite one transaction writes at a time (`BEGIN IMMEDIATE`), also among processes. On Postgres it is READ
//! COMMITTED: rows that will be written are read with [`Locking`].

pub(crate) mod open;
pub(crate) mod row;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use capability_kit::Trouble;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments as _, Encode, FromRow, PgPool, Postgres, SqlSafeStr, SqlStr, Sqlite, SqlitePool, Type};

/// Longer than a writer of SQLite waits for another process.
const STATEMENT_LIMIT: Duration = Duration::from_secs(15);
const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE";
/// The timeout releases the locks of a server whose machine vanished.
const BEGIN_POSTGRES: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '15s'";

type DatabaseFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, sqlx::Error>> + Send + 'a>>;

#[derive(Clone)]
pub(crate) struct JobDatabase {
    pools: DatabasePools,
}

#[derive(Clone)]
enum DatabasePools {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

/// A transaction. Dropped without `commit`, it has never been.
pub(crate) enum JobTransaction {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

/// The rows that a statement reads are written later in the transaction. SQLite has one writer and needs no locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Locking {
    /// Waits for rows that others hold.
    Wait,
    /// Leaves out rows that others hold.
    Skip,
}

/// A row of either database.
pub(crate) trait JobRow:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

impl<T> JobRow for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// A value that can be bound on either database.
pub(crate) trait JobValue<'v>:
    Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>
{
}

impl<'v, T> JobValue<'v> for T where
    T: Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>
{
}

impl JobDatabase {
    pub(crate) async fn begin(&self) -> Result<JobTransaction, Trouble> {
        let begun: DatabaseFuture<'_, JobTransaction> = Box::pin(async {
            Ok(match &self.pools {
                DatabasePools::Sqlite(pool) => JobTransaction::Sqlite(pool.begin_with(BEGIN_SQLITE).await?),
                DatabasePools::Postgres(pool) => {
                    JobTransaction::Postgres(pool.begin_with(BEGIN_POSTGRES).await?)
                }
            })
        });
        limited(begun).await.map_err(|error| away(&error))
    }

    pub(crate) async fn close(&self) {
        match &self.pools {
            DatabasePools::Sqlite(pool) => pool.close().await,
            DatabasePools::Postgres(pool) => pool.close().await,
        }
    }
}

impl JobTransaction {
    pub(crate) fn sql(&mut self, text: impl SqlSafeStr) -> JobStatement<'_> {
        let arguments = match self {
            JobTransaction::Sqlite(_) => StatementArguments::Sqlite(SqliteArguments::default()),
            JobTransaction::Postgres(_) => StatementArguments::Postgres(PgArguments::default()),
        };
        JobStatement { tx: self, text: text.into_sql_str(), arguments, unbound: None }
    }

    /// Reads rows of the table that the text calls `a`, to write them later.
    pub(crate) fn sql_locking(&mut self, text: &'static str, locking: Locking) -> JobStatement<'_> {
        let ending = match locking {
            Locking::Wait => "FOR UPDATE OF a",
            Locking::Skip => "FOR UPDATE OF a SKIP LOCKED",
        };
        match self {
            JobTransaction::Sqlite(_) => self.sql(text),
            JobTransaction::Postgres(_) => self.sql(sqlx::AssertSqlSafe(format!("{text} {ending}"))),
        }
    }

    /// Waits until no other transaction has this lock, and has it until the end.
    pub(crate) async fn alone(&mut self, lock: i64) -> Result<(), Trouble> {
        match self {
            JobTransaction::Sqlite(_) => Ok(()),
            JobTransaction::Postgres(_) => self.sql(open::LOCK).bind(lock).execute().await.map(drop),
        }
    }

    pub(crate) async fn commit(self) -> Result<(), Trouble> {
        let done: DatabaseFuture<'static, ()> = match self {
            JobTransaction::Sqlite(tx) => Box::pin(tx.commit()),
            JobTransaction::Postgres(tx) => Box::pin(tx.commit()),
        };
        limited(done).await.map_err(|error| {
            tracing::error!(%error, "a transaction could not be committed");
            Trouble::unavailable(
                "the database broke off while it stored this; it is not known whether it has it",
            )
            .hint("call again with the same arguments: what is stored already is recognised")
        })
    }
}

/// One statement in preparation.
#[must_use = "a statement does nothing until it is executed or fetched"]
pub(crate) struct JobStatement<'t> {
    tx: &'t mut JobTransaction,
    text: SqlStr,
    arguments: StatementArguments,
    /// The first value that could not be bound.
    unbound: Option<sqlx::error::BoxDynError>,
}

enum StatementArguments {
    Sqlite(SqliteArguments),
    Postgres(PgArguments),
}

enum JobRows {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

impl<'t> JobStatement<'t> {
    pub(crate) fn bind<'v>(mut self, value: impl JobValue<'v>) -> Self {
        let added = match &mut self.arguments {
            StatementArguments::Sqlite(arguments) => sqlx::Arguments::add(arguments, value),
            StatementArguments::Postgres(arguments) => arguments.add(value),
        };
        if let Err(error) = added {
            self.unbound.get_or_insert(error);
        }
        self
    }

    /// The number of rows that it changed.
    pub(crate) async fn execute(self) -> Result<u64, Trouble> {
        limited(self.executed()).await.map_err(|error| away(&error))
    }

    pub(crate) async fn fetch_all<T: JobRow>(self) -> Result<Vec<T>, Trouble> {
        let rows = limited(self.fetched()).await;
        rows.and_then(JobRows::read).map_err(|error| away(&error))
    }

    pub(crate) async fn fetch_optional<T: JobRow>(self) -> Result<Option<T>, Trouble> {
        Ok(self.fetch_all().await?.into_iter().next())
    }

    /// Boxed, so that the code of `sqlx` is compiled once and not with each caller.
    fn executed(self) -> DatabaseFuture<'t, u64> {
        Box::pin(async move {
            if let Some(error) = self.unbound {
                return Err(sqlx::Error::Encode(error));
            }
            match (self.tx, self.arguments) {
                (JobTransaction::Sqlite(tx), StatementArguments::Sqlite(arguments)) => {
                    let done = sqlx::query_with(self.text, arguments).execute(&mut **tx).await?;
                    Ok(done.rows_affected())
                }
                (JobTransaction::Postgres(tx), StatementArguments::Postgres(arguments)) => {
                    let done = sqlx::query_with(self.text, arguments).execute(&mut **tx).await?;
                    Ok(done.rows_affected())
                }
                _ => Err(sqlx::Error::Protocol("arguments of another database".to_owned())),
            }
        })
    }

    fn fetched(self) -> DatabaseFuture<'t, JobRows> {
        Box::pin(async move {
            if let Some(error) = self.unbound {
                return Err(sqlx::Error::Encode(error));
            }
            match (self.tx, self.arguments) {
                (JobTransaction::Sqlite(tx), StatementArguments::Sqlite(arguments)) => {
                    let rows = sqlx::query_with(self.text, arguments).fetch_all(&mut **tx).await?;
                    Ok(JobRows::Sqlite(rows))
                }
                (JobTransaction::Postgres(tx), StatementArguments::Postgres(arguments)) => {
                    let rows = sqlx::query_with(self.text, arguments).fetch_all(&mut **tx).await?;
                    Ok(JobRows::Postgres(rows))
                }
                _ => Err(sqlx::Error::Protocol("arguments of another database".to_owned())),
            }
        })
    }
}

impl JobRows {
    fn read<T: JobRow>(self) -> Result<Vec<T>, sqlx::Error> {
        match self {
            JobRows::Sqlite(rows) => rows.iter().map(T::from_row).collect(),
            JobRows::Postgres(rows) => rows.iter().map(T::from_row).collect(),
        }
    }
}

async fn limited<T>(work: DatabaseFuture<'_, T>) -> Result<T, sqlx::Error> {
    tokio::time::timeout(STATEMENT_LIMIT, work).await.unwrap_or_else(|_| {
        let late = format!("no answer within {} seconds", STATEMENT_LIMIT.as_secs());
        Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, late)))
    })
}

/// Nothing was stored: the transaction is gone.
fn away(error: &sqlx::Error) -> Trouble {
    tracing::error!(%error, "the database failed");
    match error {
        sqlx::Error::Database(_)
        | sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed => Trouble::unavailable("the database does not answer; nothing was stored")
            .hint("try again in a few seconds; the log of the server says what is wrong"),
        _ => Trouble::internal("the database answered something unexpected; nothing was stored")
            .hint("the log of the server says what is wrong"),
    }
}
