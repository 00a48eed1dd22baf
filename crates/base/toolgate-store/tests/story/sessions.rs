//! Sessions, their tokens, and the versions of agents.

mod agents;
mod ending;
mod listing;
mod opening;

use std::collections::BTreeSet;
use std::sync::Arc;

use toolgate_core::decision::PolicyTemplate;
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::scope::{AgentName, Definitions, Mounts, Scope};
use toolgate_core::{Principal, PrincipalId, PrincipalKind, Role, ServerName};
use toolgate_store::{
    Books, NewSessionError, NewToken, OpenSessions, SessionEnd, SessionKind, Store, StoredSession,
};

use crate::desk;
use crate::world::StoreWorld;

const OPENED_MS: i64 = 1_780_000_000_000;

/// Two gateways on one database.
async fn replicas(world: &StoreWorld) -> (Store, Books, Books) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    (first, one, two)
}

fn id(text: &str) -> SessionId {
    SessionId::new(format!("{}{text}", SessionId::PREFIX))
}

fn agent(name: &str) -> AgentName {
    AgentName::new(name).expect("a legal name")
}

fn scope(agent: &AgentName) -> Scope {
    let definitions = Definitions::default();
    let definition = toolgate_core::scope::AgentDefinition::named(agent.clone());
    let scope = definitions.scope(&definition).expect("it has no capabilities");
    let servers = ["files", "bank"].map(|name| ServerName::new(name).expect("a legal name"));
    Scope { servers: Some(servers.into()), template: Some(PolicyTemplate::Regulated), ..scope }
}

fn mounts(providers: &[&str]) -> Mounts {
    let providers: BTreeSet<String> = providers.iter().map(|name| (*name).to_owned()).collect();
    Mounts { providers, ..Mounts::default() }
}

pub(crate) fn session(name: &str) -> StoredSession {
    let clerk = agent("clerk");
    let scope = scope(&clerk);
    StoredSession {
        id: id(name),
        kind: SessionKind::Explicit,
        principal: Principal {
            id: PrincipalId::new("erna"),
            kind: PrincipalKind::Service,
            role: Role::Agent,
            groups: vec!["finance \"and\" more".to_owned()].into(),
        },
        agent_version: scope.layers[0].version,
        agent: clerk,
        scope: Arc::new(scope),
        base_mounts: mounts(&["slack"]),
        mounts: mounts(&["mail"]),
        task: Some("pay\u{1F600}".into()),
        run: Some(RunId::new("run_1")),
        opened_by: PrincipalId::new("ada"),
        closing: None,
        created_at_ms: OPENED_MS,
        last_used_at_ms: OPENED_MS,
        idle_seconds: 60,
        lifetime_seconds: Some(3_600),
        row_version: 1,
    }
}

pub(crate) fn no_more_than(max: u32) -> OpenSessions {
    OpenSessions { agent: agent("clerk"), max }
}

fn event(kind: EventKind, session: &SessionId) -> Event {
    let about = EventSubject { session: Some(session.clone()), ..EventSubject::default() };
    Event::new(kind, OPENED_MS, PrincipalId::gateway(), Arc::new(about))
}

async fn open(books: &Books, session: &StoredSession) -> Result<NewToken, NewSessionError> {
    let told = vec![event(EventKind::SessionStarted, &session.id)];
    books.create_session(session, None, &no_more_than(1_000), told).await
}

async fn close(books: &Books, id: &SessionId) -> bool {
    let closing = SessionEnd { at_ms: OPENED_MS + 5, reason: "closed".into() };
    let told = vec![event(EventKind::SessionClosed, id)];
    books.close_session(id, &closing, told).await.expect("closed")
}

async fn read(store: &Store, id: &SessionId) -> StoredSession {
    store.get_session(id).await.expect("read").expect("is there")
}

async fn count_of(store: &Store, kind: EventKind) -> usize {
    desk::kinds(store).await.into_iter().filter(|told| *told == kind.as_str()).count()
}

async fn revision(store: &Store) -> u64 {
    store.read_revisions().await.expect("read").sessions
}
