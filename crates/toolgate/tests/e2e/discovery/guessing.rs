//! Calls on a guess: wrong arguments, wrong names, unread schemas, and a moving catalogue.

use serde_json::{Value, json};

use super::stage::{becomes, response};
use super::through::{describe, open, search, through};
use crate::governed::bank::{envelope, money, moved, status};
use crate::kit::{call, text};
use crate::live::site::{Site, done, tool};

/// The schema that an answer shows, exactly as the server has it.
fn schema_in(result: &Value) -> Option<Value> {
    let texts = result["content"].as_array().expect("content").iter().filter_map(|one| one["text"].as_str());
    let all = texts.collect::<Vec<_>>().join("\n");
    let from = all.find("{\"type\":\"object\"").or_else(|| all.find("{\"properties\""))?;
    let mut values = serde_json::Deserializer::from_str(&all[from..]).into_iter::<Value>();
    values.next()?.ok()
}

fn transfer_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "amount": { "type": "integer", "description": "In cents" },
            "account": { "type": "string" },
            "password": { "type": "string" },
        },
        "required": ["amount", "account"],
    })
}

#[tokio::test]
async fn a_tool_that_may_change_something_is_not_run_before_its_schema_was_shown() {
    let bank = open("");
    let agent = bank.agent();
    let first = through(&agent, "bank__transfer", money(1)).await;
    assert_eq!(first["isError"], true, "{first}");
    assert_eq!(first["structuredContent"]["error"]["code"], "describe_first", "{first}");
    assert_eq!(schema_in(&first), Some(transfer_schema()), "{first}");
    assert_eq!(bank.ran(), Vec::<String>::new(), "it was not run");
    let second = through(&agent, "bank__transfer", money(1)).await;
    assert_eq!((status(&second), bank.ran()), ("succeeded", vec![moved(1)]), "{second}");
    let other = bank.agent_with(&bank.token("--role agent --principal ann"));
    let first = through(&other, "bank__transfer", money(2)).await;
    assert_eq!(first["isError"], true, "what one session was shown another was not: {first}");
    assert_eq!(bank.ran().len(), 1);
}

#[tokio::test]
async fn a_tool_that_only_reads_runs_at_once_and_its_schema_comes_along() {
    let bank = open("");
    let agent = bank.agent();
    let first = through(&agent, "bank__balance", json!({ "account": "DE1" })).await;
    assert_eq!(status(&first), "succeeded", "{first}");
    let schema = json!({ "type": "object", "properties": { "account": { "type": "string" } } });
    assert_eq!(schema_in(&first), Some(schema), "{first}");
    assert_eq!(first["_meta"]["bank/branch"], 7, "what the server says stays: {first}");
    let second = through(&agent, "bank__balance", json!({ "account": "DE1" })).await;
    assert_eq!((second["content"].as_array().map(Vec::len), bank.ran().len()), (Some(1), 2), "{second}");
}

