//! One interface to both databases. Every statement of the crate goes through here.
//!
//! A single statement: `self.db.sql(TEXT).bind(a).bind(b).fetch_all::<(String, i64)>().await`; also
//! `fetch_optional`, `fetch_one` and `execute`, which returns the number of changed rows. Rows are tuples or
//! made by [`row!`](crate::row::row).
//!
//! Several statements as one: `let mut tx = self.db.begin(Durability::OnDisk).await?; tx.sql(TEXT)…;
//! tx.commit().await?`. A transaction without a commit is rolled back. On SQLite one transaction of a process
//! runs at a time (`BEGIN IMMEDIATE`): never begin one, nor wait for anything else, while another is open. On
//! Postgres it is READ COMMITTED: lock the rows that were read and will be written with
//! `tx.sql_for_update(TEXT)`, or everything of one kind with `tx.alone(DbLock::…)`. Locks are taken in this
//! order: approval, grant, the revision of a topic or the root of a tree of runs, the loop of a run, bytes, a
//! manifest, a pointer, an automation, then the head of a ledger stream.
//!
//! Texts are shared: `$1` works on both, and so do `ON CONFLICT`, `RETURNING`, partial indexes, several rows
//! of `VALUES`. Where they must differ, `dialect().pick(sqlite, postgres)`. A text made at run time is
//! wrapped in `sqlx::AssertSqlSafe` and made of constants only. Integers are `BIGINT`/`i64`; `bool` only as a
//! result; Postgres takes no NUL character in a text: `without_nul`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{
    Arguments as _, Database, Encode, Executor as _, FromRow, PgPool, Pool, Postgres, SqlSafeStr, SqlStr,
    Sqlite, SqlitePool, Type,
};
use tokio::sync::{Mutex, OwnedMutexGuard};
use toolgate_core::event::Durability;
use toolgate_core::port::BoxFuture;

use crate::cut_off::is_cut_off;
use crate::fault::Faults;
use crate::known_days::KnownDays;
use crate::pulse::DbPulse;

/// See [`StatementTarget`].
type DbFuture<'a, T> = BoxFuture<'a, Result<T, sqlx::Error>>;

/// Longer than a writer of SQLite waits for another process. Without it, a database host that vanishes from
/// the network would block a call until TCP gives up.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);

const BEGIN_SQLITE: &str = "BEGIN IMMEDIATE";
/// The timeout releases the locks of a gateway whose machine vanished.
const BEGIN_ON_DISK: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '15s'";
/// The server has it when this process dies; it writes to disk a moment later.
const BEGIN_WRITTEN: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '15s';
    SET LOCAL synchronous_commit = off";
pub(crate) const LOCK: &str = "SELECT 1 FROM (SELECT pg_advisory_xact_lock($1)) AS locked";

#[derive(Clone)]
pub(crate) struct Db {
    pools: Pools,
    faults: Arc<Faults>,
    pulse: Arc<DbPulse>,
    days: Arc<KnownDays>,
}

#[derive(Clone)]
pub(crate) enum Pools {
    Sqlite(SqlitePools),
    Postgres(PgPools),
}

#[derive(Clone)]
pub(crate) struct PgPools {
    pub(crate) usual: PgPool,
    /// The connections of the ledger's writer and of the claim to its stream: however many readers there are, these two
    /// never wait for one.
    pub(crate) writer: PgPool,
    /// True if commits wait for a standby: then none is confirmed before it has got there.
    pub(crate) has_standby: bool,
}

/// The connections for a transaction on Postgres. SQLite has one writer anyway.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    Usual,
    Writer,
}

impl PgPools {
    fn of(&self, lane: Lane) -> &PgPool {
        match lane {
            Lane::Usual => &self.usual,
            Lane::Writer => &self.writer,
        }
    }
}

/// SQLite has one writer at a time, and waits for it by sleeping and retrying. This lock also knows the
/// durability of the commits of the pool's connection.
pub(crate) type Turn = Arc<Mutex<Durability>>;

