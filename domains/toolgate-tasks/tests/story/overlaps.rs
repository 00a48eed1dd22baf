//! The rule for a start while an earlier run has not ended.

use toolgate_core::automation::Overlap;

use crate::world::{HOUR, TasksGateway, TasksWorld, ada, hourly, until};

crate::on_both!(
    a_start_is_skipped_while_a_run_is_open,
    one_start_waits_for_the_end_of_the_run_before,
    an_earlier_run_is_cancelled_for_a_later_one,
    all_may_run_at_the_same_time,
);

async fn end_newest(gateway: &TasksGateway) {
    let run = gateway.automatic_runs().await.remove(0).id;
    gateway.runs.cancel(&run, &ada(), "done").await.expect("ended");
}

async fn a_start_is_skipped_while_a_run_is_open(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::Skip).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started"]).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["skipped", "started"]).await;
    let skipped = gateway.fires(&automation).await.remove(0);
    let run = gateway.automatic_runs().await.remove(0).id;
    assert_eq!(skipped.reason, Some(format!("run {run} had not ended")));
    end_newest(&gateway).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started", "skipped", "started"]).await;
}

async fn one_start_waits_for_the_end_of_the_run_before(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::BufferOne).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started"]).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["buffered", "started"]).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["skipped", "buffered", "started"]).await;
    end_newest(&gateway).await;
    gateway.until_states(&automation, &["skipped", "started", "started"]).await;
    assert_eq!(gateway.automatic_runs().await.len(), 2);
}

async fn an_earlier_run_is_cancelled_for_a_later_one(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::CancelOther).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started"]).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["started", "started"]).await;
    let states: Vec<&str> = gateway.automatic_runs().await.iter().map(|run| run.state.as_str()).collect();
    assert_eq!(states, ["running", "cancelled"]);
}

async fn all_may_run_at_the_same_time(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::AllowAll).await;
    for number in 1..=3 {
        world.clock.advance(HOUR);
        gateway.until_states(&automation, &["started"].repeat(number)).await;
    }
    let open = async || gateway.automatic_runs().await.iter().filter(|run| !run.state.is_final()).count();
    until("three are open", async || open().await == 3).await;
}
