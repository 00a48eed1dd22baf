//! Gateways that die in the middle of a turn, and those that take it up.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolgate_core::run::RunState;

use crate::script::{Reply, ScriptedModels};
use crate::world::{AgentsWorld, LEASE_OVER, ada, assert_valid, until};

/// The largest number of operations that a run of this story could take.
const OPERATIONS_MAX: u64 = 600;
/// Every this many operations, a gateway dies.
const STEP: usize = 11;

fn writing(turn: usize) -> Reply {
    match turn {
        0 => Reply::Call(vec![("write", json!({ "a": 1 })), ("read", json!({}))]),
        _ => Reply::Call(vec![("complete_workflow", json!({ "summary": "done" }))]),
    }
}

#[tokio::test]
async fn killed_between_any_two_steps_a_run_comes_to_the_same_end() {
    for nth in (1..OPERATIONS_MAX).step_by(STEP) {
        let world = AgentsWorld::new(ScriptedModels::new(|turn, _| writing(turn)));
        let (one, observer) = (world.gateway("one").await, world.observer().await);
        let run = one.begin().await;
        one.store.fail_from_nth(nth);
        let is_over = async || {
            let run = observer.run(&run).await.expect("read").expect("it is there");
            run.state == RunState::Completed
        };
        until("the fault or the end", async || !one.store.is_fault_to_come() || is_over().await).await;
        let is_clean = is_over().await;
        one.crash().await;
        world.clock.advance(LEASE_OVER);
        let two = world.gateway("two").await;
        two.becomes(&run, "completed").await;
        assert_eq!(world.records.effects("write"), 1, "killed at operation {nth}");
        two.is_whole(&run).await;
        if is_clean {
            assert!(nth > 1, "a fault came before the end at least once");
            return;
        }
    }
    panic!("no run came to its end without a fault");
}

#[tokio::test]
async fn two_gateways_never_drive_one_run_at_once() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| writing(turn)));
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    let mut runs = Vec::new();
    for place in 0..10 {
        runs.push(if place % 2 == 0 { one.begin().await } else { two.begin().await });
    }
    for run in &runs {
        one.becomes(run, "completed").await;
    }
    assert_eq!(world.records.effects("write"), runs.len());
    assert_eq!(world.models.asked(), 2 * runs.len(), "each turn was asked once");
}

#[tokio::test]
async fn a_run_is_taken_up_when_the_lease_of_a_dead_gateway_is_over() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        0 => Reply::Call(vec![("hang", json!({}))]),
        _ => Reply::Say("Done."),
    }));
    let one = world.gateway("one").await;
    let run = one.begin().await;
    until("the call", async || world.records.effects("hang") == 1).await;
    let fence = one.agent_loop(&run).await.fence;
    one.crash().await;
    let two = world.gateway("two").await;
    assert_eq!(two.agent_loop(&run).await.owner.as_deref(), Some("one"), "the lease holds");
    world.clock.advance(LEASE_OVER);
    let asked = two.waits_for(&run, "unknown_outcome").await;
    assert!(two.agent_loop(&run).await.fence > fence);
    assert_eq!(world.records.effects("hang"), 1, "nothing is made twice without a word");
    two.answer(&asked, "again").await;
    two.becomes(&run, "completed").await;
    assert_eq!(world.records.effects("hang"), 2);
    assert_valid(&two.chat(&run).await);
}

#[tokio::test]
async fn a_gateway_that_starts_again_does_not_wait_for_its_own_lease() {
    let was_asked = AtomicBool::new(false);
    let world =
        AgentsWorld::new(ScriptedModels::new(move |_, _| match was_asked.swap(true, Ordering::SeqCst) {
            false => Reply::Hang,
            true => Reply::Say("Done."),
        }));
    let one = world.gateway("one").await;
    let run = one.begin().await;
    until("the request", async || world.models.asked() == 1).await;
    one.crash().await;
    let one = world.gateway("one").await;
    let ended = one.becomes(&run, "completed").await;
    assert_eq!(ended.summary.as_deref(), Some("Done."), "although the time of the lease is not over");
}

