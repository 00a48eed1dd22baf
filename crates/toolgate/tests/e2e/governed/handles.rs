//! The tasks extension: a call that waits for people gets a handle, which outlives connections and the gateway itself.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::bank::{Bank, GATED, NO_HOLD, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::WAIT;
use crate::kit::call;

const TOOL: &str = "bank__transfer";

on_both!(a_handle_leads_to_the_result_once_people_agree, a_handle_outlives_the_gateway);

fn open(backing: Backing) -> Bank {
    Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"))
}

fn holding(mut client: HttpClient) -> HttpClient {
    client.capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    client
}

/// A call that gets a handle: the handle and the approval.
async fn handle(client: &HttpClient, amount: u64) -> (String, String) {
    let task = call(client, TOOL, money(amount)).await;
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")), "{task}");
    (task["taskId"].as_str().expect("an id").to_owned(), pending(&task))
}

async fn get(client: &HttpClient, task: &str) -> Value {
    client.modern("tasks/get", json!({ "taskId": task })).await.result()
}

async fn ended(client: &HttpClient, task: &str) -> Value {
    let ended = until_async(WAIT, || async {
        Some(get(client, task).await).filter(|task| task["status"] != "working")
    });
    ended.await.expect("the task ends")
}

async fn a_handle_leads_to_the_result_once_people_agree(backing: Backing) {
    let bank = open(backing);
    let client = holding(bank.agent());
    let (task, id) = handle(&client, 1).await;
    let working = get(&client, &task).await;
    assert_eq!(working["status"], "working", "{working}");
    assert!(working["statusMessage"].as_str().is_some_and(|said| said.contains(&id)), "{working}");
    bank.approve(&id);
    let done = ended(&client, &task).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(status(&done["result"]), "succeeded", "{done}");
    assert_eq!(done["result"]["content"][0]["text"], format!("transfer done: {}", money(1)), "{done}");
    assert_eq!(ended(&client, &task).await["result"], done["result"], "as often as one asks");
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_handle_that_people_refuse_says_so() {
    let bank = open(Backing::Sqlite);
    let client = holding(bank.agent());
    let (task, id) = handle(&client, 1).await;
    bank.say(&["approvals", "deny", &id, "--reason", "not today"]);
    let done = ended(&client, &task).await;
    assert_eq!(done["result"]["isError"], true, "{done}");
    assert!(
        done["result"]["content"][0]["text"].as_str().is_some_and(|said| said.contains("not today")),
        "{done}"
    );
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_handle_that_is_cancelled_never_runs() {
    let bank = open(Backing::Sqlite);
    let client = holding(bank.agent());
    let (task, id) = handle(&client, 1).await;
    client.modern("tasks/cancel", json!({ "taskId": task })).await.result();
    assert_eq!(ended(&client, &task).await["status"], "cancelled");
    assert_eq!(bank.approval(&id)["state"], "cancelled");
    let late = bank.decide(&bank.gateway.admin, &id, json!({ "decision": "approve" })).await;
    assert_eq!(late.status, 409, "{late:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["pending_approval", "cancelled"]);
}

#[tokio::test]
async fn a_handle_opens_nothing_to_others() {
    let bank = open(Backing::Sqlite);
    let client = holding(bank.agent());
    let (task, id) = handle(&client, 1).await;
    let stranger = holding(bank.agent_with(&bank.token("--role agent")));
    for method in ["tasks/get", "tasks/cancel"] {
        let answer = stranger.modern(method, json!({ "taskId": task })).await;
        assert_eq!(answer.error_code(), -32602, "{method}: {answer:?}");
        let forged = client.modern(method, json!({ "taskId": format!("{task}x") })).await;
        assert_eq!(forged.error_code(), -32602, "{method}: {forged:?}");
    }
    assert_eq!(bank.approval(&id)["state"], "pending");
}

async fn a_handle_outlives_the_gateway(backing: Backing) {
    let bank = open(backing);
    let (client, token) = (holding(bank.agent()), bank.gateway.agent.clone());
    let (waiting, waiting_id) = handle(&client, 1).await;
    let (approved, approved_id) = handle(&client, 2).await;
    let (done, done_id) = handle(&client, 3).await;
    bank.approve(&done_id);
    assert_eq!(ended(&client, &done).await["status"], "completed");
    let bank = bank.killed();
    let client = holding(bank.agent_with(&token));
    bank.approve(&approved_id);
    assert_eq!(get(&client, &waiting).await["status"], "working");
    assert_eq!(ended(&client, &approved).await["status"], "completed");
    let kept = ended(&client, &done).await;
    assert_eq!(kept["result"]["content"][0]["text"], format!("transfer done: {}", money(3)), "{kept}");
    bank.approve(&waiting_id);
    assert_eq!(ended(&client, &waiting).await["status"], "completed");
    assert_eq!(bank.ran(), [moved(3), moved(2), moved(1)]);
    bank.verify();
}

#[tokio::test]
async fn a_handle_of_a_call_that_a_kill_cut_off_says_that_its_end_is_not_known() {
    const POINT: &str = "answered";
    let bank = Bank::open_stopping(Backing::Sqlite, &format!("{GATED}{NO_HOLD}"), POINT);
    let (client, token) = (holding(bank.agent()), bank.gateway.agent.clone());
    let (task, id) = handle(&client, 1).await;
    bank.approve(&id);
    let stopped = until_async(WAIT, || async {
        bank.gateway.log().iter().any(|line| line.contains(&format!("stopped at {POINT}"))).then_some(())
    });
    stopped.await.expect("the call is under way");
    let bank = bank.killed();
    let done = ended(&holding(bank.agent_with(&token)), &task).await;
    let said = done["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(said.contains("whether it took effect is not known"), "{done}");
    assert_eq!(done["result"]["isError"], true, "{done}");
    bank.verify();
}

#[tokio::test]
async fn a_handle_whose_secrets_are_not_kept_waits_for_its_caller_after_a_kill() {
    let bank = open(Backing::Sqlite);
    let (client, token) = (holding(bank.agent()), bank.gateway.agent.clone());
    let secret = json!({ "account": "DE1", "amount": 1, "password": "Zuckerhut-4711" });
    let task = call(&client, TOOL, secret.clone()).await;
    let (task, id) = (task["taskId"].as_str().expect("an id").to_owned(), pending(&task));
    let bank = bank.killed();
    let client = holding(bank.agent_with(&token));
    bank.approve(&id);
    let waiting = get(&client, &task).await;
    assert_eq!(waiting["status"], "working", "{waiting}");
    assert!(
        waiting["statusMessage"].as_str().is_some_and(|said| said.contains("make the same call again")),
        "{waiting}"
    );
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(status(&call(&client, TOOL, secret).await), "succeeded");
    assert_eq!(ended(&client, &task).await["status"], "completed");
    assert_eq!(bank.ran().len(), 1);
}
