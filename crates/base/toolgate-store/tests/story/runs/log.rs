//! The events of a run in its own order: reports of its agent, saved states, and requests that end it once.

use serde_json::json;
use toolgate_core::id::SessionId;
use toolgate_core::run::{Run, RunLabel, RunManifests, RunReport};
use toolgate_store::{
    CHECKPOINTS_KEPT_MAX, EndRequest, NewCheckpoint, NotePhase, NoteSubject, NumberedEvent, RunEnding,
    RunFilter, RunNote, SavedCheckpoint,
};

use super::*;

crate::on_both!(
    a_run_is_kept_with_its_label_and_its_manifests,
    events_are_numbered_in_their_order_as_in_the_ledger,
    many_writers_leave_no_gap,
    nothing_is_reported_before_the_start_or_after_the_end,
    reported_calls_use_up_the_budget,
    a_state_is_saved_once_under_its_id,
    the_latest_states_are_kept_and_their_bytes_with_them,
    the_same_request_ends_a_run_once,
    what_is_stored_meanwhile_is_not_left_out,
    any_operation_of_a_report_may_fail,
);

const MANY: usize = 32;
/// More operations than a report has.
const OPERATIONS_MAX: u64 = 100;

fn a_note(name: &str, phase: NotePhase) -> RunNote {
    RunNote {
        subject: NoteSubject::Step,
        name: name.to_owned(),
        phase,
        success: (phase == NotePhase::Complete).then_some(true),
        duration_ms: None,
        data: Some(json!({ "text": "a\u{0}b" })),
        call: Some(call_id("log")),
    }
}

async fn note(books: &Books, run: &RunId, note: &RunNote) -> Result<u64, RunError> {
    let by = PrincipalId::new("erna");
    books.note_in_run(run, note, later(&by, 60)).await
}

async fn started(books: &Books, run: Run) -> RunId {
    let by = ada();
    let run = create(books, run).await.id;
    books.start_run(&run, later(&by, 5)).await.expect("started");
    run
}

async fn save(
    store: &Store,
    books: &Books,
    run: &RunId,
    id: &str,
    state: &str,
) -> Result<SavedCheckpoint, RunError> {
    let digest = Digest::of(state);
    store.touch_blob(&digest, state.len() as u64, NOW_MS).await.expect("touched");
    let new = NewCheckpoint {
        id: id.to_owned(),
        digest,
        bytes: state.len() as u64,
        media_type: "application/json".to_owned(),
        call: None,
    };
    let by = ada();
    books.checkpoint_run(run, &new, later(&by, 70)).await
}

async fn log_of(store: &Store, run: &RunId) -> Vec<NumberedEvent> {
    store.run_events(run, 0, &[], 200).await.expect("read")
}

fn numbers(events: &[NumberedEvent]) -> Vec<u64> {
    events.iter().map(|one| one.number).collect()
}

/// The numbers are 1, 2, 3 without a gap; the run and the ledger say the same.
async fn check_numbers(store: &Store, run: &RunId) {
    let (events, known) = (log_of(store, run).await, read(store, run).await.events);
    assert_eq!(numbers(&events), (1..=known).collect::<Vec<_>>());
    let told = events_of(store, run).await;
    let mut told: Vec<(u64, EventKind)> =
        told.iter().filter_map(|one| Some((detail(one)["number"].as_u64()?, one.event.kind))).collect();
    told.sort_by_key(|(number, _)| *number);
    let logged: Vec<(u64, EventKind)> = events.iter().map(|one| (one.number, one.kind)).collect();
    assert_eq!(told, logged);
}