#[derive(Clone)]
pub(crate) struct SqlitePools {
    pub(crate) path: Arc<Path>,
    pub(crate) usual: SqlitePool,
    /// The one connection of all writing transactions.
    pub(crate) writer: SqlitePool,
    pub(crate) writing: Turn,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    pub(crate) fn pick<T>(self, sqlite: T, postgres: T) -> T {
        match self {
            Dialect::Sqlite => sqlite,
            Dialect::Postgres => postgres,
        }
    }
}

/// The work that only one transaction at a time may do, across all processes on a database.
#[derive(Clone, Copy)]
pub(crate) enum DbLock {
    FirstTokens = 0x7467_0001,
    /// Rewriting a ledger of the first form.
    LedgerForm = 0x7467_0002,
    /// Bringing the tables up to date.
    Migrations = 0x7467_0003,
    /// Making partitions for days of the ledger.
    LedgerDays = 0x7467_0004,
    /// Removing the first days of the ledger.
    LedgerCut = 0x7467_0005,
    /// Beginning to move a store to this database.
    StoreTransfer = 0x7467_0006,
    /// Counting blocks that are older than the figures.
    Figures = 0x7467_0007,
}

/// A row of either database.
pub(crate) trait DbRow:
    for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin
{
}

impl<T> DbRow for T where T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin {}

/// A value that can be bound on either database.
pub(crate) trait DbValue<'v>:
    Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>
{
}

impl<'v, T> DbValue<'v> for T where
    T: Encode<'v, Sqlite> + Type<Sqlite> + Encode<'v, Postgres> + Type<Postgres>
{
}

impl Db {
    pub(crate) fn new(pools: Pools) -> Self {
        Self { pools, faults: Arc::default(), pulse: Arc::default(), days: Arc::default() }
    }

    pub(crate) fn pulse(&self) -> &Arc<DbPulse> {
        &self.pulse
    }

    #[cfg(any(test, debug_assertions))]
    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// The next operation, for tests that make it fail.
    pub(crate) fn check_fault(&self) -> Result<(), sqlx::Error> {
        self.faults.check()
    }

    /// The file of SQLite, and the lock of those who write to it.
    pub(crate) fn sqlite_file(&self) -> Option<(Arc<Path>, Turn)> {
        match &self.pools {
            Pools::Sqlite(pools) => Some((Arc::clone(&pools.path), Arc::clone(&pools.writing))),
            Pools::Postgres(_) => None,
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite(_) => Dialect::Sqlite,
            Pools::Postgres(_) => Dialect::Postgres,
        }
    }

    /// The days that are known to have partitions, on Postgres.
    pub(crate) fn days(&self) -> &KnownDays {
        &self.days
    }

    /// True if a commit of this durability is confirmed before it is on the disk of Postgres.
    pub(crate) fn confirms_early(&self, durability: Durability) -> bool {
        matches!(&self.pools, Pools::Postgres(pools) if durability == Durability::Written && !pools.has_standby)
    }

    /// A single statement.
    pub(crate) fn sql(&self, text: impl SqlSafeStr) -> SqlStatement<'_> {
        self.sql_on(Lane::Usual, text)
    }

    pub(crate) fn sql_on(&self, lane: Lane, text: impl SqlSafeStr) -> SqlStatement<'_> {
        let on = match &self.pools {
            Pools::Sqlite(pools) => {
                StatementTarget::Sqlite(ConnectionSource::Pool(&pools.usual), SqliteArguments::default())
            }
            Pools::Postgres(pools) => {
                StatementTarget::Postgres(ConnectionSource::Pool(pools.of(lane)), PgArguments::default())
            }
        };
        SqlStatement {
            text: text.into_sql_str(),
            on,
            faults: &self.faults,
            pulse: &self.pulse,
            unbound: None,
        }
    }

    /// Begins a transaction that will write, and that is as durable as asked once it is committed.
    pub(crate) fn begin(&self, durability: Durability) -> DbFuture<'_, Transaction> {
        self.begin_on(Lane::Usual, durability)
    }

    pub(crate) fn begin_on(&self, lane: Lane, durability: Durability) -> DbFuture<'_, Transaction> {
        Box::pin(async move {
            self.faults.check()?;
            #[cfg(any(test, debug_assertions))]
            if let (Pools::Sqlite(pools), Some(pragma)) = (&self.pools, self.faults.query_only()) {
                pools.writer.execute(pragma).await?;
            }
            // Boxed: a connection that is being opened is large.
            let begun: DbFuture<'_, OpenTransaction> = Box::pin(limited(self.pools.begin(lane, durability)));
            let open = self.pulse.during(begun).await?;
            let (faults, pulse) = (Arc::clone(&self.faults), Arc::clone(&self.pulse));
            let transaction = Transaction { open, faults, pulse, days: Arc::clone(&self.days) };
            #[cfg(any(test, debug_assertions))]
            let transaction = crate::fault::limit_pages(transaction).await?;
            Ok(transaction)
        })
    }

    pub(crate) async fn close(&self) {
        match &self.pools {
            Pools::Sqlite(pools) => {
                pools.writer.close().await;
                pools.usual.close().await;
            }
            Pools::Postgres(pools) => {
                pools.writer.close().await;
                pools.usual.close().await;
            }
        }
    }
}

