//! Rows of `ledger_events` as they are read, from either database.

use std::sync::Arc;

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, Outcome, RecordedEvent};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

use super::line::LedgerLine;

/// A type that a column can store.
pub(super) trait ColumnValue {
    fn text(&self, place: usize) -> Result<Option<&str>, sqlx::Error>;
    fn number(&self, place: usize) -> Result<Option<i64>, sqlx::Error>;
    fn bytes(&self, place: usize) -> Result<Option<&[u8]>, sqlx::Error>;
}

macro_rules! columns {
    ($row:ty) => {
        impl ColumnValue for $row {
            fn text(&self, place: usize) -> Result<Option<&str>, sqlx::Error> {
                self.try_get(place)
            }

            fn number(&self, place: usize) -> Result<Option<i64>, sqlx::Error> {
                self.try_get(place)
            }

            fn bytes(&self, place: usize) -> Result<Option<&[u8]>, sqlx::Error> {
                self.try_get(place)
            }
        }

        impl<'r> FromRow<'r, $row> for RecordedRow {
            fn from_row(row: &'r $row) -> Result<Self, sqlx::Error> {
                let (line, hash) = read_line(row)?;
                recorded(&line, hash).map(RecordedRow)
            }
        }

        impl<'r> FromRow<'r, $row> for CheckedRow {
            fn from_row(row: &'r $row) -> Result<Self, sqlx::Error> {
                checked(row)
            }
        }
    };
}

columns!(SqliteRow);
columns!(PgRow);

/// An event as others see it.
pub(super) struct RecordedRow(pub(super) RecordedEvent);

/// The part of an event that verification needs. The hash is computed while the row is read, so that nothing
/// is copied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CheckedRow {
    pub(super) seq: i64,
    pub(super) stream: String,
    pub(super) stream_seq: i64,
    /// `None` where the row cannot be read as an event at all.
    pub(super) hashes: Option<ChainHashes>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChainHashes {
    pub(super) previous: Digest,
    pub(super) stored: Digest,
    pub(super) computed: Digest,
}

fn checked(row: &impl ColumnValue) -> Result<CheckedRow, sqlx::Error> {
    let hashes = match read_line(row) {
        Ok((line, stored)) => Some(ChainHashes { previous: line.previous, stored, computed: line.hash() }),
        Err(_) => None,
    };
    Ok(CheckedRow {
        seq: required(row.number(0)?)?,
        stream: required(row.text(2)?)?.to_owned(),
        stream_seq: required(row.number(3)?)?,
        hashes,
    })
}

/// Reads the columns of `append::COLUMNS`, and the hash.
fn read_line(row: &impl ColumnValue) -> Result<(LedgerLine<'_>, Digest), sqlx::Error> {
    let line = LedgerLine {
        seq: required(row.number(0)?)?,
        tenant: required(row.text(1)?)?,
        stream: required(row.text(2)?)?,
        stream_seq: required(row.number(3)?)?,
        previous: digest(required(row.bytes(4)?)?)?,
        kind: required(row.text(6)?)?,
        at_ms: required(row.number(7)?)?,
        principal: required(row.text(8)?)?,
        session: row.text(9)?,
        run: row.text(10)?,
        task: row.text(11)?,
        call: row.text(12)?,
        tool: row.text(13)?,
        server: row.text(14)?,
        tool_version: row.bytes(15)?,
        trace: row.text(16)?,
        approval: row.text(17)?,
        policy_version: row.bytes(18)?,
        decision: row.text(19)?,
        outcome: row.text(20)?,
        duration_us: row.number(21)?,
        input: row.bytes(22)?,
        output: row.bytes(23)?,
        detail: row.text(24)?,
    };
    Ok((line, digest(required(row.bytes(5)?)?)?))
}

fn recorded(line: &LedgerLine<'_>, hash: Digest) -> Result<RecordedEvent, sqlx::Error> {
    let about = EventSubject {
        session: line.session.map(SessionId::new),
        run: line.run.map(RunId::new),
        task: line.task.map(Into::into),
        call: line.call.map(CallId::new),
        tool: line.tool.map(CanonicalName::recorded),
        server: line.server.map(ServerName::new).transpose().map_err(unreadable)?,
        tool_version: line.tool_version.map(digest).transpose()?,
        trace: line.trace.map(Into::into),
    };
    let event = Event {
        kind: word(line.kind, EventKind::parse)?,
        at_ms: line.at_ms,
        principal: PrincipalId::new(line.principal),
        about: Arc::new(about),
        approval: line.approval.map(ApprovalId::new),
        policy_version: line.policy_version.map(digest).transpose()?,
        decision: line.decision.map(|text| word(text, DecisionKind::parse)).transpose()?,
        outcome: line.outcome.map(|text| word(text, Outcome::parse)).transpose()?,
        duration_us: line.duration_us,
        input: line.input.map(digest).transpose()?,
        output: line.output.map(digest).transpose()?,
        detail: line.detail.map(json).transpose()?,
    };
    let (seq, stream, stream_seq) = (line.seq, line.stream.into(), line.stream_seq);
    Ok(RecordedEvent { seq, stream, stream_seq, event, previous: line.previous, hash })
}

fn required<T>(value: Option<T>) -> Result<T, sqlx::Error> {
    value.ok_or_else(|| unreadable("a column is empty"))
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, sqlx::Error> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable("a digest has 32 bytes"))
}

fn word<T>(text: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, sqlx::Error> {
    parse(text).ok_or_else(|| unreadable(format!("unknown word {text:?}")))
}

fn json(text: &str) -> Result<RawJson, sqlx::Error> {
    RawJson::parse(text.to_owned().into_bytes().into()).map_err(unreadable)
}

fn unreadable(cause: impl Into<sqlx::error::BoxDynError>) -> sqlx::Error {
    sqlx::Error::Decode(cause.into())
}
