//! The ledger events about schemas. They name a definition by its digest.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::schema::SchemaRecord;

use crate::file::Actor;

pub(super) fn registered(schema: &SchemaRecord, by: &Actor) -> Event {
    let mut detail = about(schema);
    detail["kind"] = json!(schema.kind.as_str());
    detail["mode"] = json!(schema.mode.as_str());
    event(EventKind::SchemaRegistered, by, schema.created_at_ms, detail)
}

pub(super) fn promoted(schema: &SchemaRecord, before: Option<&SchemaRecord>, by: &Actor) -> Event {
    let mut detail = about(schema);
    detail["mode"] = json!(schema.mode.as_str());
    detail["superseded"] = json!(before.map(|before| before.version));
    detail["superseded_digest"] = json!(before.map(|before| before.digest));
    event(EventKind::SchemaPromoted, by, schema.state_since_ms, detail)
}

pub(super) fn deprecated(schema: &SchemaRecord, reason: Option<&str>, by: &Actor) -> Event {
    let mut detail = about(schema);
    if let Some(reason) = reason {
        detail["reason"] = json!(reason);
    }
    event(EventKind::SchemaDeprecated, by, schema.state_since_ms, detail)
}

fn about(schema: &SchemaRecord) -> Value {
    json!({
        "schema": schema.id,
        "namespace": schema.namespace,
        "name": schema.name,
        "version": schema.version,
        "digest": schema.digest,
    })
}

fn event(kind: EventKind, by: &Actor, at_ms: i64, detail: Value) -> Event {
    let about = EventSubject {
        session: by.session.clone(),
        run: by.run.clone(),
        call: by.call.clone(),
        ..EventSubject::default()
    };
    let mut event = Event::new(kind, at_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
