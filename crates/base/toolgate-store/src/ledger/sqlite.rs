//! The writer's own connection to SQLite, used by its own thread: a batch costs no change of threads but the
//! one that brings it here and the one that carries the answer.
//!
//! It writes what every call needs. Whatever is rare goes through a transaction of the store: warrants, the
//! first batch of a stream, a forged head, a stream that was lost, and everything after a failure.

use std::path::Path;
use std::time::Duration;

use rusqlite::{CachedStatement, Connection, OpenFlags, OptionalExtension as _, params};
use toolgate_core::event::{Durability, LedgerEntry};
use toolgate_core::governance::Warrant;
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, ServerName};

use super::append::{
    BLOCK_COLUMNS, KnownRows, LINE_COLUMNS, LedgerBatch, OPEN_COLUMNS, PartUnknown, TERM_COLUMNS,
};
use super::batch::{BatchFailure, WriteOp, WrittenBatch};
use super::block::Part;
use super::bodies;
use super::commitments::MadeCommitments;
use super::figures::{
    COLUMNS as FIGURE_COLUMNS, KnownFigures, PartFigures, SELECT_SPAN, UPSERT as FIGURE_UPSERT,
};
use super::head::{self, BatchTail, HeadRow, HeadTrust, LedgerStream, LockedHead, StreamHead};
use super::single::PAUSE;
use super::terms::FORM;
use crate::StoreError;
use crate::db::{Db, Turn};
use crate::gateways::{self, Tenure};

/// The time that a writer waits for another writing process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The writer comes back to the same pages with every batch. A negative number is KiB, taken only as it is
/// needed.
const CACHE_SIZE: i64 = -16_384;
/// Pages in the write-ahead log before they are copied into the database: a page that is written often is
/// copied once.
const CHECKPOINT_PAGES: i64 = 4_000;
/// Statements that stay prepared.
const PREPARED_MAX: usize = 24;

/// Each connection is used by one thread at a time. One that only reads must be able to write as well, to what readers share.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

const CLOSE_CALL: &str = "DELETE FROM open_calls WHERE call = ?1";

pub(super) struct SqliteWriter {
    connection: Connection,
    /// The durability of the connection's commits; unknown at first.
    durability: Option<Durability>,
    db: Db,
    turn: Turn,
    texts: Texts,
}

/// Statements with as many places as columns.
struct Texts {
    line: String,
    open: String,
    block: String,
    term: String,
    read_head: String,
    is_held: String,
    move_head: String,
    pause: String,
    figures: String,
    read_figures: String,
}

impl Texts {
    fn new() -> Self {
        let insert = |table: &str, columns: &str, after: &str| {
            let places = vec!["?"; columns.split(',').count()].join(", ");
            format!("INSERT INTO {table} ({columns}) VALUES ({places}){after}")
        };
        // Places with a dollar have names here, and are numbered as they come.
        let numbered = |text: &str| text.replace('$', "?");
        Self {
            line: insert("ledger_lines", LINE_COLUMNS, ""),
            // A call that is sent once more is still one call.
            open: insert("open_calls", OPEN_COLUMNS, " ON CONFLICT (call) DO NOTHING"),
            block: insert("ledger_blocks", BLOCK_COLUMNS, ""),
            term: insert("ledger_terms", TERM_COLUMNS, ""),
            read_head: numbered(head::READ),
            is_held: numbered(gateways::IS_HELD),
            move_head: numbered(head::MOVE),
            pause: numbered(PAUSE),
            figures: insert("figures", FIGURE_COLUMNS, FIGURE_UPSERT),
            read_figures: numbered(SELECT_SPAN),
        }
    }
}

/// The reason why a batch was not written this way.
enum NotWritten {
    /// It needs a transaction of the store.
    NotHere,
    Failed(sqlx::Error),
    /// The answer to the commit was lost.
    Unsure(sqlx::Error, BatchTail),
}

impl From<rusqlite::Error> for NotWritten {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(failed(error))
    }
}

impl From<sqlx::Error> for NotWritten {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error)
    }
}

pub(super) fn failed(error: rusqlite::Error) -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::other(error))
}

/// A connection for long reading, which changes nothing.
pub(super) fn open_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, FLAGS)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

