//! Runs within runs: their budgets, and their end.

use toolgate_core::id::RunId;
use toolgate_core::run::Run;
use toolgate_store::{RUN_DEPTH_MAX, RunEnding};

use super::*;

crate::on_both!(
    a_child_gets_no_more_than_is_left_above_it,
    what_a_child_uses_up_is_used_up_above_it,
    runs_are_not_nested_for_ever,
    an_ended_run_gets_no_children,
    a_run_ends_with_all_within_it,
    a_run_is_not_completed_before_those_within_it,
);

async fn a_child_gets_no_more_than_is_left_above_it(world: StoreWorld) {
    let (_, books) = place(&world).await;
    let budget = RunBudget {
        calls: Some(5),
        seconds: Some(60),
        bytes: Some(1_000),
        tokens: Some(700),
        ..RunBudget::default()
    };
    let root = create(&books, Run { budget, ..a_run("root") }).await.id;
    admit(&books, &root, "1").await.expect("let in");
    finish(&books, &root, "1").await;
    let by = ada();
    let wanted = Run { parent: Some(root.clone()), budget: with_calls(9), ..a_run("child") };
    // Ten seconds after the first call.
    let child = books.create_run(wanted, later(&by, 10_010)).await.expect("created");
    let left = RunBudget { calls: Some(4), seconds: Some(50), bytes: Some(900), ..budget };
    assert_eq!(child.budget, left);
    let modest = Run { parent: Some(child.id.clone()), budget: with_calls(1), ..a_run("grandchild") };
    let grandchild = books.create_run(modest, later(&by, 10_010)).await.expect("created");
    assert_eq!(grandchild.budget, RunBudget { calls: Some(1), ..left });
}

async fn what_a_child_uses_up_is_used_up_above_it(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = create(&books, Run { budget: with_calls(3), ..a_run("root") }).await.id;
    let middle = create_child(&books, "middle", &root).await.id;
    let leaf = create_child(&books, "leaf", &middle).await.id;
    for (run, call) in [(&root, "1"), (&middle, "2"), (&leaf, "3")] {
        admit(&books, run, call).await.expect("let in");
        finish(&books, run, call).await;
    }
    for (run, calls) in [(&root, 3), (&middle, 2), (&leaf, 1)] {
        let used = read(&store, run).await.used;
        assert_eq!((used.calls, used.bytes), (calls, calls * 100), "{run}");
    }
    let refused = admit(&books, &leaf, "4").await;
    let Err(RunError::Exhausted(exhausted)) = refused else { panic!("{refused:?}") };
    assert_eq!((&exhausted.run, exhausted.limit, exhausted.max, exhausted.used), (&root, "calls", 3, 3));
    assert_eq!(store.run_calls(&leaf).await.expect("read").len(), 1);
}

async fn runs_are_not_nested_for_ever(world: StoreWorld) {
    let (_, books) = place(&world).await;
    let mut last = create(&books, a_run("0")).await.id;
    for depth in 1..=RUN_DEPTH_MAX {
        last = create_child(&books, &depth.to_string(), &last).await.id;
    }
    let by = ada();
    let one_more = Run { parent: Some(last), ..a_run("deep") };
    let refused = books.create_run(one_more, later(&by, 0)).await;
    assert!(matches!(refused, Err(RunError::TooDeep { max: RUN_DEPTH_MAX })), "{refused:?}");
}

async fn an_ended_run_gets_no_children(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = create(&books, a_run("root")).await.id;
    complete(&books, &root, None).await.expect("completed");
    let by = ada();
    let late = Run { parent: Some(root), ..a_run("late") };
    let refused = books.create_run(late, later(&by, 0)).await;
    assert!(
        matches!(&refused, Err(RunError::Step(refusal)) if refusal.code.name == "run_ended"),
        "{refused:?}"
    );
    assert!(store.run(&id("late")).await.expect("read").is_none());
}

async fn a_run_ends_with_all_within_it(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = create(&books, a_run("root")).await.id;
    let (one, two) =
        (create_child(&books, "one", &root).await.id, create_child(&books, "two", &root).await.id);
    let leaf = create_child(&books, "leaf", &one).await.id;
    complete(&books, &two, None).await.expect("completed");
    look_first(&books, &leaf).await;
    let question = ask(&books, "1", &leaf, a_slot("a")).await.expect("asked");

    let by = ada();
    let ending = RunEnding::Cancelled { reason: "operator".to_owned() };
    let ended = books.end_run(&root, &ending, None, later(&by, 60)).await.expect("ended");
    assert_eq!(ended.ended, [one.clone(), leaf.clone()]);
    assert_eq!(ended.cancelled.iter().map(|input| &input.id).collect::<Vec<_>>(), [&question.id]);
    let state = async |run: &RunId| {
        let run = read(&store, run).await;
        (run.state, run.reason.expect("a reason"))
    };
    assert_eq!(state(&root).await, (RunState::Cancelled, "operator".to_owned()));
    assert_eq!(state(&one).await, (RunState::Cancelled, "parent".to_owned()));
    assert_eq!(state(&leaf).await, (RunState::Cancelled, "parent".to_owned()));
    assert_eq!(state(&two).await.0, RunState::Completed, "what has ended stays as it is");
    let refused = answer(&books, &question.id, "bob", "x").await;
    let Err(RunError::Resolved(input)) = refused else { panic!("{refused:?}") };
    assert_eq!((input.state, input.resolved_at_ms), (InputState::Cancelled, Some(NOW_MS + 60)));
    for run in [&root, &one, &two, &leaf] {
        trace(&store, run).await;
        check_question(&store, run).await;
    }
    assert_eq!(story_of(&store, &leaf).await[3..], ["run.paused", "input.resolved", "run.ended"]);
}

async fn a_run_is_not_completed_before_those_within_it(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = create(&books, a_run("root")).await.id;
    let child = create_child(&books, "child", &root).await.id;
    let refused = complete(&books, &root, None).await;
    assert!(matches!(&refused, Err(RunError::OpenChildren(open)) if *open == [child.clone()]), "{refused:?}");
    complete(&books, &child, None).await.expect("completed");
    let completed = complete(&books, &root, None).await.expect("completed").run;
    assert_eq!(completed.state, RunState::Completed);
    assert_eq!(trace(&store, &root).await, [RunState::Pending, RunState::Completed]);
}
