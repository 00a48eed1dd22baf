//! The cost of finding a seat: `cargo run --release -p toolgate-sessions --example seat_bench`.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use tokio_util::sync::CancellationToken;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::governance::Clock;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{AgentDefinition, AgentName, Credential, Definitions, SessionRoute};
use toolgate_core::{Principal, PrincipalId, Role, ServerName};
use toolgate_sessions::{NewSession, SessionEnvironment, Sessions, SessionsSetup};
use toolgate_store::{BooksSettings, Store};

const ROUNDS: u32 = 2_000_000;
const THREADS: usize = 2;
/// The number of credentials in use besides the measured one.
const OTHERS: usize = 2_000;

struct BenchEnvironment(ArcSwap<Definitions>);

impl SessionEnvironment for BenchEnvironment {
    fn definitions(&self) -> Arc<Definitions> {
        self.0.load_full()
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

struct BenchClock(Instant);

impl Clock for BenchClock {
    fn now_ms(&self) -> i64 {
        toolgate_store::clock::now_ms()
    }

    fn monotonic_us(&self) -> i64 {
        i64::try_from(self.0.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.monotonic_us())
    }
}

fn agent(id: &str) -> Credential {
    Credential::of(Principal::new(PrincipalId::new(id), Role::Agent))
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sessions = start(folder.path()).await;
    for number in 0..OTHERS {
        let other = agent(&format!("tok_{number:032}"));
        sessions.seat(&other, &SessionRoute::Default).await.expect("a seat");
    }
    let plain = agent("tok_0190163d8694739bb6ea23ce9e9a1e1d");
    let opened = sessions.open(&plain, NewSession::default()).await.expect("opened");
    let token = Credential { session: Some(opened.session.id.clone()), ..plain.clone() };
    let bound = Credential { agent: Some(AgentName::default_agent()), ..plain.clone() };
    let to_agent = SessionRoute::Agent(AgentName::default_agent());
    let cases = [
        ("/mcp, token of an agent", &plain, &SessionRoute::Default),
        ("/mcp/{agent}, bound token", &bound, &to_agent),
        ("/mcp, token of a session", &token, &SessionRoute::Default),
    ];
    for (what, credential, route) in cases {
        sessions.seat(credential, route).await.expect("a seat");
        let one = measure(&sessions, credential, route);
        let each = std::thread::scope(|scope| {
            let running: Vec<_> =
                (0..THREADS).map(|_| scope.spawn(|| measure(&sessions, credential, route))).collect();
            running.into_iter().map(|one| one.join().expect("no panic")).fold(0.0, f64::max)
        });
        eprintln!("{what}: {one:.0} ns; {each:.0} ns on {THREADS} threads at once");
    }
    sessions.stop().await;
}

fn measure(sessions: &Sessions, credential: &Credential, route: &SessionRoute) -> f64 {
    let began = Instant::now();
    for _ in 0..ROUNDS {
        let seat = sessions.seat_known(black_box(credential), black_box(route));
        drop(black_box(seat.expect("known").expect("a seat")));
    }
    began.elapsed().as_nanos() as f64 / f64::from(ROUNDS)
}

async fn start(folder: &std::path::Path) -> Arc<Sessions> {
    let store = Store::open(folder).await.expect("a store");
    let settings = BooksSettings {
        stream: "bench".into(),
        approved_valid: Duration::from_secs(60),
        escalate_to: Vec::new(),
    };
    let clerk = AgentDefinition::named(AgentName::new("clerk").expect("a legal name"));
    let agents = [(clerk.name.clone(), Arc::new(clerk))].into();
    let setup = SessionsSetup {
        books: Arc::new(store.books(settings).await.expect("books")),
        store,
        clock: Arc::new(BenchClock(Instant::now())),
        surroundings: Arc::new(BenchEnvironment(ArcSwap::from_pointee(Definitions {
            agents,
            ..Definitions::default()
        }))),
        shutdown: CancellationToken::new(),
    };
    Sessions::start(setup).await.expect("started")
}
