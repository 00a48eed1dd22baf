//! A gateway with only the sessions being real.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::event::EventFilter;
use toolgate_core::governance::Clock;
use toolgate_core::id::SessionId;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{AgentDefinition, AgentName, Credential, Definitions, Mounts, Seat, SessionRoute};
use toolgate_core::{Principal, PrincipalId, Role, ServerName};
use toolgate_sessions::{NewSession, Refusal, SessionEnvironment, SessionWithToken, Sessions, SessionsSetup};
use toolgate_store::{BooksSettings, LedgerOrder, Store};

use crate::world::SessionsWorld;

/// Longer than anything takes, shorter than a person would wait.
const PATIENCE: Duration = Duration::from_secs(20);

/// Time advances only when a story lets it; waiting is short.
#[derive(Default)]
pub(crate) struct SessionsClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl SessionsClock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.passed_ms.fetch_add(seconds * 1000, Ordering::SeqCst);
    }
}

impl Clock for SessionsClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.passed_ms.load(Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        self.passed_ms.load(Ordering::SeqCst) * 1000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration.min(Duration::from_millis(10))))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}fresh{:04}", self.ids.fetch_add(1, Ordering::SeqCst))
    }
}

/// The surroundings of the sessions, changeable by a story.
pub(crate) struct TestEnvironment {
    pub(crate) definitions: Mutex<Arc<Definitions>>,
    pub(crate) servers: Mutex<Vec<ServerName>>,
    pub(crate) template: Mutex<PolicyTemplate>,
}

impl TestEnvironment {
    pub(crate) fn define(&self, agents: &[Value]) {
        *self.definitions.lock() = Arc::new(definitions(agents));
    }
}

impl SessionEnvironment for TestEnvironment {
    fn definitions(&self) -> Arc<Definitions> {
        Arc::clone(&self.definitions.lock())
    }

    fn servers(&self) -> Vec<ServerName> {
        self.servers.lock().clone()
    }

    fn providers(&self) -> BTreeSet<String> {
        ["slack".to_owned(), "mail".to_owned()].into()
    }

    fn template(&self) -> PolicyTemplate {
        *self.template.lock()
    }
}

pub(crate) struct SessionsGateway {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) around: Arc<TestEnvironment>,
    pub(crate) store: Store,
}

impl SessionsGateway {
    /// With the agent `clerk` for Erna, and the agent `cook`.
    pub(crate) async fn start(world: &SessionsWorld, stream: &str) -> Self {
        let agents = [
            json!({ "name": "clerk", "principals": ["erna"], "limits": { "idle_seconds": 600, "sessions_max": 5 } }),
            json!({ "name": "cook", "policy_template": "standard", "mounts": { "providers": ["mail"] } }),
        ];
        let around = Arc::new(TestEnvironment {
            definitions: Mutex::new(Arc::new(definitions(&agents))),
            servers: Mutex::new([server("files"), server("bank")].into()),
            template: Mutex::default(),
        });
        let store = world.store().await;
        let settings = BooksSettings {
            stream: stream.into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let setup = SessionsSetup {
            store: store.clone(),
            books: Arc::new(store.books(settings).await.expect("the books open")),
            clock: world.clock.clone(),
            surroundings: around.clone(),
            shutdown: CancellationToken::new(),
        };
        let sessions = Sessions::start(setup).await.expect("started");
        Self { sessions, around, store }
    }

    pub(crate) async fn open(&self, by: &Credential, agent: &str) -> Result<SessionWithToken, Refusal> {
        self.sessions.open(by, NewSession { agent: Some(name(agent)), ..NewSession::default() }).await
    }

    /// The credential of a secret, as the door finds it.
    pub(crate) async fn credential(&self, opened: &SessionWithToken) -> Credential {
        self.store.verify(&opened.token).await.expect("asked").expect("a live token")
    }

    pub(crate) async fn seat(
        &self,
        by: &Credential,
        route: &SessionRoute,
    ) -> Result<Arc<Seat>, &'static str> {
        self.sessions.seat(by, route).await.map_err(|refusal| refusal.code.name)
    }

    /// All events as kind and detail, the oldest first.
    pub(crate) async fn ledger(&self, kind: &str) -> Vec<(String, Value)> {
        let all = EventFilter::default();
        let events =
            self.store.ledger_page(&all, None, 1000, LedgerOrder::OldestFirst).await.expect("events");
        let told = events.into_iter().filter(|one| one.event.kind.as_str() == kind);
        told.map(|one| {
            let detail = one.event.detail.map(|detail| detail.decode().expect("JSON")).unwrap_or_default();
            (one.event.principal.to_string(), detail)
        })
        .collect()
    }

    /// The state of a session, as an operator sees it.
    pub(crate) async fn state(&self, id: &SessionId) -> &'static str {
        let operator = operator();
        self.sessions
            .get(id, &operator)
            .await
            .map_or_else(|refusal| refusal.code.name, |view| view.state.as_str())
    }
}

fn definitions(agents: &[Value]) -> Definitions {
    let agent =
        |value: &Value| -> AgentDefinition { serde_json::from_value(value.clone()).expect("a definition") };
    let agents = agents.iter().map(agent).map(|one| (one.name.clone(), one.into())).collect();
    Definitions { agents, ..Definitions::default() }
}

pub(crate) fn name(text: &str) -> AgentName {
    AgentName::new(text).expect("a legal name")
}

pub(crate) fn server(text: &str) -> ServerName {
    ServerName::new(text).expect("a legal name")
}

pub(crate) fn mounts(servers: &[&str], providers: &[&str]) -> Mounts {
    Mounts {
        servers: servers.iter().map(|name| server(name)).collect(),
        providers: providers.iter().map(|name| (*name).to_owned()).collect(),
        ..Mounts::default()
    }
}

pub(crate) fn agent(id: &str) -> Credential {
    Credential::of(Principal::new(PrincipalId::new(id), Role::Agent))
}

pub(crate) fn operator() -> Credential {
    Credential::of(Principal::new(PrincipalId::new("olga"), Role::Operator))
}

pub(crate) fn to(id: &SessionId) -> SessionRoute {
    SessionRoute::Session(id.clone())
}

/// Waits until a condition holds.
pub(crate) async fn until(what: &str, mut is: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !is().await {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
