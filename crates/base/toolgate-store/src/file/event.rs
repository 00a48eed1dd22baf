//! The ledger events about files and artifacts: their properties, never their content.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::file::{Artifact, File};

use super::shared::{Actor, FileEnd};

pub(super) fn file_stored(file: &File, by: &Actor) -> Event {
    let detail = json!({
        "file": file.id,
        "name": file.name,
        "media_type": file.media_type,
        "bytes": file.bytes,
        "digest": file.digest,
        "owner": file.owner.as_str(),
        "expires_at_ms": file.expires_at_ms,
    });
    told(EventKind::FileStored, by, file.created_at_ms, detail)
}

pub(super) fn file_deleted(file: &File, by: &Actor, why: FileEnd, at_ms: i64) -> Event {
    let detail = json!({
        "file": file.id,
        "name": file.name,
        "digest": file.digest,
        "owner": file.owner.as_str(),
        "reason": why.as_str(),
    });
    told(EventKind::FileDeleted, by, at_ms, detail)
}

pub(super) fn artifact_stored(artifact: &Artifact, by: &Actor) -> Event {
    let detail = json!({
        "digest": artifact.digest,
        "name": artifact.name,
        "media_type": artifact.media_type,
        "bytes": artifact.bytes,
        "owner": artifact.owner.as_str(),
    });
    told(EventKind::ArtifactStored, by, artifact.created_at_ms, detail)
}

fn told(kind: EventKind, by: &Actor, at_ms: i64, detail: Value) -> Event {
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
