//! The inbox page by page, and the information for approvers: the tool, the earlier calls, the files.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::content::Attachment;
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry, Outcome};
use toolgate_core::file::FileName;
use toolgate_core::governance::{Clock, Ledger};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::SlotType;
use toolgate_core::server::ServerListing;
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, Role};

use super::file_kit::agent;
use super::gate::{Gate, approver, somebody};
use super::parts::server;
use super::run_kit::{asked, slot, start};

async fn inbox(gate: &Gate, query: &str) -> (Vec<String>, Value) {
    let answer = gate.get(&approver("ann"), &format!("/inbox{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let page = answer.json();
    let entries = page["entries"].as_array().expect("a list").iter();
    (entries.map(|one| one["id"].as_str().expect("an id").to_owned()).collect(), page)
}

#[tokio::test]
async fn the_inbox_is_read_page_by_page_and_nothing_is_told_twice_or_left_out() {
    let gate = Gate::open().await;
    for number in 0..3 {
        gate.ask(&format!(r#"{{"amount":{number}}}"#)).await;
        let started = start(&gate, "{}").await;
        asked(&gate, &started.run(), slot(SlotType::Text, "tone")).await;
    }
    let (whole, page) = inbox(&gate, "").await;
    assert_eq!((whole.len(), &page["more"], page.get("next_cursor")), (6, &json!(false), None));
    for limit in 1..6 {
        let (mut read, mut query) = (Vec::new(), format!("?limit={limit}"));
        loop {
            let (ids, page) = inbox(&gate, &query).await;
            read.extend(ids);
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            query = format!("?limit={limit}&cursor={cursor}");
        }
        assert_eq!(read, whole, "{limit} at a time");
    }
    for query in ["?cursor=x", "?arguments_bytes_max=-1"] {
        assert_eq!(
            gate.get(&approver("ann"), &format!("/inbox{query}")).await.problem(),
            "parameter_invalid"
        );
    }
}

#[tokio::test]
async fn long_arguments_are_left_out_of_lists_where_that_is_wanted() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"account":"0123456789","amount":5}"#).await;
    for path in ["/inbox", "/approvals"] {
        let one = async |query: &str| {
            let page = gate.get(&approver("ann"), &format!("{path}{query}")).await.json();
            page.get("entries").or(page.get("approvals")).expect("a list")[0].clone()
        };
        let short = one("?arguments_bytes_max=10").await;
        assert_eq!((&short["arguments"], &short["arguments_bytes"]), (&Value::Null, &json!(35)), "{path}");
        for query in ["", "?arguments_bytes_max=35"] {
            assert_eq!(one(query).await["arguments"]["amount"], 5, "{path}{query}");
        }
    }
    let shown = gate.get(&approver("ann"), &format!("/approvals/{}", asked.id)).await.json();
    assert_eq!(shown["arguments"]["amount"], 5);
}

#[tokio::test]
async fn what_was_decided_is_listed_without_what_waits() {
    let gate = Gate::open().await;
    let (first, second) = (gate.ask(r#"{"amount":1}"#).await, gate.ask(r#"{"amount":2}"#).await);
    for (asked, decision) in [(&first, "deny"), (&second, "approve")] {
        let body = json!({ "decision": decision }).to_string();
        gate.post(&approver("ann"), &format!("/approvals/{}/decide", asked.id), &body).await;
    }
    gate.ask(r#"{"amount":3}"#).await;
    let listed = gate.get(&approver("ann"), "/approvals?state=decided").await.json();
    let states: Vec<&str> = listed["approvals"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["state"].as_str())
        .collect();
    assert_eq!(states, ["approved", "denied"]);
}

/// A call that has ended in a run.
async fn ended(gate: &Gate, run: &RunId, call: &str) {
    let about = Arc::new(EventSubject {
        run: Some(run.clone()),
        call: Some(CallId::new(call)),
        tool: Some(CanonicalName::of(&server(), "balance")),
        ..EventSubject::default()
    });
    let event = Event::new(EventKind::CallCompleted, gate.clock.now_ms(), PrincipalId::new("agent-7"), about);
    let event = Event { outcome: Some(Outcome::Succeeded), ..event };
    gate.books.append(LedgerEntry { events: vec![event], ..LedgerEntry::default() }).await.expect("recorded");
}

#[tokio::test]
async fn who_decides_is_told_what_the_tool_may_do_and_what_was_called_before() {
    let gate = Gate::open().await;
    let (run, other) = (RunId::new("run_1"), RunId::new("run_2"));
    ended(&gate, &run, "tc_first").await;
    ended(&gate, &run, "tc_second").await;
    ended(&gate, &run, "tc_asked").await;
    ended(&gate, &other, "tc_other").await;
    let asked = gate.ask_in(r#"{"amount":1}"#, Some(run.clone())).await;
    let path = format!("/approvals/{}", asked.id);
    let shown = gate.get(&approver("ann"), &path).await.json();
    let before = shown["before"].as_array().unwrap_or_else(|| panic!("{shown}")).iter();
    let mut before: Vec<&str> = before.map(|call| call["id"].as_str().expect("an id")).collect();
    before.sort_unstable();
    assert_eq!(before, ["tc_first", "tc_second"], "neither itself nor what happened elsewhere");
    assert!(gate.get(&agent(), &path).await.json().get("before").is_none(), "who asks is not told");
    let started = start(&gate, "{}").await;
    ended(&gate, &started.run(), "tc_run").await;
    let question = super::run_kit::asked(&gate, &started.run(), slot(SlotType::Text, "tone")).await;
    let question = gate.get(&approver("ann"), &format!("/inputs/{question}")).await.json();
    assert_eq!(question["before"][0]["id"], "tc_run", "{question}");
}

#[tokio::test]
async fn effects_and_definition_are_those_of_the_version_that_was_asked_for() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"amount":1}"#).await;
    let shown = async || gate.get(&approver("ann"), &format!("/approvals/{}", asked.id)).await.json();
    let before = shown().await;
    assert_eq!(before["effects"], json!(["read", "write", "external", "destructive"]), "{before}");
    assert_eq!(before["definition"]["name"], "bank__transfer");
    let other =
        json!({ "name": "transfer", "description": "Takes money", "inputSchema": { "type": "object" } });
    gate.catalog
        .publish(&server(), ServerListing { tools: vec![RawJson::from(other)], ..ServerListing::default() });
    let after = shown().await;
    assert!(after.get("effects").is_none() && after.get("definition").is_none(), "{after}");
}

#[tokio::test]
async fn the_files_of_an_approval_are_read_by_who_decides_and_by_nobody_else() {
    let gate = Gate::open().await;
    let content = "dear sir";
    let id = gate.keep(&agent(), "letter.txt", content).await;
    let attachment = Attachment {
        place: "/file_id".into(),
        id: id.clone(),
        digest: Digest::of(content),
        bytes: content.len() as u64,
        media_type: "text/plain".into(),
        name: FileName::new("letter.txt").ok(),
    };
    let asked = gate.ask_naming(r#"{"amount":1}"#, None, vec![attachment]).await;
    let path = format!("/approvals/{}/attachments/0", asked.id);
    let ann = approver("ann");
    assert_eq!(gate.get(&ann, &format!("/files/{id}")).await.status, StatusCode::NOT_FOUND, "it is not hers");
    let read = gate.get(&ann, &path).await;
    assert_eq!((read.status, read.text.as_str()), (StatusCode::OK, content));
    assert_eq!(read.headers["content-security-policy"], "sandbox; default-src 'none'");
    for (who, status) in [(somebody("audit", Role::Auditor), 403), (agent(), 403)] {
        assert_eq!(gate.get(&who, &path).await.status.as_u16(), status, "{who:?}");
    }
    for missing in ["1", "-1", "x"] {
        let path = format!("/approvals/{}/attachments/{missing}", asked.id);
        assert_eq!(gate.get(&ann, &path).await.status, StatusCode::NOT_FOUND, "{missing}");
    }
    assert_eq!(gate.get(&ann, "/approvals/apr_none/attachments/0").await.status, StatusCode::NOT_FOUND);
}
