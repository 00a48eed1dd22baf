//! One batch of the writer: one transaction for everything in the queue.

use std::borrow::Cow;

use tokio::sync::oneshot;
use toolgate_core::event::{Durability, LedgerEntry};
use toolgate_core::governance::{StartRefused, Warrant};
use toolgate_core::id::CallId;

use super::append::{KnownRows, append};
use super::clean::clean;
use super::head::{BatchTail, HeadTrust, LedgerStream, StreamHead};
use super::kept::{LateEntry, UnwrittenEntry};
use super::own_calls::ended;
use super::{line, warrant};
use crate::Store;
use crate::advice::with_advice;
use crate::db::{Lane, Transaction};
use crate::gateways::Tenure;
use crate::warrant::WarrantOutcome;

const READ_LINE: &str =
    "SELECT line FROM ledger_lines WHERE tenant = $1 AND stream = $2 AND day = $3 AND number = $4";

const LOST: &str = "another gateway took over this stream of the ledger while this one was silent";

/// The entry of one caller.
pub(super) struct WriteOp {
    pub(super) entry: LedgerEntry,
    pub(super) warrant: Warrant,
    pub(super) reply: oneshot::Sender<Result<(), StartRefused>>,
}

/// The answers to the callers, in order.
pub(super) type WriteVerdicts = Vec<Result<(), StartRefused>>;

/// The effect of a batch.
#[derive(Clone)]
pub(super) struct WrittenBatch {
    pub(super) verdicts: WriteVerdicts,
    /// Calls that were withdrawn: their start was stored, and their caller was told otherwise.
    pub(super) withdrawn: Vec<CallId>,
}

impl WrittenBatch {
    /// All ops were written, and nothing else.
    pub(super) fn whole(ops: &[WriteOp]) -> Self {
        Self { verdicts: ops.iter().map(|_| Ok(())).collect(), withdrawn: Vec::new() }
    }
}

/// The batch was not written, or its fate is unknown.
pub(super) struct BatchFailure {
    pub(super) cause: String,
    /// The line to look for if the answer to the commit was lost, and the effect of the batch if it is found.
    pub(super) unsure: Option<(BatchTail, WrittenBatch)>,
}

impl From<sqlx::Error> for BatchFailure {
    fn from(cause: sqlx::Error) -> Self {
        Self { cause: with_advice(&cause), unsure: None }
    }
}

/// A stream that is written to, and the claim under which it is.
pub(super) struct ClaimedStream<'a> {
    pub(super) store: &'a Store,
    pub(super) pen: &'a LedgerStream,
    pub(super) tenure: Option<&'a Tenure>,
}

impl ClaimedStream<'_> {
    /// Fails if another gateway writes this stream by now.
    async fn check(&self, tx: &mut Transaction) -> Result<(), BatchFailure> {
        let Some(tenure) = self.tenure else { return Ok(()) };
        match tenure.is_held(tx, self.pen.tenant, &self.pen.stream).await? {
            true => Ok(()),
            false => Err(BatchFailure { cause: LOST.to_owned(), unsure: None }),
        }
    }
}

/// Writes the kept entries and then `ops`, all or nothing. An op whose warrant is refused contributes
/// nothing.
///
/// `before` is an attempt with the same ops whose outcome is unknown.
pub(super) async fn write(
    stream: &ClaimedStream<'_>,
    known: &mut KnownRows,
    kept: &[UnwrittenEntry],
    ops: &[WriteOp],
    before: Option<&(BatchTail, WrittenBatch)>,
) -> Result<WrittenBatch, BatchFailure> {
    let ClaimedStream { store, pen, .. } = *stream;
    let durability = ops.iter().map(|op| op.entry.durability).max().unwrap_or_default();
    let durability = if kept.is_empty() { durability } else { Durability::OnDisk };
    let mut tx = store.db.begin_on(Lane::Writer, durability).await?;
    // Warrants come before the head: every other code that locks both uses this order.
    let used = warrant::use_up_all(&mut tx, pen, ops).await?;
    let taken = StreamHead::take(&mut tx, pen).await?;
    // Only now: the unsure attempt may have been in progress until its lock on the head was released.
    if let Some((tail, written)) = before
        && is_there(&mut tx, pen, *tail).await?
    {
        return Ok(written.clone());
    }
    stream.check(&mut tx).await?;
    let late = LateEntries::look(&mut tx, pen, kept).await?;
    let (permitted, verdicts) = permitted(ops, used);
    let written = WrittenBatch { verdicts, withdrawn: late.withdrawn };
    let permitted_entries = permitted.iter().map(|entry| &**entry);
    let entries: Vec<&LedgerEntry> = late.to_write.into_iter().chain(permitted_entries).collect();
    let (end, made) = append(&mut tx, pen, taken, &entries, known).await?;
    if let Err(cause) = tx.commit().await {
        let unsure = (end != taken.head).then_some((BatchTail::of(&end), written));
        return Err(BatchFailure { cause: with_advice(&cause), unsure });
    }
    known.bodies.note(made);
    known.head = (end.trust == HeadTrust::Sealed).then_some(end);
    Ok(written)
}

