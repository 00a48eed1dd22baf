//! The gateway's messages to others: webhooks about approvals, meter events, spans. At least once, whatever
//! happens to it.

use std::collections::BTreeSet;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, GATED, NO_HOLD, envelope, money, pending, status};
use super::database::Backing;
use super::on_both;
use super::receiver::{ReceivedMessage, Receiver};
use crate::doors::WAIT;
use crate::kit::call;

const TOOL: &str = "bank__transfer";
/// Not in base64, so its own bytes are the key.
const SECRET: &str = "sixteen letters and more";

/// A gateway that is killed while it delivers leaves a lease behind, which must run out first.
const LEASE: Duration = Duration::from_secs(90);

on_both!(every_executed_tool_is_metered_once, meter_events_survive_a_kill);

/// The message is signed with the secret, as Standard Webhooks has it.
fn is_signed(message: &ReceivedMessage) {
    let (id, at) = (message.header("webhook-id"), message.header("webhook-timestamp"));
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key of any length");
    mac.update(format!("{id}.{at}.").as_bytes());
    mac.update(&message.body);
    let expected = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
    assert!(message.header("webhook-signature").split(' ').any(|one| one == expected), "{message:?}");
}

fn with_webhook(receiver: &Receiver, more: &str) -> String {
    format!("[[webhooks]]\nname = \"desk\"\nurl = \"{}/hook\"\nsecret = {SECRET:?}\n{more}", receiver.url)
}

fn of_kind(kind: &str) -> impl Fn(&ReceivedMessage) -> bool {
    let kind = kind.to_owned();
    move |message| message.json()["type"].as_str().is_some_and(|name| name.ends_with(&kind))
}

#[tokio::test]
async fn people_hear_of_an_approval_with_a_link_and_a_signature() {
    let receiver = Receiver::open().await;
    let approvals = "[approvals]\nhold_seconds = 0\nlink = \"https://gate.example.com/approvals/{id}\"\n";
    let bank = Bank::open(&format!("{GATED}{approvals}{}", with_webhook(&receiver, "")));
    let agent = bank.agent();
    let secret = json!({ "account": "DE1", "amount": 1, "password": "Zuckerhut-4711" });
    let id = pending(&call(&agent, TOOL, secret).await);
    let asked = receiver.find(of_kind("approval.requested")).await;
    is_signed(&asked);
    assert_eq!(asked.path, "/hook");
    let data = &asked.json()["data"];
    assert_eq!((&data["id"], &data["tool"]), (&json!(id), &json!("bank:transfer")), "{data}");
    assert_eq!(data["link"], format!("https://gate.example.com/approvals/{id}"), "{data}");
    assert_eq!(
        data["arguments"],
        json!({ "account": "DE1", "amount": 1, "password": "[redacted: secret, 14 characters]" }),
        "{data}"
    );
    bank.say(&["approvals", "deny", &id, "--reason", "no"]);
    let resolved = receiver.find(of_kind("approval.resolved")).await;
    is_signed(&resolved);
    assert_eq!(
        (&resolved.json()["data"]["state"], &resolved.json()["data"]["reason"]),
        (&json!("denied"), &json!("no"))
    );
    assert!(
        receiver.came().iter().all(|one| of_kind("requested")(one) || of_kind("resolved")(one)),
        "nothing else is told"
    );
}

#[tokio::test]
async fn a_webhook_that_is_away_hears_of_it_later_under_the_same_id() {
    let receiver = Receiver::refusing(1).await;
    let bank = Bank::open(&format!(
        "{GATED}{NO_HOLD}{}",
        with_webhook(&receiver, "events = [\"approval.requested\"]\n")
    ));
    pending(&call(&bank.agent(), TOOL, money(1)).await);
    let twice = until_async(WAIT, || async { Some(receiver.came()).filter(|came| came.len() >= 2) });
    let came = twice.await.expect("it is sent again");
    assert_eq!(came[0].header("webhook-id"), came[1].header("webhook-id"));
    assert_eq!(came[0].json()["id"], came[1].json()["id"]);
    came.iter().for_each(is_signed);
}

