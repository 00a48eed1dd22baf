//! The ends of runs.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::file::{Artifact, FileName};
use toolgate_core::governance::Clock as _;
use toolgate_core::id::RunId;
use toolgate_core::model::ModelName;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{CallKind, NewLoop, RunBudget, RunState, Runs as _};
use toolgate_core::{Digest, RefusalKind};
use toolgate_runs::{RunHalt, WaitLimits};
use toolgate_store::{ActionStamp, Actor};

use crate::world::{RunsWorld, ada, call, call_id, deaf, erna, limits, new_run, refused, until, within};

#[tokio::test]
async fn completing_waits_for_calls_in_flight() {
    // Here it is notified of their end, there it has to poll for it.
    for is_here in [true, false] {
        let world = RunsWorld::new();
        let gateway = world.gateway_within("one", if is_here { deaf() } else { limits() }).await;
        let other = world.gateway("two").await;
        let run = gateway.run().await;
        gateway.admit(&run, "slow").await.expect("let in");
        gateway.runs.admit(&run, call("own", CallKind::Control)).await.expect("let in");
        let (runs, id) = (Arc::clone(&gateway.runs), run.clone());
        let completing =
            tokio::spawn(
                async move { runs.complete(&id, Some(&call_id("own")), "all done", &[], &erna()).await },
            );
        // It must not end before the call does; that it waits shows only in that.
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!completing.is_finished());
        assert_eq!(gateway.state(&run).await, "running");
        if is_here { &gateway } else { &other }.finish(&run, "slow").await;
        let ended = within("the end of the run", completing).await.expect("no panic").expect("completed");
        assert_eq!((ended.state, ended.summary.as_deref()), (RunState::Completed, Some("all done")));
        assert_eq!(ended.reason.as_deref(), Some("complete_workflow"));
    }
}

#[tokio::test]
async fn completing_names_the_calls_that_do_not_end() {
    let world = RunsWorld::new();
    let brief = WaitLimits { completing: Duration::from_millis(30), ..limits() };
    let gateway = world.gateway_within("one", brief).await;
    let run = gateway.run().await;
    for name in ["one", "two"] {
        gateway.admit(&run, name).await.expect("let in");
    }
    let refusal = refused(gateway.complete(&run).await, "calls_in_flight");
    assert_eq!(refusal.kind, RefusalKind::Conflict);
    assert_eq!(refusal.message, "2 calls in this run have not ended: files:one (tc_one), files:two (tc_two)");
    assert_eq!(gateway.state(&run).await, "running");
    gateway.admit(&run, "three").await.expect("it goes on");
}

#[tokio::test]
async fn a_run_is_completed_once_and_after_its_children() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = gateway.run().await;
    let child = gateway.child(&run).await;
    let refusal = refused(gateway.complete(&run).await, "children_running");
    assert!(refusal.message.contains(child.as_str()), "{refusal}");
    gateway.complete(&child).await.expect("completed");
    gateway.complete(&run).await.expect("completed");
    refused(gateway.complete(&run).await, "run_ended");
    refused(gateway.runs.cancel(&run, &ada(), "operator").await, "run_ended");
    refused(gateway.runs.fail(&run, "no", &ada()).await, "run_ended");
    refused(gateway.runs.pause(&run, &ada()).await, "run_ended");
    refused(gateway.runs.resume(&run, &ada()).await, "run_ended");
}

#[tokio::test]
async fn a_completed_run_has_what_it_made() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let run = gateway.run().await;
    let (kept, other) = (make(&gateway, &run, "a.txt").await, make(&gateway, &run, "b.txt").await);
    assert_ne!(kept, other);
    let ended = gateway.runs.complete(&run, None, "done", &[kept], &erna()).await.expect("completed");
    let names: Vec<&str> = ended.output.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.txt"]);
    let long = "x".repeat(20_001);
    let refusal = refused(gateway.runs.complete(&run, None, &long, &[], &erna()).await, "bad_summary");
    assert_eq!(refusal.kind, RefusalKind::Invalid);
}

async fn make(gateway: &crate::world::RunsGateway, run: &toolgate_core::id::RunId, name: &str) -> Digest {
    let digest = Digest::of(name);
    gateway.store.touch_blob(&digest, 5, 1).await.expect("touched");
    let artifact = Artifact {
        digest,
        name: FileName::new(name).expect("a legal name"),
        media_type: "text/plain".to_owned(),
        bytes: 5,
        run: Some(run.clone()),
        owner: erna(),
        created_at_ms: 1,
    };
    gateway.books().store_artifact(&artifact, &Actor::person(&erna())).await.expect("stored");
    digest
}

#[tokio::test]
async fn a_run_that_failed_or_was_cancelled_says_why() {
    let gateway = RunsWorld::new().gateway("one").await;
    let (one, two) = (gateway.run().await, gateway.run().await);
    let child = gateway.child(&two).await;
    let failed = gateway.runs.fail(&one, "the bank is closed", &erna()).await.expect("failed");
    assert_eq!((failed.state, failed.reason.as_deref()), (RunState::Failed, Some("the bank is closed")));
    let cancelled = gateway.runs.cancel(&two, &ada(), "operator").await.expect("cancelled");
    assert_eq!((cancelled.state, cancelled.reason.as_deref()), (RunState::Cancelled, Some("operator")));
    let child = gateway.runs.get(&child).await.expect("read");
    assert_eq!((child.state, child.reason.as_deref()), (RunState::Cancelled, Some("parent")));
    refused(gateway.runs.fail(&one, &"x".repeat(501), &erna()).await, "bad_reason");
}