#[tokio::test]
async fn a_run_that_is_cancelled_during_a_call_has_a_result_for_it() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| {
        Reply::Call(vec![("write", json!({})), ("hang", json!({})), ("read", json!({}))])
    }));
    let one = world.gateway("one").await;
    let run = one.begin().await;
    until("the call", async || world.records.effects("hang") == 1).await;
    one.runs.cancel(&run, &ada(), "operator").await.expect("cancelled");
    one.is_whole(&run).await;
    let chat = one.chat(&run).await;
    let results: Vec<&str> =
        chat.last().expect("results").message.results().map(|one| one.text.as_str()).collect();
    assert!(results[0].contains("written"), "{results:?}");
    assert!(results[1].contains("not known") && results[2].contains("was not made"), "{results:?}");
    until("its lease", async || one.agent_loop(&run).await.owner.is_none()).await;
    assert!(one.store.due_loops(i64::MAX, 10).await.expect("read").is_empty(), "it is really done");
}

#[tokio::test]
async fn a_person_may_say_that_a_call_happened_or_stop_the_run() {
    for (word, state) in [("happened", "completed"), ("stop", "cancelled")] {
        let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
            0 => Reply::Call(vec![("hang", json!({}))]),
            _ => Reply::Say("Done."),
        }));
        let one = world.gateway("one").await;
        let run = one.begin().await;
        until("the call", async || world.records.effects("hang") == 1).await;
        one.crash().await;
        world.clock.advance(LEASE_OVER);
        let two = world.gateway("two").await;
        let asked = two.waits_for(&run, "unknown_outcome").await;
        two.answer(&asked, word).await;
        two.becomes(&run, state).await;
        assert_eq!(world.records.effects("hang"), 1, "{word}");
    }
}

#[tokio::test]
async fn a_call_that_only_reads_is_made_again_without_a_word() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        0 => Reply::Call(vec![("peek", json!({})), ("write", json!({}))]),
        _ => Reply::Say("Done."),
    }));
    let one = world.gateway("one").await;
    let run = one.begin().await;
    until("the call", async || world.records.effects("peek") == 1).await;
    one.crash().await;
    world.clock.advance(LEASE_OVER);
    let two = world.gateway("two").await;
    two.becomes(&run, "completed").await;
    assert_eq!((world.records.effects("peek"), world.records.effects("write")), (2, 1));
}

#[tokio::test]
async fn a_call_through_call_tool_is_judged_by_the_tool_that_it_names() {
    for (tool, is_asked) in [("peek", false), ("hang", true)] {
        let world = AgentsWorld::new(ScriptedModels::new(move |turn, _| match turn {
            0 => Reply::Call(vec![("call_tool", json!({ "name": tool, "arguments": {} }))]),
            _ => Reply::Say("Done."),
        }));
        let one = world.gateway("one").await;
        let run = one.begin().await;
        until("the call", async || world.records.effects(tool) == 1).await;
        one.crash().await;
        world.clock.advance(LEASE_OVER);
        let two = world.gateway("two").await;
        if is_asked {
            let asked = two.waits_for(&run, "unknown_outcome").await;
            two.answer(&asked, "happened").await;
        }
        two.becomes(&run, "completed").await;
        assert_eq!(world.records.effects(tool), if is_asked { 1 } else { 2 }, "{tool}");
    }
}

#[tokio::test]
async fn a_gateway_that_ends_orderly_hands_its_runs_over_at_once() {
    let world = AgentsWorld::new(ScriptedModels::new(|_, _| Reply::Hang));
    let one = world.gateway("one").await;
    let run = one.begin().await;
    until("the request", async || world.models.asked() == 1).await;
    one.agents.stop().await;
    assert_eq!(one.agent_loop(&run).await.owner, None, "the lease was given back");
    let _two = world.gateway("two").await;
    until("the other gateway", async || world.models.asked() == 2).await;
}
