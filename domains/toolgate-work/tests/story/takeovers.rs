//! Work whose gateway ends or dies.

use serde_json::json;
use toolgate_core::run::RunState;
use toolgate_runs::WorkCompletion;
use toolgate_store::WorkState;

use crate::world::{LEASE_SECONDS, WorkWorld, WorkerMood, ada};

crate::on_both!(
    the_work_of_a_dead_gateway_is_taken_up_by_another,
    a_gateway_that_comes_back_takes_its_work_up_at_once,
    a_gateway_that_stops_gives_its_work_back,
    work_that_kills_every_gateway_is_given_up,
    a_gateway_that_died_after_the_run_ended_leaves_a_row_that_says_so,
    a_gateway_that_lost_its_lease_lets_go,
);

async fn the_work_of_a_dead_gateway_is_taken_up_by_another(world: WorkWorld) {
    let (dead, alive) = (world.gateway("dead").await, world.gateway("alive").await);
    let started = dead.start("corpus").await;
    // It took the work up and was killed: nobody renews the lease.
    let now_ms = started_ms(&world);
    let until_ms = now_ms + LEASE_SECONDS * 1_000;
    let claimed = dead.store.claim_work(&[crate::world::KIND], "dead", now_ms, until_ms).await;
    claimed.expect("asked").expect("it is due");
    dead.runs.begin(&started.run, &ada()).await.expect("begun");
    let held = alive.store.claim_work(&[crate::world::KIND], "alive", until_ms - 1, until_ms).await;
    assert_eq!(held.expect("asked"), None, "the lease holds");
    let running = alive.run();
    world.clock.advance(LEASE_SECONDS);
    assert_eq!(alive.end(&started).await.word(), "done");
    let [tried] = &alive.worker.tries()[..] else { panic!("one try") };
    assert_eq!((tried.attempt, &tried.run), (2, &started.run), "the same run goes on");
    assert_eq!(alive.run_of(&started).await.state, RunState::Completed);
    running.stop().await;
}

fn started_ms(world: &WorkWorld) -> i64 {
    use toolgate_core::governance::Clock as _;
    world.clock.now_ms()
}

async fn a_gateway_that_comes_back_takes_its_work_up_at_once(world: WorkWorld) {
    let before = world.gateway("one").await;
    let started = before.start("corpus").await;
    let now_ms = started_ms(&world);
    let claimed = before.store.claim_work(&[crate::world::KIND], "one", now_ms, now_ms + 999_000).await;
    claimed.expect("asked").expect("it is due");
    let after = world.gateway("one").await;
    let running = after.run();
    assert_eq!(after.end(&started).await.word(), "done");
    running.stop().await;
}

async fn a_gateway_that_stops_gives_its_work_back(world: WorkWorld) {
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    one.worker.set(WorkerMood::Hangs);
    let running = one.run();
    let started = one.start("corpus").await;
    one.until_tried(1).await;
    running.stop().await;
    let row = one.store.work(&started.id).await.expect("read").expect("it is there");
    assert_eq!((row.state, row.attempts), (WorkState::Queued, 0), "a stop is no failure");
    let running = two.run();
    assert_eq!(two.end(&started).await.word(), "done");
    running.stop().await;
}

async fn work_that_kills_every_gateway_is_given_up(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let started = gateway.start("corpus").await;
    for _ in 0..5 {
        let now_ms = started_ms(&world);
        let claimed = gateway.store.claim_work(&[crate::world::KIND], "dead", now_ms, now_ms + 1).await;
        claimed.expect("asked").expect("it is due");
        world.clock.advance(1);
    }
    let running = gateway.run();
    let view = gateway.end(&started).await;
    assert_eq!(view.error.map(|error| error.code).as_deref(), Some("work_given_up"));
    assert_eq!(gateway.run_of(&started).await.state, RunState::Failed);
    assert_eq!(gateway.worker.tries(), []);
    running.stop().await;
}

async fn a_gateway_that_died_after_the_run_ended_leaves_a_row_that_says_so(world: WorkWorld) {
    let gateway = world.gateway("one").await;
    let started = gateway.start("corpus").await;
    gateway.runs.begin(&started.run, &ada()).await.expect("begun");
    let completion = WorkCompletion {
        summary: "done".to_owned(),
        result: json!({ "result": { "documents": 7 }, "problems": ["a.pdf"], "problem_count": 1 }),
        manifest: None,
        is_partial: true,
    };
    let ended = gateway.runs.complete_work(&started.run, completion, &ada()).await.expect("ended");
    assert_eq!(ended.state, RunState::Partial);
    let running = gateway.run();
    let view = gateway.end(&started).await;
    assert_eq!((view.word(), view.result), ("partial", Some(json!({ "documents": 7 }))));
    assert_eq!(gateway.worker.tries(), [], "it is not done twice");
    running.stop().await;
}

async fn a_gateway_that_lost_its_lease_lets_go(world: WorkWorld) {
    let (slow, next) = (world.gateway("slow").await, world.gateway("next").await);
    slow.worker.set(WorkerMood::Hangs);
    let running = slow.run();
    let started = slow.start("corpus").await;
    slow.until_tried(1).await;
    // Somebody takes its lease away, as if it had run out.
    assert!(slow.store.release_work(&started.id, "slow", 0).await.expect("given back"));
    let others = next.run();
    // Either gets it; the one that hangs gives it up when it stops.
    running.stop().await;
    assert_eq!(next.end(&started).await.word(), "done");
    assert_eq!(next.run_of(&started).await.state, RunState::Completed);
    others.stop().await;
}
