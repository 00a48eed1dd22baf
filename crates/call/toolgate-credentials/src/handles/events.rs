//! The events of credentials. No value is ever in one.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::credential::{CredentialHolder, CredentialUse};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::{PrincipalId, RawJson, Tool};
use toolgate_store::{NewCredential, StoredCredential};

use crate::clock::now_ms;

pub(super) fn created(new: &NewCredential) -> Event {
    let NewCredential { id, name, origin, users, servers, fields, created_by, .. } = new;
    let fields: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
    let detail = json!({ "credential": id, "name": name, "origin": origin, "fields": fields, "users": users,
        "servers": servers.iter().map(|server| server.as_str()).collect::<Vec<_>>() });
    event(EventKind::CredentialCreated, created_by, EventSubject::default(), detail)
}

pub(super) fn rotated(by: &PrincipalId, credential: &StoredCredential, field: &str) -> Event {
    let StoredCredential { id, name, origin, .. } = credential;
    let detail = json!({ "credential": id, "name": name, "origin": origin, "field": field });
    event(EventKind::CredentialRotated, by, EventSubject::default(), detail)
}

pub(super) fn erased(by: &PrincipalId, credential: &StoredCredential) -> Event {
    let StoredCredential { id, name, origin, .. } = credential;
    let detail = json!({ "credential": id, "name": name, "origin": origin });
    event(EventKind::CredentialErased, by, EventSubject::default(), detail)
}

/// The first use of a session.
pub(super) fn used(holder: &CredentialHolder, tool: &Tool, one: &CredentialUse) -> Event {
    let about = EventSubject {
        session: Some(holder.session.clone()),
        run: holder.run.clone(),
        call: holder.call.clone(),
        tool: Some(tool.name.clone()),
        server: Some(tool.server.clone()),
        ..EventSubject::default()
    };
    let detail = json!({ "credential": one.id, "name": one.name, "origin": one.origin, "field": one.field });
    event(EventKind::CredentialUsed, &holder.principal.id, about, detail)
}

fn event(kind: EventKind, by: &PrincipalId, about: EventSubject, detail: Value) -> Event {
    let mut event = Event::new(kind, now_ms(), by.clone(), Arc::new(about));
    event.detail = Some(RawJson::from(detail));
    event
}
