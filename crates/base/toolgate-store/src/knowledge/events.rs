//! The ledger event about a knowledge base. It has neither title nor description, which may be anything.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::pointer::PointerPath;

use super::row::KnowledgeBase;
use crate::file::Actor;

/// The step that a knowledge base took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KnowledgeBaseStep {
    Created,
    Changed,
    Deleted,
}

impl KnowledgeBaseStep {
    fn as_str(self) -> &'static str {
        match self {
            KnowledgeBaseStep::Created => "created",
            KnowledgeBaseStep::Changed => "changed",
            KnowledgeBaseStep::Deleted => "deleted",
        }
    }
}

pub(super) fn changed(base: &KnowledgeBase, step: KnowledgeBaseStep, by: &Actor) -> Event {
    let pointers: Vec<String> = base.pointers.iter().map(PointerPath::to_string).collect();
    let detail = json!({
        "knowledge_base": base.id,
        "name": base.name,
        "change": step.as_str(),
        "pointers": pointers,
        "profile": base.profile,
        "manner": base.manner,
        "version": base.version,
    });
    let about = EventSubject {
        session: by.session.clone(),
        run: by.run.clone(),
        call: by.call.clone(),
        ..EventSubject::default()
    };
    let kind = EventKind::KnowledgeBaseChanged;
    let mut event = Event::new(kind, base.changed_at_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
