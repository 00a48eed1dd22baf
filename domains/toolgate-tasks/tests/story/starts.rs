//! One cause, one run: with several gateways, and when one of them dies on the way.

use std::time::Duration;

use toolgate_core::automation::Overlap;
use toolgate_core::event::EventKind;
use toolgate_core::run::RunState;

use crate::world::{HOUR, MINUTE, START_MS, StarterMood, TasksWorld, hourly, until};

crate::on_both!(
    three_gateways_start_one_run_for_an_instant,
    a_start_that_nobody_finished_is_taken_up,
    a_run_that_was_made_and_not_noted_is_found_and_not_made_again,
    a_run_that_was_made_and_never_began_is_ended,
    a_run_whose_loop_nobody_took_up_yet_is_not_made_again,
    a_start_that_keeps_dying_ends_as_failed,
    a_start_that_the_store_prevented_is_tried_again,
    of_two_runs_for_one_cause_the_late_one_is_cancelled,
);

async fn three_gateways_start_one_run_for_an_instant(world: TasksWorld) {
    let (one, two, three) =
        (world.gateway("one").await, world.gateway("two").await, world.gateway("three").await);
    let automation = one.automation("hourly", hourly(), Overlap::AllowAll).await;
    for number in 1..=3 {
        world.clock.advance(HOUR);
        one.until_states(&automation, &["started"].repeat(number)).await;
    }
    let runs = one.automatic_runs().await;
    let mut names: Vec<String> = runs.iter().filter_map(|run| run.label.name.clone()).collect();
    names.sort();
    let expected: Vec<String> =
        (1..=3).map(|number| format!("{} {}", automation.id, START_MS + number * HOUR * 1_000)).collect();
    assert_eq!(names, expected);
    let asked: usize = [&one, &two, &three].iter().map(|gateway| gateway.starter.starts().len()).sum();
    assert_eq!(asked, 3, "no other gateway even tried");
    assert_eq!(one.told(EventKind::AutomationFired).await, 3);
}

async fn a_start_that_nobody_finished_is_taken_up(world: TasksWorld) {
    let one = world.gateway("one").await;
    one.starter.set(StarterMood::DiesBefore);
    let automation = one.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    one.until_states(&automation, &["claimed"]).await;
    until("the start began", async || one.starter.starts().len() == 1).await;
    one.tasks.stop().await;
    let two = world.gateway("two").await;
    world.clock.advance(89);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(two.states(&automation).await, ["claimed"], "its time is not over");
    world.clock.advance(2);
    two.until_states(&automation, &["started"]).await;
    assert_eq!(two.automatic_runs().await.len(), 1);
}

async fn a_run_that_was_made_and_not_noted_is_found_and_not_made_again(world: TasksWorld) {
    let one = world.gateway("one").await;
    one.starter.set(StarterMood::DiesAfter);
    let automation = one.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    until("the run is made", async || one.automatic_runs().await.len() == 1).await;
    one.tasks.stop().await;
    let two = world.gateway("two").await;
    world.clock.advance(2 * MINUTE);
    two.until_states(&automation, &["started"]).await;
    let runs = two.automatic_runs().await;
    assert_eq!((runs.len(), two.starter.starts().len()), (1, 0));
    assert_eq!(two.fires(&automation).await[0].run.as_ref(), Some(&runs[0].id));
}

async fn a_run_that_was_made_and_never_began_is_ended(world: TasksWorld) {
    let one = world.gateway("one").await;
    one.starter.set(StarterMood::DiesHalfway);
    let automation = one.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    until("the run is made", async || one.automatic_runs().await.len() == 1).await;
    one.tasks.stop().await;
    let two = world.gateway("two").await;
    world.clock.advance(2 * MINUTE);
    two.until_states(&automation, &["started"]).await;
    let runs = two.automatic_runs().await;
    let states: Vec<&str> = runs.iter().map(|run| run.state.as_str()).collect();
    assert_eq!(states, ["running", "cancelled"]);
    assert_eq!(two.fires(&automation).await[0].run.as_ref(), Some(&runs[0].id));
}

async fn a_run_whose_loop_nobody_took_up_yet_is_not_made_again(world: TasksWorld) {
    let one = world.gateway("one").await;
    one.starter.set(StarterMood::DiesDriven);
    let automation = one.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    let is_driven = async || match one.automatic_runs().await.first() {
        Some(run) => one.store.agent_loop(&run.id).await.expect("read").is_some(),
        None => false,
    };
    until("the run has its loop", is_driven).await;
    one.tasks.stop().await;
    let two = world.gateway("two").await;
    world.clock.advance(2 * MINUTE);
    two.until_states(&automation, &["started"]).await;
    let runs = two.automatic_runs().await;
    assert_eq!((runs.len(), two.starter.starts().len()), (1, 0));
    assert_eq!(runs[0].state.as_str(), "pending", "it begins when a gateway takes its loop up");
    assert_eq!(two.fires(&automation).await[0].run.as_ref(), Some(&runs[0].id));
}

async fn a_start_that_keeps_dying_ends_as_failed(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    gateway.starter.set(StarterMood::DiesBefore);
    let automation = gateway.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    for attempt in 1..=5 {
        until("the next try", async || gateway.starter.starts().len() == attempt).await;
        world.clock.advance(2 * MINUTE);
    }
    gateway.until_states(&automation, &["failed"]).await;
    assert_eq!(gateway.starter.starts().len(), 5);
    assert!(gateway.automatic_runs().await.is_empty());
}

async fn a_start_that_the_store_prevented_is_tried_again(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let down = toolgate_core::Refusal::new(&toolgate_core::codes::STORE_DOWN, "not now");
    gateway.starter.set(StarterMood::Refuses(down));
    let automation = gateway.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    until("it is tried", async || gateway.starter.starts().len() == 1).await;
    gateway.starter.set(StarterMood::Works);
    world.clock.advance(2 * MINUTE);
    gateway.until_states(&automation, &["started"]).await;
}

async fn of_two_runs_for_one_cause_the_late_one_is_cancelled(world: TasksWorld) {
    let one = world.gateway_starting_within("one", Duration::from_secs(60)).await;
    one.starter.set(StarterMood::Stalls);
    let automation = one.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    until("the start began", async || one.starter.starts().len() == 1).await;
    one.starter.set(StarterMood::Works);
    world.clock.advance(2 * MINUTE);
    one.until_states(&automation, &["started"]).await;
    let noted = one.fires(&automation).await[0].run.clone().expect("it has a run");
    one.starter.woken.notify_one();
    until("the late one is cancelled", async || {
        let runs = one.automatic_runs().await;
        runs.len() == 2 && runs.iter().any(|run| run.state == RunState::Cancelled && run.id != noted)
    })
    .await;
    assert_eq!(one.fires(&automation).await[0].run.as_ref(), Some(&noted));
    let runs = one.automatic_runs().await;
    assert!(runs.iter().all(|run| run.id != noted || run.state != RunState::Cancelled), "{runs:?}");
}
