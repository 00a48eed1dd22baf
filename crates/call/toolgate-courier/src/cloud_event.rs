//! CloudEvents 1.0 as JSON: the message for a recorded event, and its id.

use serde::Serialize;
use serde_json::{Value, json};
use toolgate_core::RawJson;
use toolgate_core::event::RecordedEvent;
use toolgate_store::{CLOUD_EVENT_SOURCE, CLOUD_EVENT_TYPE_PREFIX, ledger_event_cloudevent};

pub(crate) const MEDIA_TYPE: &str = "application/cloudevents+json";

/// A recorded event as the ledger tells it.
pub(crate) fn of_ledger(recorded: &RecordedEvent) -> (String, RawJson) {
    finished(ledger_event_cloudevent(recorded))
}

/// A recorded event with other data than the ledger's own.
pub(crate) fn with_data(recorded: &RecordedEvent, data: &impl Serialize) -> (String, RawJson) {
    let (id, _) = of_ledger(recorded);
    let json = renamed(recorded, &id, None, data);
    (id, json)
}

/// The same under another id and type.
pub(crate) fn renamed(
    recorded: &RecordedEvent,
    id: &str,
    kind: Option<&str>,
    data: &impl Serialize,
) -> RawJson {
    let mut event = ledger_event_cloudevent(recorded);
    event["id"] = Value::from(id);
    if let Some(kind) = kind {
        event["type"] = Value::from(kind);
    }
    let members = event.as_object_mut().expect("a CloudEvent is an object");
    members.remove("data");
    // Written beside the rest and not into it, so that numbers in arguments stay as they were sent.
    let head = event.to_string();
    let head = head.strip_suffix('}').expect("an object ends so");
    RawJson::from_composed(format!("{head},\"data\":{}}}", RawJson::from_serialize(data).as_str()))
}

/// A message about nothing, to see whether messages arrive.
pub(crate) fn test(id: &str) -> RawJson {
    RawJson::from(json!({
        "specversion": "1.0",
        "id": id,
        "source": CLOUD_EVENT_SOURCE,
        "type": format!("{CLOUD_EVENT_TYPE_PREFIX}webhook.test"),
        "datacontenttype": "application/json",
        "data": { "message": "This is a test. Nothing happened, and nothing needs to be done." },
    }))
}

fn finished(event: Value) -> (String, RawJson) {
    let id = event["id"].as_str().expect("a CloudEvent has an id").to_owned();
    (id, RawJson::from(event))
}
