//! Tasks, runs, the calls in them, and the questions they ask.

mod calls;
mod children;
mod ending;
mod faults;
mod interleavings;
mod life;
mod log;
mod questions;
mod races;
mod tasks;

use serde_json::Value;
use toolgate_core::event::{EventFilter, EventKind, RecordedEvent};
use toolgate_core::file::{Artifact, FileName};
use toolgate_core::id::{CallId, FileId, InputId, RunId, TaskId};
use toolgate_core::run::{
    BudgetUsage, CallKind, InputFile, InputRequest, InputSlot, InputState, QuestionPurpose, Run, RunBudget,
    RunCall, RunCallEnd, RunLabel, RunManifests, RunReport, RunState, SlotType,
};
use toolgate_core::scope::AgentName;
use toolgate_core::{CanonicalName, Digest, PrincipalId};
use toolgate_store::{
    ActionStamp, Actor, Books, InputAnswer, LedgerOrder, RunCompletion, RunError, SteppedRun, Store,
};

use crate::desk;
use crate::world::StoreWorld;

pub(crate) const NOW_MS: i64 = 1_790_000_000_000;
const CALLS_BEFORE: usize = 2;
/// More than a story has of one run.
const EVENTS_MAX: usize = 100;

/// Two gateways on one database.
pub(crate) async fn replicas(world: &StoreWorld) -> (Store, Books, Books) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    (first, one, two)
}

pub(crate) async fn place(world: &StoreWorld) -> (Store, Books) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    (store, books)
}

pub(crate) fn id(name: &str) -> RunId {
    RunId::new(format!("run_{name}"))
}

pub(crate) fn ada() -> PrincipalId {
    PrincipalId::new("ada")
}

/// An act of Ada, `ms` milliseconds later.
pub(crate) fn later(by: &PrincipalId, ms: i64) -> ActionStamp<'_> {
    ActionStamp { by, at_ms: NOW_MS + ms }
}

pub(crate) fn a_run(name: &str) -> Run {
    Run {
        id: id(name),
        task: Some(TaskId::new("task_1")),
        parent: None,
        agent: AgentName::new("clerk").expect("a legal name"),
        principal: PrincipalId::new("erna"),
        created_by: ada(),
        session: None,
        state: RunState::Pending,
        reason: None,
        summary: None,
        input: vec![InputFile {
            path: "in/a\u{1F600}.pdf".to_owned(),
            file: FileId::new("file_1"),
            digest: Digest::of("bytes"),
        }],
        output: Vec::new(),
        label: RunLabel::default(),
        manifests: RunManifests::default(),
        report: RunReport::default(),
        events: 0,
        budget: RunBudget::default(),
        used: BudgetUsage::default(),
        created_at_ms: NOW_MS,
        started_at_ms: None,
        state_since_ms: NOW_MS,
        ended_at_ms: None,
        row_version: 1,
    }
}

fn with_calls(calls: u64) -> RunBudget {
    RunBudget { calls: Some(calls), ..RunBudget::default() }
}

pub(crate) async fn create(books: &Books, run: Run) -> Run {
    let by = ada();
    books.create_run(run, later(&by, 0)).await.expect("created")
}

pub(crate) async fn create_child(books: &Books, name: &str, parent: &RunId) -> Run {
    create(books, Run { parent: Some(parent.clone()), ..a_run(name) }).await
}

pub(crate) async fn read(store: &Store, id: &RunId) -> Run {
    store.run(id).await.expect("read").expect("is there")
}

fn call_id(name: &str) -> CallId {
    CallId::new(format!("tc_{name}"))
}

pub(crate) fn a_call(name: &str, kind: CallKind) -> RunCall {
    let tool = match kind {
        CallKind::Data => "files:read",
        CallKind::Control => "toolgate:complete_workflow",
        CallKind::Ask => "toolgate:request_user_input",
    };
    RunCall { call: call_id(name), tool: CanonicalName::recorded(tool), kind, bytes: 10 }
}

pub(crate) async fn admit(books: &Books, run: &RunId, call: &str) -> Result<(), RunError> {
    books.admit_run_call(run, &a_call(call, CallKind::Data), NOW_MS + 10).await
}

const DONE: RunCallEnd = RunCallEnd { completed: true, bytes: 90 };

async fn finish(books: &Books, run: &RunId, call: &str) {
    books.finish_run_call(run, &call_id(call), DONE, NOW_MS + 20).await.expect("noted");
}

/// Runs two data tools, so that a question may be asked.
pub(crate) async fn look_first(books: &Books, run: &RunId) {
    for call in ["first", "second"] {
        admit(books, run, call).await.expect("let in");
        finish(books, run, call).await;
    }
}

pub(crate) fn a_slot(slot_id: &str) -> InputSlot {
    InputSlot {
        slot_type: SlotType::Text,
        slot_id: slot_id.to_owned(),
        prompt_key: "Which one?".to_owned(),
        options: Vec::new(),
        purpose: QuestionPurpose::Question,
        picture: None,
    }
}

