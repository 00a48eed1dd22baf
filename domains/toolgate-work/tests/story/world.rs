//! The place of a story: its own database, gateways of which runs and the desk are real, and a worker that does as it is told.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use toolgate_core::content::ContentHolder;
use toolgate_core::governance::Clock;
use toolgate_core::id::RunId;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{Run, RunState};
use toolgate_core::{Digest, PrincipalId, Refusal, codes};
use toolgate_runs::{
    ContentAuthor, RunContents, RunEntry, Runs, RunsSetup, StateAddress, StateBytes, WaitLimits,
};
use toolgate_stage::Stage;
use toolgate_store::{Actor, BooksSettings, Store};
use toolgate_work::{
    StartedWork, WorkDesk, WorkEnd, WorkItem, WorkOrder, WorkProgress, WorkSettings, WorkSetup, WorkView,
    Worker,
};

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => { toolgate_stage::on_both!($crate::world::WorkWorld: $($story),+); };
}

const START_MS: i64 = 1_789_999_200_000;
const PATIENCE: Duration = Duration::from_secs(20);
const OFTEN: Duration = Duration::from_millis(10);
pub(crate) const LEASE_SECONDS: i64 = 30;
pub(crate) const KIND: &str = "story";

/// Time advances only when a story lets it; waiting is real.
#[derive(Default)]
pub(crate) struct WorkClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl WorkClock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.passed_ms.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for WorkClock {
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

/// The behaviour of the worker.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum WorkerMood {
    #[default]
    Works,
    /// It reports progress and never comes to its end.
    Hangs,
    LeavesOut(Vec<String>),
    Refuses(Refusal),
}

#[derive(Default)]
pub(crate) struct StoryWorker {
    mood: Mutex<WorkerMood>,
    tries: Mutex<Vec<WorkItem>>,
}

impl StoryWorker {
    pub(crate) fn set(&self, mood: WorkerMood) {
        *self.mood.lock() = mood;
    }

    pub(crate) fn tries(&self) -> Vec<WorkItem> {
        self.tries.lock().clone()
    }
}

impl Worker for StoryWorker {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn work<'a>(
        &'a self,
        work: &'a WorkItem,
        progress: &'a WorkProgress,
    ) -> BoxFuture<'a, Result<WorkEnd, Refusal>> {
        let mood = self.mood.lock().clone();
        self.tries.lock().push(work.clone());
        Box::pin(async move {
            progress.set(3, 10);
            let result = json!({ "input": work.input });
            match mood {
                WorkerMood::Works => Ok(WorkEnd { result, ..WorkEnd::default() }),
                WorkerMood::Hangs => std::future::pending().await,
                WorkerMood::LeavesOut(problems) => Ok(WorkEnd { result, problems, output_manifest: None }),
                WorkerMood::Refuses(refusal) => Err(refusal),
            }
        })
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

pub(crate) struct WorkWorld {
    stage: Stage,
    pub(crate) clock: Arc<WorkClock>,
}

impl WorkWorld {
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

    /// A gateway whose desk does nothing yet.
    pub(crate) async fn gateway(&self, stream: &str) -> WorkGateway {
        let store = self.open().await;
        let settings = BooksSettings {
            stream: stream.into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("the books open"));
        let setup = RunsSetup {
            store: store.clone(),
            books,
            clock: self.clock.clone(),
            contents: Arc::new(NoContents),
            stream: stream.to_owned(),
            shutdown: CancellationToken::new(),
        };
        let runs = Runs::start_within(setup, WaitLimits::default()).await.expect("started");
        let settings = WorkSettings {
            parallel_max: 2,
            lease: Duration::from_secs(LEASE_SECONDS.unsigned_abs()),
            beat: OFTEN,
            poll: OFTEN,
            pause: Duration::ZERO,
            ..WorkSettings::default()
        };
        let setup = WorkSetup {
            store: store.clone(),
            clock: self.clock.clone(),
            runs: Arc::clone(&runs),
            settings,
            stream: stream.to_owned(),
        };
        let (desk, worker) = (WorkDesk::new(setup), Arc::<StoryWorker>::default());
        desk.add(worker.clone());
        WorkGateway { desk, runs, worker, store }
    }
}

pub(crate) struct WorkGateway {
    pub(crate) desk: Arc<WorkDesk>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) worker: Arc<StoryWorker>,
    pub(crate) store: Store,
}

/// The loop of a gateway.
pub(crate) struct RunningDesk {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl RunningDesk {
    /// As at a shutdown.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.task.await.expect("no panic");
    }
}

impl WorkGateway {
    pub(crate) fn run(&self) -> RunningDesk {
        let stop = CancellationToken::new();
        let task = tokio::spawn(Arc::clone(&self.desk).run_until(stop.clone()));
        RunningDesk { stop, task }
    }

    pub(crate) async fn start(&self, key: &str) -> StartedWork {
        self.desk.start(order(key)).await.expect("started")
    }

    /// Waits for the end.
    pub(crate) async fn end(&self, started: &StartedWork) -> WorkView {
        let view = self.desk.wait(&started.id, PATIENCE).await.expect("read");
        assert!(!matches!(view.word(), "queued" | "running"), "it comes to its end: {view:?}");
        view
    }

    pub(crate) async fn run_of(&self, started: &StartedWork) -> Run {
        self.runs.get(&started.run).await.expect("read")
    }

    pub(crate) async fn until_run(&self, run: &RunId, state: RunState) {
        until(state.as_str(), async || self.runs.get(run).await.expect("read").state == state).await;
    }

    /// Until the worker has begun so often.
    pub(crate) async fn until_tried(&self, tries: usize) {
        until("a try", async || self.worker.tries().len() >= tries).await;
    }
}

pub(crate) fn ada() -> PrincipalId {
    PrincipalId::new("ada")
}

pub(crate) fn order(key: &str) -> WorkOrder {
    WorkOrder {
        kind: KIND.to_owned(),
        key: key.to_owned(),
        input: input(),
        name: "a story".to_owned(),
        actor: Actor::person(&ada()),
        input_manifest: None,
    }
}

pub(crate) fn input() -> Value {
    json!({ "files": 10 })
}

pub(crate) async fn until(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !fits().await {
        assert!(start.elapsed() <= PATIENCE, "{what} took more than {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
