//! What stands beside the ledger: days that only the archive has, and signed checkpoints.

use std::sync::Arc;

use http::StatusCode;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_archive::Archive;
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::governance::Ledger;
use toolgate_core::id::CallId;
use toolgate_core::named_bytes::NamedBytes;
use toolgate_core::port::BoxFuture;
use toolgate_core::{CanonicalName, Digest, PrincipalId, Refusal, Role, codes};
use toolgate_files::{Blobs, FilesSettings, StoragePlace};
use toolgate_proof::{CallProof, LedgerCheckpoint, StreamRoot};
use toolgate_store::{LedgerWriter, Store};

use super::gate::{BesideLedger, Gate, somebody};
use super::parts::{ApiClock, server};
use crate::{
    CheckpointFault, CheckpointFolder, CheckpointPlace, FolderCheckpoints, FolderPage, KeptCheckpoint,
    LedgerSigner, SigningSchedule,
};

const NOON_MS: i64 = 1_785_585_600_000;
const CALLS: i64 = 6;

/// The id of a call, which was made when it happened.
fn id(number: i64) -> String {
    format!("tc_{:012x}7{:019x}", NOON_MS + number, number)
}

fn events(number: i64) -> Vec<Event> {
    let about = Arc::new(EventSubject {
        call: Some(CallId::new(id(number))),
        tool: Some(CanonicalName::of(&server(), "transfer")),
        server: Some(server()),
        ..EventSubject::default()
    });
    let event = |kind| Event::new(kind, NOON_MS + number, PrincipalId::new("ann"), about.clone());
    let (start, mut end) = (event(EventKind::CallStarted), event(EventKind::CallCompleted));
    (end.outcome, end.input) = (Some(Outcome::Succeeded), Some(Digest::of("arguments")));
    vec![start, end]
}

/// A gateway whose archive has calls that its database does not.
async fn archived() -> (Gate, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("data")).await.expect("a store");
    let writer = LedgerWriter::start(&store, "old").await.expect("the writer starts");
    for number in 0..CALLS {
        let entry = LedgerEntry { events: events(number), ..LedgerEntry::default() };
        writer.append(entry).await.expect("recorded");
    }
    writer.close().await;
    let place = StoragePlace::Folder(folder.path().join("files"));
    let settings = FilesSettings { place, ..FilesSettings::default() };
    let blobs = Blobs::new(&settings, store.clone(), Arc::new(ApiClock::default()));
    let place: Arc<dyn NamedBytes> = Arc::new(blobs.expect("a place for files"));
    Archive::new(store.clone(), place.clone()).run(i64::MAX, |_| ()).await.expect("archived");
    store.close().await;
    (Gate::beside(BesideLedger { archive: Some(place), ..BesideLedger::default() }).await, folder)
}

async fn ask(gate: &Gate, path: &str) -> Value {
    let answer = gate.get(&somebody("audit", Role::Auditor), path).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    answer.json()
}

