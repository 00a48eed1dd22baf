//! Lines on their way into the archive and back: the store gives out stored lines, and reads those that come
//! from elsewhere.

use std::sync::Arc;

use toolgate_core::Digest;
use toolgate_core::event::{EventFilter, HybridTime, RecordedEvent};
use toolgate_proof::tree;

use super::line::{self, LedgerLine};
use super::outbox::SinkStart;
use super::row;
use super::terms::LineFilter;
use super::text::Text;
use crate::error::doing;
use crate::{Store, StoreError};

const AFTER: &str = "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     AND (day, number) > ($3, $4) AND day <= $5 ORDER BY day, number LIMIT $6";
const DAYS: &str = "SELECT day, COUNT(*), MIN(number), MAX(number) FROM ledger_lines WHERE tenant = $1 \
     AND stream = $2 AND (day, number) > ($3, $4) AND day <= $5 GROUP BY day ORDER BY day";
const AT: &str = "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     AND day = $3 AND number = $4";

const READING: &str = "read lines of the ledger";
const TURN: &str = "take a turn at the ledger's archive";

/// The place of a line in its stream. The first line comes after the start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LinePlace {
    pub day: i64,
    pub number: i64,
}

impl LinePlace {
    pub const START: LinePlace = LinePlace { day: i64::MIN, number: 0 };
}

/// A stream and its last committed number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamEnd {
    pub stream: Arc<str>,
    pub number: i64,
}

/// The lines of a stream in one day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerDay {
    pub day: i64,
    pub lines: u64,
    pub first: i64,
    pub last: i64,
}

/// One stored line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivalLine {
    pub number: i64,
    pub time: HybridTime,
    pub bytes: Vec<u8>,
}

impl Store {
    /// Every stream of the ledger, by its name.
    pub async fn ledger_streams(&self) -> Result<Vec<StreamEnd>, StoreError> {
        let horizon = self.horizon().await.map_err(doing("find the end of the ledger"))?;
        Ok(horizon.into_iter().map(|head| StreamEnd { stream: head.stream, number: head.number }).collect())
    }

    /// The next lines of a stream, up to the end of a day.
    pub async fn ledger_lines_after(
        &self,
        stream: &str,
        after: LinePlace,
        until_day: i64,
        limit: i64,
    ) -> Result<Vec<ArchivalLine>, StoreError> {
        let lines = self.db.sql(AFTER).bind(self.tenant).bind(stream).bind(after.day).bind(after.number);
        let rows: Vec<row::LineRow> =
            lines.bind(until_day).bind(limit).fetch_all().await.map_err(doing(READING))?;
        Ok(rows.into_iter().map(ArchivalLine::of).collect())
    }

    /// The days of a stream that have lines after a place, up to a day.
    pub async fn ledger_days_after(
        &self,
        stream: &str,
        after: LinePlace,
        until_day: i64,
    ) -> Result<Vec<LedgerDay>, StoreError> {
        let days = self.db.sql(DAYS).bind(self.tenant).bind(stream).bind(after.day).bind(after.number);
        let rows: Vec<(i64, i64, i64, i64)> =
            days.bind(until_day).fetch_all().await.map_err(doing("count lines of the ledger"))?;
        let day = |(day, lines, first, last): (i64, i64, i64, i64)| LedgerDay {
            day,
            lines: lines.unsigned_abs(),
            first,
            last,
        };
        Ok(rows.into_iter().map(day).collect())
    }

    /// The line at a place, if the database still has it.
    pub async fn ledger_line_at(
        &self,
        stream: &str,
        place: LinePlace,
    ) -> Result<Option<ArchivalLine>, StoreError> {
        let line = self.db.sql(AT).bind(self.tenant).bind(stream).bind(place.day).bind(place.number);
        let row = line.fetch_optional::<row::LineRow>().await.map_err(doing(READING))?;
        Ok(row.map(ArchivalLine::of))
    }

