//! The writer: one task that writes the entries of the whole process. On SQLite it has a thread of its own, with
//! the connection (`sqlite.rs`); on Postgres it is a task of the runtime.
//!
//! Callers put entries into a queue. The task takes the whole queue, writes it in one transaction and answers
//! all callers; meanwhile the next batch gathers. So all waiting callers share one sync of the disk, and none
//! waits for company.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use toolgate_core::event::LedgerEntry;
use toolgate_core::governance::{Ledger, StartRefused, StoreDown, Warrant};
use toolgate_core::port::BoxFuture;

use super::append::KnownRows;
use super::at_once;
use super::batch::{self, BatchFailure, ClaimedStream, WriteOp, WrittenBatch};
use super::clean::clean;
use super::head::{BatchTail, LedgerStream};
use super::kept::UnwrittenEntries;
use super::own_calls::{OwnCalls, ended};
use super::set_back::ClockWatch;
use super::sqlite::SqliteWriter;
use crate::gateways::{StreamClaim, Tenure};
use crate::pulse::DbPulse;
use crate::{Store, StoreError};

/// Callers beyond these wait for a place in the queue.
const QUEUE_MAX: usize = 4_096;
/// The most that share a transaction.
const BATCH_OPS_MAX: usize = 512;
/// A faster failure is retried at once: most often the connection was stale.
const QUICK: Duration = Duration::from_secs(1);
/// The first pause after a failure of the database. Doubled with each failure.
const BACKOFF_FIRST: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(2);
/// The time that shutdown waits for the last events.
const CLOSE_TIME_MAX: Duration = Duration::from_secs(5);

const THREAD: &str = "ledger";
const CLOSED: &str = "the ledger is closed";
const CLOSED_ELSEWHERE: &str =
    "another gateway has closed this call as unknown, because this one showed no sign of life";

/// Writes to one stream of the ledger. Clones share one task, which ends when the last of them is gone.
#[derive(Clone)]
pub struct LedgerWriter {
    queue: mpsc::Sender<WriterMessage>,
    up: Arc<AtomicBool>,
    pulse: Arc<DbPulse>,
    claim: Option<Arc<StreamClaim>>,
    pen: LedgerStream,
}

enum WriterMessage {
    Write(Box<WriteOp>),
    Close(oneshot::Sender<()>),
}

impl LedgerWriter {
    /// Starts the task. Give each process its own stream, the same after a restart: `Store::sweep` relies on
    /// it.
    pub async fn start(store: &Store, stream: &str) -> Result<LedgerWriter, StoreError> {
        Self::start_under(store, stream, None).await
    }

    /// The same for a stream that this process has claimed: nothing is written while another process has it.
    pub async fn start_under(
        store: &Store,
        stream: &str,
        claim: Option<Arc<StreamClaim>>,
    ) -> Result<LedgerWriter, StoreError> {
        let pen = store.pen(stream).await?;
        let (queue, inbox) = mpsc::channel(QUEUE_MAX);
        let up = Arc::new(AtomicBool::new(true));
        let pulse = Arc::clone(store.db.pulse());
        let claimed = claim.clone().map(|claim| Claimed { tenure: claim.tenure(), claim });
        let writer = LedgerWriter { queue, up: Arc::clone(&up), pulse, claim, pen: pen.clone() };
        let own = SqliteWriter::open(&store.db)?;
        let is_own = own.is_some();
        let task = WriterTask {
            store: store.clone(),
            pen,
            claimed,
            calls: OwnCalls::default(),
            own,
            up,
            kept: UnwrittenEntries::default(),
            known: KnownRows::default(),
            clock: ClockWatch::default(),
            away: None,
        };
        match is_own {
            true => run_alone(task.run(inbox))?,
            false => drop(store.tasks.spawn(task.run(inbox))),
        }
        Ok(writer)
    }

    pub fn stream(&self) -> &str {
        &self.pen.stream
    }

    /// For writers to the same stream in their own transactions.
    pub(crate) fn pen(&self) -> &LedgerStream {
        &self.pen
    }

    /// Writes the queued entries, as far as the database allows within a few seconds, and ends the task.
    pub async fn close(&self) {
        let (done, wait) = oneshot::channel();
        let closed = async {
            if self.queue.send(WriterMessage::Close(done)).await.is_ok() {
                // An error means that the task has ended, which is the goal.
                drop(wait.await);
            }
        };
        if tokio::time::timeout(CLOSE_TIME_MAX, closed).await.is_err() {
            tracing::error!("the ledger was not written to its end: the database did not answer in time");
        }
    }

    fn write(
        &self,
        mut entry: LedgerEntry,
        warrant: Warrant,
    ) -> BoxFuture<'static, Result<(), StartRefused>> {
        let queue = self.queue.clone();
        Box::pin(async move {
            clean(&mut entry);
            let (reply, answer) = oneshot::channel();
            let closed = || StartRefused::Down(StoreDown(CLOSED.into()));
            queue
                .send(WriterMessage::Write(Box::new(WriteOp { entry, warrant, reply })))
                .await
                .map_err(|_| closed())?;
            answer.await.unwrap_or_else(|_| Err(closed()))
        })
    }
}