#[tokio::test]
async fn archived_events_are_listed_on_request() {
    let (gate, _folder) = archived().await;
    for (order, first) in [("oldest", 0), ("newest", CALLS - 1)] {
        let (mut calls, mut cursor) = (Vec::new(), String::new());
        loop {
            let path =
                format!("/ledger?source=archive&kind=tool.call.completed&limit=4&order={order}{cursor}");
            let page = ask(&gate, &path).await;
            let events = page["events"].as_array().expect("a list");
            calls.extend(events.iter().map(|event| event["call"].as_str().expect("a call").to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        let expected: Vec<String> = (0..CALLS).map(|number| id((first - number).abs())).collect();
        assert_eq!(calls, expected, "{order}");
    }
    let here = ask(&gate, "/ledger?kind=tool.call.completed").await;
    assert_eq!(here["events"], json!([]), "the database has none of them");
    assert_eq!(ask(&gate, "/overview").await["ledger"]["archive"], json!(true));
}

#[tokio::test]
async fn a_call_that_the_database_no_longer_has_is_shown_from_the_archive() {
    let (gate, folder) = archived().await;
    let call = ask(&gate, &format!("/ledger/{}", id(3))).await;
    assert_eq!((&call["archived"], &call["bodies"]), (&json!(true), &json!({})));
    let kinds: Vec<&Value> =
        call["events"].as_array().expect("a list").iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["tool.call.started", "tool.call.completed"]);
    let auditor = somebody("audit", Role::Auditor);
    for unknown in [id(99), "tc_none".to_owned()] {
        assert_eq!(gate.get(&auditor, &format!("/ledger/{unknown}")).await.problem(), "not_found");
    }
    std::fs::remove_dir_all(folder.path().join("files/ledger/default/2026-08-01")).expect("it was there");
    let lost = gate.get(&auditor, &format!("/ledger/{}", id(3))).await;
    assert_eq!(lost.problem(), "storage_down", "it is not said that there was no such call");
}

#[tokio::test]
async fn a_gateway_without_an_archive_says_so() {
    let gate = Gate::open().await;
    let answer = gate.get(&somebody("audit", Role::Auditor), "/ledger?source=archive").await;
    assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert!(
        answer.json()["hint"].as_str().is_some_and(|hint| hint.contains("[ledger.archive]")),
        "{answer:?}"
    );
    assert_eq!(ask(&gate, "/overview").await["ledger"]["archive"], json!(false));
}

/// A folder whose content a test sets.
#[derive(Default)]
struct SetFolder(Mutex<FolderCheckpoints>);

impl CheckpointFolder for SetFolder {
    fn read(&self) -> BoxFuture<'_, FolderCheckpoints> {
        let kept = self.0.lock().clone();
        Box::pin(async move { kept })
    }
}

#[tokio::test]
async fn the_ledger_is_held_against_the_checkpoints_of_the_folder() {
    let folder = Arc::new(SetFolder::default());
    let checkpoints: Arc<dyn CheckpointFolder> = folder.clone();
    let gate = Gate::beside(BesideLedger { checkpoints: Some(checkpoints), ..BesideLedger::default() }).await;
    let signed = LedgerCheckpoint {
        store: gate.store.ledger_name().await.expect("a name"),
        at_ms: NOON_MS,
        streams: gate.store.ledger_roots().await.expect("roots"),
    };
    folder.0.lock().checkpoints = vec![signed.clone(), signed.clone()];
    let verified = ask(&gate, "/ledger/verify").await;
    assert_eq!((&verified["intact"], &verified["checkpoints"]), (&json!(true), &json!(2)), "{verified}");
    assert!(verified.get("checkpoint_faults").is_none(), "{verified}");

    let gone = StreamRoot { stream: "gone".into(), size: 3, root: Digest::of("a root") };
    let mut more = signed.clone();
    more.streams.push(gone);
    folder.0.lock().checkpoints = vec![more];
    let verified = ask(&gate, "/ledger/verify").await;
    assert_eq!((&verified["intact"], &verified["fault"]["what"]), (&json!(false), &json!("stream_removed")));

    let fault = CheckpointFault { message: "it is no checkpoint".into(), hint: "look at it".into() };
    *folder.0.lock() = FolderCheckpoints { checkpoints: vec![signed], faults: vec![fault] };
    let verified = ask(&gate, "/ledger/verify").await;
    assert_eq!((&verified["intact"], &verified["checkpoints"]), (&json!(false), &json!(1)));
    assert_eq!(verified["checkpoint_faults"][0]["message"], "it is no checkpoint");
}

/// A signer with two checkpoints, which proves one call and cannot prove another.
struct SetSigner(Mutex<Vec<LedgerCheckpoint>>);

const PROVED: &str = "tc_proved";
const TAMPERED: &str = "tc_tampered";

impl LedgerSigner for SetSigner {
    fn schedule(&self) -> SigningSchedule {
        let places = vec![CheckpointPlace { name: "/mnt/elsewhere".into(), waiting: 1 }];
        SigningSchedule { key: Some("ledger+1+A".into()), every_seconds: 60, places }
    }

    fn kept(&self, before: Option<String>, limit: usize) -> BoxFuture<'_, FolderPage> {
        let all = self.0.lock().clone();
        let files = all.into_iter().enumerate().rev();
        let files = files
            .map(|(number, checkpoint)| KeptCheckpoint { file: format!("{number}.checkpoint"), checkpoint });
        let mut files: Vec<KeptCheckpoint> =
            files.filter(|one| before.as_ref().is_none_or(|before| one.file < *before)).collect();
        let has_more = files.len() > limit;
        files.truncate(limit);
        let next = files.last().filter(|_| has_more).map(|one| one.file.clone());
        Box::pin(async move { FolderPage { checkpoints: files, faults: Vec::new(), next } })
    }

    fn prove<'a>(&'a self, call: &'a CallId) -> BoxFuture<'a, Result<Option<CallProof>, Refusal>> {
        Box::pin(async move {
            match call.as_str() {
                PROVED => Ok(Some(CallProof::new(PROVED, Vec::new()))),
                TAMPERED => Err(Refusal::new(&codes::CALL_UNPROVED, "nothing is signed").hint("look")),
                _ => Ok(None),
            }
        })
    }
}