/// The meter events that were written.
fn metered(bank: &Bank) -> Vec<Value> {
    let text = std::fs::read_to_string(bank.gateway.folder().join("meter.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("each line is an event")).collect()
}

async fn wait_metered(bank: &Bank, count: usize) -> Vec<Value> {
    let there = until_async(LEASE, || async { Some(metered(bank)).filter(|events| events.len() >= count) });
    there.await.unwrap_or_else(|| panic!("fewer than {count} meter events: {:?}", metered(bank)))
}

fn ids(events: &[Value]) -> BTreeSet<&str> {
    events.iter().filter_map(|event| event["id"].as_str()).collect()
}

const METER_FILE: &str = "[metering]\nfile = \"meter.jsonl\"\n";

async fn every_executed_tool_is_metered_once(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}{METER_FILE}"));
    let agent = bank.agent();
    let about = json!({ "dev.toolgate/run_id": "run_7", "dev.toolgate/task_id": "t-9" });
    let params = json!({ "name": "bank__refund", "arguments": money(1), "_meta": about });
    let refund = agent.modern("tools/call", params).await.result();
    let id = pending(&call(&agent, TOOL, money(2)).await);
    assert_eq!(status(&call(&agent, "bank__refund", json!({})).await), "invalid");
    bank.approve(&id);
    let transfer = call(&agent, TOOL, money(2)).await;
    let look = call(&agent, "bank__balance", json!({})).await;
    let events = wait_metered(&bank, 3).await;
    let calls = [&refund, &transfer, &look].map(|result| envelope(result)["tool_call_id"].clone());
    assert_eq!(events.iter().map(|event| event["id"].clone()).collect::<Vec<_>>(), calls, "{events:?}");
    let names: Vec<&str> = events.iter().filter_map(|event| event["data"]["toolName"].as_str()).collect();
    assert_eq!(names, ["bank:refund", "bank:transfer", "bank:balance"]);
    for event in &events {
        assert_eq!(
            (&event["specversion"], &event["data"]["serverName"]),
            (&json!("1.0"), &json!("bank")),
            "{event}"
        );
        let keys: BTreeSet<&str> =
            event["data"].as_object().expect("data").keys().map(String::as_str).collect();
        assert_eq!(
            keys,
            BTreeSet::from(["durationMs", "runId", "serverName", "taskId", "toolName"]),
            "{event}"
        );
        assert!(event["data"]["durationMs"].is_u64(), "{event}");
    }
    assert_eq!((&events[0]["data"]["runId"], &events[0]["data"]["taskId"]), (&json!("run_7"), &json!("t-9")));
    assert_eq!((&events[1]["data"]["runId"], &events[1]["data"]["taskId"]), (&Value::Null, &Value::Null));
    let bank = bank.killed();
    assert_eq!(status(&call(&bank.agent(), "bank__balance", json!({})).await), "succeeded");
    // A delivery that was in progress when the gateway was killed is repeated, under the same id.
    let four = || async { Some(metered(&bank)).filter(|events| ids(events).len() >= 4) };
    let after = until_async(LEASE, four).await.unwrap_or_else(|| panic!("too few: {:?}", metered(&bank)));
    assert_eq!(ids(&after).len(), 4, "{after:?}");
}

async fn meter_events_survive_a_kill(backing: Backing) {
    // The gateway dies after the end of the call is in the ledger, and before the caller gets the answer.
    let bank = Bank::open_stopping(backing, &format!("{NO_HOLD}{METER_FILE}"), "recorded");
    let client = bank.agent();
    let waiting = tokio::spawn(async move {
        drop(
            client
                .modern_request(1, "tools/call", json!({ "name": TOOL, "arguments": money(1) }))
                .send()
                .await,
        );
    });
    let stopped = until_async(WAIT, || async {
        bank.gateway.log().iter().any(|line| line == "stopped at recorded").then_some(())
    });
    stopped.await.expect("the call reaches its end");
    waiting.abort();
    let bank = bank.killed();
    let events = wait_metered(&bank, 1).await;
    let ended = bank.events(&["--kind", "tool.call.completed"]);
    assert_eq!(ids(&events), BTreeSet::from([ended[0]["call"].as_str().expect("a call")]), "{events:?}");
}

#[tokio::test]
async fn meter_events_go_to_an_address_and_are_signed() {
    let receiver = Receiver::refusing(1).await;
    let metering = format!("[metering]\nurl = \"{}/meter\"\nsecret = {SECRET:?}\n", receiver.url);
    let bank = Bank::open(&format!("{NO_HOLD}{metering}"));
    let done = call(&bank.agent(), TOOL, money(1)).await;
    let again = until_async(WAIT, || async { receiver.came().into_iter().nth(1) });
    let message = again.await.expect("what was refused is sent again");
    is_signed(&message);
    assert_eq!((message.path.as_str(), &message.json()["id"]), ("/meter", &envelope(&done)["tool_call_id"]));
    assert_eq!(message.header("webhook-id"), message.json()["id"]);
}

#[tokio::test]
async fn a_collector_gets_a_span_of_the_call_under_its_callers_trace() {
    let receiver = Receiver::open().await;
    let otlp = format!(
        "[otlp]\nendpoint = {:?}\nservice_name = \"gate-of-the-bank\"\nheaders = {{ x-key = \"k\" }}\n",
        receiver.url
    );
    let bank = Bank::open(&format!("{NO_HOLD}{otlp}"));
    let trace =
        [0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36];
    let about = json!({ "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" });
    let params = json!({ "name": TOOL, "arguments": money(1), "_meta": about });
    bank.agent().modern("tools/call", params).await.result();
    let spans = receiver.find(|message| message.holds("bank:transfer")).await;
    assert_eq!((spans.path.as_str(), spans.header("x-key")), ("/v1/traces", "k"));
    assert_eq!(spans.header("content-type"), "application/x-protobuf");
    for text in ["gate-of-the-bank", "tools/call", "mcp.method.name", "gen_ai.tool.name"] {
        assert!(spans.holds(text), "no {text:?} in the span");
    }
    assert!(
        spans.body.windows(trace.len()).any(|window| window == trace),
        "the span is part of its caller's trace"
    );
}
