//! Work that comes to its end: done, partial, failed, cancelled.

use std::time::Duration;

use serde_json::json;
use toolgate_core::id::WorkId;
use toolgate_core::run::RunState;
use toolgate_core::{Refusal, codes};
use toolgate_store::WorkState;

use crate::world::{KIND, WorkWorld, WorkerMood, ada, input, order};

crate::on_both!(
    work_is_done_and_so_is_its_run,
    work_that_leaves_something_out_ends_partial,
    work_that_is_refused_fails_with_its_reason,
    a_failure_that_may_pass_is_tried_again,
    the_same_work_is_joined_and_not_done_twice,
    a_cancelled_run_ends_its_work,
    work_that_nobody_has_begun_can_be_cancelled,
    a_paused_run_interrupts_its_work_until_it_is_resumed,
    who_waits_too_short_learns_how_far_it_is,
    work_that_asks_for_more_work_does_not_wait_for_it,
);

async fn work_is_done_and_so_is_its_run(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let started = gateway.start("corpus").await;
    let running = gateway.run();
    let view = gateway.end(&started).await;
    assert_eq!((view.word(), view.done, view.total), ("done", 3, 10));
    assert_eq!(view.result, Some(json!({ "input": input() })));
    let run = gateway.run_of(&started).await;
    assert_eq!((run.state, run.label.run_type.as_deref()), (RunState::Completed, Some(KIND)));
    assert_eq!((&run.principal, run.label.name.as_deref()), (&ada(), Some("a story")));
    let [tried] = &gateway.worker.tries()[..] else { panic!("one try") };
    assert_eq!((&tried.id, tried.attempt), (&started.id, 1));
    assert_eq!(tried.author().run, Some(started.run));
    running.stop().await;
}

async fn work_that_leaves_something_out_ends_partial(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let problems = vec!["a.pdf: damaged".to_owned(), "b.pdf: encrypted".to_owned()];
    gateway.worker.set(WorkerMood::LeavesOut(problems.clone()));
    let running = gateway.run();
    let started = gateway.start("corpus").await;
    let view = gateway.end(&started).await;
    assert_eq!((view.word(), view.problem_count, &view.problems), ("partial", 2, &problems));
    let run = gateway.run_of(&started).await;
    assert_eq!(run.state, RunState::Partial);
    assert_eq!(run.report.result.expect("a result")["problems"], json!(problems));
    running.stop().await;
}

async fn work_that_is_refused_fails_with_its_reason(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let refusal = Refusal::new(&codes::UNKNOWN_MANIFEST, "there is no manifest").hint("make one");
    gateway.worker.set(WorkerMood::Refuses(refusal.clone()));
    let running = gateway.run();
    let started = gateway.start("corpus").await;
    let view = gateway.end(&started).await;
    assert_eq!((view.word(), view.result.clone()), ("failed", None));
    assert_eq!(view.unless_failed().expect_err("it failed"), refusal);
    let run = gateway.run_of(&started).await;
    assert_eq!((run.state, run.reason.as_deref()), (RunState::Failed, Some("unknown_manifest")));
    assert_eq!(gateway.worker.tries().len(), 1, "trying again would not help");
    gateway.worker.set(WorkerMood::Works);
    let again = gateway.start("corpus").await;
    assert!(!again.joined, "work that failed can be asked for again");
    assert_eq!(gateway.end(&again).await.word(), "done");
    running.stop().await;
}

async fn a_failure_that_may_pass_is_tried_again(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    gateway.worker.set(WorkerMood::Refuses(Refusal::new(&codes::STORE_DOWN, "a moment please")));
    let running = gateway.run();
    let started = gateway.start("corpus").await;
    let view = gateway.end(&started).await;
    assert_eq!(view.error.map(|error| error.code).as_deref(), Some("store_down"));
    let attempts: Vec<u64> = gateway.worker.tries().iter().map(|tried| tried.attempt).collect();
    assert_eq!(attempts, [1, 2, 3]);
    running.stop().await;
}

