//! Queries: odd ones, small budgets, and the counts of both.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::stage::Stage;
use super::through::{SHORT_LIST, open, search};
use crate::doors::WAIT;
use crate::kit::{call, names, text};

const TOKENS_DEFAULT: usize = 500;

#[tokio::test]
async fn odd_queries_are_answered_within_the_budget() {
    let bank = open(&crate::conforming("conf", &[]));
    let agent = bank.agent();
    crate::kit::listed(&bank.gateway, "search_tools").await;
    let long = "transfer money ".repeat(667);
    assert!(long.len() >= 10_000);
    for (what, query) in [
        ("empty", ""),
        ("blank", " \t\n "),
        ("signs", "%_*?\\\"'{}[]()<>&;--\u{0}"),
        ("long", long.as_str()),
        ("one long word", &"x".repeat(10_000)),
        ("german", "Überweise Geld auf ein Konto"),
        ("japanese", "お金を送金する"),
        ("arabic", "تحويل الأموال"),
        ("emoji", "💸➡️🏦"),
    ] {
        let found = call(&agent, "search_tools", json!({ "query": query })).await;
        assert_ne!(found["isError"], true, "{what}: {found}");
        assert!(!text(&found).is_empty(), "{what}: {found}");
        assert!(text(&found).len() < TOKENS_DEFAULT * 8, "{what}: the answer is cut by tokens: {found}");
        assert!(found["structuredContent"]["data"]["tools"].is_array(), "{what}: {found}");
    }
    assert_eq!(search(&agent, &long).await[0], "bank__transfer", "what is said ten thousand times is found");
    for wrong in [
        json!({}),
        json!({ "query": 7 }),
        json!({ "query": "x", "servers": "bank" }),
        json!({ "query": "x", "detail": "all" }),
    ] {
        let said = call(&agent, "search_tools", wrong.clone()).await;
        assert_eq!(said["isError"], true, "{wrong}: {said}");
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_search_is_narrowed_by_server_and_by_budget_and_tells_how_much_more_there_is() {
    let bank = open(&crate::conforming("conf", &[]));
    let agent = bank.agent();
    let ask = |arguments: Value| {
        let agent = agent.clone();
        async move { call(&agent, "search_tools", arguments).await }
    };
    let wide = ask(json!({ "query": "test", "budget_tokens": 5000 })).await;
    let narrow = ask(json!({ "query": "test", "budget_tokens": 100 })).await;
    assert!(text(&narrow).len() < text(&wide).len(), "{narrow}");
    assert!(narrow["structuredContent"]["data"]["more"].as_u64() > Some(0), "{narrow}");
    for budget in [0, -1, 1_000_000_000] {
        assert_ne!(ask(json!({ "query": "test", "budget_tokens": budget })).await["isError"], true);
    }
    let only = ask(json!({ "query": "test", "servers": ["bank", "nowhere"] })).await;
    let tools = only["structuredContent"]["data"]["tools"].as_array().expect("a list");
    assert!(tools.iter().all(|name| name.as_str().is_some_and(|name| name.starts_with("bank__"))), "{only}");
    assert!(text(&only).contains("nowhere"), "{only}");
    let whole =
        ask(json!({ "query": "transfer", "detail": "schema", "servers": ["bank"], "budget_tokens": 2000 }))
            .await;
    assert!(text(&whole).contains("In cents"), "{whole}");
    let done = super::through::through(&agent, "bank__transfer", crate::governed::bank::money(1)).await;
    assert_eq!(crate::governed::bank::status(&done), "succeeded", "a schema that was found is known: {done}");
}

#[tokio::test]
async fn exact_names_typos_plurals_and_other_spellings_are_found() {
    let bank = open("");
    let agent = bank.agent();
    for (query, best) in [
        ("bank__refund", "bank__refund"),
        ("bank:refund", "bank__refund"),
        ("refund", "bank__refund"),
        ("refnud", "bank__refund"),
        ("refunds", "bank__refund"),
        ("bankRefund", "bank__refund"),
        ("state", "bank__statement"),
    ] {
        assert_eq!(search(&agent, query).await.first().map(String::as_str), Some(best), "{query}");
    }
}

#[tokio::test]
async fn the_search_says_what_is_behind_it() {
    let stage =
        Stage::open("[[agents]]\nname = \"miser\"\ncapabilities = [\"first\"]\ntoken_budget = 0\n").await;
    let list = stage.bound("miser").modern("tools/list", json!({})).await.result();
    let tool = list["tools"].as_array().expect("a list").iter().find(|tool| tool["name"] == "search_tools");
    let said = tool.and_then(|tool| tool["description"].as_str()).expect("a description");
    assert!(said.contains("2 tools") && said.contains("one") && said.contains("first"), "{said}");
    assert!(
        !said.contains("two") && !said.contains("second"),
        "what it does not see is not hinted at: {said}"
    );
}

/// One line of the metrics, as a number.
fn number(text: &str, line: &str) -> f64 {
    let found = text.lines().find_map(|one| one.strip_prefix(line));
    found.and_then(|rest| rest.trim().parse().ok()).unwrap_or_else(|| panic!("no {line} in {text}"))
}

#[tokio::test]
async fn lists_and_answers_are_counted_in_tokens() {
    let bank = open(&crate::conforming("conf", &[]));
    let agent = bank.agent();
    let metrics = || async { bank.get(&bank.gateway.admin, "/metrics").await.text };
    assert_eq!(names(&agent).await, SHORT_LIST);
    // The first time it takes a while, and no list waits for it.
    let counted = until_async(WAIT, || async {
        Some(metrics().await).filter(|text| number(text, "toolgate_list_tokens_total ") > 0.0)
    });
    let once = counted.await.expect("it is counted");
    let (cost, saved) =
        (number(&once, "toolgate_list_tokens_total "), number(&once, "toolgate_list_tokens_saved_total "));
    assert!(cost > 100.0 && saved > cost, "forty tools cost more than four: {cost} {saved}");
    names(&agent).await;
    let twice = metrics().await;
    assert_eq!(number(&twice, "toolgate_list_tokens_total "), 2.0 * cost);
    assert_eq!(number(&twice, "toolgate_list_tokens_saved_total "), 2.0 * saved);
    search(&agent, "transfer").await;
    super::through::describe(&agent, &["bank__transfer"]).await;
    let asked = metrics().await;
    for tool in ["search_tools", "describe_tools"] {
        let tokens = number(&asked, &format!("toolgate_answer_tokens_total{{tool=\"{tool}\"}} "));
        assert!(tokens > 10.0 && tokens <= 500.0, "{tool}: {tokens}");
    }
    let told = bank.get(&bank.gateway.agent, "/tools/cost").await.json();
    assert_eq!(told["surface"], "search", "{told}");
    assert!(told.to_string().contains(&format!("{cost}")), "the same count everywhere: {cost} in {told}");
}
