//! A call that waits for people: held for a while with a sign of life, joined by identical ones, or given up by its client.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, GATED, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::{Events, WAIT};
use crate::kit::call;

const TOOL: &str = "bank__transfer";

on_both!(
    identical_calls_that_wait_together_run_once_and_share_the_result,
    a_held_call_runs_as_soon_as_it_is_approved
);

fn holding(seconds: u32) -> String {
    format!("{GATED}[approvals]\nhold_seconds = {seconds}\n")
}

/// The approval that waits and that this many calls have asked for.
async fn asked_by(bank: &Bank, calls: usize) -> String {
    let found = until_async(WAIT, || async {
        let list = bank.get(&bank.gateway.admin, "/approvals?state=pending").await.json();
        let id = list["approvals"][0]["id"].as_str()?.to_owned();
        let joined = bank.events(&["--kind", "approval.joined"]);
        let joined = joined.iter().filter(|one| one["approval"] == id.as_str()).count();
        (joined + 1 == calls).then_some(id)
    });
    found.await.unwrap_or_else(|| panic!("{calls} calls never asked together"))
}

async fn identical_calls_that_wait_together_run_once_and_share_the_result(backing: Backing) {
    const TOGETHER: usize = 3;
    let bank = Bank::open_on(backing, &holding(20));
    for amount in 1..=4_u64 {
        let calls: Vec<_> = (0..TOGETHER)
            .map(|_| {
                let client = bank.agent();
                tokio::spawn(async move { call(&client, TOOL, money(amount)).await })
            })
            .collect();
        let id = asked_by(&bank, TOGETHER).await;
        bank.approve_as(&bank.gateway.admin, &id).await;
        let mut contents = Vec::new();
        let mut statuses = Vec::new();
        for one in calls {
            let result = one.await.expect("answered");
            statuses.push(status(&result).to_owned());
            contents.push(result["content"].clone());
        }
        statuses.sort_unstable();
        assert_eq!(statuses, ["joined", "joined", "succeeded"], "{contents:?}");
        assert!(contents.windows(2).all(|two| two[0] == two[1]), "{contents:?}");
        let ran = bank.ran();
        assert_eq!(ran.len(), usize::try_from(amount).expect("few"), "{ran:?}");
        assert_eq!(ran.last(), Some(&moved(amount)));
    }
    bank.verify();
}

async fn a_held_call_runs_as_soon_as_it_is_approved(backing: Backing) {
    let bank = Bank::open_on(backing, &holding(20));
    for (amount, by_hand) in [(1, true), (2, false)] {
        let client = bank.agent();
        let held = tokio::spawn(async move { call(&client, TOOL, money(amount)).await });
        let id = asked_by(&bank, 1).await;
        if by_hand {
            // Another process decides on the store itself.
            bank.approve(&id);
        } else {
            bank.approve_as(&bank.gateway.admin, &id).await;
        }
        let done = held.await.expect("answered");
        assert_eq!(status(&done), "succeeded", "{done}");
        assert_eq!(bank.ran().last(), Some(&moved(amount)));
    }
}

#[tokio::test]
async fn a_held_call_gives_signs_of_life_and_then_says_what_it_waits_for() {
    let bank = Bank::open(&holding(1));
    let newer = bank.agent();
    let params = json!({ "name": TOOL, "arguments": money(1), "_meta": { "progressToken": "p" } });
    let messages = newer.modern("tools/call", params.clone()).await.messages();
    lived(&messages);
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    lived(&older.legacy(1, "tools/call", params).await.messages());
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["pending_approval", "pending_approval"]);
}

fn lived(messages: &[Value]) {
    let (last, before) = messages.split_last().expect("an answer");
    let id = pending(&last["result"]);
    let progress = before.iter().find(|one| one["method"] == "notifications/progress");
    let progress = progress.unwrap_or_else(|| panic!("no sign of life: {messages:?}"));
    assert_eq!(progress["params"]["progressToken"], "p", "{progress}");
    assert!(progress["params"]["message"].as_str().is_some_and(|said| said.contains(&id)), "{progress}");
}

