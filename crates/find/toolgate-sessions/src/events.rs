//! The ledger events about sessions and agents.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::scope::Mounts;
use toolgate_core::{PrincipalId, RawJson};
use toolgate_store::{NewAgentVersion, StoredSession};

/// One event, by any author.
pub(crate) struct SessionEvent<'a> {
    pub(crate) at_ms: i64,
    pub(crate) by: &'a PrincipalId,
}

impl SessionEvent<'_> {
    fn event(&self, kind: EventKind, about: EventSubject, detail: Value) -> Event {
        let event = Event::new(kind, self.at_ms, self.by.clone(), Arc::new(about));
        Event { detail: Some(RawJson::from(detail)), ..event }
    }

    fn of_session(&self, kind: EventKind, session: &StoredSession, detail: Value) -> Event {
        let about = EventSubject {
            session: Some(session.id.clone()),
            run: session.run.clone(),
            task: session.task.as_deref().map(Into::into),
            ..EventSubject::default()
        };
        self.event(kind, about, detail)
    }

    pub(crate) fn started(&self, session: &StoredSession) -> Event {
        let agents: Vec<Value> = session
            .scope
            .layers
            .iter()
            .map(|layer| json!({ "agent": layer.agent, "version": layer.version }))
            .collect();
        let detail = json!({
            "kind": session.kind,
            "principal": session.principal.id,
            "agent": session.agent,
            "layers": agents,
            "policy_template": session.scope.template,
            "mounts": session.scope.mounts,
            "scope": session.scope.id(),
        });
        self.of_session(EventKind::SessionStarted, session, detail)
    }

    pub(crate) fn changed(&self, session: &StoredSession, before: &Mounts) -> Event {
        let detail = json!({
            "version": session.row_version,
            "from": before,
            "to": session.mounts,
            "scope": session.scope.id(),
        });
        self.of_session(EventKind::SessionChanged, session, detail)
    }

    /// `reason` is `closed`, `idle`, `lifetime` or `revoked`.
    pub(crate) fn closed(&self, session: &StoredSession, reason: &str) -> Event {
        let detail = json!({ "agent": session.agent, "principal": session.principal.id, "reason": reason });
        self.of_session(EventKind::SessionClosed, session, detail)
    }

    pub(crate) fn agent_defined(&self, version: &NewAgentVersion, number: u64) -> Event {
        let detail = json!({ "agent": version.agent, "number": number, "version": version.digest });
        self.event(EventKind::AgentDefined, EventSubject::default(), detail)
    }
}
