//! The ledger events about automations. They contain neither notes nor the data of a cause, which may be anything.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::automation::{Automation, Fire};
use toolgate_core::event::{Event, EventKind, EventSubject};

use crate::run::ActionStamp;

/// The step that an automation took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AutomationStep {
    Created,
    Changed,
    Paused,
    Resumed,
    Deleted,
}

impl AutomationStep {
    fn as_str(self) -> &'static str {
        match self {
            AutomationStep::Created => "created",
            AutomationStep::Changed => "changed",
            AutomationStep::Paused => "paused",
            AutomationStep::Resumed => "resumed",
            AutomationStep::Deleted => "deleted",
        }
    }
}

pub(super) fn changed(automation: &Automation, step: AutomationStep, act: ActionStamp<'_>) -> Event {
    let detail = json!({ "automation": automation.id, "name": automation.name, "change": step.as_str(),
        "trigger": automation.trigger, "overlap": automation.overlap, "principal": automation.principal,
        "version": automation.row_version });
    event(EventKind::AutomationChanged, automation, None, act, detail)
}

pub(super) fn fired(automation: &Automation, fire: &Fire, act: ActionStamp<'_>) -> Event {
    let mut detail = json!({ "automation": automation.id, "name": automation.name, "cause": fire.cause,
        "state": fire.state });
    if let Some(reason) = &fire.reason {
        detail["reason"] = json!(reason);
    }
    event(EventKind::AutomationFired, automation, Some(fire), act, detail)
}

fn event(
    kind: EventKind,
    automation: &Automation,
    fire: Option<&Fire>,
    act: ActionStamp<'_>,
    detail: Value,
) -> Event {
    let about = EventSubject {
        task: Some(automation.task.shared()),
        run: fire.and_then(|fire| fire.run.clone()),
        ..EventSubject::default()
    };
    Event { detail: Some(detail.into()), ..Event::new(kind, act.at_ms, act.by.clone(), Arc::new(about)) }
}
