//! The place of a story: its own folder, and gateways with only the runs being real.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use toolgate_core::event::EventFilter;
use toolgate_core::governance::Clock;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{
    CallKind, InputRequest, InputSlot, QuestionPurpose, Run, RunBudget, RunCall, RunCallEnd, RunLabel,
    Runs as _, SlotType,
};
use toolgate_core::{CanonicalName, PrincipalId, Refusal};
use toolgate_runs::{NewQuestion, NewRun, RunInput, Runs, RunsSetup, WaitLimits};
use toolgate_store::{Books, BooksSettings, LedgerOrder, Store};

use crate::contents::StoryContents;

/// Longer than anything takes, shorter than a person would wait.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
pub(crate) const DONE: RunCallEnd = RunCallEnd { completed: true, bytes: 5 };

/// Time advances only when a story lets it; waiting is real.
#[derive(Default)]
pub(crate) struct RunsClock {
    passed_ms: AtomicI64,
    ids: AtomicU64,
}

impl RunsClock {
    pub(crate) fn advance(&self, seconds: i64) {
        self.passed_ms.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for RunsClock {
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

pub(crate) struct RunsWorld {
    folder: Arc<TempDir>,
    pub(crate) clock: Arc<RunsClock>,
}

impl RunsWorld {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder: Arc::new(folder), clock: Arc::default() }
    }

    /// A gateway that looks often and waits long.
    pub(crate) async fn gateway(&self, stream: &str) -> RunsGateway {
        self.gateway_within(stream, limits()).await
    }

    pub(crate) async fn gateway_within(&self, stream: &str, limits: WaitLimits) -> RunsGateway {
        let store = Store::open(self.folder.path()).await.expect("the store opens");
        let settings = BooksSettings {
            stream: stream.into(),
            approved_valid: Duration::from_secs(60),
            escalate_to: Vec::new(),
        };
        let books = Arc::new(store.books(settings).await.expect("the books open"));
        let contents = Arc::new(StoryContents::new(&store));
        let setup = RunsSetup {
            store: store.clone(),
            books: Arc::clone(&books),
            clock: self.clock.clone(),
            contents: contents.clone(),
            stream: stream.to_owned(),
            shutdown: CancellationToken::new(),
        };
        let runs = Runs::start_within(setup, limits).await.expect("started");
        RunsGateway { runs, store, books, contents, _folder: Arc::clone(&self.folder) }
    }
}

pub(crate) fn limits() -> WaitLimits {
    WaitLimits {
        completing: PATIENCE,
        recording: PATIENCE,
        poll: Duration::from_millis(10),
        upkeep: Duration::from_millis(10),
    }
}

/// Polls so rarely that only a notification can wake it.
pub(crate) fn deaf() -> WaitLimits {
    WaitLimits { poll: 10 * PATIENCE, upkeep: 10 * PATIENCE, ..limits() }
}

pub(crate) struct RunsGateway {
    pub(crate) runs: Arc<Runs>,
    pub(crate) store: Store,
    books: Arc<Books>,
    pub(crate) contents: Arc<StoryContents>,
    /// A story may need only one gateway.
    _folder: Arc<TempDir>,
}

impl RunsGateway {
    pub(crate) fn books(&self) -> &Books {
        &self.books
    }

    pub(crate) async fn run(&self) -> RunId {
        self.runs.create(new_run()).await.expect("created").id
    }

    pub(crate) async fn run_with(&self, budget: RunBudget) -> RunId {
        self.runs.create(NewRun { budget, ..new_run() }).await.expect("created").id
    }

    pub(crate) async fn child(&self, parent: &RunId) -> RunId {
        self.runs.create(NewRun { parent: Some(parent.clone()), ..new_run() }).await.expect("created").id
    }

    pub(crate) async fn state(&self, run: &RunId) -> &'static str {
        self.runs.get(run).await.expect("read").state.as_str()
    }

    pub(crate) async fn admit(&self, run: &RunId, name: &str) -> Result<(), Refusal> {
        self.runs.admit(run, call(name, CallKind::Data)).await
    }

    pub(crate) async fn finish(&self, run: &RunId, name: &str) {
        self.runs.finish(run, &call_id(name), DONE).await;
    }

    /// Two data tools, so that a question may be asked.
    pub(crate) async fn look_first(&self, run: &RunId) {
        for name in ["first", "second"] {
            self.admit(run, name).await.expect("let in");
            self.finish(run, name).await;
        }
    }

    pub(crate) async fn ask(&self, run: &RunId, slot_id: &str) -> Result<InputRequest, Refusal> {
        self.runs.ask(asking(run, slot_id)).await
    }

    pub(crate) async fn complete(&self, run: &RunId) -> Result<Run, Refusal> {
        self.runs.complete(run, None, "done", &[], &erna()).await
    }

    /// Ends as in a power cut: nothing more is written.
    pub(crate) async fn crash(self) {
        self.store.fail_from_nth(1);
        self.runs.stop().await;
        self.books.writer().close().await;
    }

    pub(crate) async fn ledger(&self) -> Vec<&'static str> {
        let page =
            self.store.ledger_page(&EventFilter::default(), None, 1_000, LedgerOrder::OldestFirst).await;
        page.expect("read").iter().map(|one| one.event.kind.as_str()).collect()
    }
}

pub(crate) fn erna() -> PrincipalId {
    PrincipalId::new("erna")
}

pub(crate) fn ada() -> PrincipalId {
    PrincipalId::new("ada")
}

pub(crate) fn new_run() -> NewRun {
    NewRun {
        task: None,
        agent: None,
        principal: erna(),
        created_by: ada(),
        parent: None,
        input: Vec::new(),
        content: RunInput::Files,
        label: RunLabel::default(),
        budget: RunBudget::default(),
    }
}

pub(crate) fn call_id(name: &str) -> CallId {
    CallId::new(format!("tc_{name}"))
}

pub(crate) fn call(name: &str, kind: CallKind) -> RunCall {
    let tool = format!("files:{name}");
    RunCall { call: call_id(name), tool: CanonicalName::recorded(&tool), kind, bytes: 1 }
}

pub(crate) fn asking(run: &RunId, slot_id: &str) -> NewQuestion {
    NewQuestion {
        run: run.clone(),
        session: None,
        call: Some(call_id("asking")),
        principal: erna(),
        slot: InputSlot {
            slot_type: SlotType::Text,
            slot_id: slot_id.to_owned(),
            prompt_key: "Which one?".to_owned(),
            options: Vec::new(),
            purpose: QuestionPurpose::Question,
            picture: None,
        },
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

pub(crate) fn text(value: &str) -> Value {
    Value::from(value)
}

pub(crate) async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what} took more than {PATIENCE:?}"),
    }
}

pub(crate) async fn until(what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !fits().await {
        assert!(start.elapsed() <= PATIENCE, "{what} took more than {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
