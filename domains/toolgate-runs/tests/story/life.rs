//! The start, pause and resumption of runs.

use toolgate_core::id::{FileId, RunId, SessionId};
use toolgate_core::run::{InputFile, RunBudget, RunState};
use toolgate_core::{Digest, RefusalKind};
use toolgate_runs::{NewRun, RunQuery};

use crate::world::{RunsWorld, ada, erna, new_run, refused};

fn file(path: &str) -> InputFile {
    InputFile { path: path.to_owned(), file: FileId::new("file_1"), digest: Digest::of("a") }
}

#[tokio::test]
async fn a_run_is_created_with_a_manifest_in_order() {
    let gateway = RunsWorld::new().gateway("one").await;
    let runs = &gateway.runs;
    let new = NewRun { input: vec![file("b/c.txt"), file("a.pdf")], ..new_run() };
    let run = runs.create(new).await.expect("created");
    let paths: Vec<&str> = run.input.iter().map(|file| file.path.as_str()).collect();
    assert_eq!((paths, run.state), (vec!["a.pdf", "b/c.txt"], RunState::Pending));
    assert_eq!(runs.get(&run.id).await.expect("read"), run);
    for bad in ["", "/etc/passwd", "../a", "a/../b", "a//b", "a/", "a\\b", "a\0b", &"x".repeat(1_025)] {
        let new = NewRun { input: vec![file(bad)], ..new_run() };
        assert_eq!(refused(runs.create(new).await, "bad_input").kind, RefusalKind::Invalid, "{bad:?}");
    }
    let twice = NewRun { input: vec![file("a"), file("a")], ..new_run() };
    refused(runs.create(twice).await, "bad_input");
    let many = (0..1_001).map(|number| file(&number.to_string())).collect();
    refused(runs.create(NewRun { input: many, ..new_run() }).await, "bad_input");
}

#[tokio::test]
async fn runs_are_found_by_what_is_asked_for() {
    let world = RunsWorld::new();
    let gateway = world.gateway("one").await;
    let runs = &gateway.runs;
    let (one, two) = (gateway.run().await, gateway.run().await);
    let child = gateway.child(&one).await;
    runs.attach_session(&two, &SessionId::new("ses_1")).await.expect("attached");
    assert_eq!(runs.get(&two).await.expect("read").session, Some(SessionId::new("ses_1")));
    let listed = async |query: RunQuery| {
        let page = runs.list(RunQuery { limit: 2, ..query }).await.expect("read");
        (page.runs.into_iter().map(|run| run.id).collect::<Vec<_>>(), page.next)
    };
    let (first, next) = listed(RunQuery::default()).await;
    assert_eq!(first, [child.clone(), two]);
    assert_eq!(listed(RunQuery { cursor: next, ..RunQuery::default() }).await, (vec![one.clone()], None));
    let within = RunQuery { parent: Some(one.clone()), ..RunQuery::default() };
    assert_eq!(listed(within).await.0, [child]);
    refused(
        runs.list(RunQuery { cursor: Some("x".to_owned()), ..RunQuery::default() }).await,
        "invalid_cursor",
    );
    let nobody = RunId::new("run_x");
    assert_eq!(refused(runs.get(&nobody).await, "unknown_run").kind, RefusalKind::NotFound);
    refused(runs.calls(&nobody).await, "unknown_run");
    refused(runs.attach_session(&nobody, &SessionId::new("ses_1")).await, "unknown_run");
    refused(runs.cancel(&nobody, &ada(), "operator").await, "unknown_run");
    gateway.admit(&one, "a").await.expect("let in");
    let calls = runs.calls(&one).await.expect("read");
    let told = serde_json::to_value(&calls).expect("plain data");
    assert_eq!((&told[0]["kind"], &told[0]["state"]), (&"data".into(), &"open".into()));
}

#[tokio::test]
async fn a_run_that_somebody_stopped_lets_nothing_in_until_it_goes_on() {
    let gateway = RunsWorld::new().gateway("one").await;
    let runs = &gateway.runs;
    let run = gateway.run().await;
    refused(runs.pause(&run, &ada()).await, "run_state");
    refused(runs.resume(&run, &ada()).await, "run_state");
    gateway.admit(&run, "a").await.expect("let in");
    let paused = runs.pause(&run, &ada()).await.expect("paused");
    assert_eq!((paused.state, paused.reason.as_deref()), (RunState::Paused, Some("operator")));
    refused(runs.pause(&run, &ada()).await, "run_state");
    let refusal = refused(gateway.admit(&run, "b").await, "run_paused");
    assert_eq!(refusal.kind, RefusalKind::Conflict);
    assert!(refusal.hint.contains(&format!("toolgate runs resume {run}")), "{}", refusal.hint);
    refused(gateway.complete(&run).await, "run_paused");
    gateway.finish(&run, "a").await;
    assert_eq!(runs.resume(&run, &ada()).await.expect("resumed").state, RunState::Running);
    gateway.admit(&run, "b").await.expect("let in");
    assert_eq!(gateway.ledger().await, ["run.created", "run.started", "run.paused", "run.resumed"]);
}

#[tokio::test]
async fn what_a_run_may_not_be_within_is_said() {
    let gateway = RunsWorld::new().gateway("one").await;
    let runs = &gateway.runs;
    let mut last = gateway.run_with(RunBudget { calls: Some(3), ..RunBudget::default() }).await;
    let root = last.clone();
    for _ in 0..8 {
        last = gateway.child(&last).await;
    }
    assert_eq!(runs.get(&last).await.expect("read").budget.calls, Some(3), "no more than its parents");
    refused(runs.create(NewRun { parent: Some(last), ..new_run() }).await, "run_too_deep");
    runs.cancel(&root, &ada(), "operator").await.expect("cancelled");
    let late = NewRun { parent: Some(root), ..new_run() };
    assert_eq!(refused(runs.create(late).await, "run_ended").kind, RefusalKind::Gone);
    let nobody = NewRun { parent: Some(RunId::new("run_x")), principal: erna(), ..new_run() };
    refused(runs.create(nobody).await, "unknown_run");
}
