//! Automations as people make and change them, and what is refused.

use toolgate_core::automation::{Automation, Overlap, Trigger};
use toolgate_core::event::EventKind;
use toolgate_core::id::{AutomationId, TaskId};
use toolgate_core::run::RunState;
use toolgate_runs::NewTask;
use toolgate_store::ActionStamp;
use toolgate_tasks::NewAutomation;

use crate::world::{HOUR, START_MS, TasksWorld, ada, hourly, refused, wanted};

crate::on_both!(
    an_automation_is_made_changed_listed_and_deleted,
    what_makes_no_sense_as_an_automation_is_refused,
    the_next_instants_can_be_asked_for,
    one_of_a_newer_release_is_shown_and_the_others_fire,
);

fn cron(pattern: &str, timezone: &str) -> Trigger {
    Trigger::Cron { pattern: pattern.to_owned(), timezone: timezone.to_owned() }
}

async fn an_automation_is_made_changed_listed_and_deleted(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let tasks = &gateway.tasks;
    let made = gateway.automation("nightly", cron("0 3 * * *", "Europe/Berlin"), Overlap::BufferOne).await;
    assert_eq!((made.row_version, made.catch_up_seconds, &made.principal), (1, 3_600, &ada()));
    assert_eq!(tasks.automation("nightly").await.expect("read"), made);
    assert_eq!(tasks.automation(made.id.as_str()).await.expect("read"), made);
    let change = NewAutomation {
        catch_up_seconds: Some(60),
        jitter_seconds: 30,
        ..wanted("evening", &made.task, cron("0 20 * * *", "UTC"))
    };
    let changed = tasks.change_automation("nightly", change.clone(), Some(1), &ada()).await.expect("changed");
    assert_eq!((changed.row_version, changed.name.as_str(), changed.jitter_seconds), (2, "evening", 30));
    assert_eq!(tasks.automation("evening").await.expect("read"), changed);
    refused(tasks.change_automation("evening", change, Some(1), &ada()).await, "stale");
    refused(tasks.automation("nightly").await, "unknown_automation");
    let taken = wanted("evening", &made.task, hourly());
    refused(tasks.create_automation(taken, &ada()).await, "automation_taken");
    gateway.automation("other", hourly(), Overlap::Skip).await;
    let first = tasks.automations(None, 1).await.expect("read");
    let second = tasks.automations(first.next.as_deref(), 1).await.expect("read");
    assert_eq!(
        (first.automations[0].name.as_str(), second.automations[0].name.as_str()),
        ("other", "evening")
    );
    assert_eq!(second.next, None);
    refused(tasks.automations(Some("yesterday"), 1).await, "invalid_cursor");
    tasks.delete_automation("evening", &ada()).await.expect("deleted");
    refused(tasks.delete_automation("evening", &ada()).await, "unknown_automation");
    assert_eq!(gateway.told(EventKind::AutomationChanged).await, 4);
}