/// With a write-ahead log, `FULL` syncs on every commit, `NORMAL` every now and then.
fn synchronous(durability: Durability) -> &'static str {
    match durability {
        Durability::Written => "PRAGMA synchronous = NORMAL",
        Durability::OnDisk => "PRAGMA synchronous = FULL",
    }
}

impl Pools {
    async fn begin(&self, lane: Lane, durability: Durability) -> Result<OpenTransaction, sqlx::Error> {
        match self {
            Pools::Sqlite(pools) => {
                let mut turn = Arc::clone(&pools.writing).lock_owned().await;
                if *turn != durability {
                    // If it fails half way, it is set again before anything relies on it.
                    *turn = Durability::Written;
                    pools.writer.execute(synchronous(durability)).await?;
                    *turn = durability;
                }
                Ok(OpenTransaction::Sqlite(pools.begin().await?, turn))
            }
            Pools::Postgres(pools) => {
                let begin = match durability {
                    Durability::Written if !pools.has_standby => BEGIN_WRITTEN,
                    Durability::Written | Durability::OnDisk => BEGIN_ON_DISK,
                };
                Ok(OpenTransaction::Postgres(begin_postgres(pools.of(lane), begin).await?))
            }
        }
    }
}

/// After a restart of the server every connection of the pool may be a dead one. Nothing has happened on it yet, so the
/// next one is tried.
async fn begin_postgres(
    pool: &PgPool,
    begin: &'static str,
) -> Result<sqlx::Transaction<'static, Postgres>, sqlx::Error> {
    for _ in 0..pool.options().get_max_connections() {
        match pool.begin_with(begin).await {
            Err(error) if is_cut_off(&error) => {}
            begun => return begun,
        }
    }
    pool.begin_with(begin).await
}

impl SqlitePools {
    async fn begin(&self) -> Result<sqlx::Transaction<'static, Sqlite>, sqlx::Error> {
        match self.writer.begin_with(BEGIN_SQLITE).await {
            // SQLite rolls some transactions back by itself, for example when the disk is full. The
            // connection still counts the one it could not roll back and would never begin another.
            Err(sqlx::Error::InvalidSavePointStatement) => {
                self.writer.acquire().await?.close().await?;
                self.writer.begin_with(BEGIN_SQLITE).await
            }
            begun => begun,
        }
    }
}

/// A transaction that writes. Dropped without `commit`, it has never been.
pub(crate) struct Transaction {
    open: OpenTransaction,
    faults: Arc<Faults>,
    pulse: Arc<DbPulse>,
    days: Arc<KnownDays>,
}

