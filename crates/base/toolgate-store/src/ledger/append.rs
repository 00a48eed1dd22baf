//! Appending entries inside a transaction: lines on their chain, bodies, open calls, complete parts of
//! blocks, and the head of the stream.

use std::collections::BTreeSet;

use toolgate_core::event::{Event, EventKind, HybridTime, LedgerEntry};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, ServerName};

use super::block::{self, Part};
use super::bodies;
use super::commitments::{BatchCommitments, EventBodies, KnownBodies, MadeCommitments};
use super::figures::{self, KnownFigures};
use super::head::{LedgerStream, LockedHead, StreamHead};
use super::line::{self, EventPosition, LedgerLine};
use super::terms::FORM;
use super::{days, scan, single};
use crate::db::{SqlStatement, Transaction};

/// In the order of binding.
pub(super) const LINE_COLUMNS: &str = "tenant, stream, day, number, time, line";
pub(super) const OPEN_COLUMNS: &str =
    "call, tenant, stream, started_at_ms, principal, session, run, task, tool, server, tool_version";
pub(super) const BLOCK_COLUMNS: &str =
    "tenant, stream, day, block, first, last, since, until, at_min, at_max, root, form";
pub(super) const TERM_COLUMNS: &str = "tenant, term, stream, block, day, places";

/// The content of one transaction.
pub(super) struct LedgerBatch<'a> {
    pub(super) pen: &'a LedgerStream,
    pub(super) lines: Vec<LinkedEvent>,
    pub(super) opened: Vec<OpenedCall<'a>>,
    pub(super) paused: Vec<(&'a CallId, i64)>,
    pub(super) closed: Vec<&'a CallId>,
    /// Parts of blocks that are complete.
    pub(super) parts: Vec<Part>,
    /// The end of the stream afterwards.
    pub(super) end: StreamHead,
    /// The part that is not complete afterwards, if it is known.
    pub(super) part: Option<Part>,
    after: HybridTime,
    latest_ms: i64,
}

/// A line on its chain.
pub(super) struct LinkedEvent {
    pub(super) number: i64,
    pub(super) time: HybridTime,
    pub(super) line: Vec<u8>,
}

/// A call that is open from now on.
pub(super) struct OpenedCall<'a> {
    pub(super) call: &'a CallId,
    pub(super) event: &'a Event,
}

/// The rows that are known to be in the database.
#[derive(Default)]
pub(super) struct KnownRows {
    pub(super) bodies: KnownBodies,
    pub(super) part: Option<Part>,
    pub(super) figures: KnownFigures,
    /// The end of the stream as this writer left it, sealed.
    pub(super) head: Option<StreamHead>,
    /// The latest time of other streams, as far as they were looked at.
    pub(super) others: Option<HybridTime>,
}

/// A part is complete, and its first events are not known here.
pub(super) struct PartUnknown;

/// Appends entries after the head that was taken in this transaction, and moves it. The commitments are to be
/// noted when the transaction is committed.
pub(super) async fn append(
    tx: &mut Transaction,
    pen: &LedgerStream,
    taken: LockedHead,
    entries: &[&LedgerEntry],
    known: &mut KnownRows,
) -> Result<(StreamHead, MadeCommitments), sqlx::Error> {
    let committed = known.bodies.commit(taken.erasures, entries)?;
    let open = taken.head.part;
    let batch = match LedgerBatch::of(pen, taken, entries, &committed, known.part.take()) {
        Ok(batch) => batch,
        Err(PartUnknown) => {
            let part = scan::open_part(tx, pen, &taken.head).await?;
            match LedgerBatch::of(pen, taken, entries, &committed, Some(part)) {
                Ok(batch) => batch,
                Err(PartUnknown) => return Err(sqlx::Error::RowNotFound),
            }
        }
    };
    bodies::insert(tx, pen, &committed).await?;
    write(tx, &batch).await?;
    figures::write(tx, pen, &mut known.figures, &batch.parts, (open, batch.end.part)).await?;
    known.part = batch.part;
    Ok((batch.end, committed.made))
}

async fn write(tx: &mut Transaction, batch: &LedgerBatch<'_>) -> Result<(), sqlx::Error> {
    let made = days::make_missing(tx, batch.days()).await?;
    if made > 0 {
        tracing::warn!(
            stream = %batch.pen.stream,
            made,
            "partitions of the ledger were missing for the day of an event, and its writer made them: is the clock right, \
             and did no gateway run for some days?"
        );
    }
    let written = single::write(tx, batch).await;
    if written.is_err() {
        // Someone may have removed a partition.
        tx.days().forget();
    }
    written
}