#[tokio::test]
async fn a_run_ends_when_its_time_is_over() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let minute = RunBudget { seconds: Some(60), ..RunBudget::default() };
    let (idle, busy, waiting) =
        (gateway.run_with(minute).await, gateway.run_with(minute).await, gateway.run_with(minute).await);
    for run in [&idle, &busy, &waiting] {
        gateway.look_first(run).await;
    }
    make(&gateway, &busy, "a.txt").await;
    let child = gateway.child(&idle).await;
    gateway.ask(&waiting, "a").await.expect("asked");
    let pending = gateway.run_with(minute).await;
    world.clock.advance(60);
    until("the end of both", async || {
        (gateway.state(&idle).await, gateway.state(&busy).await) == ("failed", "partial")
    })
    .await;
    assert_eq!(gateway.runs.get(&busy).await.expect("read").reason.as_deref(), Some("budget.seconds"));
    assert_eq!(gateway.state(&child).await, "cancelled");
    let (waiting, pending) = (gateway.state(&waiting).await, gateway.state(&pending).await);
    assert_eq!((waiting, pending), ("paused", "pending"), "only time in which it runs counts");
}

#[tokio::test]
async fn a_run_that_is_not_completed_leaves_a_manifest_as_well() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let minute = RunBudget { seconds: Some(60), ..RunBudget::default() };
    let (failed, cancelled, late) =
        (gateway.run().await, gateway.run().await, gateway.run_with(minute).await);
    let child = gateway.child(&cancelled).await;
    for (run, name) in [(&failed, "a.txt"), (&cancelled, "b.txt"), (&child, "c.txt"), (&late, "d.txt")] {
        make(&gateway, run, name).await;
    }
    gateway.look_first(&late).await;
    gateway.runs.fail(&failed, "the bank is closed", &erna()).await.expect("failed");
    gateway.runs.cancel_as_asked(&cancelled, "enough", &ada()).await.expect("cancelled");
    world.clock.advance(60);
    until("the end of its time", async || gateway.state(&late).await == "partial").await;
    for (run, name) in [(&failed, "a.txt"), (&cancelled, "b.txt"), (&child, "c.txt"), (&late, "d.txt")] {
        let ended = gateway.runs.get(run).await.expect("read");
        let listing = gateway.contents.listing(ended.manifests.output.expect("a manifest"));
        assert_eq!(listing.keys().collect::<Vec<_>>(), [name]);
    }
    let idle = gateway.run().await;
    let idle = gateway.runs.cancel(&idle, &ada(), "operator").await.expect("cancelled");
    assert_eq!(idle.manifests.output, None, "it left nothing");
}

#[tokio::test]
async fn a_driven_run_that_never_got_its_loop_fails() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let driven = gateway.runs.create_driven(new_run()).await.expect("created").id;
    let (led, usual) =
        (gateway.runs.create_driven(new_run()).await.expect("created").id, gateway.run().await);
    let new = NewLoop {
        run: led.clone(),
        model: ModelName::new("small").expect("a legal name"),
        system: String::new(),
        goal: "Do it.".to_owned(),
        outcome_schema: None,
    };
    let by = ada();
    let act = ActionStamp { by: &by, at_ms: world.clock.now_ms() };
    gateway.books().create_loop(new, 1, act).await.expect("created");
    world.clock.advance(59);
    let until_ms = world.clock.now_ms() - 60_000;
    assert!(gateway.store.unled_runs(until_ms, 10).await.expect("read").is_empty(), "it has a minute");
    world.clock.advance(2);
    until("its end", async || gateway.state(&driven).await == "failed").await;
    let failed = gateway.runs.get(&driven).await.expect("read");
    assert_eq!(failed.reason.as_deref(), Some("start.interrupted"));
    assert_eq!((gateway.state(&led).await, gateway.state(&usual).await), ("pending", "pending"));
}

/// Writes down whose work is to end.
#[derive(Default)]
struct HaltDiary(parking_lot::Mutex<Vec<RunId>>);

impl RunHalt for HaltDiary {
    fn halt<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        self.0.lock().push(run.clone());
        Box::pin(async {})
    }
}

#[tokio::test]
async fn the_work_of_a_cancelled_run_and_of_those_within_it_ends_and_that_of_a_failed_one_does_not() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let diary = Arc::new(HaltDiary::default());
    gateway.runs.halt_with(diary.clone());
    let (outer, other) = (gateway.run().await, gateway.run().await);
    let inner = gateway.child(&outer).await;
    gateway.runs.cancel(&outer, &ada(), "enough").await.expect("cancelled");
    assert_eq!(*diary.0.lock(), [inner, outer]);
    gateway.runs.fail(&other, "the bank is closed", &erna()).await.expect("failed");
    assert_eq!(diary.0.lock().len(), 2, "who fails is done by itself");
}
