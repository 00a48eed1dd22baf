//! Appending entries inside a transaction: events on their chain, bodies, open calls, and the head of the stream.

use std::collections::BTreeMap;

use toolgate_core::Digest;
use toolgate_core::event::{Event, EventKind, LedgerBody, LedgerEntry};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, ServerName};

use super::bodies::{self, KnownBodies};
use super::head::{LedgerStream, LockedHead, StreamHead};
use super::line::{EventPosition, LedgerLine};
use super::terms::KnownTerms;
use super::words::word;
use super::{bundle, single};
use crate::db::{Dialect, SqlStatement, Transaction};

/// In the order of binding and reading.
pub(super) const COLUMNS: &str = "seq, tenant, stream, stream_seq, previous, hash, kind, at_ms, principal, session, run, \
     task, call, tool, server, tool_version, trace, approval, policy_version, decision, outcome, duration_us, input, \
     output, detail";
pub(super) const COLUMN_COUNT: usize = 25;
pub(super) const OPEN_COLUMNS: &str =
    "call, tenant, stream, started_at_ms, principal, session, run, task, tool, server, tool_version";
pub(super) const OPEN_COLUMN_COUNT: usize = 11;

pub(super) const MINUTE_MS: i64 = 60_000;

/// The content of one transaction.
pub(super) struct LedgerBatch<'a> {
    pub(super) pen: &'a LedgerStream,
    pub(super) lines: Vec<LinkedEvent<'a>>,
    pub(super) opened: Vec<OpenedCall<'a>>,
    pub(super) paused: Vec<(&'a CallId, i64)>,
    pub(super) closed: Vec<&'a CallId>,
    pub(super) minutes: Vec<LedgerMinute>,
    /// In their order, so that two writers that wait for each other's rows never wait in a circle.
    pub(super) terms: Vec<(String, i64)>,
    /// The end of the stream afterwards.
    pub(super) end: StreamHead,
}

/// An event on its chain.
pub(super) struct LinkedEvent<'a> {
    event: &'a Event,
    line: LedgerLine<'a>,
    hash: Digest,
}

/// A call that is open from now on.
pub(super) struct OpenedCall<'a> {
    call: &'a CallId,
    event: &'a Event,
}

/// The position of the events of one minute.
pub(super) struct LedgerMinute {
    pub(super) minute: i64,
    pub(super) first_seq: i64,
    pub(super) last_seq: i64,
}

/// The rows that are known to be in the database.
#[derive(Default)]
pub(super) struct KnownRows {
    pub(super) bodies: KnownBodies,
    pub(super) terms: KnownTerms,
}

/// Appends entries after the head that was taken in this transaction, and moves it.
pub(super) async fn append(
    tx: &mut Transaction,
    pen: &LedgerStream,
    taken: LockedHead,
    entries: &[&LedgerEntry],
    known: &mut KnownRows,
) -> Result<StreamHead, sqlx::Error> {
    let count = entries.iter().map(|entry| entry.events.len()).sum();
    let seqs = match tx.dialect() {
        Dialect::Sqlite => bundle::next_seqs(taken, count),
        Dialect::Postgres => single::draw_seqs(tx, count).await?,
    };
    let batch = LedgerBatch::of(pen, taken.head, entries, seqs, &mut known.terms);
    bodies::insert(tx, pen, new_bodies(entries, &known.bodies)).await?;
    match tx.dialect() {
        Dialect::Sqlite => bundle::write(tx, &batch).await?,
        Dialect::Postgres => single::write(tx, &batch).await?,
    }
    Ok(batch.end)
}

/// The bodies that are not known to be there: each once, sorted by digest, so that two writers never wait for
/// each other in a circle.
fn new_bodies<'e>(entries: &[&'e LedgerEntry], known: &KnownBodies) -> Vec<&'e LedgerBody> {
    let mut new: BTreeMap<Digest, &LedgerBody> = BTreeMap::new();
    for body in entries.iter().flat_map(|entry| &entry.bodies).filter(|body| !known.covers(body)) {
        let kept = new.entry(body.digest).or_insert(body);
        if kept.keep_until_ms < body.keep_until_ms {
            *kept = body;
        }
    }
    new.into_values().collect()
}

