//! The list of tools, and a machine without Chromium.

use capability_testkit::{Client, server};
use serde_json::{Value, json};

use crate::drive::{PROGRAM, Stage};

/// Tokens of all definitions as a model gets them: names, descriptions, schemas.
const LIST_TOKENS_MAX: usize = 3_000;

const ALL: [&str; 21] = [
    "back",
    "click",
    "close",
    "dialog",
    "downloads",
    "evaluate",
    "fill_form",
    "find",
    "hover",
    "navigate",
    "press",
    "read_page",
    "screenshot",
    "scroll",
    "search",
    "select",
    "snapshot",
    "tabs",
    "type",
    "upload",
    "wait_for",
];

async fn tools(client: &Client) -> Vec<Value> {
    let tools = client.service.list_all_tools().await.unwrap();
    tools.iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
}

fn named<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    tools.iter().find(|tool| tool["name"] == name).unwrap()
}

fn extra<'a>(tools: &'a [Value], name: &str) -> &'a Value {
    &named(tools, name)["_meta"]["dev.toolgate/tool"]
}

#[tokio::test]
async fn the_list_is_short_and_says_what_each_tool_does_to_the_world() {
    let client = Client::start(server(PROGRAM, &["--evaluate"])).await;
    let tools = tools(&client).await;
    let mut names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ALL);
    let definition = |tool: &Value| json!({ "name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"] });
    let list: Vec<Value> = tools.iter().map(definition).collect();
    let tokens = capability_browser::page::tokens(&Value::from(list).to_string());
    assert!(tokens <= LIST_TOKENS_MAX, "{tokens} tokens");
    let of_effect = |effect: &str| -> Vec<&str> {
        ALL.into_iter().filter(|name| extra(&tools, name)["effects"] == json!([effect])).collect()
    };
    assert_eq!(
        of_effect("external"),
        ["back", "click", "fill_form", "navigate", "press", "search", "select", "type", "upload"]
    );
    assert_eq!(of_effect("write"), ["close"]);
    assert_eq!(of_effect("destructive"), ["evaluate"]);
    assert_eq!(extra(&tools, "click")["idempotent"], false);
    assert_eq!(extra(&tools, "navigate")["idempotent"], true);
    assert_eq!(extra(&tools, "type")["secrets"], json!([{ "argument": "secret" }]));
    assert_eq!(extra(&tools, "fill_form")["secrets"], json!([{ "argument": "fields/*/secret" }]));
    assert_eq!(extra(&tools, "upload")["files"], json!([{ "strategy": "binary_base64" }]));
}

#[tokio::test]
async fn every_tool_has_the_names_under_which_other_agents_know_it() {
    let client = Client::start(server(PROGRAM, &[])).await;
    let tools = tools(&client).await;
    for (name, alias) in [
        ("navigate", "NAVIGATE_TO_WEBSITE"),
        ("click", "CLICK_ELEMENT_BY_SELECTOR"),
        ("screenshot", "GET_SCREENSHOT"),
    ] {
        assert!(extra(&tools, name)["aliases"].as_array().unwrap().contains(&json!(alias)), "{name}");
    }
    let mut aliases: Vec<&str> = ALL
        .iter()
        .flat_map(|name| extra(&tools, name)["aliases"].as_array().unwrap())
        .map(|one| one.as_str().unwrap())
        .collect();
    let count = aliases.len();
    aliases.sort_unstable();
    aliases.dedup();
    assert_eq!(aliases.len(), count, "no alias means two tools");
}

/// Arguments as the seed's callers write them pass the schema and the tool.
#[tokio::test]
async fn a_selector_may_be_called_selector() {
    let stage = Stage::open().await;
    let schema = named(&tools(&stage.client).await, "click")["inputSchema"].clone();
    assert_eq!((schema.get("required"), schema.get("additionalProperties")), (None, None), "{schema}");
    stage.go("/changing").await;
    let clicked = stage.call("click", json!({ "selector": "#tip + input" })).await;
    assert!(clicked.starts_with("Clicked textbox \"Keys\"."), "{clicked}");
    let refused = stage.refused("click", json!({}), "bad_arguments").await;
    assert!(refused.contains("missing field `target`"), "{refused}");
    let refused = stage.refused("click", json!({ "target": "e1", "path": "x" }), "bad_arguments").await;
    assert!(refused.contains("unknown field `path`"), "{refused}");
}

#[tokio::test]
async fn without_chromium_every_tool_says_what_to_install() {
    let client = Client::start(server(PROGRAM, &["--chromium", "/nowhere/chromium"])).await;
    let tools = tools(&client).await;
    assert_eq!(tools.len(), ALL.len());
    for name in ALL {
        let description = named(&tools, name)["description"].as_str().unwrap();
        assert!(description.contains("Unavailable on this machine"), "{name}: {description}");
    }
    let (code, text) = client.trouble("navigate", json!({ "url": "https://a.example" })).await;
    assert!(code == "unavailable" && text.contains("chromium") && text.contains("\nhint: "), "{code} {text}");
}

#[tokio::test]
async fn search_and_evaluate_are_off_until_an_operator_wants_them() {
    let stage = Stage::open().await;
    let refused = stage.refused("search", json!({ "query": "x" }), "unavailable").await;
    assert!(refused.contains("--search-url"), "{refused}");
    let refused = stage.refused("evaluate", json!({ "expression": "1" }), "unavailable").await;
    assert!(refused.contains("--evaluate"), "{refused}");
}

#[tokio::test]
async fn searches_ask_the_engine_that_was_configured() {
    let site = crate::site::Site::open();
    let url = site.url("/search?q={query}");
    let options = ["--allow-private", "--search-url", &url, "--search-form", "json"];
    let stage = Stage { client: Client::start(server(PROGRAM, &options)).await, site };
    let found = stage.call("search", json!({ "query": "a b" })).await;
    assert_eq!(found, "1. \"First 'hit'\" https://a.example/\n   \"words of it\"");
    assert_eq!(stage.site.visits("/search?q=a%20b").len(), 1);

    let url = stage.site.url("/plain?q={query}");
    let client =
        Client::start(server(PROGRAM, &["--allow-private", "--evaluate", "--search-url", &url])).await;
    let stage = Stage { client, site: stage.site };
    let found = stage.call("search", json!({ "query": "x" })).await;
    assert!(found.contains("A plain page"), "{found}");
    let value = stage.call("evaluate", json!({ "expression": "[1 + 1, document.title]" })).await;
    assert!(value.starts_with("The script returned [2,\"Plain\"]"), "{value}");
}
