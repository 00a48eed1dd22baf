//! Tasks, agents and models that are gone, and automations that pause themselves.

use toolgate_core::automation::Overlap;
use toolgate_core::event::EventKind;
use toolgate_core::{Refusal, codes};
use toolgate_tasks::NewAutomation;

use crate::world::{HOUR, StarterMood, TasksWorld, ada, hourly, until, wanted};

crate::on_both!(
    a_task_that_is_gone_is_told_and_the_automation_goes_on,
    a_start_that_is_refused_pauses_the_automation_if_it_asked_for_that,
    a_run_that_fails_pauses_the_automation_if_it_asked_for_that,
);

async fn a_task_that_is_gone_is_told_and_the_automation_goes_on(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::Skip).await;
    gateway.runs.delete_task(&automation.task, &ada()).await.expect("deleted");
    for number in 1..=2 {
        world.clock.advance(HOUR);
        gateway.until_states(&automation, &["failed"].repeat(number)).await;
    }
    let reason = gateway.fires(&automation).await.remove(0).reason.expect("a reason");
    assert_eq!(reason, format!("there is no task {}", automation.task));
    assert_eq!(gateway.tasks.automation("hourly").await.expect("read").paused, None);
}

async fn a_start_that_is_refused_pauses_the_automation_if_it_asked_for_that(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let gone = Refusal::new(&codes::UNKNOWN_AGENT, "there is no agent \"clerk\"");
    gateway.starter.set(StarterMood::Refuses(gone));
    let task = gateway.task("pay").await;
    let new = NewAutomation { pause_on_failure: true, ..wanted("hourly", &task, hourly()) };
    let automation = gateway.tasks.create_automation(new, &ada()).await.expect("made");
    let before = gateway.told(EventKind::AutomationChanged).await;
    world.clock.advance(HOUR);
    gateway.until_states(&automation, &["failed"]).await;
    let paused = gateway.tasks.automation("hourly").await.expect("read").paused;
    assert_eq!(paused.as_deref(), Some("it could not start a run: there is no agent \"clerk\""));
    assert_eq!(gateway.told(EventKind::AutomationChanged).await, before + 1);
}

async fn a_run_that_fails_pauses_the_automation_if_it_asked_for_that(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let task = gateway.task("pay").await;
    for (name, pause_on_failure) in [("careful", true), ("bold", false)] {
        let new = NewAutomation { pause_on_failure, ..wanted(name, &task, hourly()) };
        gateway.tasks.create_automation(new, &ada()).await.expect("made");
    }
    world.clock.advance(HOUR);
    until("both have started", async || gateway.automatic_runs().await.len() == 2).await;
    let runs = gateway.automatic_runs().await;
    for run in &runs {
        gateway.runs.fail(&run.id, "broken", &ada()).await.expect("ended");
    }
    let paused = async |name: &str| gateway.tasks.automation(name).await.expect("read").paused;
    until("it pauses", async || paused("careful").await.is_some()).await;
    let note = paused("careful").await.expect("a note");
    assert!(runs.iter().any(|run| note == format!("run {} failed", run.id)), "{note}");
    assert_eq!(paused("bold").await, None);
}