async fn a_run_is_kept_with_its_label_and_its_manifests(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let label = RunLabel {
        run_type: Some("research".to_owned()),
        name: Some("a\u{1F600}".to_owned()),
        config: Some(json!({ "model": "m", "nul": "\u{0}" })),
        made_in: Some(SessionId::new("ses_1")),
    };
    let manifests = RunManifests { input: Some(Digest::of("in")), output: None };
    let run = started(&books, Run { label: label.clone(), manifests, ..a_run("1") }).await;
    create(&books, a_run("2")).await;
    assert_eq!((read(&store, &run).await.label, read(&store, &run).await.manifests), (label, manifests));
    let (by, manifest) = (ada(), Some(Digest::of("out")));
    let completion = RunCompletion { result: Some(json!([1])), manifest, ..RunCompletion::default() };
    books.complete_run(&run, &completion, later(&by, 80)).await.expect("completed");
    let ended = read(&store, &run).await;
    assert_eq!(ended.report, RunReport { result: Some(json!([1])), error: None });
    assert_eq!(ended.manifests, RunManifests { output: manifest, ..manifests });
    let made_in = RunFilter { made_in: Some(SessionId::new("ses_1")), ..RunFilter::default() };
    let of_type = RunFilter { run_type: Some("research".to_owned()), ..RunFilter::default() };
    for filter in [made_in, of_type] {
        let (listed, _) = store.runs(&filter, None, 10).await.expect("read");
        assert_eq!(listed.iter().map(|one| &one.id).collect::<Vec<_>>(), [&run]);
    }
}

async fn events_are_numbered_in_their_order_as_in_the_ledger(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = started(&books, a_run("1")).await;
    assert_eq!(note(&books, &run, &a_note("fetch", NotePhase::Start)).await.expect("logged"), 3);
    save(&store, &books, &run, "one", "{}").await.expect("saved");
    let by = ada();
    books.pause_run(&run, "agent", later(&by, 80)).await.expect("paused");
    assert_eq!(note(&books, &run, &a_note("fetch", NotePhase::Complete)).await.expect("while paused too"), 6);
    books.resume_run(&run, later(&by, 90)).await.expect("resumed");
    complete(&books, &run, None).await.expect("completed");
    check_numbers(&store, &run).await;
    let kinds: Vec<&str> = log_of(&store, &run).await.iter().map(|one| one.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "run.created",
            "run.started",
            "run.step",
            "run.checkpoint",
            "run.paused",
            "run.step",
            "run.resumed",
            "run.ended"
        ]
    );
    let steps =
        store.run_events(&run, 3, &[EventKind::RunStep, EventKind::RunEnded], 10).await.expect("read");
    assert_eq!(numbers(&steps), [6, 8]);
    assert_eq!(steps[0].detail["data"], json!({ "text": "a\u{0}b" }));
    assert_eq!((&steps[0].detail["event"], &steps[0].detail["success"]), (&json!("complete"), &json!(true)));
    assert_eq!((steps[0].principal.as_str(), &steps[0].call), ("erna", &Some(call_id("log"))));
    assert_eq!(numbers(&store.run_events(&run, 0, &[], 2).await.expect("read")), [1, 2]);
    assert!(store.run_events(&run, 8, &[], 10).await.expect("read").is_empty());
    assert!(store.run_events(&run, u64::MAX, &[], 10).await.expect("read").is_empty());
    let told = events_of(&store, &run).await;
    assert!(
        told.iter().all(|one| !detail(one).to_string().contains("a\\u0000b")),
        "data stay out of the ledger"
    );
    prove_ledger(&store).await;
}

async fn many_writers_leave_no_gap(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let run = started(&one, a_run("1")).await;
    let writers = (0..MANY).map(|number| {
        let (books, run) = (if number % 2 == 0 { one.clone() } else { two.clone() }, run.clone());
        tokio::spawn(async move { note(&books, &run, &a_note(&number.to_string(), NotePhase::Start)).await })
    });
    let mut given = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        given.push(writer.await.expect("no panic").expect("logged"));
    }
    given.sort_unstable();
    assert_eq!(given, (3..3 + MANY as u64).collect::<Vec<_>>(), "each has its own");
    check_numbers(&store, &run).await;
    prove_ledger(&store).await;
}

