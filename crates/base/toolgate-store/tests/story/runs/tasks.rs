//! Definitions of work.

use toolgate_core::RawJson;
use toolgate_core::model::ModelName;
use toolgate_core::run::{Task, TaskPlan};
use toolgate_store::{TASK_VERSIONS_MAX, TaskVersion};

use super::*;

crate::on_both!(
    a_task_is_kept_changed_and_deleted,
    a_task_keeps_its_plan_and_its_versions,
    a_task_that_changed_meanwhile_is_not_overwritten,
);

fn a_task(name: &str) -> Task {
    Task {
        id: TaskId::new(format!("task_{name}")),
        name: name.to_owned(),
        description: "pay\u{1F600}".to_owned(),
        agent: AgentName::new("clerk").ok(),
        budget: RunBudget {
            calls: Some(1),
            bytes: Some(u64::MAX),
            turns: Some(2),
            tokens: Some(3),
            cost_micros: Some(4),
            ..RunBudget::default()
        },
        plan: None,
        created_by: ada(),
        created_at_ms: NOW_MS,
        updated_at_ms: NOW_MS,
        row_version: 1,
    }
}

async fn a_task_is_kept_changed_and_deleted(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let by = ada();
    let task = Task { budget: with_calls(1), ..a_task("1") };
    books.create_task(&task, later(&by, 0)).await.expect("created");
    assert_eq!(store.task(&task.id).await.expect("read"), Some(task.clone()));
    let change =
        |before| Task { name: "other".to_owned(), agent: None, budget: RunBudget::default(), ..before };
    let changed =
        books.change_task(&task.id, TaskVersion::Any, change, later(&by, 5)).await.expect("changed");
    assert_eq!((changed.name.as_str(), changed.row_version, changed.updated_at_ms), ("other", 2, NOW_MS + 5));
    assert_eq!(store.task(&task.id).await.expect("read"), Some(changed));
    books.create_task(&a_task("2"), later(&by, 0)).await.expect("created");
    let (tasks, next) = store.tasks(None, 1).await.expect("read");
    assert_eq!(tasks[0].id.as_str(), "task_2");
    let budget = tasks[0].budget;
    assert_eq!(budget.bytes, Some(i64::MAX.unsigned_abs()), "no database has more");
    assert_eq!((budget.turns, budget.tokens, budget.cost_micros), (Some(2), Some(3), Some(4)));
    let (tasks, end) = store.tasks(next.as_ref(), 1).await.expect("read");
    assert_eq!((tasks[0].id.as_str(), end), ("task_1", None));
    books.delete_task(&task.id, later(&by, 9)).await.expect("deleted");
    assert_eq!(store.task(&task.id).await.expect("read"), None);
    let again = books.delete_task(&task.id, later(&by, 9)).await;
    assert!(matches!(again, Err(RunError::UnknownTask(_))), "{again:?}");
    let told = desk::ledger(&store).await;
    let told: Vec<String> =
        told.iter().map(|one| detail(one)["change"].as_str().expect("one").into()).collect();
    assert_eq!(told, ["created", "changed", "created", "deleted"]);
}

async fn a_task_keeps_its_plan_and_its_versions(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let by = ada();
    let plan = TaskPlan {
        goal: "Pay.\0".to_owned(),
        model: ModelName::new("small").expect("a name"),
        instructions: "Be brief.".to_owned(),
        input: Vec::new(),
        outcome_schema: Some(RawJson::from_composed("{\"type\":\"object\"}".to_owned())),
        spend_per_day_micros: Some(5),
    };
    let task = Task { plan: Some(plan), budget: with_calls(1), ..a_task("1") };
    books.create_task(&task, later(&by, 0)).await.expect("created");
    assert_eq!(store.task(&task.id).await.expect("read"), Some(task.clone()));
    for number in 0..TASK_VERSIONS_MAX {
        let change = |before| Task { name: number.to_string(), plan: None, ..before };
        books.change_task(&task.id, TaskVersion::Any, change, later(&by, 1)).await.expect("changed");
        if number == 0 {
            let versions = store.task_versions(&task.id).await.expect("read");
            assert_eq!((versions[0].version, versions[0].words.name.as_str()), (2, "0"));
            assert_eq!((versions[1].version, &versions[1].words.plan), (1, &task.plan));
        }
    }
    let versions = store.task_versions(&task.id).await.expect("read");
    let numbers: Vec<u64> = versions.iter().map(|one| one.version).collect();
    assert_eq!(numbers, (2..=TASK_VERSIONS_MAX + 1).rev().collect::<Vec<_>>());
    books.delete_task(&task.id, later(&by, 9)).await.expect("deleted");
    assert!(store.task_versions(&task.id).await.expect("read").is_empty());
}

async fn a_task_that_changed_meanwhile_is_not_overwritten(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let by = ada();
    let task = a_task("1");
    one.create_task(&task, later(&by, 0)).await.expect("created");
    let writes = (0..8).map(|number| {
        let (books, id, by) =
            (if number % 2 == 0 { one.clone() } else { two.clone() }, task.id.clone(), ada());
        tokio::spawn(async move {
            let change = |before| Task { name: number.to_string(), ..before };
            books.change_task(&id, TaskVersion::Seen(1), change, later(&by, 1)).await
        })
    });
    let (mut written, mut stale) = (Vec::new(), 0);
    for write in writes.collect::<Vec<_>>() {
        match write.await.expect("no panic") {
            Ok(task) => written.push(task),
            Err(RunError::Stale { current: 2 }) => stale += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((written.len(), stale), (1, 7));
    assert_eq!(store.task(&task.id).await.expect("read").as_ref(), written.first());
}
