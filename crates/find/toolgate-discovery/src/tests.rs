//! The view of sessions on a catalogue, after any sequence of changes.

mod listing;
mod looking;
mod platform;
mod seeing;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use toolgate_catalog::{Catalog, CatalogUpdate, HintTrust, ServerSettings, ToolNameFilter, ToolRule};
use toolgate_core::decision::{
    ApprovalLikelihood, Decision, Denial, Policy, PolicyRequest, Verdict, Visibility, VisibilityRequest,
};
use toolgate_core::id::SessionId;
use toolgate_core::scope::{AgentDefinition, AgentName, Capability, Definitions, Scope, Seat};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::{Digest, Principal, PrincipalId, RawJson, Role, ServerName};

use crate::View;
use crate::discovery::Discovery;

/// Hides tools whose name has `secret` in it and asks about those with `risky`.
#[derive(Default)]
struct Rules {
    version: AtomicU64,
    asked: AtomicU64,
}

impl Policy for Rules {
    fn decide(&self, _question: &PolicyRequest<'_>) -> Decision {
        Decision { verdict: Verdict::Permit, policy_version: self.version(), shadow: None }
    }

    fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let name = glimpse.tool.name.as_str();
        match (name.contains("secret"), name.contains("risky")) {
            (true, _) => Visibility::Hidden(Denial::default()),
            (_, true) => Visibility::Visible(ApprovalLikelihood::Always),
            _ => Visibility::Visible(ApprovalLikelihood::Never),
        }
    }

    fn version(&self) -> Digest {
        Digest::of(self.version.load(Ordering::Relaxed).to_string())
    }

    fn version_under(&self, _template: Option<toolgate_core::decision::PolicyTemplate>) -> Digest {
        self.version()
    }
}

struct DiscoveryWorld {
    catalog: Arc<Catalog>,
    rules: Arc<Rules>,
    discovery: Discovery,
    definitions: Definitions,
}

impl DiscoveryWorld {
    fn of(servers: &[(&str, &[&str])]) -> DiscoveryWorld {
        let catalog = Arc::new(Catalog::new());
        let rules = Arc::new(Rules::default());
        let discovery = Discovery::new(catalog.clone(), rules.clone());
        let world = DiscoveryWorld { catalog, rules, discovery, definitions: Definitions::default() };
        world.set(servers);
        world
    }

    fn set(&self, servers: &[(&str, &[&str])]) {
        let listings = servers.iter().map(|(name, tools)| (server(name), Some(listing(tools)))).collect();
        let settings = servers.iter().map(|(name, _)| ServerSettings {
            name: server(name),
            prefix: true,
            filter: ToolNameFilter::default(),
            hints: HintTrust::Believed,
            asks: AskPermissions::default(),
        });
        self.catalog.update(CatalogUpdate {
            servers: Some(settings.collect()),
            listings,
            ..CatalogUpdate::default()
        });
    }

    fn rule(&self, rule: ToolRule) {
        self.catalog.update(CatalogUpdate { rules: Some(vec![rule]), ..CatalogUpdate::default() });
    }

    fn capability(&mut self, capability: Value) {
        let capability: Capability = serde_json::from_value(capability).expect("a capability");
        self.definitions.capabilities.insert(capability.name.clone(), Arc::new(capability));
    }

    fn scope(&self, agent: Value) -> Scope {
        let definition: AgentDefinition = serde_json::from_value(agent).expect("a definition");
        self.definitions.scope(&definition).expect("known capabilities")
    }

    fn seat(&self, agent: Value) -> Seat {
        seat(self.scope(agent))
    }

    fn view(&self, agent: Value) -> Arc<View> {
        self.discovery.view(&self.seat(agent))
    }

    fn list(&self, agent: Value) -> Value {
        let view = self.view(agent);
        let page = self.discovery.page(&view, &[], None, 1000).expect("no cursor");
        page.decode().expect("a list is JSON")
    }
}

fn seat(scope: Scope) -> Seat {
    Seat {
        principal: Principal::new(PrincipalId::new("bot"), Role::Agent),
        session: SessionId::new("ses_1"),
        agent: scope.layers.last().map_or_else(AgentName::default_agent, |layer| layer.agent.clone()),
        scope_id: scope.id(),
        scope: Arc::new(scope),
        opened_by: None,
        run: None,
        task: None,
    }
}

fn server(name: &str) -> ServerName {
    ServerName::new(name).expect("a name")
}

fn definition(name: &str) -> Value {
    json!({
        "name": name,
        "description": format!("Does {}.", name.replace('_', " ")),
        "inputSchema": { "type": "object", "properties": { "what": { "type": "string", "title": "What" } } },
    })
}

fn listing(tools: &[&str]) -> ServerListing {
    ServerListing {
        tools: tools.iter().map(|name| RawJson::from(definition(name))).collect(),
        ..ServerListing::default()
    }
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().expect("tools").iter().filter_map(|tool| tool["name"].as_str()).collect()
}

fn wires(view: &View) -> Vec<&str> {
    view.tools().map(|(entry, _)| entry.wire.as_str()).collect()
}
