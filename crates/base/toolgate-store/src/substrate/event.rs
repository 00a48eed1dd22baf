//! The ledger event about a new manifest: its digests and sizes, neither its message nor its paths.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::event::{Event, EventKind, EventSubject};

use super::write::NewManifest;
use crate::file::Actor;

pub(super) fn manifest_created(new: &NewManifest<'_>, by: &Actor) -> Event {
    let detail = json!({
        "manifest": new.digest,
        "root": new.root,
        "parents": new.parents,
        "entries": new.entries,
        "bytes": new.bytes,
    });
    let about = EventSubject {
        session: by.session.clone(),
        run: by.run.clone(),
        call: by.call.clone(),
        ..EventSubject::default()
    };
    let mut event =
        Event::new(EventKind::ManifestCreated, new.created_at_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