#[tokio::test]
async fn a_wrong_argument_is_answered_with_the_exact_schema_and_nothing_runs() {
    let bank = open("");
    let agent = bank.agent();
    describe(&agent, &["bank__transfer"]).await;
    for wrong in
        [json!({}), json!({ "amount": "one", "account": "DE1" }), json!({ "amont": 1, "account": "DE1" })]
    {
        let said = through(&agent, "bank__transfer", wrong.clone()).await;
        assert_eq!((status(&said), &said["isError"]), ("invalid", &json!(true)), "{wrong}: {said}");
        assert_eq!(schema_in(&said), Some(transfer_schema()), "{wrong}: {said}");
        assert!(text(&said).contains("amount"), "it names what is wrong: {said}");
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
    let ended = bank.events(&["--kind", "tool.call.completed", "--tool", "bank:transfer"]);
    assert_eq!(ended.len(), 3, "{ended:?}");
}

#[tokio::test]
async fn arguments_as_text_are_read_and_warned_of() {
    let bank = open("");
    let agent = bank.agent();
    describe(&agent, &["bank__transfer"]).await;
    let done = through(&agent, "bank__transfer", json!(money(6).to_string())).await;
    assert_eq!((status(&done), bank.ran()), ("succeeded", vec![moved(6)]), "{done}");
    let warnings = envelope(&done)["warnings"].to_string();
    assert!(warnings.contains("arguments_as_text"), "{done}");
    for wrong in [json!("{\"amount\": 1"), json!("[1]"), json!("7"), json!(""), json!([1]), json!(7)] {
        let said = through(&agent, "bank__transfer", wrong.clone()).await;
        assert_eq!(said["isError"], true, "{wrong}: {said}");
        assert_eq!(said["structuredContent"]["error"]["code"], "invalid_arguments", "{wrong}: {said}");
    }
    assert_eq!(bank.ran().len(), 1);
}

#[tokio::test]
async fn an_unknown_name_is_answered_with_the_nearest_ones() {
    let bank = open("");
    let agent = bank.agent();
    for (wrong, near) in
        [("bank__transfr", "bank__transfer"), ("balance", "bank__balance"), ("bank__Refund", "bank__refund")]
    {
        let said = through(&agent, wrong, json!({})).await;
        let code = said["structuredContent"]["error"]["code"].as_str().unwrap_or_default();
        assert_eq!((code, said["isError"].as_bool()), ("unknown_tool", Some(true)), "{wrong}: {said}");
        assert!(text(&said).contains(near), "{wrong}: {said}");
        let error = response(&agent, wrong, json!({})).await["error"].clone();
        let hint = error["data"]["hint"].as_str().unwrap_or_default();
        assert!(hint.contains(near) && error["data"]["code"] == "unknown_tool", "{wrong}: {error}");
        let described = describe(&agent, &[wrong]).await;
        assert!(text(&described).contains("unknown tool") && text(&described).contains(near), "{described}");
    }
    let many: Vec<String> = (0..100).map(|at| format!("x{at}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let said = describe(&agent, &many).await;
    assert!(text(&said).contains("80 more were not described"), "{said}");
    assert_ne!(describe(&agent, &[]).await["isError"], true);
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_catalogue_that_changes_between_search_and_call_misleads_nobody() {
    let site = Site::open_with(
        "[registry]\ndrift = \"accept\"\n[[agents]]\nname = \"default\"\ntoken_budget = 0\n[[tools]]\nname = \"desk:look\"\neffects = [\"read\"]\n",
    );
    let writes = |name: &str, argument: &str| json!({ "name": name, "description": format!("Writes {name}"), "inputSchema": { "type": "object", "properties": { argument: { "type": "integer" } }, "required": [argument] } });
    site.offer("tools.json", &json!([writes("invoice", "total"), tool("look", "Looks something up")]));
    let token = site.server_token("desk");
    let _worker = site.worker(&token, "desk", "a", &["--tools", &site.word("tools.json")]);
    let agent = site.agent();
    becomes("it is found", || async {
        search(&agent, "write an invoice").await.first().is_some_and(|name| name == "desk__invoice")
    })
    .await;
    describe(&agent, &["desk__invoice"]).await;
    site.offer("tools.json", &json!([writes("invoice", "cents"), tool("look", "Looks something up")]));
    becomes("it is another one", || async { text(&described_elsewhere(&site).await).contains("cents") })
        .await;
    let said = through(&agent, "desk__invoice", json!({ "total": 1 })).await;
    assert_eq!(said["isError"], true, "what was described is not what there is: {said}");
    assert!(schema_in(&said).is_some_and(|schema| schema["required"] == json!(["cents"])), "{said}");
    assert_eq!(done(&through(&agent, "desk__invoice", json!({ "cents": 5 })).await)["arguments"]["cents"], 5);
    site.offer("tools.json", &json!([tool("look", "Looks something up")]));
    becomes("it is gone", || async {
        search(&agent, "write an invoice").await.iter().all(|name| name != "desk__invoice")
    })
    .await;
    let said = through(&agent, "desk__invoice", json!({ "cents": 5 })).await;
    assert_eq!(said["isError"], true, "{said}");
    assert_eq!(
        done(&call(&agent, "call_tool", json!({ "name": "desk__look", "arguments": {} })).await)["tool"],
        "look"
    );
}

/// Described to another client, so that the agent itself has not seen it.
async fn described_elsewhere(site: &Site) -> Value {
    let admin = site.agent_with(&site.gateway.admin);
    call(&admin, "describe_tools", json!({ "names": ["desk__invoice"] })).await
}
