//! A server that asks its client in the middle of an approved call: the same call continues, once, and no
//! other.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::bank::{Bank, NO_HOLD, envelope, pending, status};
use crate::kit::{call, child, text};

const TOOL: &str = "asks__ask";
const GATE: &str = "[policy]\ngates = 'forbid (principal, action == Action::\"asks:ask\", resource);'\n";

/// A bank, and a server of the newer era that asks.
fn open(gates: &str) -> Bank {
    let server = child("asks", "bad-neighbour", &["--era", "modern", "--label", "rounds"]);
    Bank::open(&format!("{gates}{NO_HOLD}{server}"))
}

fn asking(bank: &Bank, token: &str) -> HttpClient {
    let mut client = bank.agent_with(token);
    client.capabilities = json!({ "elicitation": {} });
    client
}

/// The server's question, and the state for continuing the call.
async fn asked(client: &HttpClient) -> Value {
    let question = call(client, TOOL, json!({})).await;
    assert_eq!(question["resultType"], "input_required", "{question}");
    assert!(question["requestState"].is_string(), "{question}");
    question
}

async fn answered(client: &HttpClient, arguments: Value, question: &Value) -> HttpAnswer {
    let (key, _) =
        question["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("a question");
    let answers = json!({ key: { "action": "accept", "content": { "word": "well" } } });
    let params = json!({ "name": TOOL, "arguments": arguments, "inputResponses": answers, "requestState": question["requestState"] });
    client.modern("tools/call", params).await
}

#[tokio::test]
async fn a_call_that_was_approved_goes_on_without_asking_people_again() {
    let bank = open(GATE);
    let client = asking(&bank, &bank.gateway.agent);
    let id = pending(&call(&client, TOOL, json!({})).await);
    bank.approve(&id);
    let question = asked(&client).await;
    let done = answered(&client, json!({}), &question).await.result();
    assert!(text(&done).contains("well"), "{done}");
    assert_eq!(
        envelope(&done)["tool_call_id"],
        envelope(&question)["tool_call_id"],
        "it is one call: {done}"
    );
    let of_call = ["--call", envelope(&done)["tool_call_id"].as_str().expect("an id")];
    let kinds: Vec<Value> = bank.events(&of_call).iter().map(|one| one["kind"].clone()).collect();
    let count = |kind: &str| kinds.iter().filter(|one| *one == kind).count();
    assert_eq!(
        (
            count("tool.call.started"),
            count("tool.call.paused"),
            count("tool.call.resumed"),
            count("tool.call.completed")
        ),
        (1, 1, 1, 1),
        "{kinds:?}"
    );
    bank.verify();
}

#[tokio::test]
async fn an_answer_is_taken_once_and_from_whom_was_asked() {
    for gates in [GATE, ""] {
        let bank = open(gates);
        let client = asking(&bank, &bank.gateway.agent);
        if !gates.is_empty() {
            let id = pending(&call(&client, TOOL, json!({})).await);
            bank.approve(&id);
        }
        let question = asked(&client).await;
        let stranger = asking(&bank, &bank.token("--role agent"));
        let foreign = answered(&stranger, json!({}), &question).await;
        assert_eq!(foreign.error_code(), -32602, "{gates:?}: {foreign:?}");
        let done = answered(&client, json!({}), &question).await.result();
        assert!(text(&done).contains("well"), "{gates:?}: {done}");
        let replayed = answered(&client, json!({}), &question).await.result();
        assert_eq!(
            (status(&replayed), &replayed["isError"]),
            ("refused", &json!(true)),
            "{gates:?}: {replayed}"
        );
        assert_eq!(bank.events(&["--kind", "tool.call.resumed"]).len(), 1, "{gates:?}");
        bank.verify();
    }
}

#[tokio::test]
async fn an_answer_to_one_call_is_none_to_another() {
    let bank = open(GATE);
    let client = asking(&bank, &bank.gateway.agent);
    let id = pending(&call(&client, TOOL, json!({})).await);
    bank.approve(&id);
    let question = asked(&client).await;
    let changed = answered(&client, json!({ "more": 1 }), &question).await.result();
    assert_eq!(status(&changed), "refused", "{changed}");
    assert_ne!(
        envelope(&changed)["tool_call_id"],
        envelope(&question)["tool_call_id"],
        "it is no part of that call"
    );
    let done = answered(&client, json!({}), &question).await.result();
    assert!(text(&done).contains("well"), "the call itself still goes on: {done}");
    bank.verify();
}

#[tokio::test]
async fn a_call_whose_server_asked_before_a_kill_goes_on_once_or_not_at_all() {
    for gates in [GATE, ""] {
        let bank = open(gates);
        let token = bank.gateway.agent.clone();
        let client = asking(&bank, &token);
        if !gates.is_empty() {
            let id = pending(&call(&client, TOOL, json!({})).await);
            bank.approve(&id);
        }
        let question = asked(&client).await;
        let bank = bank.killed();
        let client = asking(&bank, &token);
        let said = answered(&client, json!({}), &question).await.response();
        let resumed = bank.events(&["--kind", "tool.call.resumed"]).len();
        let went_on = said["result"]["content"][0]["text"].as_str().is_some_and(|text| text.contains("well"));
        assert_eq!(resumed, usize::from(went_on), "{gates:?}: {said}");
        answered(&client, json!({}), &question).await;
        assert_eq!(bank.events(&["--kind", "tool.call.resumed"]).len(), resumed, "{gates:?}: never twice");
        bank.verify();
    }
}

#[tokio::test]
async fn a_tool_that_is_forbidden_between_two_rounds_does_not_go_on() {
    let server = child("asks", "bad-neighbour", &["--era", "modern", "--label", "rounds"]);
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}{server}");
    let bank = Bank::open_with(
        super::database::Backing::Sqlite,
        &toml,
        &[("policy/guard.cedar", "permit (principal, action, resource);")],
    );
    let client = asking(&bank, &bank.gateway.agent);
    let question = asked(&client).await;
    bank.write(
        "policy/guard.cedar",
        "permit (principal, action, resource) unless { resource.server == \"asks\" };",
    );
    let reloaded = toolgate_testkit::gateway::until(crate::doors::WAIT, || {
        (bank.events(&["--kind", "policy.loaded"]).len() > 1).then_some(())
    });
    reloaded.expect("the new policy is taken up");
    let said = answered(&client, json!({}), &question).await.response();
    assert_eq!(said["error"]["message"], format!("unknown tool: {TOOL}"), "{said}");
    assert_eq!(bank.events(&["--kind", "tool.call.resumed"]), Vec::<Value>::new());
    let ended = bank.events_of(&["--kind", "tool.call.completed", "--outcome", "denied"], 1);
    assert_eq!((ended.len(), &ended[0]["tool"]), (1, &json!("asks:ask")), "{ended:?}");
    bank.verify();
}
