//! Runs of agents with a loop of their own: manifests, reports, states, and ends that are asked for twice.

use serde_json::{Value, json};
use toolgate_core::content::ContentHolder;
use toolgate_core::file::{Artifact, FileName};
use toolgate_core::id::{FileId, RunId, SessionId};
use toolgate_core::run::{InputFile, Run, RunLabel, RunState};
use toolgate_core::{Digest, Principal, RefusalKind, Role};
use toolgate_runs::{AskedCompletion, AskedFailure, NewRun, RunInput, StateSource};
use toolgate_store::{Actor, NotePhase, NoteSubject, RunNote, SavedCheckpoint};

use crate::world::{RunsGateway, RunsWorld, ada, erna, new_run, refused};

async fn begun(gateway: &RunsGateway) -> RunId {
    let run = gateway.run().await;
    gateway.runs.begin(&run, &erna()).await.expect("started");
    run
}

fn holder() -> ContentHolder {
    ContentHolder {
        principal: Principal::new(erna(), Role::Agent),
        session: SessionId::new("ses_1"),
        opened_by: None,
        run: None,
        call: None,
    }
}

fn step(data: Option<Value>) -> RunNote {
    RunNote {
        subject: NoteSubject::Step,
        name: "fetch".to_owned(),
        phase: NotePhase::Start,
        success: None,
        duration_ms: None,
        data,
        call: None,
    }
}

fn result(value: Value) -> AskedCompletion {
    AskedCompletion { result: Some(value), ..AskedCompletion::default() }
}

async fn make(gateway: &RunsGateway, run: &RunId, name: &str) -> Digest {
    let digest = Digest::of(name);
    gateway.store.touch_blob(&digest, 5, 0).await.expect("touched");
    let artifact = Artifact {
        digest,
        name: FileName::new(name).expect("a legal name"),
        media_type: "text/plain".to_owned(),
        bytes: 5,
        run: Some(run.clone()),
        owner: erna(),
        created_at_ms: 0,
    };
    gateway.books().store_artifact(&artifact, &Actor::person(&erna())).await.expect("stored");
    digest
}

#[tokio::test]
async fn the_input_of_a_run_is_a_manifest() {
    let gateway = RunsWorld::new().gateway("one").await;
    let (runs, contents) = (&gateway.runs, &gateway.contents);
    let json = NewRun { content: RunInput::Json(json!({ "question": "why?" })), ..new_run() };
    let made = runs.create(json).await.expect("created").manifests.input.expect("a manifest");
    assert_eq!(contents.listing(made)["input.json"], r#"{"question":"why?"}"#);
    let file =
        InputFile { path: "in/a.pdf".to_owned(), file: FileId::new("file_1"), digest: Digest::of("a") };
    let files = runs.create(NewRun { input: vec![file], ..new_run() }).await.expect("created");
    let listing = contents.listing(files.manifests.input.expect("a manifest"));
    assert_eq!(listing["in/a.pdf"], Digest::of("a").to_string());
    let given =
        runs.create(NewRun { content: RunInput::Manifest(made), ..new_run() }).await.expect("created");
    assert_eq!(given.manifests.input, Some(made));
    let unknown = NewRun { content: RunInput::Manifest(Digest::of("none")), ..new_run() };
    let refusal = refused(runs.create(unknown).await, "unknown_artifact");
    assert_eq!(refusal.field.as_deref(), Some("input_manifest_sha256"));
    assert_eq!(runs.create(new_run()).await.expect("created").manifests.input, None, "nothing went in");
    let long = NewRun { content: RunInput::Json(json!("x".repeat(2 << 20))), ..new_run() };
    refused(runs.create(long).await, "run_data_too_large");
    let label = RunLabel { run_type: Some(String::new()), ..RunLabel::default() };
    refused(runs.create(NewRun { label, ..new_run() }).await, "invalid_arguments");
}

#[tokio::test]
async fn the_output_of_a_run_is_a_manifest_of_its_result_and_artifacts() {
    let gateway = RunsWorld::new().gateway("one").await;
    let run = begun(&gateway).await;
    let (kept, other) = (make(&gateway, &run, "a.txt").await, make(&gateway, &run, "b.txt").await);
    let ended = gateway.runs.complete(&run, None, "done", &[kept], &erna()).await.expect("completed");
    let listing = gateway.contents.listing(ended.manifests.output.expect("a manifest"));
    assert_eq!(listing.keys().collect::<Vec<_>>(), ["a.txt", "result.json"], "b.txt was not named: {other}");
    assert_eq!(listing["result.json"], r#"{"summary":"done"}"#);
    let run = begun(&gateway).await;
    make(&gateway, &run, "result.json").await;
    let ended =
        gateway.runs.complete_as_asked(&run, result(json!({ "n": 1 })), &erna()).await.expect("completed");
    let listing = gateway.contents.listing(ended.manifests.output.expect("a manifest"));
    assert_eq!(listing["result.json"], Digest::of("result.json").to_string(), "its own artifact comes first");
    assert_eq!(ended.report.result, Some(json!({ "n": 1 })));
    assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Completed, Some("run.complete")));
}

