//! `ledger-events.md`, from the vocabulary of the ledger and from how its events are written as JSON.

mod samples;

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::Digest;
use toolgate_core::event::{DecisionKind, EventKind, HybridTime, Outcome, Position, RecordedEvent};
use toolgate_store::ledger_event_json;

use super::markdown::{anchor, code, fenced, table};

const START: &str = "# Ledger events

The ledger is append-only. Each event holds the hash of the one before it in its writer's stream, over every field; `toolgate ledger verify` names
the first that was edited, dropped or reordered. Events are read with `GET /ledger`, `toolgate ledger`, followed with `GET /events`, and sent to
webhooks; exported as JSON lines, CloudEvents (`dev.toolgate.` in front of the kind) or OTLP spans. Arguments and results are kept apart, redacted, under
the digests in `input`, `output` and `meta`. Secrets, tokens and the bytes of files never enter the ledger.

## Fields

Fields that an event does not have are left out.

";

/// In the order in which they are written.
const FIELDS: &[(&str, &str)] = &[
    ("stream", "The gateway that wrote it, by its `stream`"),
    ("number", "The event's number in that stream: 1, 2, 3 without a gap"),
    (
        "time",
        "The event's place in the order of all streams: RFC 3339 with eight decimals, where later events have later texts. \
         It is `at`, or a little later where others came first",
    ),
    (
        "position",
        "The position at which reading continues after this event, for `cursor` and `Last-Event-ID`; it says nothing else",
    ),
    ("kind", "The kind of event; see below"),
    ("at", "The time, as RFC 3339"),
    ("at_ms", "The time, in milliseconds since 1970"),
    ("principal", "The principal that did it: the caller, the voter, or `gateway`"),
    ("session", "The session in which it happened"),
    ("run", "The run in which it happened"),
    ("task", "The task of that run"),
    ("call", "The tool call to which it belongs"),
    ("tool", "The canonical name of the tool"),
    ("server", "The name of the server"),
    ("tool_version", "The digest of the tool's definition"),
    ("trace", "W3C `traceparent`, as the caller sent it"),
    ("approval", "The approval to which it belongs"),
    ("policy_version", "The digest of the policies that were in force"),
    ("decision", "The decision of the policy; see below"),
    ("outcome", "The outcome of the call, or its state so far; see below"),
    ("duration_us", "The duration, in microseconds"),
    ("input", "The salted commitment to the redacted arguments; `GET /ledger/bodies/{digest}` returns them"),
    ("output", "The salted commitment to the redacted result"),
    ("meta", "The salted commitment to what the client put into `_meta` for the server, redacted"),
    ("detail", "An object with the members of this kind of event; see each kind"),
    ("previous", "The hash of the event before it in its stream; zeros for the first"),
    ("hash", "The hash over every field and `previous`"),
];

pub(super) fn page() -> String {
    let mut text = START.to_owned();
    let fields = FIELDS.iter().map(|(name, meaning)| vec![code(name), format!("{meaning}.")]);
    text.push_str(&table(&["Field", "Meaning"], fields));
    text.push_str("\n## Decisions\n\n");
    let decisions = DecisionKind::ALL.iter().map(|one| vec![code(one.as_str()), one.meaning().to_owned()]);
    text.push_str(&table(&["Decision", "Meaning"], decisions));
    text.push_str("\n## Outcomes\n\n");
    let outcomes = Outcome::ALL.iter().map(|one| vec![code(one.as_str()), one.meaning().to_owned()]);
    text.push_str(&table(&["Outcome", "Meaning"], outcomes));
    text.push_str("\n## Kinds\n\n");
    let kinds = EventKind::ALL.iter().map(|one| {
        vec![format!("[{}](#{})", code(one.as_str()), anchor(one.as_str())), one.meaning().to_owned()]
    });
    text.push_str(&table(&["Kind", "Meaning"], kinds));
    EventKind::ALL.iter().for_each(|kind| text.push_str(&section(*kind)));
    text
}

fn section(kind: EventKind) -> String {
    let sample = samples::of(kind);
    let detail = match sample.detail {
        [] => String::new(),
        members => {
            let rows = members.iter().map(|(name, _, meaning)| vec![code(name), format!("{meaning}.")]);
            format!("{}\n", table(&["In `detail`", "Meaning"], rows))
        }
    };
    let example = fenced("json", &serde_json::to_string_pretty(&example(kind)).expect("JSON"));
    format!("\n### {}\n\n{}\n\n{detail}{example}", code(kind.as_str()), kind.meaning())
}

fn example(kind: EventKind) -> Value {
    let (stream, event): (Arc<str>, _) = ("gateway".into(), samples::event(kind));
    let time = HybridTime::of_ms(event.at_ms);
    let recorded = RecordedEvent {
        stream: Arc::clone(&stream),
        number: 42,
        time,
        position: Position::new(time, stream, 42, Vec::new()),
        event,
        previous: Digest::of("the event before it"),
        hash: Digest::of("this event"),
    };
    ledger_event_json(&recorded)
}

#[test]
fn every_field_of_an_event_has_a_meaning() {
    let mut seen: Vec<String> = Vec::new();
    for kind in EventKind::ALL {
        let Value::Object(event) = example(*kind) else { panic!("an event is an object") };
        seen.extend(event.keys().cloned());
    }
    for name in &seen {
        assert!(FIELDS.iter().any(|(known, _)| known == name), "FIELDS does not have {name}");
    }
    for (name, _) in FIELDS {
        assert!(seen.iter().any(|one| one == name), "no example has {name}");
    }
}
