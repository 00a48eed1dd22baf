//! Definitions of work.

use toolgate_core::id::TaskId;
use toolgate_core::model::ModelName;
use toolgate_core::run::{RunBudget, TaskPlan};
use toolgate_core::scope::AgentName;
use toolgate_core::{RawJson, RefusalKind};
use toolgate_runs::{NewRun, NewTask};

use crate::world::{RunsWorld, ada, erna, new_run, refused};

fn a_task(name: &str) -> NewTask {
    NewTask { name: name.to_owned(), ..NewTask::default() }
}

#[tokio::test]
async fn a_task_is_made_changed_listed_and_deleted() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let runs = &gateway.runs;
    let task = runs.put_task(a_task("pay"), &ada()).await.expect("made");
    assert_eq!((task.created_by.as_str(), task.row_version), ("ada", 1));
    assert_eq!(runs.task(&task.id).await.expect("read"), task);
    world.clock.advance(5);
    let change = NewTask { id: Some(task.id.clone()), if_version: Some(1), ..a_task("pay all") };
    let changed = runs.put_task(change.clone(), &erna()).await.expect("changed");
    assert_eq!((changed.name.as_str(), changed.row_version, &changed.created_by), ("pay all", 2, &ada()));
    assert_eq!(changed.updated_at_ms, changed.created_at_ms + 5_000);
    assert_eq!(refused(runs.put_task(change, &erna()).await, "stale").kind, RefusalKind::Stale);
    runs.put_task(a_task("other"), &ada()).await.expect("made");
    let first = runs.tasks(None, 1).await.expect("read");
    let second = runs.tasks(first.next.as_deref(), 1).await.expect("read");
    assert_eq!((first.tasks[0].name.as_str(), second.tasks[0].name.as_str()), ("other", "pay all"));
    assert_eq!(second.next, None);
    runs.delete_task(&task.id, &ada()).await.expect("deleted");
    assert_eq!(refused(runs.task(&task.id).await, "unknown_task").kind, RefusalKind::NotFound);
    refused(runs.delete_task(&task.id, &ada()).await, "unknown_task");
}

#[tokio::test]
async fn what_makes_no_sense_as_a_task_is_refused() {
    let gateway = RunsWorld::new().gateway("one").await;
    let runs = &gateway.runs;
    for name in ["", "  ", "a\nb", &"x".repeat(201)] {
        let refusal = refused(runs.put_task(a_task(name), &ada()).await, "bad_task");
        assert_eq!((refusal.kind, refusal.field.as_deref()), (RefusalKind::Invalid, Some("name")));
    }
    let long = NewTask { description: "x".repeat(20_001), ..a_task("a") };
    refused(runs.put_task(long, &ada()).await, "bad_task");
    let nobody = NewTask { id: Some(TaskId::new("task_x")), ..a_task("a") };
    refused(runs.put_task(nobody, &ada()).await, "unknown_task");
    refused(runs.tasks(Some("yesterday"), 10).await, "invalid_cursor");
}

#[tokio::test]
async fn a_task_has_a_plan_and_keeps_the_version_before() {
    let gateway = RunsWorld::new().gateway("one").await;
    let runs = &gateway.runs;
    let plan = TaskPlan {
        goal: "Pay the bills.".to_owned(),
        model: ModelName::new("small").expect("a name"),
        instructions: String::new(),
        input: Vec::new(),
        outcome_schema: None,
        spend_per_day_micros: None,
    };
    let planned = NewTask { plan: Some(plan.clone()), ..a_task("pay") };
    let task = runs.put_task(planned.clone(), &ada()).await.expect("made");
    assert_eq!(task.plan, Some(plan.clone()));
    let change = NewTask { id: Some(task.id.clone()), ..a_task("pay by hand") };
    runs.put_task(change, &erna()).await.expect("changed");
    let versions = runs.task_versions(&task.id).await.expect("read");
    assert_eq!((versions[0].version, versions[0].by.as_str(), &versions[0].words.plan), (2, "erna", &None));
    assert_eq!((versions[1].version, versions[1].by.as_str()), (1, "ada"));
    assert_eq!(versions[1].words.plan, Some(plan.clone()));
    let schema = |text: &str| Some(RawJson::from_composed(text.to_owned()));
    for (bad, field) in [
        (TaskPlan { goal: " ".to_owned(), ..plan.clone() }, "goal"),
        (TaskPlan { goal: "x".repeat((100 << 10) + 1), ..plan.clone() }, "goal"),
        (TaskPlan { instructions: "x".repeat((100 << 10) + 1), ..plan.clone() }, "instructions"),
        (TaskPlan { outcome_schema: schema("true"), ..plan.clone() }, "outcome_schema"),
    ] {
        let refusal =
            refused(runs.put_task(NewTask { plan: Some(bad), ..a_task("a") }, &ada()).await, "bad_task");
        assert_eq!(refusal.field.as_deref(), Some(field));
    }
    refused(runs.task_versions(&TaskId::new("task_x")).await, "unknown_task");
}

#[tokio::test]
async fn a_run_has_the_agent_and_the_budget_of_its_task() {
    let gateway = RunsWorld::new().gateway("one").await;
    let runs = &gateway.runs;
    let clerk = AgentName::new("clerk").expect("a legal name");
    let budget = RunBudget { calls: Some(5), seconds: Some(60), ..RunBudget::default() };
    let task = NewTask { agent: Some(clerk.clone()), budget, ..a_task("pay") };
    let task = runs.put_task(task, &ada()).await.expect("made").id;
    let wanted = RunBudget { calls: Some(9), seconds: Some(30), bytes: Some(7), ..RunBudget::default() };
    let new = NewRun { task: Some(task.clone()), budget: wanted, ..new_run() };
    let run = runs.create(new.clone()).await.expect("created");
    assert_eq!((&run.agent, &run.task), (&clerk, &Some(task.clone())));
    let expected = RunBudget { calls: Some(5), seconds: Some(30), bytes: Some(7), ..RunBudget::default() };
    assert_eq!(run.budget, expected);
    let cook = AgentName::new("cook").expect("a legal name");
    let run = runs.create(NewRun { agent: Some(cook.clone()), ..new.clone() }).await.expect("created");
    assert_eq!(run.agent, cook);
    assert_eq!(runs.create(new_run()).await.expect("created").agent, AgentName::default_agent());
    runs.delete_task(&task, &ada()).await.expect("deleted");
    refused(runs.create(new).await, "unknown_task");
    assert_eq!(runs.get(&run.id).await.expect("its runs stay").task, Some(task));
}
