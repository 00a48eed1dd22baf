//! Meter events.

use std::path::Path;
use std::sync::Arc;

use http::StatusCode;
use serde_json::json;
use toolgate_core::event::Outcome;

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
