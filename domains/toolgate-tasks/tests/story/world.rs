//! The place of a story: its own database, gateways with everything real but the agents, and a clock that a story sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolgate_core::automation::{Automation, Fire, Overlap, Trigger};
use toolgate_core::content::ContentHolder;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::governance::Clock;
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::model::ModelName;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{NewLoop, Run, RunStart, RunStarter, RunState, TaskPlan};
use toolgate_core::{Digest, PrincipalId, Refusal, codes};
use toolgate_runs::{
    ContentAuthor, NewRun, NewTask, RunContents, RunEntry, RunInput, RunQuery, Runs, RunsSetup, StateAddress,
    StateBytes, WaitLimits,
};
use toolgate_stage::Stage;
use toolgate_store::{ActionStamp, Books, BooksSettings, LedgerOrder, Store};
use toolgate_tasks::{NewAutomation, Tasks, TasksPace, TasksSetup, WebhookKeys};

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => { toolgate_stage::on_both!($crate::world::TasksWorld: $($story),+); };
}

/// A whole hour, in the past: the ledger does not believe in times to come.
pub(crate) const START_MS: i64 = 1_789_999_200_000;
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 3_600;
pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const PATIENCE: Duration = Duration::from_secs(20);
const OFTEN: Duration = Duration::from_millis(10);

/// Time advances only when a story lets it; waiting is real.
#[derive(Default)]
pub(crate) struct StoryClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl StoryClock {
    /// Sets the clock forward, or back.
    pub(crate) fn advance(&self, seconds: i64) {
        self.passed_ms.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for StoryClock {
    fn now_ms(&self) -> i64 {
        START_MS + self.passed_ms.load(Ordering::SeqCst)
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

/// The fate of a run that is to be started.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum StarterMood {
    #[default]
    Works,
    /// The gateway stands still before there is a run, until it is woken.
    Stalls,
    /// The gateway dies before there is a run.
    DiesBefore,
    /// The gateway dies after the run was made, and before it begins.
    DiesHalfway,
    /// The gateway dies after the run got its loop, and before somebody takes that up.
    DiesDriven,
    /// The gateway dies right after the run began.
    DiesAfter,
    Refuses(Refusal),
}

/// Makes runs without agents.
pub(crate) struct StoryStarter {
    runs: Arc<Runs>,
    books: Arc<Books>,
    mood: Mutex<StarterMood>,
    starts: Mutex<Vec<RunStart>>,
    pub(crate) woken: Notify,
}

impl StoryStarter {
    pub(crate) fn set(&self, mood: StarterMood) {
        *self.mood.lock() = mood;
    }

    pub(crate) fn starts(&self) -> Vec<RunStart> {
        self.starts.lock().clone()
    }

    async fn begin(&self, start: &RunStart) -> Result<RunId, Refusal> {
        let run = self.make(start).await?;
        self.runs.begin(&run, &start.by).await?;
        Ok(run)
    }

    /// The loop of a run, which any gateway takes up.
    async fn drive(&self, start: &RunStart, run: RunId) {
        let new = NewLoop {
            run,
            model: start.plan.model.clone(),
            system: String::new(),
            goal: start.plan.goal.clone(),
            outcome_schema: None,
        };
        let act = ActionStamp { by: &start.by, at_ms: START_MS };
        self.books.create_loop(new, 1, act).await.expect("made");
    }

    async fn make(&self, start: &RunStart) -> Result<RunId, Refusal> {
        let new = NewRun {
            task: start.task.clone(),
            agent: start.agent.clone(),
            principal: start.by.clone(),
            created_by: start.by.clone(),
            parent: start.parent.clone(),
            input: Vec::new(),
            content: RunInput::Files,
            label: start.label(),
            budget: start.budget,
        };
        Ok(self.runs.create(new).await?.id)
    }
}

impl RunStarter for StoryStarter {
    fn start(&self, start: RunStart) -> BoxFuture<'_, Result<RunId, Refusal>> {
        let mood = self.mood.lock().clone();
        self.starts.lock().push(start.clone());
        Box::pin(async move {
            match mood {
                StarterMood::Works => self.begin(&start).await,
                StarterMood::Stalls => {
                    self.woken.notified().await;
                    self.begin(&start).await
                }
                StarterMood::DiesBefore => std::future::pending().await,
                StarterMood::DiesHalfway => {
                    self.make(&start).await?;
                    std::future::pending().await
                }
                StarterMood::DiesDriven => {
                    let run = self.make(&start).await?;
                    self.drive(&start, run).await;
                    std::future::pending().await
                }
                StarterMood::DiesAfter => {
                    self.begin(&start).await?;
                    std::future::pending().await
                }
                StarterMood::Refuses(refusal) => Err(refusal),
            }
        })
    }

    fn cancel<'a>(&'a self, run: &'a RunId, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move { self.runs.cancel(run, by, "operator").await.map(drop) })
    }

    fn state<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunState>, Refusal>> {
        Box::pin(async move { self.runs.get(run).await.map(|run| Some(run.state)) })
    }
}

/// One secret.
struct StoryKeys;

impl WebhookKeys for StoryKeys {
    fn secret<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String, Refusal>> {
        let found = match name {
            "orders" => Ok(SECRET.to_owned()),
            "broken" => Ok("whsec_???".to_owned()),
            _ => Err(Refusal::new(&codes::BAD_AUTOMATION, "there is no such secret").hint("store it first")),
        };
        Box::pin(std::future::ready(found))
    }
}

/// Runs of these stories have no contents.
struct NoContents;

fn nothing<T: Send + 'static>() -> BoxFuture<'static, Result<T, Refusal>> {
    Box::pin(std::future::ready(Err(Refusal::new(&codes::STORE_DOWN, "there are no contents here"))))
}

impl RunContents for NoContents {
    fn snapshot(
        &self,
        _author: ContentAuthor,
        _entries: Vec<RunEntry>,
        _message: &'static str,
    ) -> BoxFuture<'_, Result<Digest, Refusal>> {
        Box::pin(std::future::ready(Ok(Digest::of(""))))
    }

