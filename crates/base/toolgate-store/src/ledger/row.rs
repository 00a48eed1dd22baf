//! Lines as they are read from either database, and the events in them.

use std::sync::Arc;

use toolgate_core::event::{
    DecisionKind, Event, EventKind, EventSubject, HybridTime, Outcome, Position, RecordedEvent,
};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

use super::line::{self, LedgerLine};
use super::text::Text;

/// Number, time and line.
pub(super) type LineRow = (i64, i64, Vec<u8>);

/// The fields of a stored line.
pub(super) fn fields(line: &[u8]) -> Result<LedgerLine<'_>, sqlx::Error> {
    LedgerLine::read(line).ok_or_else(|| unreadable("it is no line of the ledger"))
}

/// The event of a line, where it lies in its stream.
pub(super) fn recorded(stream: &Arc<str>, row: &LineRow) -> Result<RecordedEvent, sqlx::Error> {
    let (number, time, bytes) = row;
    let (fields, time) = (fields(bytes)?, HybridTime::from_number(*time));
    Ok(RecordedEvent {
        stream: Arc::clone(stream),
        number: *number,
        time,
        position: Position::new(time, Arc::clone(stream), *number, Vec::new()),
        event: event(&fields)?,
        previous: fields.previous,
        hash: line::hash(bytes),
    })
}

/// The event of a line that was taken out of its ledger. `None` if it is no line.
pub fn event_of_line(bytes: &[u8]) -> Option<RecordedEvent> {
    let line = LedgerLine::read(bytes)?;
    // A line of the first form says when it happened, and no hybrid time.
    let time = line.time.unwrap_or_else(|| HybridTime::of_ms(line.at_ms));
    recorded(&line.stream.into(), &(line.number, time.number(), bytes.to_vec())).ok()
}

fn event(line: &LedgerLine<'_>) -> Result<Event, sqlx::Error> {
    let about = EventSubject {
        session: line.session.map(|text| SessionId::new(text.read())),
        run: line.run.map(|text| RunId::new(text.read())),
        task: line.task.map(|text| text.read().into()),
        call: line.call.map(|text| CallId::new(text.read())),
        tool: line.tool.map(|text| CanonicalName::recorded(&text.read())),
        server: line.server.map(|text| ServerName::new(&text.read())).transpose().map_err(unreadable)?,
        tool_version: line.tool_version,
        trace: line.trace.map(|text| text.read().into()),
    };
    Ok(Event {
        kind: word(line.kind, EventKind::parse)?,
        at_ms: line.at_ms,
        principal: PrincipalId::new(&line.principal.read()),
        about: Arc::new(about),
        approval: line.approval.map(|text| ApprovalId::new(text.read())),
        policy_version: line.policy_version,
        decision: line.decision.map(|text| word(text, DecisionKind::parse)).transpose()?,
        outcome: line.outcome.map(|text| word(text, Outcome::parse)).transpose()?,
        duration_us: line.duration_us,
        input: line.input,
        output: line.output,
        meta: line.meta,
        detail: line.detail.map(json).transpose()?,
    })
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, sqlx::Error> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable("a digest has 32 bytes"))
}

fn word<T>(text: Text<'_>, parse: impl Fn(&str) -> Option<T>) -> Result<T, sqlx::Error> {
    let text = text.read();
    parse(&text).ok_or_else(|| unreadable(format!("unknown word {text:?}")))
}

fn json(text: &str) -> Result<RawJson, sqlx::Error> {
    RawJson::parse(text.to_owned().into_bytes().into()).map_err(unreadable)
}

pub(super) fn unreadable(cause: impl Into<sqlx::error::BoxDynError>) -> sqlx::Error {
    sqlx::Error::Decode(cause.into())
}
