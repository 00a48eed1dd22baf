//! Runs that wait for people, and runs that are paused or cancelled from outside.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::json;
use toolgate_core::RawJson;
use toolgate_core::governance::Clock as _;
use toolgate_core::run::{LoopState, RunBudget};

use crate::script::{Reply, ScriptedModels};
use crate::world::{AgentsWorld, LEASE_OVER, ada, assert_valid, until};

fn asking(turn: usize) -> Reply {
    match turn {
        0 => Reply::Call(vec![("write", json!({})), ("ask", json!({}))]),
        _ => Reply::Say("Then blue."),
    }
}

#[tokio::test]
async fn a_question_pauses_the_run_and_its_answer_goes_to_the_model() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| asking(turn)));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    let asked = gateway.waits_for(&run, "question").await;
    assert_eq!((gateway.state(&run).await, world.models.asked()), ("paused", 1));
    gateway.answer(&asked, "blue").await;
    gateway.becomes(&run, "completed").await;
    assert_eq!(world.records.effects("write"), 1, "its result was recorded");
    let chat = gateway.chat(&run).await;
    assert_valid(&chat);
    let results: Vec<&str> = chat[2].message.results().map(|one| one.text.as_str()).collect();
    assert!(results[1].contains("blue"), "{results:?}");
}

#[tokio::test]
async fn a_run_waits_through_the_end_of_its_gateway() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| asking(turn)));
    let one = world.gateway("one").await;
    let run = one.begin().await;
    let asked = one.waits_for(&run, "question").await;
    one.crash().await;
    world.clock.advance(LEASE_OVER);
    let two = world.gateway("two").await;
    two.answer(&asked, "blue").await;
    two.becomes(&run, "completed").await;
}

#[tokio::test]
async fn runs_that_wait_are_not_even_looked_at() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| asking(turn)));
    let gateway = world.gateway("one").await;
    let mut waiting = Vec::new();
    for _ in 0..20 {
        waiting.push(gateway.begin().await);
    }
    for run in &waiting {
        gateway.waits_for(run, "question").await;
    }
    let later_ms = world.clock.now_ms() + 1_000_000;
    let due = gateway.store.due_loops(later_ms, 100).await.expect("read");
    assert!(due.is_empty(), "{due:?}");
}

#[tokio::test]
async fn cancelling_drops_the_request_to_the_model() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Hang));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    until("the request", async || world.models.open.load(Ordering::SeqCst) == 1).await;
    gateway.runs.cancel(&run, &ada(), "operator").await.expect("cancelled");
    gateway.agents.interrupt(&run).await;
    until("the end of the request", async || world.models.open.load(Ordering::SeqCst) == 0).await;
    let agent_loop = gateway.agent_loop(&run).await;
    assert_eq!(agent_loop.state, LoopState::Done);
    assert_eq!(gateway.state(&run).await, "cancelled");
}

#[tokio::test]
async fn a_run_that_is_halted_through_another_gateway_stops_at_the_next_look() {
    /// A renewal of the lease takes longer.
    const SOON: Duration = Duration::from_secs(5);
    for is_cancelled in [true, false] {
        let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Hang));
        let one = world.gateway("one").await;
        let run = one.begin().await;
        until("the request", async || world.models.open.load(Ordering::SeqCst) == 1).await;
        let two = world.gateway("two").await;
        let began = Instant::now();
        match is_cancelled {
            true => two.runs.cancel(&run, &ada(), "operator").await.expect("cancelled"),
            false => two.runs.pause(&run, &ada()).await.expect("paused"),
        };
        until("the end of the request", async || world.models.open.load(Ordering::SeqCst) == 0).await;
        assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
        until("its lease", async || two.agent_loop(&run).await.owner.is_none()).await;
    }
}

#[tokio::test]
async fn cancelling_ends_the_calls_down_to_the_servers() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Call(vec![("hang", json!({}))])));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    until("the call", async || world.records.effects("hang") == 1).await;
    gateway.runs.cancel(&run, &ada(), "operator").await.expect("cancelled");
    gateway.agents.interrupt(&run).await;
    until("the cancellation", async || world.records.cancelled.lock().contains(&run)).await;
}

#[tokio::test]
async fn a_paused_run_goes_on_where_it_was() {
    let is_open = std::sync::atomic::AtomicBool::new(false);
    let world = AgentsWorld::new(ScriptedModels::new(move |turn, _| match turn {
        0 if !is_open.swap(true, Ordering::SeqCst) => Reply::Hang,
        _ => Reply::Say("Done."),
    }));
    let gateway = world.gateway("one").await;
    let run = gateway.begin().await;
    until("the request", async || world.models.open.load(Ordering::SeqCst) == 1).await;
    gateway.runs.pause(&run, &ada()).await.expect("paused");
    gateway.agents.interrupt(&run).await;
    until("the end of the request", async || world.models.open.load(Ordering::SeqCst) == 0).await;
    until("its lease", async || gateway.agent_loop(&run).await.owner.is_none()).await;
    assert_eq!(gateway.agent_loop(&run).await.state, LoopState::Waiting);
    gateway.runs.resume(&run, &ada()).await.expect("resumed");
    gateway.becomes(&run, "completed").await;
    let turns = gateway.agents.turns(&run, 0, 10).await.expect("read");
    assert_eq!((turns.len(), turns[0].attempts), (1, 2), "the same turn, asked twice");
}

#[tokio::test]
async fn a_run_that_was_paused_just_before_its_end_ends_when_it_goes_on() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| {
        let end = json!({ "summary": "done", "result": { "ok": true } });
        Reply::Call(vec![("pause", json!({})), ("complete_workflow", end)])
    }));
    let gateway = world.gateway("one").await;
    let schema = RawJson::from(json!({ "type": "object" }));
    let run = gateway.begin_with(RunBudget::default(), Some(schema)).await;
    gateway.becomes(&run, "paused").await;
    until("its lease", async || gateway.agent_loop(&run).await.owner.is_none()).await;
    assert_eq!(gateway.state(&run).await, "paused", "it did not fail");
    gateway.runs.resume(&run, &ada()).await.expect("resumed");
    let ended = gateway.becomes(&run, "completed").await;
    assert_eq!(ended.report.result, Some(json!({ "ok": true })));
    assert_eq!(world.records.effects("pause"), 1);
}