impl<'a> LedgerBatch<'a> {
    fn of(
        pen: &'a LedgerStream,
        head: StreamHead,
        entries: &[&'a LedgerEntry],
        seqs: Vec<i64>,
        known: &mut KnownTerms,
    ) -> Self {
        let mut batch = LedgerBatch {
            pen,
            lines: Vec::with_capacity(seqs.len()),
            opened: Vec::new(),
            paused: Vec::new(),
            closed: Vec::new(),
            minutes: Vec::new(),
            terms: Vec::new(),
            end: head,
        };
        let events = entries.iter().flat_map(|entry| entry.events.iter().map(move |event| (*entry, event)));
        for ((entry, event), seq) in events.zip(seqs) {
            batch.link(event, seq);
            batch.change_open_calls(entry, event);
            batch.mark_minute(event, seq);
            known.add(event, seq, &mut batch.terms);
        }
        batch.terms.sort_unstable();
        batch
    }

    fn link(&mut self, event: &'a Event, seq: i64) {
        let (stream_seq, previous) = (self.end.stream_seq + 1, self.end.hash);
        let place =
            EventPosition { tenant: self.pen.tenant, stream: &self.pen.stream, seq, stream_seq, previous };
        let line = LedgerLine::of(place, event);
        let hash = line.hash();
        self.end = StreamHead { stream_seq, hash, ..self.end };
        self.lines.push(LinkedEvent { event, line, hash });
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

    /// A batch has few minutes, most often one.
    fn mark_minute(&mut self, event: &Event, seq: i64) {
        let minute = event.at_ms.div_euclid(MINUTE_MS);
        match self.minutes.iter_mut().find(|one| one.minute == minute) {
            Some(one) => one.last_seq = seq,
            None => self.minutes.push(LedgerMinute { minute, first_seq: seq, last_seq: seq }),
        }
    }
}

/// True if an entry has an event of this kind for a call.
pub(super) fn has(entry: &LedgerEntry, kind: EventKind, call: &CallId) -> bool {
    entry.events.iter().any(|event| event.kind == kind && event.about.call.as_ref() == Some(call))
}

impl LinkedEvent<'_> {
    /// In the order of `COLUMNS`. Texts are shared with the event rather than copied, where it has them so.
    pub(super) fn push_to(&self, pen: &LedgerStream, to: &mut SqlStatement<'_>) {
        let Self { event, line, hash } = self;
        let about = &event.about;
        to.push(line.seq);
        to.push(word(line.tenant));
        to.push(pen.stream.clone());
        to.push(line.stream_seq);
        to.push(&line.previous.as_bytes()[..]);
        to.push(&hash.as_bytes()[..]);
        to.push(word(line.kind));
        to.push(line.at_ms);
        to.push(event.principal.shared());
        to.push(about.session.as_ref().map(SessionId::shared));
        to.push(about.run.as_ref().map(RunId::shared));
        to.push(about.task.clone());
        to.push(about.call.as_ref().map(CallId::shared));
        to.push(about.tool.as_ref().map(CanonicalName::shared));
        to.push(about.server.as_ref().map(ServerName::shared));
        to.push(line.tool_version);
        to.push(about.trace.clone());
        to.push(event.approval.as_ref().map(ApprovalId::shared));
        to.push(line.policy_version);
        to.push(line.decision.map(word));
        to.push(line.outcome.map(word));
        to.push(line.duration_us);
        to.push(line.input);
        to.push(line.output);
        to.push(line.detail);
    }
}

impl OpenedCall<'_> {
    /// In the order of `OPEN_COLUMNS`.
    pub(super) fn push_to(&self, pen: &LedgerStream, to: &mut SqlStatement<'_>) {
        let about = &self.event.about;
        to.push(self.call.shared());
        to.push(word(pen.tenant));
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
