//! The ledger events about pointers. They contain no reasons and descriptions, which may be anything.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::pointer::{MoveOperation, Pointer};
use toolgate_core::substrate::ManifestDigest;

use super::stamp::MoveStamp;

/// The event of the move that led to this state of the pointer.
pub(super) fn told(
    operation: MoveOperation,
    old: Option<ManifestDigest>,
    after: &Pointer,
    stamp: &MoveStamp,
) -> Event {
    let kind = match operation {
        MoveOperation::Create => EventKind::PointerCreated,
        MoveOperation::Delete => EventKind::PointerDeleted,
        MoveOperation::Advance | MoveOperation::Promote | MoveOperation::Revert => EventKind::PointerMoved,
    };
    let about = EventSubject {
        session: stamp.by.session.clone(),
        run: stamp.by.run.clone(),
        call: stamp.by.call.clone(),
        ..EventSubject::default()
    };
    let detail = json!({
        "pointer": after.id,
        "namespace": after.path.namespace(),
        "name": after.path.name(),
        "kind": after.kind.as_str(),
        "operation": operation.as_str(),
        "old": old.map(|digest| digest.to_string()),
        "new": after.manifest.map(|digest| digest.to_string()),
        "version": after.version,
    });
    let mut event = Event::new(kind, stamp.at_ms, stamp.by.principal.clone(), Arc::new(about));
    event.approval.clone_from(&stamp.approval);
    event.detail = Some(detail.into());
    event
}