#[tokio::test]
async fn the_same_end_again_changes_nothing_and_another_is_a_conflict() {
    let gateway = RunsWorld::new().gateway("one").await;
    let (runs, by) = (&gateway.runs, erna());
    let run = begun(&gateway).await;
    let first =
        runs.complete_as_asked(&run, result(json!({ "a": 1, "b": 2 })), &by).await.expect("completed");
    let again = runs.complete_as_asked(&run, result(json!({ "b": 2, "a": 1 })), &by).await.expect("the same");
    assert_eq!(again, first);
    let other = refused(runs.complete_as_asked(&run, result(json!(2)), &by).await, "run_ended_otherwise");
    assert_eq!(other.kind, RefusalKind::Conflict);
    let failure = AskedFailure { kind: "timeout".to_owned(), message: "too slow".to_owned(), details: None };
    refused(runs.fail_as_asked(&run, failure.clone(), &by).await, "run_ended_otherwise");
    let run = begun(&gateway).await;
    let failed = runs.fail_as_asked(&run, failure.clone(), &by).await.expect("failed");
    assert_eq!(failed.report.error, Some(json!({ "type": "timeout", "message": "too slow" })));
    assert_eq!(runs.fail_as_asked(&run, failure, &by).await.expect("the same"), failed);
    let unknown = AskedCompletion { manifest: Some(Digest::of("none")), ..AskedCompletion::default() };
    let run = begun(&gateway).await;
    refused(runs.complete_as_asked(&run, unknown, &by).await, "unknown_artifact");
    assert_eq!(gateway.state(&run).await, "running");
    let run = gateway.run().await;
    gateway.complete(&run).await.expect("completed by itself");
    refused(runs.cancel_as_asked(&run, "late", &by).await, "run_ended");
}

#[tokio::test]
async fn reports_have_limits_and_say_where_a_run_stands() {
    let gateway = RunsWorld::new().gateway("one").await;
    let (runs, by) = (&gateway.runs, erna());
    let run = gateway.run().await;
    let early = refused(runs.note(&run, &step(None), &by).await, "run_state");
    assert!(early.message.contains("pending") && early.hint.contains("run.start"), "{early:?}");
    runs.begin(&run, &by).await.expect("started");
    assert!(refused(runs.begin(&run, &by).await, "run_state").message.contains("running"));
    assert_eq!(runs.note(&run, &step(Some(json!({ "n": 1 }))), &by).await.expect("logged"), 3);
    let long = step(Some(json!("x".repeat(10 << 20))));
    assert!(refused(runs.note(&run, &long, &by).await, "run_data_too_large").hint.contains("artifact"));
    refused(runs.note(&run, &RunNote { name: " ".to_owned(), ..step(None) }, &by).await, "invalid_arguments");
    refused(runs.note(&RunId::new("run_0"), &step(None), &by).await, "unknown_run");
    let paused = runs.pause_own(&run, &by).await.expect("paused");
    assert_eq!(paused.reason.as_deref(), Some("agent"));
    runs.check_resumable(&paused).await.expect("it paused itself");
    runs.resume(&run, &by).await.expect("resumed");
    let paused = runs.pause(&run, &by).await.expect("paused");
    runs.check_resumable(&paused).await.expect("it paused itself through the API");
    runs.resume(&run, &by).await.expect("resumed");
    let paused = runs.pause(&run, &ada()).await.expect("paused");
    refused(runs.check_resumable(&paused).await, "not_allowed");
    // An operator's pause whose event is no longer in the ledger is still an operator's.
    let forgotten = Run { id: RunId::new("run_0"), ..paused };
    refused(runs.check_resumable(&forgotten).await, "not_allowed");
}

#[tokio::test]
async fn a_state_is_read_as_it_was_saved() {
    let gateway = RunsWorld::new().gateway("one").await;
    let (runs, holder) = (&gateway.runs, holder());
    let run = begun(&gateway).await;
    let save = async |id: &str, state: Value| {
        runs.checkpoint(&run, Some(id.to_owned()), StateSource::Json(state), &holder).await
    };
    save("one", json!({ "b": 1, "a": 2 })).await.expect("saved");
    let again = save("one", json!({ "a": 2, "b": 1 })).await.expect("the same");
    assert!(matches!(again, SavedCheckpoint::Same(_)), "{again:?}");
    let taken = refused(save("one", json!({})).await, "checkpoint_taken");
    assert_eq!((taken.kind, taken.field.as_deref()), (RefusalKind::Conflict, Some("checkpoint_id")));
    let latest = runs.latest_checkpoint(&run).await.expect("read").expect("saved");
    assert_eq!(runs.read_state(&latest).await.expect("read").as_deref(), Some(r#"{"a":2,"b":1}"#));
    let long = refused(save("two", json!("x".repeat(2 << 20))).await, "run_data_too_large");
    assert!(long.hint.contains("state_file_id"), "{long:?}");
    let file = StateSource::Stored((65 << 20).to_string());
    refused(runs.checkpoint(&run, None, file, &holder).await, "run_data_too_large");
    refused(save("", json!({})).await, "invalid_arguments");
    let fresh = runs.checkpoint(&run, None, StateSource::Json(json!(1)), &holder).await.expect("saved");
    assert!(matches!(&fresh, SavedCheckpoint::New(saved) if saved.id.starts_with("cp_")), "{fresh:?}");
}
