//! The runs, from the view of calls.

use toolgate_core::RefusalKind;
use toolgate_core::run::{CallKind, RunBudget, RunCallEnd, Runs as _};
use toolgate_runs::RunCallState;

use crate::world::{DONE, RunsGateway, RunsWorld, call, call_id, deaf, refused, until};

async fn states(gateway: &RunsGateway, run: &toolgate_core::id::RunId) -> Vec<RunCallState> {
    gateway.runs.calls(run).await.expect("read").into_iter().map(|call| call.state).collect()
}

#[tokio::test]
async fn a_used_up_budget_says_what_still_works() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run_with(RunBudget { calls: Some(1), ..RunBudget::default() }).await;
    gateway.admit(&run, "a").await.expect("let in");
    gateway.finish(&run, "a").await;
    let refusal = refused(gateway.admit(&run, "b").await, "budget_exhausted");
    assert_eq!(refusal.message, format!("the budget of run {run} is used up: 1 of 1 calls"));
    assert!(refusal.hint.contains("store_artifact") && refusal.hint.contains("complete_workflow"));
    gateway.runs.admit(&run, call("store", CallKind::Control)).await.expect("it still works");
    gateway.runs.finish(&run, &call_id("store"), DONE).await;
    let ended = gateway.complete(&run).await.expect("ended");
    assert_eq!((ended.state.as_str(), ended.reason.as_deref()), ("partial", Some("budget.calls")));
    let gone = refused(gateway.admit(&run, "c").await, "run_ended");
    assert_eq!(gone.kind, RefusalKind::Gone);
}

#[tokio::test]
async fn a_call_larger_than_what_is_left_is_not_let_in() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run_with(RunBudget { bytes: Some(10), ..RunBudget::default() }).await;
    let large = toolgate_core::run::RunCall { bytes: 11, ..call("a", CallKind::Data) };
    let refusal = refused(gateway.runs.admit(&run, large).await, "budget_exhausted");
    assert!(refusal.message.contains("takes 11 bytes") && refusal.message.contains("0 of 10"), "{refusal}");
}

#[tokio::test]
async fn whoever_leaves_before_the_answer_gives_the_call_back() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    // Never polled again: the call is admitted, and its caller never learns of it.
    drop(gateway.runs.admit(&run, call("a", CallKind::Data)));
    until("the end of the call", async || states(&gateway, &run).await == [RunCallState::Failed]).await;
    gateway.complete(&run).await.expect("nothing is in flight");
}

#[tokio::test]
async fn an_end_is_noted_when_the_store_is_back() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    gateway.admit(&run, "a").await.expect("let in");
    gateway.store.fail_from_nth(1);
    gateway.finish(&run, "a").await;
    refused(gateway.admit(&run, "b").await, "store_down");
    refused(gateway.runs.get(&run).await, "store_down");
    gateway.store.fail_never();
    until("the end of the call", async || states(&gateway, &run).await == [RunCallState::Completed]).await;
}

#[tokio::test]
async fn a_call_that_may_have_been_let_in_does_not_stay_open() {
    // Whichever operation fails: the last one is the confirmation of the commit.
    for n in 1..30 {
        // Nothing else queries the store.
        let gateway = RunsWorld::new().gateway_within("one", deaf()).await;
        let run = gateway.run().await;
        gateway.store.fail_nth(n);
        let admitted = gateway.admit(&run, "a").await;
        gateway.store.fail_never();
        if admitted.is_ok() {
            assert!(n > 6, "the failures were real: {n}");
            return;
        }
        refused(admitted, "store_down");
        // Writes the pending events.
        gateway.runs.stop().await;
        assert!(!states(&gateway, &run).await.contains(&RunCallState::Open), "{n}");
        gateway.complete(&run).await.expect("nothing is in flight");
    }
    panic!("letting a call in has no end");
}

#[tokio::test]
async fn a_restart_knows_which_calls_it_lost() {
    let world = RunsWorld::new();
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    let run = one.run().await;
    one.admit(&run, "a").await.expect("let in");
    two.admit(&run, "b").await.expect("let in");
    one.crash().await;
    let one = world.gateway("one").await;
    assert_eq!(states(&one, &run).await, [RunCallState::Unknown, RunCallState::Open]);
    let failed = RunCallEnd { completed: false, bytes: 0 };
    two.runs.finish(&run, &call_id("b"), failed).await;
    one.complete(&run).await.expect("nothing is in flight");
}
