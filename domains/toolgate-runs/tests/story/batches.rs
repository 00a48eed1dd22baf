//! Calls under ids of their clients.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolgate_core::id::RunId;
use toolgate_core::{Digest, RawJson, RefusalKind};
use toolgate_runs::{CallClaim, WaitLimits};

use crate::world::{RunsWorld, deaf, limits, refused, until, within};

fn result(number: u32) -> RawJson {
    json!({ "status": "succeeded", "data": number }).into()
}

fn request() -> Digest {
    Digest::of("add 1 and 2")
}

#[tokio::test]
async fn what_is_sent_twice_runs_once() {
    let world = RunsWorld::new();
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    let run = one.run().await;
    let claims = (0..10).map(|number| {
        let runs = Arc::clone(if number % 2 == 0 { &one.runs } else { &two.runs });
        let run = run.clone();
        tokio::spawn(async move { runs.claim(&run, "a", request()).await.expect("asked") })
    });
    let mut claimed = 0;
    for claim in claims.collect::<Vec<_>>() {
        match claim.await.expect("no panic") {
            CallClaim::Run => claimed += 1,
            other => assert_eq!(other, CallClaim::Running),
        }
    }
    assert_eq!(claimed, 1);
    let claim = async |request| one.runs.claim(&run, "a", request).await.expect("asked");
    assert_eq!(claim(Digest::of("something else")).await, CallClaim::Mismatch);
    let waiting = {
        let (runs, run) = (Arc::clone(&two.runs), run.clone());
        tokio::spawn(async move { runs.recorded(&run, "a").await })
    };
    one.runs.record(&run, "a", result(3)).await;
    assert_eq!(within("the result", waiting).await.expect("no panic"), result(3));
    assert_eq!(claim(request()).await, CallClaim::Recorded(result(3)));
    assert_eq!(claim(Digest::of("something else")).await, CallClaim::Mismatch);
    one.complete(&run).await.expect("completed");
    assert_eq!(claim(request()).await, CallClaim::Recorded(result(3)), "also when the run has ended");
}

#[tokio::test]
async fn a_result_is_heard_of_at_once() {
    let gateway = RunsWorld::new().gateway_within("one", deaf()).await;
    let run = gateway.run().await;
    assert_eq!(gateway.runs.claim(&run, "a", request()).await.expect("asked"), CallClaim::Run);
    let waiting = {
        let (runs, run) = (Arc::clone(&gateway.runs), run.clone());
        tokio::spawn(async move { runs.recorded(&run, "a").await })
    };
    tokio::task::yield_now().await;
    gateway.runs.record(&run, "a", result(3)).await;
    assert_eq!(within("the result", waiting).await.expect("no panic"), result(3));
}

#[tokio::test]
async fn a_call_that_does_not_end_is_said_to_run() {
    let brief = WaitLimits { recording: Duration::from_millis(30), ..limits() };
    let gateway = RunsWorld::new().gateway_within("one", brief).await;
    let run = gateway.run().await;
    gateway.runs.claim(&run, "a", request()).await.expect("claimed");
    let told: Value = gateway.runs.recorded(&run, "a").await.decode().expect("JSON");
    assert_eq!((&told["status"], &told["error"]["retry"]), (&json!("running"), &json!(true)));
}

#[tokio::test]
async fn nobody_knows_what_a_crash_left_half_done() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let run = gateway.run().await;
    for id in ["a", "b"] {
        gateway.runs.claim(&run, id, request()).await.expect("claimed");
    }
    gateway.runs.record(&run, "b", result(3)).await;
    gateway.crash().await;
    let gateway = world.gateway("one").await;
    let claim = async |id| gateway.runs.claim(&run, id, request()).await.expect("asked");
    let CallClaim::Recorded(told) = claim("a").await else { panic!("it must not run again") };
    let told: Value = told.decode().expect("JSON");
    assert_eq!((&told["status"], &told["error"]["fault"]), (&json!("unknown"), &json!("gateway")));
    assert!(told["error"]["hint"].as_str().expect("a hint").starts_with("look at what it may have changed"));
    assert_eq!(claim("b").await, CallClaim::Recorded(result(3)));
}

#[tokio::test]
async fn what_waits_for_a_person_is_taken_up_when_it_is_sent_again() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    let claim = async |request| gateway.runs.claim(&run, "a", request).await.expect("asked");
    assert_eq!(claim(request()).await, CallClaim::Run);
    gateway.runs.put_off(&run, "a", result(0)).await;
    assert_eq!(within("what is known", gateway.runs.recorded(&run, "a")).await, result(0));
    assert_eq!(claim(Digest::of("something else")).await, CallClaim::Mismatch);
    assert_eq!(claim(request()).await, CallClaim::Again(result(0)), "with what was kept of it");
    assert_eq!(claim(request()).await, CallClaim::Running);
    gateway.runs.record(&run, "a", result(3)).await;
    assert_eq!(claim(request()).await, CallClaim::Recorded(result(3)));
}

#[tokio::test]
async fn a_result_is_kept_when_the_store_is_back() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    gateway.runs.claim(&run, "a", request()).await.expect("claimed");
    gateway.store.fail_from_nth(1);
    gateway.runs.record(&run, "a", result(3)).await;
    refused(gateway.runs.claim(&run, "a", request()).await, "store_down");
    gateway.store.fail_never();
    until("the result", async || {
        gateway.runs.claim(&run, "a", request()).await.expect("asked") == CallClaim::Recorded(result(3))
    })
    .await;
}

#[tokio::test]
async fn only_calls_of_runs_that_exist_are_claimed() {
    let gateway = RunsWorld::new().gateway("one").await;
    let nobody = RunId::new("run_x");
    refused(gateway.runs.claim(&nobody, "a", request()).await, "unknown_run");
    let run = gateway.run().await;
    for id in ["", &"x".repeat(201)] {
        let refusal = refused(gateway.runs.claim(&run, id, request()).await, "bad_call_id");
        assert_eq!(refusal.kind, RefusalKind::Invalid);
    }
    let told: Value = gateway.runs.recorded(&run, "never sent").await.decode().expect("JSON");
    assert_eq!(told["status"], "unknown");
}

#[tokio::test]
async fn a_call_of_a_dead_gateway_is_given_up_and_one_of_a_living_gateway_is_waited_for() {
    let world = RunsWorld::new();
    let brief = WaitLimits { recording: Duration::from_millis(30), ..limits() };
    let (one, two) = (world.gateway("one").await, world.gateway_within("two", brief).await);
    let run = one.run().await;
    let claim = one.store.claim_stream("one", "a folder", "gateway one").await.expect("claimed");
    one.runs.claim(&run, "1.0", request()).await.expect("claimed");
    two.runs.claim(&run, "1.1", request()).await.expect("claimed");
    let status = async |id: &str| -> Value {
        let told: Value = two.runs.recorded_or_lost(&run, id).await.decode().expect("JSON");
        told["status"].clone()
    };
    assert_eq!(status("1.0").await, "running", "its gateway shows signs of life");
    assert_eq!(status("1.1").await, "running", "a gateway does not take itself for dead");
    claim.release().await;
    assert_eq!(status("1.0").await, "unknown");
    one.runs.record(&run, "1.0", result(3)).await;
    assert_eq!(status("1.0").await, "unknown", "a late result does not change what was told");
}