async fn nothing_is_reported_before_the_start_or_after_the_end(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = create(&books, a_run("1")).await.id;
    let step = a_note("fetch", NotePhase::Start);
    assert!(matches!(note(&books, &run, &step).await, Err(RunError::NotStarted { .. })));
    assert!(matches!(save(&store, &books, &run, "one", "{}").await, Err(RunError::NotStarted { .. })));
    let by = ada();
    books.start_run(&run, later(&by, 5)).await.expect("started");
    let again = books.start_run(&run, later(&by, 6)).await;
    assert!(matches!(again, Err(RunError::NotPending { state: RunState::Running, .. })), "{again:?}");
    complete(&books, &run, None).await.expect("completed");
    let over = |error: RunError| matches!(error, RunError::Step(refusal) if refusal.code.name == "run_ended");
    assert!(note(&books, &run, &step).await.is_err_and(over));
    assert!(save(&store, &books, &run, "one", "{}").await.is_err_and(over));
    assert!(books.start_run(&run, later(&by, 90)).await.is_err_and(over));
    assert!(matches!(note(&books, &id("0"), &step).await, Err(RunError::UnknownRun(_))));
    check_numbers(&store, &run).await;
}

async fn reported_calls_use_up_the_budget(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let root = started(&books, Run { budget: with_calls(2), ..a_run("root") }).await;
    let run = create_child(&books, "1", &root).await.id;
    let by = ada();
    books.start_run(&run, later(&by, 5)).await.expect("started");
    let call = |phase| RunNote { subject: NoteSubject::ToolCall, ..a_note("search", phase) };
    for phase in [NotePhase::Start, NotePhase::Complete, NotePhase::Start] {
        note(&books, &run, &call(phase)).await.expect("logged");
    }
    let refused = note(&books, &run, &call(NotePhase::Start)).await;
    assert!(matches!(&refused, Err(RunError::Exhausted(one)) if one.limit == "calls"), "{refused:?}");
    note(&books, &run, &call(NotePhase::Complete)).await.expect("what has begun may end");
    note(&books, &run, &a_note("think", NotePhase::Start)).await.expect("steps cost nothing");
    assert_eq!((read(&store, &run).await.used.calls, read(&store, &root).await.used.calls), (2, 2));
    let ended = complete(&books, &run, None).await.expect("ended").run;
    assert_eq!(ended.state, RunState::Partial, "as after a refused call through the gateway");
    check_numbers(&store, &run).await;
}

async fn a_state_is_saved_once_under_its_id(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = started(&books, a_run("1")).await;
    assert_eq!(store.latest_checkpoint(&run).await.expect("read"), None);
    let first = save(&store, &books, &run, "one", "{}").await.expect("saved");
    let SavedCheckpoint::New(first) = first else { panic!("{first:?}") };
    assert_eq!((first.number, first.digest), (3, Digest::of("{}")));
    let again = save(&store, &books, &run, "one", "{}").await.expect("known");
    assert_eq!(again, SavedCheckpoint::Same(first.clone()));
    let other = save(&store, &books, &run, "one", "[]").await;
    assert!(matches!(&other, Err(RunError::CheckpointTaken(before)) if **before == first), "{other:?}");
    save(&store, &books, &run, "two", "{}").await.expect("the same state under another id");
    let latest = store.latest_checkpoint(&run).await.expect("read").expect("saved");
    assert_eq!((latest.id.as_str(), latest.number), ("two", 4));
    complete(&books, &run, None).await.expect("completed");
    let late = save(&store, &books, &run, "one", "{}").await.expect("a repetition after the end is none");
    assert_eq!(late, SavedCheckpoint::Same(first));
    let (by, unknown) = (ada(), Digest::of("never stored"));
    let run = started(&books, a_run("2")).await;
    let new =
        NewCheckpoint { id: "x".into(), digest: unknown, bytes: 1, media_type: "a/b".into(), call: None };
    let gone = books.checkpoint_run(&run, &new, later(&by, 70)).await;
    assert!(matches!(&gone, Err(RunError::StateGone { digest }) if *digest == unknown), "{gone:?}");
    check_numbers(&store, &run).await;
}

