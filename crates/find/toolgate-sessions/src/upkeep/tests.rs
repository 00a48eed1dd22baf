//! Step by step, without the task that does it.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicI64, Ordering};

use tempfile::TempDir;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{AgentDefinition, AgentName, Definitions, Mounts};
use toolgate_core::{Principal, Role, ServerName};
use toolgate_store::{BooksSettings, OpenSessions, SessionKind, Store, StoredSession};

use super::*;
use crate::port::{SessionEnvironment, SessionsSetup};

struct Nothing;

impl SessionEnvironment for Nothing {
    fn definitions(&self) -> Arc<Definitions> {
        Arc::default()
    }

    fn servers(&self) -> Vec<ServerName> {
        Vec::new()
    }

    fn providers(&self) -> BTreeSet<String> {
        BTreeSet::new()
    }

    fn template(&self) -> PolicyTemplate {
        PolicyTemplate::default()
    }
}

/// Seconds that a test lets pass.
#[derive(Default)]
struct Seconds(AtomicI64);

impl Clock for Seconds {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.0.load(Ordering::SeqCst) * 1000
    }

    fn monotonic_us(&self) -> i64 {
        self.0.load(Ordering::SeqCst) * 1_000_000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        prefix.into()
    }
}

struct UpkeepFixture {
    desk: Arc<SessionDesk>,
    clock: Arc<Seconds>,
    hearing: UsageHearing,
    _folder: TempDir,
}

impl UpkeepFixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("a store");
        let settings = BooksSettings {
            stream: "one".into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let clock = Arc::new(Seconds::default());
        let setup = SessionsSetup {
            books: Arc::new(store.books(settings).await.expect("books")),
            store,
            clock: clock.clone(),
            surroundings: Arc::new(Nothing),
            shutdown: CancellationToken::new(),
        };
        let (desk, _unkept) = SessionDesk::open(setup).await.expect("a desk");
        let hearing = UsageHearing { since_ms: clock.now_ms(), is_lost: false };
        Self { desk, clock, hearing, _folder: folder }
    }

    /// A session that is closed after a minute without use.
    async fn open(&self, name: &str) -> SessionId {
        let definition = AgentDefinition::named(AgentName::default_agent());
        let scope = Definitions::default().scope(&definition).expect("no capabilities");
        let now_ms = self.clock.now_ms();
        let session = StoredSession {
            id: SessionId::new(format!("ses_{name}")),
            kind: SessionKind::Explicit,
            principal: Principal::new(PrincipalId::new("erna"), Role::Agent),
            agent: definition.name.clone(),
            agent_version: definition.version(),
            scope: Arc::new(scope),
            base_mounts: Mounts::default(),
            mounts: Mounts::default(),
            task: None,
            run: None,
            opened_by: PrincipalId::new("erna"),
            closing: None,
            created_at_ms: now_ms,
            last_used_at_ms: now_ms,
            idle_seconds: 60,
            lifetime_seconds: None,
            row_version: 1,
        };
        let limit = OpenSessions { agent: definition.name, max: 10 };
        self.desk.books.create_session(&session, None, &limit, Vec::new()).await.expect("opened");
        self.desk.load(&session.id).await.expect("read");
        session.id
    }

    fn pass(&self, seconds: i64) {
        self.clock.0.fetch_add(seconds, Ordering::SeqCst);
    }

    async fn look(&mut self) -> Result<(), StoreError> {
        self.desk.look_after(&mut self.hearing).await
    }

    fn is_open(&self, id: &SessionId) -> bool {
        self.desk.live.get(id).is_some()
    }
}

#[tokio::test]
async fn what_is_used_is_written_before_anything_is_closed() {
    let mut place = UpkeepFixture::new().await;
    let (used, idle) = (place.open("used").await, place.open("idle").await);
    place.pass(64);
    place.look().await.expect("looked");
    assert!(place.is_open(&idle), "others may not have said yet that they used it");
    place.pass(1);
    place.desk.live.get(&used).expect("open").usage.note(place.clock.now_ms());
    place.look().await.expect("looked");
    assert_eq!((place.is_open(&used), place.is_open(&idle)), (true, false));
    let stored = place.desk.store.get_session(&used).await.expect("read").expect("is there");
    assert_eq!(stored.last_used_at_ms, place.clock.now_ms());
}

#[tokio::test]
async fn an_outage_of_the_store_does_not_count_as_idleness() {
    let mut place = UpkeepFixture::new().await;
    let id = place.open("one").await;
    place.desk.store.fail_from_nth(1);
    place.pass(1_000);
    place.look().await.expect_err("the store is away");
    place.pass(1_000);
    place.desk.store.fail_never();
    place.look().await.expect("looked");
    assert!(place.is_open(&id), "nobody could have said that they used it");
    place.pass(64);
    place.look().await.expect("looked");
    assert!(place.is_open(&id));
    place.pass(1);
    place.look().await.expect("looked");
    assert!(!place.is_open(&id), "now it had its time");
}

#[tokio::test]
async fn a_use_that_could_not_be_written_is_written_later() {
    let mut place = UpkeepFixture::new().await;
    let id = place.open("one").await;
    place.pass(30);
    place.desk.live.get(&id).expect("open").usage.note(place.clock.now_ms());
    let used_ms = place.clock.now_ms();
    place.desk.store.fail_nth(1);
    place.look().await.expect_err("the store is away");
    place.pass(1);
    place.look().await.expect("looked");
    let stored = place.desk.store.get_session(&id).await.expect("read").expect("is there");
    assert_eq!(stored.last_used_at_ms, used_ms);
}