    fn check_manifest(&self, _digest: Digest) -> BoxFuture<'_, Result<(), Refusal>> {
        nothing()
    }

    fn put_state(&self, _json: String) -> BoxFuture<'_, Result<StateBytes, Refusal>> {
        nothing()
    }

    fn find_state<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _id: &'a str,
    ) -> BoxFuture<'a, Result<StateBytes, Refusal>> {
        nothing()
    }

    fn read_state<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<Option<String>, Refusal>> {
        nothing()
    }

    fn address<'a>(&'a self, _state: &'a StateBytes) -> BoxFuture<'a, Result<StateAddress, Refusal>> {
        nothing()
    }
}

pub(crate) struct TasksWorld {
    stage: Stage,
    pub(crate) clock: Arc<StoryClock>,
}

impl TasksWorld {
    pub(crate) fn sqlite() -> Self {
        Self { stage: Stage::sqlite(), clock: Arc::default() }
    }

    pub(crate) fn postgres() -> Self {
        Self { stage: Stage::postgres(), clock: Arc::default() }
    }

    async fn open(&self) -> Store {
        let opened = match self.stage.url() {
            None => Store::open(self.stage.folder()).await,
            Some(url) => Store::open_url(self.stage.folder(), url).await,
        };
        opened.expect("the store opens")
    }

    pub(crate) async fn gateway(&self, stream: &str) -> TasksGateway {
        self.gateway_starting_within(stream, Duration::from_secs(1)).await
    }