async fn the_latest_states_are_kept_and_their_bytes_with_them(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = started(&books, a_run("1")).await;
    for turn in 0..=CHECKPOINTS_KEPT_MAX {
        save(&store, &books, &run, &format!("turn-{turn}"), &format!("{{\"turn\":{turn}}}"))
            .await
            .expect("saved");
    }
    let unused = store.condemn_blobs(i64::MAX, 1_000).await.expect("looked");
    assert_eq!(unused, [Digest::of("{\"turn\":0}")], "the others are in use");
    let latest = store.latest_checkpoint(&run).await.expect("read").expect("saved");
    assert_eq!(latest.id, format!("turn-{CHECKPOINTS_KEPT_MAX}"));
}

async fn the_same_request_ends_a_run_once(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let by = ada();
    let asked =
        |request: &str| RunCompletion { request: Some(Digest::of(request)), ..RunCompletion::default() };
    let run = started(&books, a_run("1")).await;
    books.complete_run(&run, &asked("a"), later(&by, 50)).await.expect("completed");
    let again = books.complete_run(&run, &asked("a"), later(&by, 60)).await.expect("nothing more");
    assert_eq!((again.run.state, again.run.ended_at_ms), (RunState::Completed, Some(NOW_MS + 50)));
    let known = books.look_at_completion(&run, &asked("a"), later(&by, 60)).await.expect("looked");
    assert_eq!(known.expect("it has ended so").run.state, RunState::Completed);
    let other = books.complete_run(&run, &asked("b"), later(&by, 60)).await;
    assert!(matches!(other, Err(RunError::EndedOtherwise { .. })), "{other:?}");
    let failed =
        |request: &str| EndRequest { digest: Digest::of(request), error: Some(json!({ "type": request })) };
    let ending = RunEnding::Failed { reason: "timeout".to_owned() };
    let late = books.end_run_as_asked(&run, &ending, &failed("c"), None, later(&by, 60)).await;
    assert!(matches!(late, Err(RunError::EndedOtherwise { .. })), "{late:?}");
    let run = started(&books, a_run("2")).await;
    for _ in 0..2 {
        books.end_run_as_asked(&run, &ending, &failed("c"), None, later(&by, 60)).await.expect("failed");
    }
    let ended = read(&store, &run).await;
    assert_eq!((ended.state, ended.reason.as_deref()), (RunState::Failed, Some("timeout")));
    assert_eq!(ended.report.error, Some(json!({ "type": "c" })));
    check_numbers(&store, &run).await;
    trace(&store, &run).await;
}

async fn what_is_stored_meanwhile_is_not_left_out(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = started(&books, a_run("1")).await;
    make(&store, &books, &run, "a.txt").await;
    let by = ada();
    let seen = |stored| RunCompletion { stored: Some(stored), ..RunCompletion::default() };
    let refused = books.complete_run(&run, &seen(0), later(&by, 50)).await;
    assert!(matches!(refused, Err(RunError::MoreStored)), "{refused:?}");
    books.complete_run(&run, &seen(1), later(&by, 50)).await.expect("completed");
}

/// A power cut at any operation: the report, its number and its ledger event are there together, or none of them is.
async fn any_operation_of_a_report_may_fail(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let run = started(&books, a_run("1")).await;
    for n in 1..OPERATIONS_MAX {
        store.touch_blob(&Digest::of(n.to_string()), 1, NOW_MS).await.expect("touched");
        store.fail_from_nth(n);
        let logged = note(&books, &run, &a_note(&n.to_string(), NotePhase::Start)).await;
        let new = NewCheckpoint {
            id: n.to_string(),
            digest: Digest::of(n.to_string()),
            bytes: 1,
            media_type: "a/b".to_owned(),
            call: None,
        };
        let by = ada();
        let saved = books.checkpoint_run(&run, &new, later(&by, 70)).await;
        let clean = store.is_fault_to_come();
        store.fail_never();
        check_numbers(&store, &run).await;
        if logged.is_ok() {
            assert!(log_of(&store, &run).await.iter().any(|one| one.detail["name"] == json!(n.to_string())));
        }
        if clean {
            assert!(logged.is_ok() && saved.is_ok(), "{logged:?} {saved:?}");
            prove_ledger(&store).await;
            return;
        }
    }
    panic!("the story has more than {OPERATIONS_MAX} operations");
}
