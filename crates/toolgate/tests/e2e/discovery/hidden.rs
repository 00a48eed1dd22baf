//! A tool that an agent may not see is never found, counted, described or hinted at.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::stage::{Stage, older};
use super::through::{describe, open, through};
use crate::governed::bank::{Bank, FORBIDDEN};
use crate::kit::{call, text};

/// Every way to ask about a tool, and all the answers.
async fn all_answers(client: &HttpClient, word: &str) -> Vec<(String, Value)> {
    let mut said = Vec::new();
    let queries = [word, "transfer", "move money", "bank", "write", ""];
    for detail in ["name", "signature", "schema"] {
        for query in queries {
            let arguments = json!({ "query": query, "detail": detail, "budget_tokens": 10_000 });
            said.push((format!("search {query:?}"), call(client, "search_tools", arguments).await));
        }
    }
    let wire = word.replace(':', "__");
    let (short, long) = (&wire[..wire.len() - 1], format!("{wire}s"));
    for name in [word, wire.as_str(), short, long.as_str()] {
        said.push((format!("describe {name}"), describe(client, &[name]).await));
        said.push((format!("call {name}"), through(client, name, json!({})).await));
    }
    said
}

/// None of the answers reveals more than the question.
fn nothing_slips(answers: &[(String, Value)], told: &[&str]) {
    for (what, said) in answers {
        // A requested name is in the answer; its target is not.
        let asked = what.split_once(' ').expect("two words").1;
        let rest = said["content"].to_string().replace(asked, "");
        for secret in told {
            assert!(!rest.contains(secret), "{what} tells {secret:?}: {said}");
        }
        if what.starts_with("search") {
            assert_eq!(said["structuredContent"]["data"]["more"], 0, "{what}: {said}");
        }
    }
}

#[tokio::test]
async fn what_policy_forbids_is_not_found_described_or_hinted_at() {
    let bank: Bank = open(FORBIDDEN);
    let agent = bank.agent();
    nothing_slips(
        &all_answers(&agent, "bank:transfer").await,
        &["bank__transfer", "bank:transfer", "Moves money\""],
    );
    let older = older(&agent).await;
    let params = json!({ "name": "search_tools", "arguments": { "query": "transfer" } });
    let said = older.legacy(1, "tools/call", params).await.result();
    assert!(!text(&said).contains("bank__transfer"), "{said}");
    let list = agent.modern("tools/list", json!({})).await.text;
    assert!(!list.contains("transfer"), "{list}");
    for path in ["/tools", "/tools/search?q=transfer", "/tools/cost"] {
        let answer = bank.get(&bank.gateway.agent, path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert!(
            !answer.text.contains("bank__transfer") && !answer.text.contains("bank:transfer"),
            "{path}: {answer:?}"
        );
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn what_a_scope_leaves_out_is_not_found_described_or_hinted_at() {
    let stage = Stage::open("[[agents]]\nname = \"miser\"\ncapabilities = [\"first\"]\nblocked = [\"one:write\"]\ntoken_budget = 0\n").await;
    let miser = stage.bound("miser");
    let opened = stage.session(&miser.token, json!({})).await;
    for client in [&miser, &opened.client] {
        for word in ["two:work", "two:write", "one:write"] {
            let answers = all_answers(client, word).await;
            nothing_slips(&answers, &["two__", "two:", "one__write", "one:write", "Writes a piece"]);
            let found = &answers[0].1;
            assert!(!found["structuredContent"]["data"]["tools"].to_string().contains("write"), "{found}");
        }
        let narrowed = call(client, "search_tools", json!({ "query": "work", "servers": ["two"] })).await;
        let nowhere = call(client, "search_tools", json!({ "query": "work", "servers": ["nil"] })).await;
        assert_eq!(text(&narrowed).replace("two", "nil"), text(&nowhere), "a hidden server is like none");
    }
    for path in ["/tools", "/tools/search?q=write", "/tools/cost"] {
        let answer = stage.site.rest(&miser.token, "GET", path, None).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        assert!(!answer.text.contains("two") && !answer.text.contains("one__write"), "{path}: {answer:?}");
    }
}