impl Ledger for LedgerWriter {
    fn append(&self, entry: LedgerEntry) -> BoxFuture<'static, Result<(), StoreDown>> {
        let written = self.write(entry, Warrant::NoneNeeded);
        Box::pin(async move {
            written.await.map_err(|refused| match refused {
                StartRefused::Down(down) => down,
                other => StoreDown(other.to_string()),
            })
        })
    }

    fn start(&self, entry: LedgerEntry, warrant: Warrant) -> BoxFuture<'static, Result<(), StartRefused>> {
        self.write(entry, warrant)
    }

    fn is_up(&self) -> bool {
        let is_held = self.claim.as_ref().is_none_or(|claim| claim.is_held());
        self.up.load(Ordering::Relaxed) && is_held && self.pulse.is_there() && !self.queue.is_closed()
    }
}

/// Runs the task on a thread of its own, which may wait for the disk.
fn run_alone(task: impl Future<Output = ()> + Send + 'static) -> Result<(), StoreError> {
    let started = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
        let thread = std::thread::Builder::new().name(THREAD.into());
        thread.spawn(move || runtime.block_on(task)).map(drop)
    };
    started().map_err(|cause| StoreError::StartWriter { cause })
}

struct WriterTask {
    store: Store,
    pen: LedgerStream,
    claimed: Option<Claimed>,
    calls: OwnCalls,
    /// On SQLite.
    own: Option<SqliteWriter>,
    up: Arc<AtomicBool>,
    /// The entries that must be written despite an outage.
    kept: UnwrittenEntries,
    known: KnownRows,
    clock: ClockWatch,
    /// Set while the database is down.
    away: Option<DatabaseOutage>,
}

/// A stream that may be lost to another process.
struct Claimed {
    claim: Arc<StreamClaim>,
    /// The last one that was written under.
    tenure: Tenure,
}

struct DatabaseOutage {
    why: StoreDown,
    backoff: Duration,
    retry_at: Instant,
}

impl WriterTask {
    async fn run(mut self, mut inbox: mpsc::Receiver<WriterMessage>) {
        let mut messages = Vec::new();
        loop {
            let retry_at = self.away.as_ref().map(|away| away.retry_at);
            tokio::select! {
                count = inbox.recv_many(&mut messages, BATCH_OPS_MAX) => {
                    if count == 0 {
                        return self.write_kept_to_the_end().await;
                    }
                    let (ops, closing) = sort(&mut messages);
                    self.take(ops).await;
                    if let Some(done) = closing {
                        self.write_kept_to_the_end().await;
                        // Its connection is closed when the caller hears of it.
                        drop(self);
                        // The caller may be gone.
                        done.send(()).unwrap_or(());
                        return;
                    }
                }
                () = until(retry_at) => self.take_up_again().await,
            }
        }
    }

    /// Writes, or refuses at once while the database is down.
    async fn take(&mut self, ops: Vec<WriteOp>) {
        match self.away.as_ref().map(|away| away.why.clone()) {
            Some(why) => {
                let ops = self.without_closed(ops);
                self.refuse(ops, &why, None);
            }
            None if ops.is_empty() => {}
            None => self.commit(ops).await,
        }
    }

    /// Tries with the kept entries, or with only the head of the stream.
    async fn take_up_again(&mut self) {
        self.commit(Vec::new()).await;
    }

    async fn commit(&mut self, ops: Vec<WriteOp>) {
        let ops = self.without_closed(ops);
        self.watch_clock(&ops);
        let begun = Instant::now();
        let tried = match self.attempt(&ops, None).await {
            Err(first) if begun.elapsed() < QUICK => {
                let again = self.attempt(&ops, first.unsure.as_ref()).await;
                // If it failed before it could check, the first attempt is as unsure as before.
                again.map_err(|again| BatchFailure { unsure: again.unsure.or(first.unsure), ..again })
            }
            tried => tried,
        };
        match tried {
            Ok(written) => self.answer(ops, written),
            Err(failure) => self.go_away(ops, failure),
        }
    }

    fn watch_clock(&mut self, ops: &[WriteOp]) {
        let dates = ops.iter().flat_map(|op| &op.entry.events).map(|event| event.at_ms);
        if let Some(behind_ms) = dates.max().and_then(|latest| self.clock.note(latest)) {
            tracing::warn!(
                stream = %self.pen.stream,
                seconds = behind_ms / 1000,
                "the clock of this machine was set back: the ledger keeps its order, but dates and the ends of tokens, approvals and sessions go by the clock; see that it is right"
            );
        }
    }

    /// Turns away what concerns calls that are over: this writer withdrew them, or another gateway closed them while it had
    /// the stream.
    fn without_closed(&mut self, ops: Vec<WriteOp>) -> Vec<WriteOp> {
        if let Some(Claimed { claim, tenure }) = &mut self.claimed {
            let now = claim.tenure();
            if *tenure != now {
                *tenure = now;
                self.calls.lose();
                self.kept.drop_closed(&self.calls);
            }
        }
        ops.into_iter().filter_map(|op| self.unless_closed(op)).collect()
    }

