//! The place of a story: its own folder, gateways with runs and agents, a model and tools in memory.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolgate_agents::{Agents, AgentsSettings, AgentsSetup};
use toolgate_core::governance::Clock;
use toolgate_core::id::RunId;
use toolgate_core::model::{ModelMessage, ModelName, Models, ReachedSpend, SpendLimit};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{AgentLoop, LoopState, NewLoop, Run, RunBudget, RunLabel, StoredMessage};
use toolgate_core::{PrincipalId, RawJson, Refusal};
use toolgate_runs::{NewRun, OutcomeCheck, RunInput, Runs, RunsSetup, WaitLimits};
use toolgate_store::{Books, BooksSettings, Store};

use crate::contents::NoContents;
use crate::script::ScriptedModels;
use crate::tools::{StoryPlayer, ToolRecords};

/// Longer than anything takes, shorter than a person would wait.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// More than the lease.
pub(crate) const LEASE_OVER: i64 = 31;

/// Time advances only when a story lets it; waiting is real.
#[derive(Default)]
pub(crate) struct AgentsClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl AgentsClock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.passed_ms.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for AgentsClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000 + self.passed_ms.load(Ordering::SeqCst)
    }

    fn monotonic_us(&self) -> i64 {
        self.passed_ms.load(Ordering::SeqCst) * 1_000
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{:04}", self.ids.fetch_add(1, Ordering::SeqCst))
    }
}

/// A result fits if it is an object whose `ok` is true.
struct OkCheck;

impl OutcomeCheck for OkCheck {
    fn check(&self, _schema: &RawJson, value: &Value) -> Result<(), String> {
        match value["ok"] == true {
            true => Ok(()),
            false => Err("`ok` is missing.".to_owned()),
        }
    }
}

pub(crate) struct AgentsWorld {
    folder: Arc<TempDir>,
    pub(crate) clock: Arc<AgentsClock>,
    pub(crate) records: Arc<ToolRecords>,
    pub(crate) models: Arc<ScriptedModels>,
    /// True while no agent may spend.
    pub(crate) is_spent: Arc<AtomicBool>,
}

/// A limit that a story reaches when it likes.
struct StorySpend(Arc<AtomicBool>);

impl SpendLimit for StorySpend {
    fn reached<'a>(
        &'a self,
        run: &'a Run,
        _model: &'a ModelName,
    ) -> BoxFuture<'a, Result<Option<ReachedSpend>, Refusal>> {
        let reached = self.0.load(Ordering::SeqCst).then(|| ReachedSpend {
            holder: format!("agent {}", run.agent),
            spent_micros: 5_000_000,
            max_micros: 5_000_000,
            until_ms: 1_800_086_400_000,
        });
        Box::pin(std::future::ready(Ok(reached)))
    }
}

impl AgentsWorld {
    pub(crate) fn new(models: Arc<ScriptedModels>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self {
            folder: Arc::new(folder),
            clock: Arc::default(),
            records: Arc::default(),
            models,
            is_spent: Arc::default(),
        }
    }

    /// The same store without a gateway.
    pub(crate) async fn observer(&self) -> Store {
        Store::open(self.folder.path()).await.expect("the store opens")
    }

    pub(crate) async fn gateway(&self, stream: &str) -> AgentsGateway {
        let store = Store::open(self.folder.path()).await.expect("the store opens");
        let settings = BooksSettings {
            stream: stream.into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("the books open"));
        let setup = RunsSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: self.clock.clone(),
            contents: Arc::new(NoContents),
            stream: stream.to_owned(),
            shutdown: CancellationToken::new(),
        };
        // Nothing but the agents looks at the store by itself.
        let limits = WaitLimits { poll: 10 * PATIENCE, upkeep: 10 * PATIENCE, ..WaitLimits::default() };
        let runs = Runs::start_within(setup, limits).await.expect("started");
        runs.check_outcomes_with(Arc::new(OkCheck));
        let player = Arc::new(StoryPlayer {
            records: Arc::clone(&self.records),
            runs: OnceLock::new(),
            stream: stream.to_owned(),
        });
        assert!(player.runs.set(Arc::clone(&runs)).is_ok(), "set once");
        let models: Arc<dyn Models> = self.models.clone();
        let agents = Agents::start(AgentsSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: self.clock.clone(),
            runs: Arc::clone(&runs),
            models,
            player,
            spend: Some(Arc::new(StorySpend(Arc::clone(&self.is_spent)))),
            settings: settings_of_stories(),
            stream: stream.to_owned(),
            shutdown: CancellationToken::new(),
        });
        AgentsGateway { agents, runs, store, books, _folder: Arc::clone(&self.folder) }
    }
}

fn settings_of_stories() -> AgentsSettings {
    AgentsSettings {
        poll: Duration::from_millis(10),
        drain: Duration::from_millis(10),
        ..AgentsSettings::default()
    }
}

pub(crate) struct AgentsGateway {
    pub(crate) agents: Arc<Agents>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) store: Store,
    books: Arc<Books>,
    _folder: Arc<TempDir>,
}

impl AgentsGateway {
    pub(crate) async fn begin(&self) -> RunId {
        self.begin_with(RunBudget::default(), None).await
    }