impl<'a> LedgerBatch<'a> {
    /// `part` is what is known of the part that is open before.
    pub(super) fn of(
        pen: &'a LedgerStream,
        taken: LockedHead,
        entries: &[&'a LedgerEntry],
        committed: &BatchCommitments<'_>,
        part: Option<Part>,
    ) -> Result<Self, PartUnknown> {
        let LockedHead { head, after, latest_ms, .. } = taken;
        let mut batch = LedgerBatch {
            pen,
            lines: Vec::with_capacity(committed.events.len()),
            opened: Vec::new(),
            paused: Vec::new(),
            closed: Vec::new(),
            parts: Vec::new(),
            end: head,
            part: part.filter(|part| part.is((head.part, head.number), head.hash)),
            after,
            latest_ms,
        };
        let events = entries.iter().flat_map(|entry| entry.events.iter().map(move |event| (*entry, event)));
        for ((entry, event), bodies) in events.zip(&committed.events) {
            batch.link(event, *bodies)?;
            batch.change_open_calls(entry, event);
        }
        // What opens and closes in one batch was never open for others.
        let closed: BTreeSet<&CallId> = batch.closed.iter().copied().collect();
        batch.opened.retain(|opened| !closed.contains(opened.call));
        Ok(batch)
    }

    /// The days of its lines and parts.
    pub(super) fn days(&self) -> BTreeSet<i64> {
        let lines = self.lines.iter().map(|line| line.time.day());
        lines.chain(self.parts.iter().map(|part| part.day)).collect()
    }

    fn link(&mut self, event: &'a Event, bodies: EventBodies) -> Result<(), PartUnknown> {
        let (number, time) = (self.end.number + 1, self.after.next(event.at_ms.min(self.latest_ms)));
        if self.end.part < number && self.end.time.day() != time.day() {
            self.complete_part()?;
        }
        let (tenant, stream, previous) = (self.pen.tenant, &*self.pen.stream, self.end.hash);
        let EventBodies { input, output, meta, kept } = bodies;
        let place = EventPosition { tenant, stream, number, time, previous };
        let fields = LedgerLine { input, output, meta, kept, ..LedgerLine::of(place, event) };
        let line = fields.encoded(time);
        let hash = match &mut self.part {
            Some(part) => {
                part.add(&fields, time, &line);
                part.hash()
            }
            None if self.end.part == number => self.part.insert(Part::of(&fields, time, &line)).hash(),
            None => line::hash(&line),
        };
        self.lines.push(LinkedEvent { number, time, line });
        (self.end, self.after) = (StreamHead { number, time, hash, ..self.end }, time);
        if block::is_last(number) { self.complete_part() } else { Ok(()) }
    }

    fn complete_part(&mut self) -> Result<(), PartUnknown> {
        self.parts.push(self.part.take().ok_or(PartUnknown)?);
        self.end.part = self.end.number + 1;
        Ok(())
    }

    /// A call is open from its start to its end, and not at all if both came at once.
    fn change_open_calls(&mut self, entry: &'a LedgerEntry, event: &'a Event) {
        let Some(call) = &event.about.call else { return };
        match event.kind {
            EventKind::CallStarted if !has(entry, EventKind::CallCompleted, call) => {
                self.opened.push(OpenedCall { call, event });
            }
            EventKind::CallPaused => self.paused.push((call, event.at_ms)),
            EventKind::CallCompleted if !has(entry, EventKind::CallStarted, call) => self.closed.push(call),
            _ => {}
        }
    }
}

/// True if an entry has an event of this kind for a call.
pub(super) fn has(entry: &LedgerEntry, kind: EventKind, call: &CallId) -> bool {
    entry.events.iter().any(|event| event.kind == kind && event.about.call.as_ref() == Some(call))
}

impl LinkedEvent {
    /// In the order of `LINE_COLUMNS`.
    pub(super) fn push_to(&self, pen: &LedgerStream, to: &mut SqlStatement<'_>) {
        to.push(pen.tenant);
        to.push(pen.stream.clone());
        to.push(self.time.day());
        to.push(self.number);
        to.push(self.time.number());
        to.push(&self.line[..]);
    }
}

impl OpenedCall<'_> {
    /// In the order of `OPEN_COLUMNS`.
    pub(super) fn push_to(&self, pen: &LedgerStream, to: &mut SqlStatement<'_>) {
        let about = &self.event.about;
        to.push(self.call.shared());
        to.push(pen.tenant);
        to.push(pen.stream.clone());
        to.push(self.event.at_ms);
        to.push(self.event.principal.shared());
        to.push(about.session.as_ref().map(SessionId::shared));
        to.push(about.run.as_ref().map(RunId::shared));
        to.push(about.task.clone());
        to.push(about.tool.as_ref().map(CanonicalName::shared));
        to.push(about.server.as_ref().map(ServerName::shared));
        to.push(about.tool_version.as_ref().map(|digest| &digest.as_bytes()[..]));
    }
}

impl Part {
    /// In the order of `BLOCK_COLUMNS`.
    pub(super) fn push_to(&self, pen: &LedgerStream, to: &mut SqlStatement<'_>) {
        to.push(pen.tenant);
        to.push(pen.stream.clone());
        for number in [self.day, self.block, self.first, self.last] {
            to.push(number);
        }
        for number in [self.since.number(), self.until.number(), self.at_min, self.at_max] {
            to.push(number);
        }
        to.push(&self.root().as_bytes()[..]);
        to.push(FORM);
    }
}
