//! The ledger events about indexes. They name manifests and profiles, and no document.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject};

use super::build::IndexBuildRow;
use super::profile::ActiveProfile;
use crate::file::Actor;

pub(super) fn published(row: &IndexBuildRow, by: &Actor) -> Event {
    let key = &row.key;
    let detail = json!({
        "namespace": key.namespace,
        "name": key.name,
        "profile": key.profile,
        "profile_version": key.profile_version,
        "engine": key.engine,
        "source_manifest": key.source_manifest,
        "index_manifest": row.index_manifest,
        "documents": row.documents,
        "chunks": row.chunks,
        "problems": row.problem_count,
    });
    let about = EventSubject { run: row.run.clone().or_else(|| by.run.clone()), ..subject(by) };
    event(EventKind::IndexPublished, row.at_ms, by, about, detail)
}

/// `before` is the version that was promoted before, if one was.
pub(super) fn promoted(active: &ActiveProfile, before: Option<u64>, by: &Actor) -> Event {
    let detail = json!({
        "profile": active.name,
        "version": active.version,
        "digest": active.digest,
        "superseded": before,
    });
    event(EventKind::IndexProfilePromoted, active.at_ms, by, subject(by), detail)
}

fn subject(by: &Actor) -> EventSubject {
    EventSubject {
        session: by.session.clone(),
        run: by.run.clone(),
        call: by.call.clone(),
        ..EventSubject::default()
    }
}

fn event(kind: EventKind, at_ms: i64, by: &Actor, about: EventSubject, detail: Value) -> Event {
    let mut event = Event::new(kind, at_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