#[tokio::test]
async fn checkpoints_are_listed_with_what_became_of_the_ledger_since() {
    let signer = Arc::new(SetSigner(Mutex::default()));
    let port: Arc<dyn LedgerSigner> = signer.clone();
    let gate = Gate::beside(BesideLedger { signer: Some(port), ..BesideLedger::default() }).await;
    let right = LedgerCheckpoint {
        store: gate.store.ledger_name().await.expect("a name"),
        at_ms: NOON_MS,
        streams: gate.store.ledger_roots().await.expect("roots"),
    };
    let mut wrong = right.clone();
    wrong.streams.push(StreamRoot { stream: "gone".into(), size: 3, root: Digest::of("a root") });
    *signer.0.lock() = vec![right, wrong];
    let page = ask(&gate, "/ledger/checkpoints?limit=1").await;
    assert_eq!((&page["configured"], &page["key"]), (&json!(true), &json!("ledger+1+A")), "{page}");
    assert_eq!(page["places"], json!([{ "name": "/mnt/elsewhere", "waiting": 1 }]));
    let newest = &page["checkpoints"][0];
    assert_eq!((&newest["file"], &newest["agrees"]), (&json!("1.checkpoint"), &json!(false)), "{page}");
    let states: Vec<&Value> =
        newest["streams"].as_array().expect("a list").iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["same", "different"]);
    let older = ask(&gate, "/ledger/checkpoints?limit=1&cursor=1.checkpoint").await;
    let (only, next) = (&older["checkpoints"][0], older.get("next_cursor"));
    assert_eq!(
        (&only["agrees"], &only["at"], next),
        (&json!(true), &json!("2026-08-01T12:00:00.000Z"), None)
    );
    let odd = gate.get(&somebody("audit", Role::Auditor), "/ledger/checkpoints?limit=0").await;
    assert_eq!(odd.problem(), "parameter_invalid");
}

#[tokio::test]
async fn a_call_is_proved_for_those_who_read_the_ledger() {
    let port: Arc<dyn LedgerSigner> = Arc::new(SetSigner(Mutex::default()));
    let gate = Gate::beside(BesideLedger { signer: Some(port), ..BesideLedger::default() }).await;
    for role in [Role::Admin, Role::Operator, Role::Auditor] {
        let proof = gate.get(&somebody("somebody", role), &format!("/ledger/{PROVED}/proof")).await;
        assert_eq!(proof.status, StatusCode::OK, "{proof:?}");
        assert_eq!(proof.headers["content-disposition"], "attachment; filename=\"tc_proved.proof\"");
        assert_eq!(proof.json()["call"], PROVED);
    }
    let auditor = somebody("audit", Role::Auditor);
    for (call, status, code) in [("tc_none", 404, "not_found"), (TAMPERED, 500, "call_unproved")] {
        let refused = gate.get(&auditor, &format!("/ledger/{call}/proof")).await;
        assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (status, code), "{refused:?}");
    }
    let approver = gate.get(&somebody("ann", Role::Approver), &format!("/ledger/{PROVED}/proof")).await;
    assert_eq!(approver.problem(), "wrong_role");
}

#[tokio::test]
async fn without_a_key_nothing_is_proved_and_the_way_to_one_is_told() {
    let gate = Gate::open().await;
    let page = ask(&gate, "/ledger/checkpoints").await;
    assert_eq!((&page["configured"], &page["checkpoints"]), (&json!(false), &json!([])));
    let refused = gate.get(&somebody("audit", Role::Auditor), "/ledger/tc_1/proof").await;
    assert_eq!((refused.status, refused.problem().as_str()), (StatusCode::CONFLICT, "checkpoints_off"));
    assert!(refused.json()["hint"].as_str().is_some_and(|hint| hint.contains("ledger key")), "{refused:?}");
}