    /// One whose starts may take this long.
    pub(crate) async fn gateway_starting_within(&self, stream: &str, start_limit: Duration) -> TasksGateway {
        let store = self.open().await;
        let settings = BooksSettings {
            stream: stream.into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("the books open"));
        let shutdown = CancellationToken::new();
        let setup = RunsSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: self.clock.clone(),
            contents: Arc::new(NoContents),
            stream: stream.to_owned(),
            shutdown: shutdown.clone(),
        };
        let runs = Runs::start_within(setup, WaitLimits::default()).await.expect("started");
        let starter = Arc::new(StoryStarter {
            runs: Arc::clone(&runs),
            books: Arc::clone(&books),
            mood: Mutex::default(),
            starts: Mutex::default(),
            woken: Notify::new(),
        });
        let setup = TasksSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: self.clock.clone(),
            runs: Arc::clone(&runs),
            starter: starter.clone(),
            keys: Arc::new(StoryKeys),
            stream: stream.to_owned(),
            shutdown,
        };
        let pace = TasksPace { look: OFTEN, follow: OFTEN, start_limit, claim: Duration::from_secs(90) };
        TasksGateway { tasks: Tasks::start_at(setup, pace), runs, starter, store, books }
    }
}

pub(crate) struct TasksGateway {
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) starter: Arc<StoryStarter>,
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
}

impl TasksGateway {
    pub(crate) async fn task(&self, name: &str) -> TaskId {
        let plan = TaskPlan {
            goal: "Pay the bills.".to_owned(),
            model: ModelName::new("small").expect("a name"),
            instructions: String::new(),
            input: Vec::new(),
            outcome_schema: None,
            spend_per_day_micros: None,
        };
        let task = NewTask { name: name.to_owned(), plan: Some(plan), ..NewTask::default() };
        self.runs.put_task(task, &ada()).await.expect("made").id
    }

    /// A new automation of a new task.
    pub(crate) async fn automation(&self, name: &str, trigger: Trigger, overlap: Overlap) -> Automation {
        let task = self.task(name).await;
        let new = NewAutomation { overlap, ..wanted(name, &task, trigger) };
        self.tasks.create_automation(new, &ada()).await.expect("made")
    }

    /// Newest first.
    pub(crate) async fn fires(&self, automation: &Automation) -> Vec<Fire> {
        self.tasks.fires(&automation.id, None, 200).await.expect("read").fires
    }

    /// The states of its fires, newest first.
    pub(crate) async fn states(&self, automation: &Automation) -> Vec<&'static str> {
        self.fires(automation).await.iter().map(|fire| fire.state.as_str()).collect()
    }

    pub(crate) async fn until_states(&self, automation: &Automation, expected: &[&str]) {
        until(&format!("{expected:?}"), async || self.states(automation).await == expected).await;
    }

    /// The runs of all automations, newest first.
    pub(crate) async fn automatic_runs(&self) -> Vec<Run> {
        let query = RunQuery { run_type: Some("automation".to_owned()), limit: 200, ..RunQuery::default() };
        self.runs.list(query).await.expect("read").runs
    }

    pub(crate) async fn told(&self, kind: EventKind) -> usize {
        let filter = EventFilter { kind: Some(kind), ..EventFilter::default() };
        self.store.ledger_page(&filter, None, 1_000, LedgerOrder::OldestFirst).await.expect("read").len()
    }
}

pub(crate) fn ada() -> PrincipalId {
    PrincipalId::new("ada")
}

/// Hourly from the beginning of the story on.
pub(crate) fn hourly() -> Trigger {
    Trigger::Interval { seconds: 3_600, from_ms: START_MS }
}

pub(crate) fn wanted(name: &str, task: &TaskId, trigger: Trigger) -> NewAutomation {
    NewAutomation {
        name: name.to_owned(),
        task: task.clone(),
        trigger,
        overlap: Overlap::Skip,
        catch_up_seconds: None,
        jitter_seconds: 0,
        pause_on_failure: false,
        principal: None,
    }
}

/// The refusal, checked for its code and a hint.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>, code: &str) -> Refusal {
    let refusal = result.expect_err(code);
    assert_eq!(refusal.code.name, code, "{refusal:?}");
    assert!(!refusal.message.is_empty() && !refusal.hint.is_empty(), "{refusal:?}");
    refusal
}

pub(crate) async fn until(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !fits().await {
        assert!(start.elapsed() <= PATIENCE, "{what} took more than {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
