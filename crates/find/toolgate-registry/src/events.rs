//! The ledger events about servers, tools and settings. No secrets: addresses end with the path.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::server::ServerState;
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};

use crate::alias::{self, ToolRename};
use crate::health::ServerRestart;
use crate::pins::{PinNews, ToolChange};
use crate::published::OriginFinding;
use crate::roster::{RosterChange, RosterDifference};

/// The maximum number of names in one event that stands for many.
const NAMES_MAX: usize = 50;

/// The possible changes of a reading, in the order of their events.
const TOLD: [EventKind; 6] = [
    EventKind::ToolsPinned,
    EventKind::ToolAccepted,
    EventKind::ToolRestored,
    EventKind::ToolDrifted,
    EventKind::ToolQuarantined,
    EventKind::ToolRetired,
];

/// One event, by any author.
pub(crate) struct RegistryEvent<'a> {
    pub(crate) at_ms: i64,
    pub(crate) by: &'a PrincipalId,
}

impl RegistryEvent<'_> {
    fn event(&self, kind: EventKind, about: EventSubject, detail: Value) -> Event {
        let event = Event::new(kind, self.at_ms, self.by.clone(), Arc::new(about));
        Event { detail: Some(RawJson::from(detail)), ..event }
    }

    fn of_server(&self, kind: EventKind, server: &ServerName, detail: Value) -> Event {
        self.event(kind, EventSubject { server: Some(server.clone()), ..EventSubject::default() }, detail)
    }

    pub(crate) fn difference(&self, difference: &RosterDifference) -> Event {
        let (kind, keys) = match &difference.what {
            RosterChange::Added => (EventKind::ServerAdded, None),
            RosterChange::Changed(keys) => (EventKind::ServerChanged, Some(keys)),
            RosterChange::Removed => (EventKind::ServerRemoved, None),
        };
        let mut detail = json!({ "source": difference.source });
        if let Some(keys) = keys {
            detail["changed"] = json!(keys);
        }
        self.of_server(kind, &difference.server, detail)
    }

    pub(crate) fn server_joined(&self, server: &ServerName) -> Event {
        self.of_server(EventKind::ServerAdded, server, json!({ "source": "registered" }))
    }

    pub(crate) fn server_forgotten(&self, server: &ServerName) -> Event {
        self.of_server(EventKind::ServerRemoved, server, json!({ "source": "registered" }))
    }

    pub(crate) fn instance_joined(&self, server: &ServerName, detail: Value) -> Event {
        self.of_server(EventKind::InstanceJoined, server, detail)
    }

    pub(crate) fn instance_left(&self, server: &ServerName, instance: &str, why: &str) -> Event {
        self.of_server(EventKind::InstanceLeft, server, json!({ "instance": instance, "reason": why }))
    }

    pub(crate) fn health(&self, server: &ServerName, state: &ServerState, untold: u32) -> Event {
        let mut detail = json!({ "health": state.health, "reason": state.reason });
        if untold > 0 {
            detail["untold"] = json!(untold);
        }
        self.of_server(EventKind::ServerHealth, server, detail)
    }

    pub(crate) fn outdated(&self, server: &ServerName, found: &OriginFinding) -> Event {
        let detail =
            json!({ "state": found.standing.as_str(), "version": found.version, "latest": found.latest });
        self.of_server(EventKind::ServerOutdated, server, detail)
    }

    pub(crate) fn restarted(&self, server: &ServerName, restart: &ServerRestart) -> Event {
        let detail = json!({ "reason": restart.reason, "count": restart.count });
        self.of_server(EventKind::ServerRestarted, server, detail)
    }

    pub(crate) fn config_loaded(&self, lines: &[String]) -> Event {
        self.event(EventKind::ConfigLoaded, EventSubject::default(), json!({ "changes": lines }))
    }

    pub(crate) fn config_refused(&self, why: &str) -> Event {
        self.event(EventKind::ConfigRefused, EventSubject::default(), json!({ "reason": why }))
    }

    pub(crate) fn setting_changed(
        &self,
        key: &str,
        version: u64,
        reason: Option<&str>,
        summary: &Value,
    ) -> Event {
        let mut detail = json!({ "key": key, "version": version });
        if let Some(reason) = reason {
            detail["reason"] = reason.into();
        }
        if let (Some(detail), Some(summary)) = (detail.as_object_mut(), summary.as_object()) {
            detail.extend(summary.clone());
        }
        self.event(EventKind::SettingChanged, EventSubject::default(), detail)
    }

    /// The effects of a change of aliases: added and removed names, and tools that agents see under another
    /// name.
    pub(crate) fn aliases(
        &self,
        before: &[toolgate_catalog::Alias],
        after: &[toolgate_catalog::Alias],
    ) -> Vec<Event> {
        let missing = |from: &[toolgate_catalog::Alias], in_: &[toolgate_catalog::Alias]| -> Vec<String> {
            from.iter().filter(|one| !in_.contains(one)).map(|one| one.name.clone()).collect()
        };
        let (added, removed) = (missing(after, before), missing(before, after));
        if added.is_empty() && removed.is_empty() {
            return Vec::new();
        }
        let detail = json!({ "added": capped(&added), "removed": capped(&removed) });
        let mut events = vec![self.event(EventKind::AliasesChanged, EventSubject::default(), detail)];
        events.extend(alias::renames(before, after).iter().map(|rename| self.renamed(rename)));
        events
    }

    fn renamed(&self, rename: &ToolRename) -> Event {
        let detail = json!({ "from": rename.from, "to": rename.to });
        self.event(EventKind::ToolRenamed, about_tool(&rename.tool, None), detail)
    }

    /// The events of one reading of one server. A change of many tools at once is one event.
    pub(crate) fn reading(&self, server: &ServerName, changes: &[ToolChange]) -> Vec<Event> {
        let mut events = Vec::new();
        for kind in TOLD {
            let told: Vec<(&ToolChange, PinNews)> = changes
                .iter()
                .filter_map(|change| Some((change, change.news?)))
                .filter(|(_, news)| news.kind == kind)
                .collect();
            if told.is_empty() {
            } else if kind == EventKind::ToolsPinned || told.len() > NAMES_MAX {
                events.push(self.of_many(server, kind, &told));
            } else {
                events.extend(told.iter().map(|(change, news)| self.tool(&change.row, *news)));
            }
        }
        events
    }

    fn of_many(&self, server: &ServerName, kind: EventKind, told: &[(&ToolChange, PinNews)]) -> Event {
        let names: Vec<&str> = told.iter().map(|(change, _)| &*change.row.own).collect();
        let detail = json!({ "count": names.len(), "tools": capped(&names) });
        self.of_server(kind, server, detail)
    }

    pub(crate) fn tool(&self, row: &toolgate_core::registry::ToolRow, news: PinNews) -> Event {
        let detail = json!({
            "status": row.status,
            "reason": row.reason,
            "from": news.from,
            "to": news.to,
            "findings": row.findings.len(),
        });
        self.event(news.kind, about_tool(&row.name, news.to), detail)
    }
}

fn about_tool(name: &CanonicalName, version: Option<Digest>) -> EventSubject {
    let server = alias::split(name).map(|(server, _)| server);
    EventSubject { tool: Some(name.clone()), server, tool_version: version, ..EventSubject::default() }
}

fn capped<T>(names: &[T]) -> &[T] {
    &names[..names.len().min(NAMES_MAX)]
}
