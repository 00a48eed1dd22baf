//! The ends of runs.

use toolgate_core::run::Run;
use toolgate_store::{LeftOutput, RunEnding};

use super::*;

crate::on_both!(
    a_run_is_not_completed_while_calls_are_in_flight,
    two_that_end_a_run_do_not_wait_for_each_other,
    a_run_ends_once,
    a_completed_run_has_what_it_named,
    time_ends_a_run_by_what_it_has_made,
    runs_that_end_early_have_the_manifests_of_what_they_left,
);

async fn a_run_is_not_completed_while_calls_are_in_flight(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    admit(&books, &run, "1").await.expect("let in");
    books.admit_run_call(&run, &a_call("own", CallKind::Control), NOW_MS + 20).await.expect("let in");
    let refused = complete(&books, &run, Some("own")).await;
    let Err(RunError::InFlight(calls)) = refused else { panic!("{refused:?}") };
    assert_eq!((calls.len(), &calls[0].call, calls[0].tool.as_str()), (1, &call_id("1"), "files:read"));
    assert_eq!(read(&store, &run).await.state, RunState::Running);
    finish(&books, &run, "1").await;
    let ended = complete(&books, &run, Some("own")).await.expect("ended").run;
    assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Completed, Some("complete_workflow")));
    assert_eq!(read(&store, &run).await.summary.as_deref(), Some("done\u{fffd}"));
    let last = events_of(&store, &run).await.pop().expect("events");
    assert_eq!((last.event.kind, &last.event.about.call), (EventKind::RunEnded, &Some(call_id("own"))));
    assert_eq!(detail(&last)["used"]["calls"], 1);
}

async fn two_that_end_a_run_do_not_wait_for_each_other(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    for own in ["own", "other"] {
        books.admit_run_call(&run, &a_call(own, CallKind::Control), NOW_MS + 20).await.expect("let in");
    }
    let (one, other) =
        tokio::join!(complete(&books, &run, Some("own")), complete(&books, &run, Some("other")));
    assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
    trace(&store, &run).await;
}

async fn a_run_ends_once(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    complete(&books, &run, None).await.expect("completed");
    let by = ada();
    let over =
        |refused: RunError| matches!(refused, RunError::Step(refusal) if refusal.code.name == "run_ended");
    assert!(complete(&books, &run, None).await.is_err_and(over));
    for ending in
        [RunEnding::Failed { reason: String::new() }, RunEnding::Cancelled { reason: String::new() }]
    {
        assert!(books.end_run(&run, &ending, None, later(&by, 60)).await.is_err_and(over));
    }
    assert!(books.pause_run(&run, "operator", later(&by, 60)).await.is_err_and(over));
    assert!(books.resume_run(&run, later(&by, 60)).await.is_err_and(over));
    assert!(admit(&books, &run, "1").await.is_err_and(over));
    assert!(ask(&books, "1", &run, a_slot("a")).await.is_err_and(over));
    assert_eq!(books.end_late_run(&run, None, later(&by, 60)).await.expect("nothing"), None);
    assert_eq!(trace(&store, &run).await, [RunState::Pending, RunState::Completed]);
}

async fn a_completed_run_has_what_it_named(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let (run, all) = (create(&books, a_run("1")).await.id, create(&books, a_run("2")).await.id);
    let kept = make(&store, &books, &run, "b.txt").await;
    make(&store, &books, &run, "a.txt").await;
    make(&store, &books, &all, "c.txt").await;
    let names = async |run: &RunId| {
        let output = read(&store, run).await.output;
        output.iter().map(|file| file.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&run).await, ["a.txt", "b.txt"], "while it runs, all that it stored");
    let by = ada();
    let completion = RunCompletion {
        summary: Some("done".to_owned()),
        artifacts: Some(vec![kept]),
        reason: "complete_workflow".to_owned(),
        ..RunCompletion::default()
    };
    books.complete_run(&run, &completion, later(&by, 50)).await.expect("completed");
    complete(&books, &all, None).await.expect("completed");
    assert_eq!(names(&run).await, ["b.txt"]);
    assert_eq!(names(&all).await, ["c.txt"]);
    let (listed, _) = store.runs(&Default::default(), None, 10).await.expect("read");
    let listed: Vec<usize> = listed.iter().map(|run| run.output.len()).collect();
    assert_eq!(listed, [1, 1]);
}

async fn time_ends_a_run_by_what_it_has_made(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let budget = RunBudget { seconds: Some(5), ..RunBudget::default() };
    let by = PrincipalId::gateway();
    for (name, state) in [("idle", RunState::Failed), ("busy", RunState::Partial)] {
        let run = create(&books, Run { budget, ..a_run(name) }).await.id;
        admit(&books, &run, "1").await.expect("let in");
        if state == RunState::Partial {
            make(&store, &books, &run, "a.txt").await;
        }
        assert_eq!(books.end_late_run(&run, None, later(&by, 5_009)).await.expect("in time"), None);
        let ended =
            books.end_late_run(&run, None, later(&by, 5_010)).await.expect("ended").expect("it was late").run;
        assert_eq!((ended.state, ended.reason.as_deref()), (state, Some("budget.seconds")));
        assert_eq!(ended.used.active_ms, 5_000);
        trace(&store, &run).await;
    }
    let paused = create(&books, Run { budget, ..a_run("paused") }).await.id;
    look_first(&books, &paused).await;
    ask(&books, "1", &paused, a_slot("a")).await.expect("asked");
    assert!(store.due_runs(NOW_MS + 1_000_000, 10).await.expect("read").is_empty(), "waiting costs no time");
    assert_eq!(books.end_late_run(&paused, None, later(&by, 1_000_000)).await.expect("not late"), None);
}

async fn runs_that_end_early_have_the_manifests_of_what_they_left(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = create(&books, a_run("root")).await.id;
    let (child, idle) =
        (create_child(&books, "child", &root).await.id, create_child(&books, "idle", &root).await.id);
    for run in [&root, &child] {
        make(&store, &books, run, "a.txt").await;
    }
    let mut found = store.open_runs_with_artifacts(&root).await.expect("read");
    found.sort();
    assert_eq!(found, [child.clone(), root.clone()]);
    let left =
        |run: &RunId, stored| LeftOutput { run: run.clone(), manifest: Digest::of(run.as_str()), stored };
    let (by, ending) = (ada(), RunEnding::Cancelled { reason: "enough".to_owned() });
    for outdated in [vec![left(&root, 1)], vec![left(&root, 1), left(&child, 2)]] {
        let refused = books.end_run(&root, &ending, Some(&outdated), later(&by, 60)).await;
        assert!(matches!(refused, Err(RunError::MoreStored)), "{refused:?}");
        assert_eq!(read(&store, &child).await.state, RunState::Pending, "nothing has ended");
    }
    let all = [left(&root, 1), left(&child, 1)];
    books.end_run(&root, &ending, Some(&all), later(&by, 60)).await.expect("ended");
    for run in [&root, &child] {
        assert_eq!(read(&store, run).await.manifests.output, Some(Digest::of(run.as_str())));
    }
    assert_eq!(read(&store, &idle).await.manifests.output, None);
    assert_eq!(store.open_runs_with_artifacts(&root).await.expect("read"), []);
}