/// The entries that may be written, with the additions of their warrants, and the answers for all callers.
fn permitted(ops: &[WriteOp], used: Vec<WarrantOutcome>) -> (Vec<Cow<'_, LedgerEntry>>, WriteVerdicts) {
    let (mut entries, mut verdicts) = (Vec::with_capacity(ops.len()), Vec::with_capacity(ops.len()));
    for (op, used) in ops.iter().zip(used) {
        verdicts.push(match used {
            Ok(before) if before.is_empty() => {
                entries.push(Cow::Borrowed(&op.entry));
                Ok(())
            }
            Ok(mut events) => {
                events.extend_from_slice(&op.entry.events);
                let (bodies, durability) = (op.entry.bodies.clone(), op.entry.durability);
                let mut entry = LedgerEntry { events, bodies, durability };
                clean(&mut entry);
                entries.push(Cow::Owned(entry));
                Ok(())
            }
            Err(refused) => Err(refused),
        });
    }
    (entries, verdicts)
}

/// What is to be done about the kept entries, now that the fate of their batches is known.
#[derive(Default)]
struct LateEntries<'k> {
    to_write: Vec<&'k LedgerEntry>,
    withdrawn: Vec<CallId>,
}

impl<'k> LateEntries<'k> {
    async fn look(
        tx: &mut Transaction,
        pen: &LedgerStream,
        kept: &'k [UnwrittenEntry],
    ) -> Result<Self, sqlx::Error> {
        let (mut looked, mut found) = (TailLook::default(), Self::default());
        for one in kept {
            let own = looked.is_there(tx, pen, one.unsure).await?;
            let written_late = looked.is_there(tx, pen, one.tried).await?;
            found.sort(one, own, written_late);
        }
        Ok(found)
    }

    /// `own` is true if the batch of the entry's own is stored, `written_late` if a later one is that it was part of.
    fn sort(&mut self, kept: &'k UnwrittenEntry, own: bool, written_late: bool) {
        match &kept.late {
            LateEntry::If(entry) if own => {
                self.withdrawn.extend(ended(entry).cloned());
                self.to_write.extend((!written_late).then_some(entry));
            }
            LateEntry::Unless(entry) if !own && !written_late => self.to_write.push(entry),
            _ => {}
        }
    }
}

/// The ends of batches whose fate was not known, each looked for once.
#[derive(Default)]
struct TailLook(Vec<(BatchTail, bool)>);

impl TailLook {
    async fn is_there(
        &mut self,
        tx: &mut Transaction,
        pen: &LedgerStream,
        tail: Option<BatchTail>,
    ) -> Result<bool, sqlx::Error> {
        let Some(tail) = tail else { return Ok(false) };
        if let Some((_, found)) = self.0.iter().rev().find(|(asked, _)| *asked == tail) {
            return Ok(*found);
        }
        let found = is_there(tx, pen, tail).await?;
        self.0.push((tail, found));
        Ok(found)
    }
}

async fn is_there(tx: &mut Transaction, pen: &LedgerStream, tail: BatchTail) -> Result<bool, sqlx::Error> {
    let look = tx.sql(READ_LINE).bind(pen.tenant).bind(&*pen.stream).bind(tail.time.day()).bind(tail.number);
    let found: Option<(Vec<u8>,)> = look.fetch_optional().await?;
    Ok(found.is_some_and(|(found,)| line::hash(&found) == tail.hash))
}