    pub(crate) async fn begin_with(&self, budget: RunBudget, outcome_schema: Option<RawJson>) -> RunId {
        let run = self.new_run(budget).await;
        let new = NewLoop { outcome_schema, ..new_loop(&run) };
        self.agents.begin(new, &ada()).await.expect("begun");
        run
    }

    /// A run within another one.
    pub(crate) async fn begin_within(&self, parent: &RunId) -> RunId {
        let new = NewRun { parent: Some(parent.clone()), ..a_run(RunBudget::default()) };
        let run = self.runs.create(new).await.expect("created").id;
        self.agents.begin(new_loop(&run), &ada()).await.expect("begun");
        run
    }

    pub(crate) async fn new_run(&self, budget: RunBudget) -> RunId {
        self.runs.create(a_run(budget)).await.expect("created").id
    }

    pub(crate) async fn run(&self, run: &RunId) -> Run {
        self.runs.get(run).await.expect("read")
    }

    pub(crate) async fn state(&self, run: &RunId) -> &'static str {
        self.run(run).await.state.as_str()
    }

    /// Waits until the run is in this state.
    pub(crate) async fn becomes(&self, run: &RunId, state: &str) -> Run {
        until(&format!("{run} to become {state}"), async || self.state(run).await == state).await;
        self.run(run).await
    }

    pub(crate) async fn agent_loop(&self, run: &RunId) -> AgentLoop {
        self.agents.find(run).await.expect("read").expect("it has a loop")
    }

    /// Waits until the run is paused for an action of this kind, and returns its id.
    pub(crate) async fn waits_for(&self, run: &RunId, kind: &str) -> String {
        let action = async || self.agent_loop(run).await.action.filter(|one| one.kind.as_str() == kind);
        until(&format!("{run} to wait for {kind}"), async || action().await.is_some()).await;
        let agent_loop = self.agent_loop(run).await;
        assert_eq!((agent_loop.state, agent_loop.owner), (LoopState::Waiting, None));
        action().await.expect("it waits").id
    }

    pub(crate) async fn answer(&self, input: &str, text: &str) {
        let input = toolgate_core::id::InputId::new(input);
        self.runs.answer(&input, Value::from(text), None, &ada(), "api").await.expect("answered");
    }

    pub(crate) async fn chat(&self, run: &RunId) -> Vec<StoredMessage> {
        self.agents.chat(run, 0, 200).await.expect("read").messages
    }

    /// Waits until no call of the run lacks its result.
    pub(crate) async fn is_whole(&self, run: &RunId) {
        let is_whole = async || {
            let chat = self.chat(run).await;
            chat.last().is_none_or(|last| last.message.calls().next().is_none())
        };
        until(&format!("the last results of {run}"), is_whole).await;
        assert_valid(&self.chat(run).await);
    }

    /// The lines of the gateway that begin so.
    pub(crate) async fn lines(&self, run: &RunId, start: &str) -> usize {
        let is_line = |one: &StoredMessage| one.message.text().starts_with(start);
        self.chat(run).await.iter().filter(|one| is_line(one)).count()
    }

    /// Ends as in a power cut: nothing more is written.
    pub(crate) async fn crash(self) {
        self.store.fail_from_nth(1);
        self.agents.stop().await;
        self.runs.stop().await;
        self.books.writer().close().await;
    }
}

fn a_run(budget: RunBudget) -> NewRun {
    NewRun {
        task: None,
        agent: None,
        principal: erna(),
        created_by: ada(),
        parent: None,
        input: Vec::new(),
        content: RunInput::Files,
        label: RunLabel::default(),
        budget,
    }
}

pub(crate) fn new_loop(run: &RunId) -> NewLoop {
    NewLoop {
        run: run.clone(),
        model: ModelName::new("small").expect("a legal name"),
        system: "Be brief.".to_owned(),
        goal: "Do it.".to_owned(),
        outcome_schema: None,
    }
}

/// Each call has its result right after it, and each result its call: a history that every provider takes.
#[track_caller]
pub(crate) fn assert_valid(messages: &[StoredMessage]) {
    let live: Vec<&ModelMessage> =
        messages.iter().filter(|one| one.folded_into.is_none()).map(|one| &one.message).collect();
    for (place, message) in live.iter().enumerate() {
        let calls: Vec<&str> = message.calls().map(|call| call.id.as_str()).collect();
        if calls.is_empty() {
            continue;
        }
        let next = live.get(place + 1).expect("results follow calls");
        let results: Vec<&str> = next.results().map(|result| result.id.as_str()).collect();
        assert_eq!(calls, results);
    }
    let results = live.iter().map(|one| one.results().count()).sum::<usize>();
    let calls = live.iter().map(|one| one.calls().count()).sum::<usize>();
    assert_eq!(results, calls);
}

pub(crate) fn erna() -> PrincipalId {
    PrincipalId::new("erna")
}

pub(crate) fn ada() -> PrincipalId {
    PrincipalId::new("ada")
}

pub(crate) async fn until(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !fits().await {
        assert!(start.elapsed() <= PATIENCE, "{what} took more than {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