fn a_question(name: &str, run: &RunId, slot: InputSlot) -> InputRequest {
    InputRequest {
        id: InputId::new(format!("inp_{name}")),
        run: run.clone(),
        session: None,
        call: Some(call_id("asking")),
        principal: PrincipalId::new("erna"),
        slot,
        state: InputState::Pending,
        answer: None,
        answered_by: None,
        via: None,
        created_at_ms: NOW_MS + 30,
        resolved_at_ms: None,
    }
}

pub(crate) async fn ask(
    books: &Books,
    name: &str,
    run: &RunId,
    slot: InputSlot,
) -> Result<InputRequest, RunError> {
    let by = PrincipalId::new("erna");
    books.ask_input(&a_question(name, run, slot), CALLS_BEFORE, later(&by, 30)).await
}

pub(crate) async fn answer(
    books: &Books,
    id: &InputId,
    by: &str,
    value: &str,
) -> Result<InputRequest, RunError> {
    let by = PrincipalId::new(by);
    let answer = InputAnswer { value: Value::from(value), via: "api".to_owned(), file: None };
    books.answer_input(id, &answer, later(&by, 40)).await
}

pub(crate) async fn complete(books: &Books, run: &RunId, own: Option<&str>) -> Result<SteppedRun, RunError> {
    let by = PrincipalId::new("erna");
    let completion = RunCompletion {
        call: own.map(call_id),
        summary: Some("done\0".to_owned()),
        reason: "complete_workflow".to_owned(),
        ..RunCompletion::default()
    };
    books.complete_run(run, &completion, later(&by, 50)).await
}

async fn make(store: &Store, books: &Books, run: &RunId, name: &str) -> Digest {
    let digest = Digest::of(name);
    store.touch_blob(&digest, 5, NOW_MS).await.expect("touched");
    let artifact = Artifact {
        digest,
        name: FileName::new(name).expect("a legal name"),
        media_type: "text/plain".to_owned(),
        bytes: 5,
        run: Some(run.clone()),
        owner: ada(),
        created_at_ms: NOW_MS,
    };
    books.store_artifact(&artifact, &Actor::person(&ada())).await.expect("stored");
    digest
}

/// The kinds of a run's ledger events, oldest first.
pub(crate) async fn story_of(store: &Store, run: &RunId) -> Vec<&'static str> {
    events_of(store, run).await.iter().map(|one| one.event.kind.as_str()).collect()
}

pub(crate) async fn events_of(store: &Store, run: &RunId) -> Vec<RecordedEvent> {
    let filter = EventFilter { run: Some(run.clone()), ..EventFilter::default() };
    let page = store.ledger_page(&filter, None, EVENTS_MAX, LedgerOrder::OldestFirst).await.expect("read");
    assert!(page.len() < EVENTS_MAX, "a story is shorter");
    page
}

pub(crate) async fn prove_ledger(store: &Store) {
    let verified = store.verify_ledger(|_| ()).await.expect("the ledger can be read");
    assert_eq!(verified.fault, None);
}

pub(crate) fn detail(one: &RecordedEvent) -> Value {
    one.event.detail.as_ref().expect("a detail").decode().expect("JSON")
}

/// The states of a run according to the ledger, checked against the state machine and against the run itself.
async fn trace(store: &Store, run: &RunId) -> Vec<RunState> {
    let mut states = Vec::new();
    for one in events_of(store, run).await {
        match one.event.kind {
            EventKind::RunCreated => {
                assert!(states.is_empty(), "{states:?}");
                states.push(RunState::Pending);
            }
            EventKind::RunStarted | EventKind::RunPaused | EventKind::RunResumed | EventKind::RunEnded => {
                let told = detail(&one);
                let state = |key: &str| RunState::parse(told[key].as_str().expect("a state"));
                let (from, to) = (state("from").expect("known"), state("to").expect("known"));
                assert_eq!(states.last(), Some(&from), "{told}");
                assert!(from.may_become(to), "{told}");
                states.push(to);
            }
            _ => {}
        }
    }
    assert_eq!(states.last(), Some(&read(store, run).await.state), "{states:?}");
    assert!(states.iter().filter(|state| state.is_final()).count() <= 1, "{states:?}");
    states
}

/// A run is paused for an answer exactly as long as the question is pending.
async fn check_question(store: &Store, run: &RunId) {
    let filter = toolgate_store::InputFilter { run: Some(run.clone()), ..Default::default() };
    let (inputs, _) = store.inputs(&filter, None, 100).await.expect("read");
    let pending = inputs.iter().filter(|input| input.state == InputState::Pending).count();
    let run = read(store, run).await;
    let waits = run.state == RunState::Paused && run.reason.as_deref() == Some("input");
    assert_eq!(pending, usize::from(waits), "{run:?} {inputs:?}");
    for input in inputs {
        assert_eq!(input.answer.is_some(), input.state == InputState::Answered, "{input:?}");
        assert_eq!(input.resolved_at_ms.is_none(), input.state == InputState::Pending, "{input:?}");
    }
}
