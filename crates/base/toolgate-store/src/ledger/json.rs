//! Events as JSON, for the API, the command line and every export.

use serde_json::{Value, json};
use toolgate_core::event::RecordedEvent;
use toolgate_core::moment::rfc3339;

/// The source of every CloudEvent.
pub const CLOUD_EVENT_SOURCE: &str = "toolgate";
pub const CLOUD_EVENT_TYPE_PREFIX: &str = "dev.toolgate.";

/// An event with all its fields; absent ones are omitted.
pub fn ledger_event_json(recorded: &RecordedEvent) -> Value {
    let (event, about) = (&recorded.event, &*recorded.event.about);
    let all = json!({
        "stream": recorded.stream,
        "number": recorded.number,
        "time": recorded.time,
        "position": recorded.position,
        "kind": event.kind,
        "at": rfc3339(event.at_ms),
        "at_ms": event.at_ms,
        "principal": event.principal,
        "session": about.session,
        "run": about.run,
        "task": about.task,
        "call": about.call,
        "tool": about.tool,
        "server": about.server,
        "tool_version": about.tool_version,
        "trace": about.trace,
        "approval": event.approval,
        "policy_version": event.policy_version,
        "decision": event.decision,
        "outcome": event.outcome,
        "duration_us": event.duration_us,
        "input": event.input,
        "output": event.output,
        "meta": event.meta,
        "detail": event.detail,
        "previous": recorded.previous,
        "hash": recorded.hash,
    });
    let Value::Object(mut members) = all else { unreachable!("an object was written above") };
    members.retain(|_, value| !value.is_null());
    Value::Object(members)
}

/// The same as a CloudEvent 1.0. Its id is the event's position in its stream, which is unique.
pub fn ledger_event_cloudevent(recorded: &RecordedEvent) -> Value {
    let mut event = json!({
        "specversion": "1.0",
        "id": format!("{}/{}", recorded.stream, recorded.number),
        "source": CLOUD_EVENT_SOURCE,
        "type": format!("{CLOUD_EVENT_TYPE_PREFIX}{}", recorded.event.kind.as_str()),
        "time": rfc3339(recorded.event.at_ms),
        "datacontenttype": "application/json",
        "data": ledger_event_json(recorded),
    });
    if let Some(call) = &recorded.event.about.call {
        event["subject"] = Value::from(call.as_str());
    }
    event
}

#[cfg(test)]
mod tests;