    /// Takes the turn at a periodic task that one gateway does at a time, or keeps it. It runs out after
    /// `OUTBOX_LEASE_MS`. `false` if another process has it.
    pub async fn take_turn(&self, task: &str) -> Result<bool, StoreError> {
        self.create_sink(task, SinkStart::FromStart).await?;
        Ok(self.lease(task).await.map_err(doing(TURN))?.is_some())
    }

    pub async fn end_turn(&self, task: &str) -> Result<(), StoreError> {
        self.release(task).await.map_err(doing(TURN))
    }
}

impl ArchivalLine {
    fn of((number, time, bytes): row::LineRow) -> Self {
        Self { number, time: HybridTime::from_number(time), bytes }
    }

    /// The place of the line.
    pub fn place(&self) -> LinePlace {
        LinePlace { day: self.time.day(), number: self.number }
    }
}

/// The fields of a line as texts, and its hashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineFields {
    pub tenant: String,
    pub stream: String,
    pub number: i64,
    /// The hash of the line before it.
    pub previous: Digest,
    /// The hash that the next line names.
    pub hash: Digest,
    /// The hash in the Merkle tree of its stream.
    pub leaf: Digest,
    /// A line of the first form has none.
    pub time: Option<HybridTime>,
    pub kind: String,
    pub at_ms: i64,
    pub principal: String,
    pub session: Option<String>,
    pub run: Option<String>,
    pub task: Option<String>,
    pub call: Option<String>,
    pub tool: Option<String>,
    pub server: Option<String>,
    pub tool_version: Option<Digest>,
    pub trace: Option<String>,
    pub approval: Option<String>,
    pub policy_version: Option<Digest>,
    pub decision: Option<String>,
    pub outcome: Option<String>,
    pub duration_us: Option<i64>,
    /// The commitment to the arguments; their digest in a line of the first form.
    pub input: Option<Digest>,
    /// The same for the result.
    pub output: Option<Digest>,
    pub detail: Option<String>,
}

impl LineFields {
    /// `None` if the bytes are no line of the ledger.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let line = LedgerLine::read(bytes)?;
        let owned = |text: Option<Text<'_>>| text.map(|text| text.read().into_owned());
        Some(Self {
            tenant: line.tenant.to_owned(),
            stream: line.stream.to_owned(),
            number: line.number,
            previous: line.previous,
            hash: line::hash(bytes),
            leaf: line::leaf(bytes),
            time: line.time,
            kind: line.kind.read().into_owned(),
            at_ms: line.at_ms,
            principal: line.principal.read().into_owned(),
            session: owned(line.session),
            run: owned(line.run),
            task: owned(line.task),
            call: owned(line.call),
            tool: owned(line.tool),
            server: owned(line.server),
            tool_version: line.tool_version,
            trace: owned(line.trace),
            approval: owned(line.approval),
            policy_version: line.policy_version,
            decision: owned(line.decision),
            outcome: owned(line.outcome),
            duration_us: line.duration_us,
            input: line.input,
            output: line.output,
            detail: line.detail.map(str::to_owned),
        })
    }
}

/// The Merkle tree hash of RFC 6962 over the leaves of some lines.
pub fn ledger_root(leaves: &[Digest]) -> Digest {
    tree::root(leaves)
}

/// The hash before the first line of a stream.
pub fn ledger_start() -> Digest {
    line::no_hash()
}

/// Makes events of lines that pass a filter.
pub struct LineReader {
    wanted: LineFilter,
}

impl LineReader {
    pub fn new(filter: &EventFilter) -> Self {
        Self { wanted: LineFilter::of(filter) }
    }

    /// `None` if the line does not pass.
    pub fn read(&self, stream: &Arc<str>, line: &ArchivalLine) -> Result<Option<RecordedEvent>, StoreError> {
        let fields = row::fields(&line.bytes).map_err(doing(READING))?;
        if !self.wanted.passes(&fields) {
            return Ok(None);
        }
        let row = (line.number, line.time.number(), line.bytes.clone());
        row::recorded(stream, &row).map(Some).map_err(doing(READING))
    }
}
