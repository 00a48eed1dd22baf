//! Prompts and resources: a session that does not see a server's tools does not see these either.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::ears::pushed;
use super::stage::older;
use crate::doors::Events;
use crate::governed::bank::{Bank, NO_HOLD};
use crate::kit::call;

const TELLER: &str = "[[capabilities]]\nname = \"money\"\nservers = [\"bank\"]\n\
    [[agents]]\nname = \"teller\"\ncapabilities = [\"money\"]\n";
const WATCHED: &str = "test://watched-resource";
const UPDATED: &str = "notifications/resources/updated";

fn open() -> Bank {
    Bank::open(&format!("{TELLER}{NO_HOLD}{}", crate::conforming("conf", &[])))
}

/// Every request to a server besides its tools: with an existing name, and with an unknown one.
fn questions(prompt: &str, uri: &str) -> Vec<(&'static str, Value)> {
    let reference = json!({ "type": "ref/prompt", "name": prompt });
    vec![
        ("prompts/get", json!({ "name": prompt })),
        ("resources/read", json!({ "uri": uri })),
        ("completion/complete", json!({ "ref": reference, "argument": { "name": "arg1", "value": "p" } })),
    ]
}

fn plain(answer: &HttpAnswer, prompt: &str, uri: &str) -> (u16, String) {
    (answer.status, answer.text.replace(prompt, "PROMPT").replace(uri, "URI"))
}

#[tokio::test]
async fn prompts_and_resources_of_a_server_outside_the_scope_are_as_if_they_were_not() {
    let bank = open();
    let everything = bank.agent();
    everything.tool_names(40).await;
    let teller = bank.agent_with(&bank.token("--role agent --principal t --agent teller"));
    let connected = older(&teller).await;
    for (method, key) in [
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ] {
        let all = everything.modern(method, json!({})).await.result();
        assert!(all[key].as_array().is_some_and(|list| !list.is_empty()), "{method}: {all}");
        let newer = teller.modern(method, json!({})).await.result();
        let older = connected.legacy(1, method, json!({})).await.result();
        for list in [&newer[key], &older[key]] {
            let list = list.as_array().expect("a list").iter();
            let beyond: Vec<&Value> = list.filter(|one| !one.to_string().contains("bank")).collect();
            assert!(beyond.is_empty(), "{method}: {beyond:?}");
        }
    }
    let (there, never) = (
        ("conf__test_simple_prompt", "test://static-text"),
        ("conf__test_sample_prompt", "test://statix-text"),
    );
    for ((method, hidden), (_, nobodys)) in
        questions(there.0, there.1).into_iter().zip(questions(never.0, never.1))
    {
        assert!(
            method == "completion/complete"
                || everything.modern(method, hidden.clone()).await.response().get("result").is_some()
        );
        let (one, other) =
            (teller.modern(method, hidden.clone()).await, teller.modern(method, nobodys.clone()).await);
        assert!(one.response().get("result").is_none(), "{method}: {one:?}");
        assert_eq!(plain(&one, there.0, there.1), plain(&other, never.0, never.1), "{method}");
        let (one, other) =
            (connected.legacy(2, method, hidden).await, connected.legacy(2, method, nobodys).await);
        assert_eq!(plain(&one, there.0, there.1), plain(&other, never.0, never.1), "{method}, older era");
    }
}

/// Watches the resource in both eras.
async fn watching(client: &HttpClient) -> [Events; 2] {
    let wanted = json!({ "notifications": { "toolsListChanged": true, "resourceSubscriptions": [WATCHED] } });
    let mut newer = Events::open(client.modern_request(7, "subscriptions/listen", wanted)).await;
    newer.called("notifications/subscriptions/acknowledged").await;
    let connected = older(client).await;
    let stream = pushed(&connected).await;
    connected.legacy(1, "resources/subscribe", json!({ "uri": WATCHED })).await.result();
    [newer, stream]
}

#[tokio::test]
async fn a_resource_is_heard_of_no_more_once_its_server_is_out_of_the_scope() {
    let mut bank = open();
    let agent = bank.agent();
    agent.tool_names(40).await;
    let opened = bank.rest(&bank.gateway.agent, "POST", "/sessions", Some(json!({}))).await.json();
    let id = opened["session"]["id"].as_str().expect("an id").to_owned();
    let mut narrowed = watching(&bank.agent_with(opened["token"].as_str().expect("a token"))).await;
    let mut always = watching(&agent).await;
    call(&agent, "conf__test_trigger_resource_update", json!({})).await;
    for stream in narrowed.iter_mut().chain(&mut always) {
        assert_eq!(stream.called(UPDATED).await["params"]["uri"], WATCHED);
    }
    let body = json!({ "mounts": { "servers": ["bank"] } });
    let changed = bank.rest(&bank.gateway.agent, "PATCH", &format!("/sessions/{id}"), Some(body)).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    for stream in &mut narrowed {
        stream.called("notifications/tools/list_changed").await;
    }
    call(&agent, "conf__test_trigger_resource_update", json!({})).await;
    for stream in &mut always {
        stream.called(UPDATED).await;
    }
    bank.gateway.end(false);
    for stream in &mut narrowed {
        while let Some(event) = stream.next().await {
            assert!(!event.data.contains(UPDATED), "{event:?}");
        }
    }
}
