//! Automations that follow events: of the ledger, and of runs of other automations.

use toolgate_core::automation::{Overlap, Trigger};
use toolgate_core::event::EventKind;
use toolgate_core::run::RunBudget;
use toolgate_tasks::{NewAutomation, TaskStart};

use crate::world::{TasksWorld, ada, wanted};

crate::on_both!(an_event_of_the_ledger_starts_a_run, automations_lead_to_one_another_five_times);

async fn an_event_of_the_ledger_starts_a_run(world: TasksWorld) {
    let (one, two) = (world.gateway("one").await, world.gateway("two").await);
    let trigger = Trigger::Event {
        kind: EventKind::TaskChanged,
        tool: None,
        server: None,
        outcome: None,
        principal: Some(ada()),
    };
    let task = one.task("watched").await;
    // What was before it was made is no cause.
    world.clock.advance(1);
    let new = NewAutomation { overlap: Overlap::AllowAll, ..wanted("watch", &task, trigger) };
    let automation = one.tasks.create_automation(new, &ada()).await.expect("made");
    for number in 1..=3 {
        one.task("another").await;
        one.until_states(&automation, &["started"].repeat(number)).await;
    }
    assert!(one.fires(&automation).await.iter().all(|fire| fire.cause.starts_with("event:one/")));
    let starts = [one.starter.starts(), two.starter.starts()].concat();
    assert_eq!(starts.len(), 3);
    assert!(starts.iter().all(|start| start.plan.goal.contains("\"task.changed\"")), "{starts:?}");
}

async fn automations_lead_to_one_another_five_times(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let trigger = Trigger::RunEnded { task: None, states: Vec::new() };
    let automation = gateway.automation("again", trigger, Overlap::AllowAll).await;
    let start = TaskStart {
        by: ada(),
        agent: None,
        budget: RunBudget::default(),
        input: Vec::new(),
        parent: None,
        within: None,
    };
    let mut run = gateway.tasks.start_run(&automation.task, start).await.expect("started");
    for number in 1..=5 {
        gateway.runs.cancel(&run, &ada(), "done").await.expect("ended");
        gateway.until_states(&automation, &["started"].repeat(number)).await;
        run = gateway.automatic_runs().await.remove(0).id;
    }
    gateway.runs.cancel(&run, &ada(), "done").await.expect("ended");
    gateway
        .until_states(&automation, &["skipped", "started", "started", "started", "started", "started"])
        .await;
    let reason = gateway.fires(&automation).await.remove(0).reason;
    assert_eq!(reason.as_deref(), Some("5 automations led to one another"));
}