async fn what_makes_no_sense_as_an_automation_is_refused(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let tasks = &gateway.tasks;
    let task = gateway.task("pay").await;
    let create = async |new: NewAutomation| tasks.create_automation(new, &ada()).await;
    for name in ["", " ", "a b", "-a", "a/b", "aut_1", &"x".repeat(101)] {
        let refusal = refused(create(wanted(name, &task, hourly())).await, "bad_automation");
        assert_eq!(refusal.field.as_deref(), Some("name"));
    }
    for (trigger, field) in [
        (cron("0 0 31 2 *", "UTC"), "trigger"),
        (cron("*/10 * * * * *", "UTC"), "trigger.pattern"),
        (cron("now", "UTC"), "trigger.pattern"),
        (cron("0 9 * * *", "Europe/Berln"), "trigger.timezone"),
        (Trigger::Interval { seconds: 59, from_ms: START_MS }, "trigger.seconds"),
        (Trigger::Once { at_ms: START_MS - 1 }, "trigger"),
        (Trigger::Once { at_ms: i64::MAX }, "trigger"),
    ] {
        let refusal = refused(create(wanted("a", &task, trigger)).await, "bad_schedule");
        assert_eq!(refusal.field.as_deref(), Some(field), "{refusal:?}");
    }
    let own = |kind| Trigger::Event { kind, tool: None, server: None, outcome: None, principal: None };
    for trigger in [
        own(EventKind::AutomationFired),
        own(EventKind::AutomationChanged),
        Trigger::Webhook { secret: String::new() },
        Trigger::Webhook { secret: "unknown".to_owned() },
        Trigger::Webhook { secret: "broken".to_owned() },
        Trigger::Pointer { pattern: "a b".to_owned() },
        Trigger::RunEnded { task: None, states: vec![RunState::Running] },
    ] {
        refused(create(wanted("a", &task, trigger)).await, "bad_automation");
    }
    let long = NewAutomation { catch_up_seconds: Some(8 * 86_400), ..wanted("a", &task, hourly()) };
    refused(create(long).await, "bad_automation");
    let wild = NewAutomation { jitter_seconds: 3_601, ..wanted("a", &task, hourly()) };
    refused(create(wild).await, "bad_automation");
    refused(create(wanted("a", &TaskId::new("task_x"), hourly())).await, "unknown_task");
    let plain = NewTask { name: "by hand".to_owned(), ..NewTask::default() };
    let plain = gateway.runs.put_task(plain, &ada()).await.expect("made").id;
    refused(create(wanted("a", &plain, hourly())).await, "task_without_plan");
    assert!(tasks.automations(None, 10).await.expect("read").automations.is_empty());
}

async fn the_next_instants_can_be_asked_for(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let automation = gateway.automation("hourly", hourly(), Overlap::Skip).await;
    let next = gateway.tasks.next(&automation, START_MS, 2);
    assert_eq!(next, [START_MS + 3_600_000, START_MS + 7_200_000]);
    let webhook = Trigger::Webhook { secret: "orders".to_owned() };
    let webhook = gateway.automation("orders", webhook, Overlap::Skip).await;
    assert!(gateway.tasks.next(&webhook, START_MS, 2).is_empty());
}

async fn one_of_a_newer_release_is_shown_and_the_others_fire(world: TasksWorld) {
    let gateway = world.gateway("one").await;
    let tasks = &gateway.tasks;
    let good = gateway.automation("hourly", hourly(), Overlap::AllowAll).await;
    let after = Trigger::RunEnded { task: Some(good.task.clone()), states: Vec::new() };
    let chained = gateway.automation("after", after, Overlap::AllowAll).await;
    // Its trigger is stored in words that no release of this kind reads.
    let newer = Automation {
        id: AutomationId::new("aut_newer"),
        name: "newer".to_owned(),
        trigger: Trigger::Unreadable { why: "the moon".to_owned() },
        ..good.clone()
    };
    let act = ActionStamp { by: &ada(), at_ms: START_MS };
    gateway.books.create_automation(&newer, act).await.expect("stored");
    let unreadable = |one: &&Automation| matches!(one.trigger, Trigger::Unreadable { .. });
    let listed = tasks.automations(None, 10).await.expect("read").automations;
    assert_eq!((listed.len(), listed.iter().filter(unreadable).count()), (3, 1));
    assert!(unreadable(&&tasks.automation("newer").await.expect("read")));
    world.clock.advance(HOUR);
    gateway.until_states(&good, &["started"]).await;
    let run = gateway.automatic_runs().await.remove(0);
    gateway.runs.cancel(&run.id, &ada(), "operator").await.expect("cancelled");
    gateway.until_states(&chained, &["started"]).await;
    let unread = wanted("unread", &good.task, newer.trigger.clone());
    refused(tasks.create_automation(unread, &ada()).await, "bad_automation");
    let repaired = wanted("newer", &good.task, hourly());
    let changed = tasks.change_automation("newer", repaired, None, &ada()).await.expect("changed");
    assert_eq!(changed.trigger, hourly());
}