#[tokio::test]
async fn a_rest_call_waits_no_longer_than_its_caller_prefers() {
    let bank = Bank::open(&holding(20));
    let client = bank.agent();
    let body = json!({ "name": "bank:transfer", "arguments": money(1) }).to_string();
    let request = || {
        let request = client.http.post(bank.gateway.url("/tools/call")).bearer_auth(&client.token);
        request.header("content-type", "application/json").body(body.clone())
    };
    let answer =
        toolgate_testkit::gateway::HttpClient::finish(request().header("prefer", "respond-async")).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let said = answer.json();
    assert_eq!(said["status"], "pending_approval", "{said}");
    bank.approve(said["approval_id"].as_str().expect("an approval"));
    let done = toolgate_testkit::gateway::HttpClient::finish(request()).await;
    assert_eq!((done.status, done.json()["status"].as_str()), (200, Some("succeeded")), "{done:?}");
    assert_eq!(done.json()["data"]["content"][0]["text"], format!("transfer done: {}", money(1)));
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_call_that_its_client_cancels_is_not_asked_about_any_more() {
    let bank = Bank::open(&holding(20));
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    let params = json!({ "name": TOOL, "arguments": money(1), "_meta": { "progressToken": 1 } });
    let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }).to_string();
    let sender = older.clone();
    let held = tokio::spawn(async move { sender.legacy_post().body(body).send().await });
    let id = asked_by(&bank, 1).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    let posted = older.legacy_post().body(cancel.to_string());
    assert_eq!(toolgate_testkit::gateway::HttpClient::finish(posted).await.status, 202);
    let ended = until_async(WAIT, || async { (bank.outcomes() == ["cancelled"]).then_some(()) });
    ended.await.expect("the call is recorded as cancelled");
    held.abort();
    let withdrawn = bank.wait_state(&id, "cancelled");
    assert_eq!(withdrawn["withdrawn"], "by_caller", "{withdrawn}");
    let late = bank.decide(&bank.gateway.admin, &id, json!({ "decision": "approve" })).await;
    assert_eq!((late.status, late.json()["code"].as_str()), (409, Some("approval_withdrawn")), "{late:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    bank.verify();
}

#[tokio::test]
async fn what_two_calls_wait_for_is_still_asked_when_one_of_them_is_cancelled() {
    let bank = Bank::open(&holding(20));
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    let params = json!({ "name": TOOL, "arguments": money(1), "_meta": { "progressToken": 1 } });
    let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }).to_string();
    let sender = older.clone();
    let given_up = tokio::spawn(async move { sender.legacy_post().body(body).send().await });
    asked_by(&bank, 1).await;
    let patient = bank.agent();
    let held = tokio::spawn(async move { call(&patient, TOOL, money(1)).await });
    let id = asked_by(&bank, 2).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    toolgate_testkit::gateway::HttpClient::finish(older.legacy_post().body(cancel.to_string())).await;
    let ended = until_async(WAIT, || async { (bank.outcomes() == ["cancelled"]).then_some(()) });
    ended.await.expect("the call is recorded as cancelled");
    given_up.abort();
    bank.approve_as(&bank.gateway.admin, &id).await;
    assert_eq!(status(&held.await.expect("answered")), "succeeded");
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_call_whose_client_has_gone_is_recorded_to_its_end() {
    let bank = Bank::open("");
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    let params = json!({ "name": "bank__hold", "arguments": money(1), "_meta": { "progressToken": 1 } });
    let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }).to_string();
    let sending = tokio::spawn(async move { older.legacy_post().body(body).send().await });
    let reached = until_async(WAIT, || async { (bank.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    sending.abort();
    bank.write("release", "");
    let ended = until_async(WAIT, || async { bank.outcomes().pop() });
    assert!(matches!(ended.await.as_deref(), Some("succeeded" | "cancelled")), "{:?}", bank.outcomes());
    assert_eq!(bank.events(&["--kind", "tool.call.started"]).len(), 1);
    bank.verify();
}

#[tokio::test]
async fn an_approval_that_is_given_while_the_stream_is_open_ends_it() {
    let bank = Bank::open(&holding(20));
    let newer = bank.agent();
    let params = json!({ "name": TOOL, "arguments": money(1), "_meta": { "progressToken": "p" } });
    let request = newer.modern_request(9, "tools/call", params);
    // The first sign of life comes after five seconds, and the answer before it: one plain answer, no stream.
    let answering = tokio::spawn(async move { request.send().await.expect("an answer") });
    let id = asked_by(&bank, 1).await;
    bank.approve_as(&bank.gateway.admin, &id).await;
    let response = answering.await.expect("answered");
    let streams =
        response.headers()["content-type"].to_str().is_ok_and(|media| media.starts_with("text/event-stream"));
    let answer =
        if streams { Events::of(response).answer(9).await } else { response.json().await.expect("JSON") };
    assert_eq!(status(&answer["result"]), "succeeded", "{answer}");
}