    fn unless_closed(&mut self, op: WriteOp) -> Option<WriteOp> {
        if self.calls.forget_withdrawn(&op.entry) {
            // Its end stands in the ledger. A caller that has left does not need its answer.
            drop(op.reply.send(Ok(())));
            return None;
        }
        let perhaps = self.calls.perhaps_closed(&op.entry);
        if perhaps.is_none() && !self.calls.is_about_closed(&op.entry) {
            return Some(op);
        }
        if let Some(start) = perhaps {
            self.kept.keep_unless(op.entry, start);
        }
        drop(op.reply.send(Err(StartRefused::Down(StoreDown(CLOSED_ELSEWHERE.into())))));
        None
    }

    async fn attempt(
        &mut self,
        ops: &[WriteOp],
        before: Option<&(BatchTail, WrittenBatch)>,
    ) -> Result<WrittenBatch, BatchFailure> {
        let written = match self.write_alone(ops, before.is_some()).await {
            Some(written) => written,
            None => {
                let tenure = self.claimed.as_ref().map(|claimed| &claimed.tenure);
                let stream = ClaimedStream { store: &self.store, pen: &self.pen, tenure };
                let (kept, known) = (self.kept.all(), &mut self.known);
                let written = batch::write(&stream, known, kept, ops, before).await;
                // The pool takes its connection back in a task of this thread.
                tokio::task::yield_now().await;
                written
            }
        };
        if written.is_err() {
            // The rows of the failed batch may be missing.
            self.known = KnownRows::default();
        }
        written
    }

    /// On the connection of its own, or in one statement on Postgres, if nothing is unusual.
    async fn write_alone(
        &mut self,
        ops: &[WriteOp],
        is_unsure: bool,
    ) -> Option<Result<WrittenBatch, BatchFailure>> {
        if is_unsure || self.kept.len() > 0 {
            return None;
        }
        let tenure = self.claimed.as_ref().map(|claimed| &claimed.tenure);
        if let Some(own) = &mut self.own {
            return own.write(&self.pen, tenure, &mut self.known, ops).await;
        }
        let stream = ClaimedStream { store: &self.store, pen: &self.pen, tenure };
        at_once::write(&stream, &mut self.known, ops).await
    }

    fn answer(&mut self, ops: Vec<WriteOp>, batch: WrittenBatch) {
        if self.away.take().is_some() {
            tracing::info!(stream = %self.pen.stream, written_late = self.kept.len(), "the ledger is written again");
        }
        self.up.store(true, Ordering::Relaxed);
        self.calls.settle(batch.withdrawn);
        self.kept.all().iter().for_each(|kept| self.calls.note(kept.entry()));
        let written = ops.iter().zip(&batch.verdicts).filter(|(_, verdict)| verdict.is_ok());
        written.for_each(|(op, _)| self.calls.note(&op.entry));
        self.kept.clear();
        for (op, verdict) in ops.into_iter().zip(batch.verdicts) {
            // A caller that has left does not need its answer.
            drop(op.reply.send(verdict));
        }
    }

    fn go_away(&mut self, ops: Vec<WriteOp>, failure: BatchFailure) {
        self.up.store(false, Ordering::Relaxed);
        let why = StoreDown(failure.cause);
        let backoff = match &self.away {
            Some(away) => (away.backoff * 2).min(BACKOFF_MAX),
            None => {
                tracing::error!(stream = %self.pen.stream, %why, "the ledger cannot be written");
                BACKOFF_FIRST
            }
        };
        let unsure = failure.unsure.map(|(tail, _)| tail);
        if let Some(tail) = unsure {
            self.kept.note_tried(tail);
        }
        self.refuse(ops, &why, unsure);
        self.away = Some(DatabaseOutage { why, backoff, retry_at: Instant::now() + backoff });
    }

    fn refuse(&mut self, ops: Vec<WriteOp>, why: &StoreDown, unsure: Option<BatchTail>) {
        for op in ops {
            if let Some(tail) = unsure {
                self.calls.note_unsure(&op.entry, tail);
            }
            let ends: Vec<_> = ended(&op.entry).cloned().collect();
            if !self.kept.keep(op.entry, unsure) {
                self.calls.forget_open(&ends);
            }
            drop(op.reply.send(Err(StartRefused::Down(why.clone()))));
        }
    }

    /// Ends when nothing is kept any more. The caller sets a time limit.
    async fn write_kept_to_the_end(&mut self) {
        while let Some(away) = self.away.as_ref().filter(|_| self.kept.len() > 0) {
            tokio::time::sleep_until(away.retry_at).await;
            self.take_up_again().await;
        }
    }
}

fn sort(messages: &mut Vec<WriterMessage>) -> (Vec<WriteOp>, Option<oneshot::Sender<()>>) {
    let (mut ops, mut closing) = (Vec::with_capacity(messages.len()), None);
    for message in messages.drain(..) {
        match message {
            WriterMessage::Write(op) => ops.push(*op),
            WriterMessage::Close(done) => closing = Some(done),
        }
    }
    (ops, closing)
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}
