//! An ended session: its waiting calls do not run, and its handles are invalid elsewhere.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::stage::older;
use crate::doors::WAIT;
use crate::governed::bank::{Bank, GATED, NO_HOLD, money, moved, pending, status};
use crate::kit::call;

const TOOL: &str = "bank__transfer";

/// A session of the agent, opened with its own token: its id, and a client in it.
async fn session(bank: &Bank) -> (String, HttpClient) {
    let answer = bank.rest(&bank.gateway.agent, "POST", "/sessions", Some(json!({}))).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    let said = answer.json();
    let token = said["token"].as_str().expect("a token");
    (said["session"]["id"].as_str().expect("an id").to_owned(), bank.agent_with(token))
}

async fn close(bank: &Bank, id: &str) {
    let closed = bank.rest(&bank.gateway.agent, "DELETE", &format!("/sessions/{id}"), None).await;
    assert_eq!(closed.status, 200, "{closed:?}");
}

/// A later call has run, and no earlier one.
async fn only_a_later_call_runs(bank: &Bank, amount: u64) {
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(amount)).await);
    bank.approve(&id);
    assert_eq!(status(&call(&agent, TOOL, money(amount)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(amount)]);
    bank.verify();
}

#[tokio::test]
async fn a_call_with_a_handle_does_not_run_once_its_session_is_closed() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let (id, mut client) = session(&bank).await;
    client.capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let task = call(&client, TOOL, money(1)).await;
    assert_eq!(task["resultType"], "task", "{task}");
    close(&bank, &id).await;
    let approval = pending(&task);
    // The success of the approval does not matter here.
    drop(bank.gateway.cli(&["approvals", "approve", &approval]));
    only_a_later_call_runs(&bank, 2).await;
}

#[tokio::test]
async fn a_call_that_is_held_ends_with_its_session() {
    let bank = Bank::open(&format!("{GATED}[approvals]\nhold_seconds = 60\n"));
    let (id, client) = session(&bank).await;
    let connected = older(&client).await;
    let params = json!({ "name": TOOL, "arguments": money(1) });
    let older_params = params.clone();
    let newer = tokio::spawn(async move { client.modern("tools/call", params).await });
    let older = tokio::spawn(async move { connected.legacy(1, "tools/call", older_params).await });
    let asked = || async { bank.events(&["--kind", "approval.requested"]).pop() };
    let asked = until_async(WAIT, asked).await.expect("people are asked");
    close(&bank, &id).await;
    drop(bank.gateway.cli(&["approvals", "approve", asked["approval"].as_str().expect("an id")]));
    for held in [newer, older] {
        let answer =
            tokio::time::timeout(WAIT, held).await.expect("it is not held for ever").expect("answered");
        assert!(!answer.text.contains("succeeded"), "{answer:?}");
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_handle_opens_nothing_in_another_session() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let (_, mut client) = session(&bank).await;
    let (_, mut other) = session(&bank).await;
    let mut default = bank.agent();
    for client in [&mut client, &mut other, &mut default] {
        client.capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    }
    let task = call(&client, TOOL, money(1)).await;
    let get = |client: HttpClient| {
        let params = json!({ "taskId": task["taskId"] });
        async move { client.modern("tasks/get", params).await.response() }
    };
    assert_eq!(get(client.clone()).await["result"]["status"], "working");
    for stranger in [other, default] {
        let said: Value = get(stranger).await;
        assert!(said.get("result").is_none(), "{said}");
    }
    bank.approve(&pending(&task));
    let ran = until_async(WAIT, || async { (bank.ran() == [moved(1)]).then_some(()) });
    ran.await.expect("it runs in its own");
}

#[tokio::test]
async fn an_older_session_is_not_used_by_the_same_principal_in_another_role() {
    let gate = "[policy]\ngates = 'forbid (principal in Role::\"agent\", action == Action::\"bank:transfer\", resource);'\n";
    let bank = Bank::open(&format!("{gate}{NO_HOLD}"));
    let admin = bank.agent_with(&bank.token("--role admin --principal p1"));
    let agent = bank.token("--role agent --principal p1");
    let connected = older(&admin).await;
    let mut thief = connected.clone();
    thief.token.clone_from(&agent);
    let params = json!({ "name": TOOL, "arguments": money(1) });
    let said = thief.legacy(1, "tools/call", params.clone()).await;
    assert_eq!(said.status, 404, "{said:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(status(&connected.legacy(2, "tools/call", params).await.result()), "succeeded");
}
