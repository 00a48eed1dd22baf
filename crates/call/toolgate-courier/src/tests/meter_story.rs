//! Meter events.

use std::path::Path;
use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::event::{Event, EventKind, EventSubject, Outcome};
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::{PrincipalId, RawJson};

use super::ledger::TestLedger;
use super::listener::Listener;
use super::{SECRET, completed, start, until};
use crate::{MeterWebhook, Receiver};

const WEBHOOK: &str = "meter:webhook";
const FILE: &str = "meter:file";

fn lines(path: &Path) -> usize {
    std::fs::read_to_string(path).unwrap_or_default().lines().count()
}

#[tokio::test]
async fn each_executed_tool_is_metered_and_nothing_else() {
    let listener = Listener::start(|_| StatusCode::OK).await;
    let ledger = TestLedger::open(WEBHOOK).await;
    let named = |outcome: &Outcome| completed(&format!("tc_{}", outcome.as_str()), *outcome);
    ledger.append(Outcome::ALL.iter().map(named).collect()).await;
    ledger.append_calls(0..1).await;
    let receiver = Receiver::MeterWebhook(MeterWebhook {
        url: listener.url("/"),
        secret: SECRET.into(),
        egress: Arc::default(),
    });
    let running = start(&ledger, receiver).await;
    until("the last is taken", || listener.taken().last().is_some_and(|last| last == "tc_0")).await;
    running.stop().await;
    assert_eq!(listener.taken(), ["tc_succeeded", "tc_tool_error", "tc_accepted", "tc_0"]);
    let expected = json!({
        "specversion": "1.0",
        "id": "tc_succeeded",
        "source": "toolgate",
        "type": "dev.toolgate.meter.tool",
        "time": "2026-08-01T12:00:00.123Z",
        "datacontenttype": "application/json",
        "subject": "tc_succeeded",
        "data": {
            "toolName": "bank:transfer",
            "serverName": "bank",
            "runId": "run_1",
            "taskId": null,
            "durationMs": 42,
        },
    });
    assert_eq!(listener.received()[0].json(), expected);
}

/// An event about a run of a task, with its detail.
fn about_run(kind: EventKind, detail: Value) -> Event {
    let about = EventSubject {
        run: Some(RunId::new("run_1")),
        task: Some(TaskId::new("task_1").shared()),
        ..EventSubject::default()
    };
    let mut event = Event::new(kind, 1_785_585_600_123, PrincipalId::new("agent-7"), Arc::new(about));
    event.detail = Some(RawJson::from(detail));
    event
}

#[tokio::test]
async fn answers_of_models_and_the_lives_of_tasks_and_runs_are_metered() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("meter.jsonl");
    let ledger = TestLedger::open(FILE).await;
    let answered = json!({ "model": "large", "turn": 2, "input": 900, "cached": 700, "written": 0,
        "output": 40, "cost_micros": 1_234, "duration_ms": 5, "stop": "calls", "messages": [] });
    let used =
        json!({ "calls": 3, "bytes": 7, "active_ms": 90, "turns": 2, "tokens": 940, "cost_micros": 1_234 });
    ledger
        .append(vec![
            about_run(EventKind::TaskChanged, json!({ "change": "created", "name": "a" })),
            about_run(EventKind::TaskChanged, json!({ "change": "changed", "name": "b" })),
            about_run(EventKind::RunCreated, json!({ "agent": "writer" })),
            about_run(EventKind::RunStarted, json!({ "from": "pending", "to": "running" })),
            about_run(EventKind::ModelCalled, answered),
            about_run(EventKind::RunPaused, json!({ "from": "running", "to": "paused" })),
            about_run(EventKind::RunEnded, json!({ "from": "running", "to": "failed", "used": used })),
        ])
        .await;
    let running = start(&ledger, Receiver::MeterFile { path: path.clone() }).await;
    until("all are written", || lines(&path) == 5).await;
    running.stop().await;
    let text = std::fs::read_to_string(&path).expect("the file");
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    let of_run = "dev.toolgate.meter.run";
    assert_eq!(kinds, ["dev.toolgate.meter.task", of_run, of_run, "dev.toolgate.meter.model", of_run]);
    let data: Vec<Value> = events.iter().map(|event| event["data"].clone()).collect();
    assert_eq!(data[0], json!({ "event": "created", "taskId": "task_1" }));
    assert_eq!(data[1], json!({ "event": "created", "runId": "run_1", "taskId": "task_1" }));
    assert_eq!(data[2]["event"], "started");
    let model = json!({ "model": "large", "runId": "run_1", "taskId": "task_1", "turn": 2, "inputTokens": 900,
        "cachedTokens": 700, "outputTokens": 40, "costMicros": 1_234, "durationMs": 5 });
    assert_eq!(data[3], model);
    let ended = json!({ "event": "failed", "runId": "run_1", "taskId": "task_1", "calls": 3, "turns": 2,
        "tokens": 940, "costMicros": 1_234, "activeMs": 90 });
    assert_eq!(data[4], ended);
}

#[tokio::test]
async fn a_meter_event_is_never_skipped() {
    let refusing = |before| if before < 12 { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let listener = Listener::start(refusing).await;
    let ledger = TestLedger::open(WEBHOOK).await;
    ledger.append_calls(1..3).await;
    let receiver = Receiver::MeterWebhook(MeterWebhook {
        url: listener.url("/"),
        secret: SECRET.into(),
        egress: Arc::default(),
    });
    let running = start(&ledger, receiver).await;
    until("both are taken", || listener.taken().len() == 2).await;
    running.stop().await;
    assert_eq!(listener.taken(), ["tc_1", "tc_2"]);
}

#[tokio::test]
async fn a_file_gets_a_line_for_each_across_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("meter.jsonl");
    let ledger = TestLedger::open(FILE).await;
    for part in 0..3 {
        ledger.append_calls(part * 50..(part + 1) * 50).await;
        let running = start(&ledger, Receiver::MeterFile { path: path.clone() }).await;
        let expected = usize::try_from((part + 1) * 50).expect("a few");
        until("this part is written", || lines(&path) == expected).await;
        running.stop().await;
    }
    let text = std::fs::read_to_string(&path).expect("the file");
    let ids: Vec<String> = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["id"].to_string())
        .collect();
    let expected: Vec<String> = (0..150).map(|call| format!("\"tc_{call}\"")).collect();
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_tried_until_it_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("later").join("meter.jsonl");
    let ledger = TestLedger::open(FILE).await;
    ledger.append_calls(0..1).await;
    let running = start(&ledger, Receiver::MeterFile { path: path.clone() }).await;
    assert_eq!(lines(&path), 0);
    std::fs::create_dir(folder.path().join("later")).expect("a folder");
    until("it is written", || lines(&path) == 1).await;
    running.stop().await;
    assert_eq!(lines(&path), 1);
}
