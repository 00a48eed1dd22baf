//! Sessions between the gateway's door and the rest of the program.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use toolgate_catalog::Catalog;
use toolgate_core::ServerName;
use toolgate_core::decision::{Policy as _, PolicyTemplate};
use toolgate_core::id::SessionId;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{Credential, Definitions, MountNeed, Seat, SessionRoute};
use toolgate_edge::{Gateway, Seats};
use toolgate_policy::PolicyEngine;
use toolgate_registry::Registry;
use toolgate_sessions::{Refusal, SessionEnvironment, Sessions};

/// The gateway around the sessions.
#[derive(Clone)]
pub(crate) struct GatewayEnvironment {
    pub(crate) registry: Arc<Registry>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) policy: Arc<PolicyEngine>,
}

impl SessionEnvironment for GatewayEnvironment {
    fn definitions(&self) -> Arc<Definitions> {
        self.registry.definitions()
    }

    fn servers(&self) -> Vec<ServerName> {
        self.registry.servers().into_iter().map(|server| server.name).collect()
    }

    fn providers(&self) -> BTreeSet<String> {
        let snapshot = self.catalog.snapshot();
        let tools = snapshot.tools.entries().iter().filter_map(|entry| entry.tool.as_ref());
        let needs = tools.flat_map(|tool| tool.handling.needs.iter());
        let provider = |need: &MountNeed| match need {
            MountNeed::Provider(name) => Some(name.clone()),
            MountNeed::Pointer | MountNeed::KnowledgeBase | MountNeed::Operator => None,
        };
        needs.filter_map(provider).collect()
    }

    fn template(&self) -> PolicyTemplate {
        self.policy.template()
    }
}

/// The sessions, from the door's view.
pub(crate) struct SessionSeats(pub(crate) Arc<Sessions>);

impl Seats for SessionSeats {
    fn seat_known(
        &self,
        credential: &Credential,
        route: &SessionRoute,
    ) -> Option<Result<Arc<Seat>, Refusal>> {
        self.0.seat_known(credential, route)
    }

    fn seat<'a>(
        &'a self,
        credential: &'a Credential,
        route: &'a SessionRoute,
    ) -> BoxFuture<'a, Result<Arc<Seat>, Refusal>> {
        Box::pin(self.0.seat(credential, route))
    }

    fn seat_of(&self, session: &SessionId) -> Option<Arc<Seat>> {
        self.0.seat_of(session)
    }

    fn has_ended(&self, session: &SessionId) -> bool {
        self.0.has_ended(session)
    }
}

/// The interval for checking whether the views of sessions changed for other reasons than the catalogue.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Notifies connected clients when policies, definitions or a session's own mounts change their lists, and
/// disconnects those whose session has ended.
pub(crate) async fn follow(around: GatewayEnvironment, sessions: Arc<Sessions>, gateway: Arc<Gateway>) {
    let now = || (around.definitions(), around.policy.version(), sessions.changes());
    let mut before = now();
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let (definitions, version, changes) = now();
        let same = Arc::ptr_eq(&definitions, &before.0) && version == before.1 && changes == before.2;
        if !same {
            before = (definitions, version, changes);
            gateway.look_again();
        }
    }
}