async fn the_same_work_is_joined_and_not_done_twice(world: WorkWorld) {
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    let starts: Vec<_> = (0..8)
        .map(|number| {
            let desk = if number % 2 == 0 { one.desk.clone() } else { two.desk.clone() };
            tokio::spawn(async move { desk.start(order("corpus")).await.expect("started") })
        })
        .collect();
    let mut all = Vec::new();
    for start in starts {
        all.push(start.await.expect("no panic"));
    }
    assert_eq!(all.iter().filter(|started| !started.joined).count(), 1);
    assert!(all.iter().all(|started| started.id == all[0].id && started.run == all[0].run), "{all:?}");
    let running = (one.run(), two.run());
    assert_eq!(two.end(&all[0]).await.word(), "done");
    assert_eq!(one.worker.tries().len() + two.worker.tries().len(), 1);
    running.0.stop().await;
    running.1.stop().await;
}

async fn a_cancelled_run_ends_its_work(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    gateway.worker.set(WorkerMood::Hangs);
    let running = gateway.run();
    let started = gateway.start("corpus").await;
    gateway.until_tried(1).await;
    gateway.until_run(&started.run, RunState::Running).await;
    gateway.runs.cancel(&started.run, &ada(), "enough").await.expect("cancelled");
    let view = gateway.end(&started).await;
    assert_eq!(view.error.map(|error| error.code).as_deref(), Some("work_cancelled"));
    assert_eq!(gateway.run_of(&started).await.state, RunState::Cancelled);
    running.stop().await;
}

async fn work_that_nobody_has_begun_can_be_cancelled(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let started = gateway.start("corpus").await;
    gateway.runs.cancel(&started.run, &ada(), "enough").await.expect("cancelled");
    let running = gateway.run();
    assert_eq!(gateway.end(&started).await.word(), "failed");
    assert_eq!(gateway.worker.tries(), []);
    running.stop().await;
}

async fn a_paused_run_interrupts_its_work_until_it_is_resumed(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    gateway.worker.set(WorkerMood::Hangs);
    let running = gateway.run();
    let started = gateway.start("corpus").await;
    gateway.until_tried(1).await;
    gateway.until_run(&started.run, RunState::Running).await;
    gateway.runs.pause(&started.run, &ada()).await.expect("paused");
    crate::world::until("it is given back", async || {
        let row = gateway.store.work(&started.id).await.expect("read").expect("it is there");
        row.state == WorkState::Queued
    })
    .await;
    gateway.worker.set(WorkerMood::Works);
    gateway.runs.resume(&started.run, &ada()).await.expect("resumed");
    assert_eq!(gateway.end(&started).await.word(), "done");
    assert_eq!(gateway.worker.tries().last().map(|tried| tried.attempt), Some(1), "a pause is no failure");
    running.stop().await;
}

async fn who_waits_too_short_learns_how_far_it_is(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    gateway.worker.set(WorkerMood::Hangs);
    let running = gateway.run();
    let started = gateway.start("corpus").await;
    crate::world::until("progress", async || {
        let view = gateway.desk.wait(&started.id, Duration::ZERO).await.expect("read");
        (view.word(), view.done, view.total, view.result) == ("running", 3, 10, None)
    })
    .await;
    let unknown = gateway.desk.wait(&WorkId::new("wrk_other"), Duration::ZERO).await;
    assert_eq!(unknown.expect_err("there is none").code.name, "unknown_work");
    running.stop().await;
}

async fn work_that_asks_for_more_work_does_not_wait_for_it(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let session = gateway.start("session").await.run;
    let mut asked = order("first");
    asked.actor.run = Some(session.clone());
    let first = gateway.desk.start(asked).await.expect("started");
    let mut more = order("second");
    more.actor.run = Some(first.run.clone());
    let second = gateway.desk.start(more).await.expect("started");
    for started in [&first, &second] {
        assert_eq!(gateway.run_of(started).await.parent, None, "what asked is work as well");
    }
    let running = gateway.run();
    for started in [&first, &second] {
        assert_eq!(gateway.end(started).await.word(), "done");
    }
    running.stop().await;
}