impl SqliteWriter {
    /// `None` on Postgres.
    pub(super) fn open(db: &Db) -> Result<Option<Self>, StoreError> {
        let Some((path, turn)) = db.sqlite_file() else { return Ok(None) };
        let open = || {
            let connection = Connection::open_with_flags(&path, FLAGS)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "cache_size", CACHE_SIZE)?;
            connection.pragma_update(None, "temp_store", "memory")?;
            connection.pragma_update(None, "secure_delete", "fast")?;
            connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
            connection.set_prepared_statement_cache_capacity(PREPARED_MAX);
            Ok(connection)
        };
        let connection = open().map_err(|error| StoreError::OpenDatabase {
            place: path.display().to_string(),
            cause: failed(error),
        })?;
        Ok(Some(Self { connection, durability: None, db: db.clone(), turn, texts: Texts::new() }))
    }

    /// Writes the entries of all ops. `None` if they must be written in a transaction of the store.
    pub(super) async fn write(
        &mut self,
        pen: &LedgerStream,
        tenure: Option<&Tenure>,
        known: &mut KnownRows,
        ops: &[WriteOp],
    ) -> Option<Result<WrittenBatch, BatchFailure>> {
        if ops.is_empty() || ops.iter().any(|op| op.warrant != Warrant::NoneNeeded) {
            return None;
        }
        let entries: Vec<&LedgerEntry> = ops.iter().map(|op| &op.entry).collect();
        let durability = entries.iter().map(|entry| entry.durability).max().unwrap_or_default();
        let turn = std::sync::Arc::clone(&self.turn).lock_owned().await;
        let written = self.write_all(pen, tenure, known, &entries, durability);
        drop(turn);
        match written {
            Ok(made) => {
                known.bodies.note(made);
                Some(Ok(WrittenBatch::whole(ops)))
            }
            Err(NotWritten::NotHere) => None,
            Err(NotWritten::Failed(cause)) => Some(Err(cause.into())),
            Err(NotWritten::Unsure(cause, tail)) => {
                Some(Err(BatchFailure { unsure: Some((tail, WrittenBatch::whole(ops))), ..cause.into() }))
            }
        }
    }

    fn write_all(
        &mut self,
        pen: &LedgerStream,
        tenure: Option<&Tenure>,
        known: &mut KnownRows,
        entries: &[&LedgerEntry],
        durability: Durability,
    ) -> Result<MadeCommitments, NotWritten> {
        self.db.check_fault()?;
        self.set_durability(durability)?;
        #[cfg(any(test, debug_assertions))]
        self.spoil()?;
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let filled = self.fill(pen, tenure, known, entries);
        let done = filled.and_then(|(end, made)| self.commit(&end).map(|()| made));
        // SQLite has rolled some failed transactions back by itself.
        if done.is_err() && !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        done
    }

    /// With a write-ahead log, `FULL` syncs on every commit, `NORMAL` every now and then.
    fn set_durability(&mut self, durability: Durability) -> Result<(), NotWritten> {
        if self.durability != Some(durability) {
            // If it fails half way, it is set again before anything relies on it.
            self.durability = None;
            let text = match durability {
                Durability::Written => "PRAGMA synchronous = NORMAL",
                Durability::OnDisk => "PRAGMA synchronous = FULL",
            };
            self.connection.prepare_cached(text)?.execute([])?;
            self.durability = Some(durability);
        }
        Ok(())
    }

    #[cfg(any(test, debug_assertions))]
    fn spoil(&self) -> Result<(), NotWritten> {
        if let Some(pragma) = self.db.faults().query_only() {
            self.connection.execute_batch(pragma)?;
        }
        let pages = self.db.faults().pages_max();
        if pages > 0 {
            self.connection.pragma_update(None, "max_page_count", pages)?;
        }
        Ok(())
    }

    fn commit(&self, end: &StreamHead) -> Result<(), NotWritten> {
        let unsure = |cause| NotWritten::Unsure(cause, BatchTail::of(end));
        self.db.check_fault().map_err(unsure)?;
        let committed = self.connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
        committed.map_err(failed).map_err(unsure)?;
        self.db.check_fault().map_err(unsure)
    }

    fn fill(
        &self,
        pen: &LedgerStream,
        tenure: Option<&Tenure>,
        known: &mut KnownRows,
        entries: &[&LedgerEntry],
    ) -> Result<(StreamHead, MadeCommitments), NotWritten> {
        let taken = self.take_head(pen)?;
        self.check(pen, tenure)?;
        let committed = known.bodies.commit(taken.erasures, entries)?;
        let open = taken.head.part;
        let batch = LedgerBatch::of(pen, taken, entries, &committed, known.part.take());
        let batch = batch.map_err(|PartUnknown| NotWritten::NotHere)?;
        self.each(&bodies::INSERT_ONE, &committed.rows, |statement, row| {
            let (digest, salt) = (&row.digest.as_bytes()[..], &row.salt.as_bytes()[..]);
            let (body, keep_until_ms) = (row.body.json.as_str(), row.body.keep_until_ms);
            statement.execute(params![digest, pen.tenant, body, keep_until_ms, salt])
        })?;
        self.each(&self.texts.line, &batch.lines, |statement, line| {
            let (day, time) = (line.time.day(), line.time.number());
            statement.execute(params![pen.tenant, &*pen.stream, day, line.number, time, &line.line[..]])
        })?;
        self.change_open_calls(pen, &batch)?;
        self.each(&self.texts.block, &batch.parts, |statement, part| insert_part(statement, pen, part))?;
        for part in &batch.parts {
            let terms: Vec<_> = part.terms.iter().collect();
            self.each(&self.texts.term, &terms, |statement, (term, places)| {
                let (term, places) = (term.as_bytes(), places.as_bytes());
                statement.execute(params![pen.tenant, term, &*pen.stream, part.block, part.day, places])
            })?;
        }
        self.write_figures(pen, &mut known.figures, &batch.parts, (open, batch.end.part))?;
        self.each(&self.texts.move_head, &[batch.end], |statement, end| {
            let (hash, seal) = (&end.hash.as_bytes()[..], end.seal(&pen.key, &pen.stream));
            let (number, time, part) = (end.number, end.time.number(), end.part);
            statement.execute(params![pen.tenant, &*pen.stream, number, time, part, hash, seal])
        })?;
        known.part = batch.part;
        Ok((batch.end, committed.made))
    }

    /// As `figures::write` does it.
    fn write_figures(
        &self,
        pen: &LedgerStream,
        known: &mut KnownFigures,
        parts: &[Part],
        open: (i64, i64),
    ) -> Result<(), NotWritten> {
        if parts.is_empty() {
            return Ok(());
        }
        known.begin(open.0);
        let sums: Vec<&PartFigures> = parts.iter().map(|part| &part.figures).collect();
        for key in known.missing(&sums) {
            let mut read = self.connection.prepare_cached(&self.texts.read_figures)?;
            let rows = read.query_map(params![pen.tenant, key.span as i64, key.at, &*pen.stream], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
            known.know(key, rows.collect::<Result<_, _>>()?);
        }
        known.add(&sums);
        self.each(&self.texts.figures, &known.rows(), |statement, row| {
            let (span, by) = (row.key.span as i64, row.by as u8);
            statement.execute(params![pen.tenant, span, by, row.key.at, row.name, &*pen.stream, row.sums])
        })?;
        known.end(open.1);
        Ok(())
    }

    fn take_head(&self, pen: &LedgerStream) -> Result<LockedHead, NotWritten> {
        self.db.check_fault()?;
        let mut read = self.connection.prepare_cached(&self.texts.read_head)?;
        let row = read.query_row(params![pen.tenant, &*pen.stream], |row| {
            let head = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            let (number, time, part, hash) = head;
            Ok::<HeadRow, _>((number, time, part, hash, row.get(4)?, row.get(5)?, row.get(6)?))
        });
        let taken = StreamHead::of_row(row.optional()?.ok_or(NotWritten::NotHere)?, pen)?;
        match taken.head.trust {
            HeadTrust::Sealed => Ok(taken),
            HeadTrust::Forged => Err(NotWritten::NotHere),
        }
    }

    /// A stream that another gateway took over is not written to.
    fn check(&self, pen: &LedgerStream, tenure: Option<&Tenure>) -> Result<(), NotWritten> {
        let Some(tenure) = tenure else { return Ok(()) };
        let mut look = self.connection.prepare_cached(&self.texts.is_held)?;
        match look.exists(params![pen.tenant, &*pen.stream, tenure.holder()])? {
            true => Ok(()),
            false => Err(NotWritten::NotHere),
        }
    }

    fn change_open_calls(&self, pen: &LedgerStream, batch: &LedgerBatch<'_>) -> Result<(), NotWritten> {
        self.each(&self.texts.open, &batch.opened, |statement, opened| {
            let (event, about) = (opened.event, &opened.event.about);
            statement.execute(params![
                opened.call.as_str(),
                pen.tenant,
                &*pen.stream,
                event.at_ms,
                event.principal.as_str(),
                about.session.as_ref().map(SessionId::as_str),
                about.run.as_ref().map(RunId::as_str),
                about.task.as_deref(),
                about.tool.as_ref().map(CanonicalName::as_str),
                about.server.as_ref().map(ServerName::as_str),
                about.tool_version.as_ref().map(|digest| &digest.as_bytes()[..]),
            ])
        })?;
        self.each(&self.texts.pause, &batch.paused, |statement, (call, at_ms)| {
            statement.execute(params![call.as_str(), at_ms])
        })?;
        self.each(CLOSE_CALL, &batch.closed, |statement, call: &&CallId| {
            statement.execute(params![call.as_str()])
        })
    }

    /// Runs a statement for each of these.
    fn each<T>(
        &self,
        text: &str,
        all: &[T],
        run: impl Fn(&mut CachedStatement<'_>, &T) -> rusqlite::Result<usize>,
    ) -> Result<(), NotWritten> {
        if all.is_empty() {
            return Ok(());
        }
        self.db.check_fault()?;
        let mut statement = self.connection.prepare_cached(text)?;
        for one in all {
            run(&mut statement, one)?;
        }
        Ok(())
    }
}

fn insert_part(
    statement: &mut CachedStatement<'_>,
    pen: &LedgerStream,
    part: &Part,
) -> rusqlite::Result<usize> {
    let (since, until) = (part.since.number(), part.until.number());
    let root = part.root();
    let root = &root.as_bytes()[..];
    let Part { day, block, first, last, at_min, at_max, .. } = part;
    statement.execute(params![
        pen.tenant,
        &*pen.stream,
        day,
        block,
        first,
        last,
        since,
        until,
        at_min,
        at_max,
        root,
        FORM
    ])
}
