//! A run from its creation on.

use toolgate_core::PrincipalId;
use toolgate_core::id::{SessionId, TaskId};
use toolgate_core::run::{Run, RunState};
use toolgate_store::{RunError, RunFilter};

use super::*;

crate::on_both!(
    a_run_is_kept_as_it_was_created,
    a_run_starts_with_its_first_call,
    a_run_can_be_stopped_and_go_on,
    pages_are_newest_first_and_leave_nothing_out,
    what_is_not_there_is_not_changed,
);

async fn a_run_is_kept_as_it_was_created(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = Run { budget: with_calls(3), ..a_run("1") };
    let made = create(&books, run.clone()).await;
    let run = Run { events: 1, ..run };
    assert_eq!(made, run);
    assert_eq!(read(&store, &run.id).await, run);
    let by = ada();
    books.attach_run_session(&run.id, &SessionId::new("ses_1"), later(&by, 0)).await.expect("attached");
    let attached = Run { session: Some(SessionId::new("ses_1")), row_version: 2, ..run.clone() };
    assert_eq!(read(&store, &run.id).await, attached);
    let events = events_of(&store, &run.id).await;
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].event.kind, &events[0].event.principal), (EventKind::RunCreated, &ada()));
    assert_eq!(events[0].event.about.task.as_deref(), Some("task_1"));
    assert_eq!(detail(&events[0])["budget"]["calls"], 3);
    assert!(store.run(&id("\0")).await.expect("read").is_none());
}

async fn a_run_starts_with_its_first_call(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    books.admit_run_call(&run, &a_call("1", CallKind::Control), NOW_MS + 7).await.expect("let in");
    let started = read(&store, &run).await;
    assert_eq!((started.state, started.started_at_ms), (RunState::Running, Some(NOW_MS + 7)));
    assert_eq!(started.used, BudgetUsage::default(), "the gateway's own tools use up nothing");
    let events = events_of(&store, &run).await;
    assert_eq!(events[1].event.kind, EventKind::RunStarted);
    assert_eq!(events[1].event.principal.as_str(), "erna", "whoever works in it starts it");
    assert_eq!(events[1].event.about.call, Some(call_id("1")));
    admit(&books, &run, "2").await.expect("let in");
    assert_eq!(story_of(&store, &run).await, ["run.created", "run.started"], "once");
}

async fn a_run_can_be_stopped_and_go_on(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    let by = ada();
    let refused = books.pause_run(&run, "operator", later(&by, 1)).await;
    assert!(
        matches!(&refused, Err(RunError::Step(refusal)) if refusal.code.name == "run_state"),
        "{refused:?}"
    );
    assert!(matches!(books.resume_run(&run, later(&by, 1)).await, Err(RunError::NotPaused { .. })));
    admit(&books, &run, "1").await.expect("let in");

    let paused = books.pause_run(&run, "operator", later(&by, 1_010)).await.expect("paused");
    assert_eq!((paused.state, paused.used.active_ms), (RunState::Paused, 1_000));
    let refused = admit(&books, &run, "2").await;
    assert!(matches!(refused, Err(RunError::Paused { question: None, .. })), "{refused:?}");
    let asking = books.admit_run_call(&run, &a_call("3", CallKind::Ask), NOW_MS + 30).await;
    assert!(matches!(asking, Err(RunError::Paused { .. })), "it waits for no answer: {asking:?}");
    finish(&books, &run, "1").await;
    assert_eq!(read(&store, &run).await.used.bytes, 100, "what was under way went on");

    let resumed = books.resume_run(&run, later(&by, 9_000)).await.expect("resumed").run;
    assert_eq!((resumed.state, resumed.reason, resumed.used.active_ms), (RunState::Running, None, 1_000));
    admit(&books, &run, "2").await.expect("let in");
    assert_eq!(story_of(&store, &run).await, ["run.created", "run.started", "run.paused", "run.resumed"]);
    assert_eq!(detail(&events_of(&store, &run).await[2])["reason"], "operator");
    trace(&store, &run).await;
}

async fn pages_are_newest_first_and_leave_nothing_out(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for number in 0..7_i64 {
        // Some at the same moment.
        let created_at_ms = NOW_MS + number / 2;
        let principal = PrincipalId::new(if number % 2 == 0 { "erna" } else { "otto" });
        create(&books, Run { created_at_ms, principal, ..a_run(&number.to_string()) }).await;
    }
    create_child(&books, "child", &id("3")).await;
    admit(&books, &id("4"), "1").await.expect("let in");
    let all = async |filter: RunFilter| {
        let (mut names, mut cursor) = (Vec::new(), None);
        loop {
            let (runs, next) = store.runs(&filter, cursor.as_ref(), 2).await.expect("read");
            names.extend(runs.iter().map(|run| run.id.as_str()["run_".len()..].to_owned()));
            let Some(next) = next else { return names };
            cursor = Some(next.to_string().parse().expect("a cursor survives being text"));
        }
    };
    assert_eq!(all(RunFilter::default()).await, ["6", "5", "4", "3", "2", "child", "1", "0"]);
    let otto = RunFilter { principal: Some(PrincipalId::new("otto")), ..RunFilter::default() };
    assert_eq!(all(otto).await, ["5", "3", "1"]);
    let of_three = RunFilter { parent: Some(id("3")), ..RunFilter::default() };
    assert_eq!(all(of_three).await, ["child"]);
    let running = RunFilter { state: Some(RunState::Running), ..RunFilter::default() };
    assert_eq!(all(running).await, ["4"]);
    let other = RunFilter { task: Some(TaskId::new("task_\0")), ..RunFilter::default() };
    assert!(all(other).await.is_empty());
}

async fn what_is_not_there_is_not_changed(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (by, run) = (ada(), id("nobody"));
    let unknown = |error: RunError| matches!(error, RunError::UnknownRun(unknown) if unknown == id("nobody"));
    assert!(admit(&books, &run, "1").await.is_err_and(unknown));
    assert!(complete(&books, &run, None).await.is_err_and(unknown));
    assert!(books.pause_run(&run, "operator", later(&by, 0)).await.is_err_and(unknown));
    assert!(books.resume_run(&run, later(&by, 0)).await.is_err_and(unknown));
    assert!(ask(&books, "1", &run, a_slot("a")).await.is_err_and(unknown));
    let child = Run { parent: Some(run), ..a_run("child") };
    assert!(books.create_run(child, later(&by, 0)).await.is_err_and(unknown));
    let answered = answer(&books, &InputId::new("inp_1"), "bob", "x").await;
    assert!(matches!(answered, Err(RunError::UnknownInput(_))));
    assert!(desk::ledger(&store).await.is_empty());
}
