//! Real clients that search, describe and call, because their agent lists no tool of any server.

use serde_json::{Value, json};

use super::{Sdk, SdkEra};
use crate::outside::{fetched, repository};
use crate::{boot, conforming};

/// The agent always searches.
const MISER: &str = "[[agents]]\nname = \"miser\"\ntoken_budget = 0\n";
const SHORT_LIST: [&str; 3] = ["call_tool", "describe_tools", "search_tools"];

/// Runs a program with a request for the agent's address; returns its report and the gateway's records.
fn report(mut client: std::process::Command, era: &str) -> (Value, Vec<String>) {
    let gateway = boot(&format!("{MISER}{}", conforming("conf", &[])));
    let request = json!({
        "era": era, "transport": "http", "journey": "search", "prefix": "conf__",
        "url": gateway.url("/mcp/miser"), "token": gateway.agent,
    });
    let output = client.arg(request.to_string()).output().expect("the client starts");
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the client ended with {}:\n{talk}", output.status);
    let saw = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the client reported nothing ({error}): {:?}\n{talk}", output.stdout));
    let ledger = gateway.cli(&["ledger", "export", "--kind", "tool.call.completed"]);
    let lines = String::from_utf8(ledger.stdout).expect("text");
    let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("each line is JSON"));
    // A call of a name that leads nowhere is recorded without a tool.
    let called = events.filter_map(|event| event["tool"].as_str().map(str::to_owned)).collect();
    (saw, called)
}

fn find(sdk: Sdk, era: SdkEra) {
    let (saw, called) = report(sdk.command(), era.name());
    assert_eq!(saw["tools"], json!(SHORT_LIST), "{saw}");
    assert_eq!(saw["found"][0], "conf__echo", "{saw}");
    assert_eq!(saw["described"]["name"], "conf__echo", "{saw}");
    assert!(saw["described"]["inputSchema"]["properties"]["text"].is_object(), "{saw}");
    assert_eq!(saw["called"], "grüße", "{saw}");
    assert_eq!(saw["unknown"]["isError"], true, "{saw}");
    assert!(saw["unknown"]["text"].as_str().is_some_and(|said| said.contains("conf__echo")), "{saw}");
    assert_eq!(called, ["toolgate.tools.search", "toolgate.tools.describe", "conf:echo"]);
}

#[test]
fn python_older_searches_describes_and_calls() {
    find(Sdk::PythonOlder, SdkEra::Legacy);
}

#[test]
fn python_newer_searches_describes_and_calls() {
    find(Sdk::PythonNewer, SdkEra::Legacy);
    find(Sdk::PythonNewer, SdkEra::Modern);
}

#[test]
fn node_older_searches_describes_and_calls() {
    find(Sdk::NodeOlder, SdkEra::Legacy);
}

#[test]
fn node_newer_searches_describes_and_calls() {
    find(Sdk::NodeNewer, SdkEra::Legacy);
    find(Sdk::NodeNewer, SdkEra::Modern);
}

#[test]
fn a_langgraph_agent_searches_describes_and_calls() {
    let mut client = std::process::Command::new(fetched("python-bridges/bin/python"));
    client.arg(repository().join("tests/clients/python/langgraph_agent.py"));
    super::local(&mut client);
    let (saw, called) = report(client, "legacy");
    assert_eq!(saw["tools"], json!(SHORT_LIST), "{saw}");
    assert_eq!(saw["calls"], json!(["search_tools", "describe_tools", "call_tool"]), "{saw}");
    assert_eq!(saw["described"]["name"], "conf__echo", "{saw}");
    assert_eq!(saw["said"], "grüße", "{saw}");
    assert_eq!(called, ["toolgate.tools.search", "toolgate.tools.describe", "conf:echo"]);
}
