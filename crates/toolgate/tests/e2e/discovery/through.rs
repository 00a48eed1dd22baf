//! Search, describe, call: the way to a tool that is not listed. What is called is judged, approved and recorded as itself.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::stage::{older, older_names, response};
use crate::governed::bank::{Bank, FORBIDDEN, GATED, NO_HOLD, envelope, money, moved, pending, status};
use crate::kit::{call, names, text};

/// Everybody searches.
pub(super) const SEARCHED: &str =
    "[[agents]]\nname = \"default\"\ntoken_budget = 0\npinned = [\"bank:statement\"]\n";
pub(super) const SHORT_LIST: [&str; 4] = ["bank__statement", "call_tool", "describe_tools", "search_tools"];

pub(super) fn open(more: &str) -> Bank {
    Bank::open(&format!("{SEARCHED}{NO_HOLD}{more}"))
}

/// A call through `call_tool`.
pub(super) async fn through(client: &HttpClient, tool: &str, arguments: Value) -> Value {
    call(client, "call_tool", json!({ "name": tool, "arguments": arguments })).await
}

pub(super) async fn describe(client: &HttpClient, tools: &[&str]) -> Value {
    call(client, "describe_tools", json!({ "names": tools })).await
}

/// The names that a search has found, best first.
pub(super) async fn search(client: &HttpClient, query: &str) -> Vec<String> {
    let found = call(client, "search_tools", json!({ "query": query })).await;
    assert_ne!(found["isError"], true, "{found}");
    let tools = found["structuredContent"]["data"]["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("no tools: {found}"));
    for tool in tools {
        let name = tool.as_str().expect("a name").split_once("__").expect("a server").1;
        assert!(text(&found).contains(name), "text and data tell the same: {found}");
    }
    tools.iter().map(|name| name.as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn a_tool_is_searched_described_and_called_and_recorded_as_itself() {
    let bank = open("");
    let agent = bank.agent();
    assert_eq!(names(&agent).await, SHORT_LIST);
    assert_eq!(search(&agent, "transfer money").await[0], "bank__transfer");
    let described = describe(&agent, &["bank__transfer"]).await;
    let told: Value = serde_json::from_str(text(&described)).expect("a definition");
    assert_eq!(told["inputSchema"]["properties"]["amount"]["description"], "In cents", "{told}");
    let done = through(&agent, "bank__transfer", money(7)).await;
    assert_eq!((status(&done), bank.ran()), ("succeeded", vec![moved(7)]), "{done}");
    assert!(!done.to_string().contains("takes exactly"), "what was described is not said again: {done}");
    let id = envelope(&done)["tool_call_id"].as_str().expect("an id");
    let kinds: Vec<(String, String)> = bank
        .events(&["--call", id])
        .iter()
        .map(|one| (one["kind"].to_string(), one["tool"].to_string()))
        .collect();
    assert_eq!(kinds.len(), 2, "started, completed: {kinds:?}");
    assert!(kinds.iter().all(|(_, tool)| tool == "\"bank:transfer\""), "{kinds:?}");
    let all = bank.events(&["--kind", "tool.call.completed"]);
    let tools: Vec<&str> = all.iter().filter_map(|one| one["tool"].as_str()).collect();
    assert_eq!(tools, ["toolgate.tools.search", "toolgate.tools.describe", "bank:transfer"]);
    bank.verify();
}

#[tokio::test]
async fn the_older_era_searches_describes_and_calls_alike() {
    let bank = open("");
    let older = older(&bank.agent()).await;
    assert_eq!(older_names(&older).await, SHORT_LIST);
    let ask = |id: u64, tool: &'static str, arguments: Value| {
        let params = json!({ "name": tool, "arguments": arguments });
        let older = &older;
        async move { older.legacy(id, "tools/call", params).await.result() }
    };
    let found = ask(1, "search_tools", json!({ "query": "transfer" })).await;
    assert_eq!(found["structuredContent"]["data"]["tools"][0], "bank__transfer", "{found}");
    let described = ask(2, "describe_tools", json!({ "names": ["bank__transfer"] })).await;
    assert!(text(&described).contains("In cents"), "{described}");
    let done = ask(3, "call_tool", json!({ "name": "bank__transfer", "arguments": money(3) })).await;
    assert_eq!((status(&done), bank.ran()), ("succeeded", vec![moved(3)]), "{done}");
    assert_eq!(older_names(&older).await, SHORT_LIST, "nothing was revealed that nobody asked for");
}

#[tokio::test]
async fn people_are_asked_for_the_tool_and_not_for_call_tool() {
    let bank = open(GATED);
    let agent = bank.agent();
    describe(&agent, &["bank__transfer"]).await;
    let id = pending(&through(&agent, "bank__transfer", money(1)).await);
    let shown = bank.approval(&id);
    assert_eq!(
        (&shown["binding"]["tool"], &shown["arguments"]),
        (&json!("bank:transfer"), &money(1)),
        "{shown}"
    );
    assert_eq!(bank.ran(), Vec::<String>::new());
    bank.approve(&id);
    assert_eq!(status(&through(&agent, "bank__transfer", money(1)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(1)]);
    let again = through(&agent, "bank__transfer", money(1)).await;
    assert_ne!(status(&again), "succeeded", "a yes is used once: {again}");
    // An approval for one way of calling is valid for the other.
    let id = pending(&through(&agent, "bank__transfer", money(2)).await);
    bank.approve(&id);
    assert_eq!(status(&call(&agent, "bank__transfer", money(2)).await), "succeeded");
    bank.verify();
}

#[tokio::test]
async fn what_policy_forbids_is_as_unknown_through_call_tool_and_recorded_under_its_own_name() {
    let bank = open(FORBIDDEN);
    let agent = bank.agent();
    let nobodys = through(&agent, "bank__transfix", money(1)).await;
    for name in ["bank__transfer", "bank:transfer"] {
        let said = through(&agent, name, money(1)).await;
        assert_eq!(said["isError"], true, "{said}");
        assert_eq!(said["structuredContent"]["error"]["code"], "unknown_tool", "{said}");
        assert_eq!(
            said["structuredContent"]["error"]["message"],
            nobodys["structuredContent"]["error"]["message"]
                .as_str()
                .expect("text")
                .replace("bank__transfix", name)
        );
        let hint = said["structuredContent"]["error"]["hint"].as_str().expect("a hint");
        assert!(!hint.contains("transfer"), "{hint}");
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
    let denied = bank.events_of(&["--kind", "tool.call.completed", "--outcome", "denied"], 2);
    assert_eq!(denied.len(), 2, "each attempt: {denied:?}");
    assert!(denied.iter().all(|one| one["tool"] == "bank:transfer"), "{denied:?}");
}

#[tokio::test]
async fn what_policy_forbids_by_its_arguments_is_denied_with_the_reason() {
    let guard = "[policy]\nguard = '''permit (principal, action, resource);\n@reason(\"too much\")\n\
        forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 10 };'''\n";
    let bank = open(guard);
    let agent = bank.agent();
    describe(&agent, &["bank__transfer"]).await;
    assert_eq!(status(&through(&agent, "bank__transfer", money(5)).await), "succeeded");
    let denied = through(&agent, "bank__transfer", money(50)).await;
    assert_eq!(status(&denied), "denied", "{denied}");
    assert!(text(&denied).contains("too much"), "{denied}");
    assert_eq!(bank.ran(), [moved(5)]);
}

#[tokio::test]
async fn call_tool_calls_neither_itself_nor_the_other_two() {
    let bank = open("");
    let agent = bank.agent();
    for name in
        ["call_tool", "search_tools", "describe_tools", "toolgate.tools.call", "toolgate.tools.search"]
    {
        let arguments = json!({ "name": "bank__transfer", "arguments": money(1), "query": "x" });
        let said = through(&agent, name, arguments).await;
        assert_eq!(
            (&said["isError"], said["structuredContent"]["error"]["code"].as_str()),
            (&json!(true), Some("invalid_arguments")),
            "{name}: {said}"
        );
        assert!(text(&said).contains("call_tool"), "{said}");
    }
    for arguments in [
        json!({}),
        json!({ "arguments": {} }),
        json!({ "name": 7 }),
        json!({ "name": "bank__balance", "args": {} }),
    ] {
        let said = call(&agent, "call_tool", arguments.clone()).await;
        assert_eq!(said["isError"], true, "{arguments}: {said}");
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
    let nested = json!({ "name": "call_tool", "arguments": { "name": "call_tool", "arguments": {} } });
    let rest = bank.rest(&bank.gateway.agent, "POST", "/tools/call", Some(nested)).await;
    assert_eq!((rest.status, rest.json()["code"].as_str()), (404, Some("unknown_tool")), "{rest:?}");
}

#[tokio::test]
async fn a_listed_tool_and_one_that_is_not_are_called_directly_too() {
    let bank = open("");
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, "bank__statement", json!({})).await), "succeeded");
    assert_eq!(status(&call(&agent, "bank__transfer", money(4)).await), "succeeded");
    let unknown = response(&agent, "bank__nothing", json!({})).await;
    super::stage::is_unknown(&unknown, "bank__nothing");
    let told = through(&agent, "bank__statement", json!({})).await;
    assert_eq!(told["content"].as_array().map(Vec::len), Some(1), "a pinned tool's schema is known: {told}");
}