enum OpenTransaction {
    Sqlite(sqlx::Transaction<'static, Sqlite>, OwnedMutexGuard<Durability>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

impl Transaction {
    pub(crate) fn dialect(&self) -> Dialect {
        match self.open {
            OpenTransaction::Sqlite(..) => Dialect::Sqlite,
            OpenTransaction::Postgres(_) => Dialect::Postgres,
        }
    }

    pub(crate) fn sql(&mut self, text: impl SqlSafeStr) -> SqlStatement<'_> {
        let on = match &mut self.open {
            OpenTransaction::Sqlite(transaction, _) => StatementTarget::Sqlite(
                ConnectionSource::Open(&mut **transaction),
                SqliteArguments::default(),
            ),
            OpenTransaction::Postgres(transaction) => {
                StatementTarget::Postgres(ConnectionSource::Open(&mut **transaction), PgArguments::default())
            }
        };
        SqlStatement {
            text: text.into_sql_str(),
            on,
            faults: &self.faults,
            pulse: &self.pulse,
            unbound: None,
        }
    }

    /// Reads rows that this transaction will write, and locks them.
    pub(crate) fn sql_for_update(&mut self, text: &'static str) -> SqlStatement<'_> {
        match self.dialect() {
            Dialect::Sqlite => self.sql(text),
            Dialect::Postgres => self.sql(sqlx::AssertSqlSafe(format!("{text} FOR UPDATE"))),
        }
    }

    /// The days that are known to have partitions, on Postgres.
    pub(crate) fn days(&self) -> &KnownDays {
        &self.days
    }

    /// Waits for this lock, and holds it until the end of this transaction.
    pub(crate) async fn alone(&mut self, lock: DbLock) -> Result<(), sqlx::Error> {
        if self.dialect() == Dialect::Postgres {
            self.sql(LOCK).bind(lock as i64).execute().await?;
        }
        Ok(())
    }

    #[cfg(any(test, debug_assertions))]
    pub(crate) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// An error leaves it open whether the transaction has been.
    pub(crate) fn commit(self) -> DbFuture<'static, ()> {
        Box::pin(async move {
            self.faults.check()?;
            match self.open {
                OpenTransaction::Sqlite(transaction, turn) => {
                    limited(transaction.commit()).await?;
                    drop(turn);
                }
                OpenTransaction::Postgres(transaction) => {
                    self.pulse.during(limited(transaction.commit())).await?
                }
            }
            self.faults.check()
        })
    }
}

/// One statement in preparation.
#[must_use = "a statement does nothing until it is executed or fetched"]
pub(crate) struct SqlStatement<'c> {
    text: SqlStr,
    on: StatementTarget<'c>,
    faults: &'c Faults,
    pulse: &'c DbPulse,
    /// The first value that could not be bound.
    unbound: Option<sqlx::error::BoxDynError>,
}

enum StatementTarget<'c> {
    Sqlite(ConnectionSource<'c, Sqlite>, SqliteArguments),
    Postgres(ConnectionSource<'c, Postgres>, PgArguments),
}

enum ConnectionSource<'c, D: Database> {
    Pool(&'c Pool<D>),
    Open(&'c mut D::Connection),
}

/// The same call on a connection of the pool or of the transaction.
macro_rules! via {
    ($via:expr, $connection:ident => $call:expr) => {
        match $via {
            ConnectionSource::Pool(pool) => {
                let mut held = pool.acquire().await?;
                let $connection = &mut *held;
                $call.await
            }
            ConnectionSource::Open($connection) => $call.await,
        }
    };
}

impl SqlStatement<'_> {
    pub(crate) fn bind<'v>(mut self, value: impl DbValue<'v>) -> Self {
        self.push(value);
        self
    }

    /// The same for many values: the statement stays where it is.
    pub(crate) fn push<'v>(&mut self, value: impl DbValue<'v>) {
        let added = match &mut self.on {
            StatementTarget::Sqlite(_, arguments) => sqlx::Arguments::add(arguments, value),
            StatementTarget::Postgres(_, arguments) => arguments.add(value),
        };
        if let Err(error) = added {
            self.unbound.get_or_insert(error);
        }
    }

    /// A list as one value, on Postgres.
    pub(crate) fn push_list<'v>(&mut self, list: impl Encode<'v, Postgres> + Type<Postgres>) {
        let added = match &mut self.on {
            StatementTarget::Sqlite(..) => Err("SQLite has no lists".into()),
            StatementTarget::Postgres(_, arguments) => arguments.add(list),
        };
        if let Err(error) = added {
            self.unbound.get_or_insert(error);
        }
    }

    /// The number of rows that it changed.
    pub(crate) async fn execute(self) -> Result<u64, sqlx::Error> {
        let pulse = self.pulse;
        let (text, on) = self.ready()?;
        pulse.during(on.execute(text)).await
    }

    pub(crate) async fn fetch_all<T: DbRow>(self) -> Result<Vec<T>, sqlx::Error> {
        let pulse = self.pulse;
        let (text, on) = self.ready()?;
        pulse.during(on.fetch_all(text)).await?.read()
    }

    pub(crate) async fn fetch_optional<T: DbRow>(self) -> Result<Option<T>, sqlx::Error> {
        let pulse = self.pulse;
        let (text, on) = self.ready()?;
        Ok(pulse.during(on.fetch_optional(text)).await?.read()?.pop())
    }

    pub(crate) async fn fetch_one<T: DbRow>(self) -> Result<T, sqlx::Error> {
        self.fetch_optional().await?.ok_or(sqlx::Error::RowNotFound)
    }
}

/// Boxed futures: the code behind them is compiled here, once. An `async fn` is compiled again in every crate
/// that awaits it, with all of `sqlx` in it, and for each kind of row.
impl<'c> StatementTarget<'c> {
    fn execute(self, text: SqlStr) -> DbFuture<'c, u64> {
        Box::pin(limited(async move {
            match self {
                StatementTarget::Sqlite(via, arguments) => {
                    let query = sqlx::query_with(text, arguments);
                    via!(via, connection => query.execute(connection)).map(|done| done.rows_affected())
                }
                StatementTarget::Postgres(via, arguments) => {
                    let query = sqlx::query_with(text, arguments);
                    via!(via, connection => query.execute(connection)).map(|done| done.rows_affected())
                }
            }
        }))
    }

    fn fetch_all(self, text: SqlStr) -> DbFuture<'c, RawRows> {
        Box::pin(limited(async move {
            match self {
                StatementTarget::Sqlite(via, arguments) => {
                    let query = sqlx::query_with(text, arguments);
                    via!(via, connection => query.fetch_all(connection)).map(RawRows::Sqlite)
                }
                StatementTarget::Postgres(via, arguments) => {
                    let query = sqlx::query_with(text, arguments);
                    via!(via, connection => query.fetch_all(connection)).map(RawRows::Postgres)
                }
            }
        }))
    }

    fn fetch_optional(self, text: SqlStr) -> DbFuture<'c, RawRows> {
        Box::pin(limited(async move {
            match self {
                StatementTarget::Sqlite(via, arguments) => {
                    let query = sqlx::query_with(text, arguments);
                    let row = via!(via, connection => query.fetch_optional(connection));
                    row.map(|row| RawRows::Sqlite(Vec::from_iter(row)))
                }
                StatementTarget::Postgres(via, arguments) => {
                    let query = sqlx::query_with(text, arguments);
                    let row = via!(via, connection => query.fetch_optional(connection));
                    row.map(|row| RawRows::Postgres(Vec::from_iter(row)))
                }
            }
        }))
    }
}

/// The raw rows of a result.
enum RawRows {
    Sqlite(Vec<SqliteRow>),
    Postgres(Vec<PgRow>),
}

impl RawRows {
    fn read<T: DbRow>(self) -> Result<Vec<T>, sqlx::Error> {
        match self {
            RawRows::Sqlite(rows) => rows.iter().map(T::from_row).collect(),
            RawRows::Postgres(rows) => rows.iter().map(T::from_row).collect(),
        }
    }
}

impl<'c> SqlStatement<'c> {
    fn ready(self) -> Result<(SqlStr, StatementTarget<'c>), sqlx::Error> {
        if let Some(error) = self.unbound {
            return Err(sqlx::Error::Encode(error));
        }
        self.faults.check()?;
        Ok((self.text, self.on))
    }
}

async fn limited<T>(work: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, sqlx::Error> {
    tokio::time::timeout(STATEMENT_TIMEOUT, work).await.unwrap_or_else(|_| {
        let late = format!("no answer within {} seconds", STATEMENT_TIMEOUT.as_secs());
        Err(sqlx::Error::Io(std::io::Error::new(std::io::ErrorKind::TimedOut, late)))
    })
}

/// Postgres allows no NUL in a text, and a name may contain anything that a server or caller sent.
pub(crate) fn without_nul(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
