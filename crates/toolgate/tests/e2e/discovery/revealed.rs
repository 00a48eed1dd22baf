//! `reveal_found`: for clients of the older era that can only call listed tools, found tools join their list.

use serde_json::{Value, json};

use super::ears::{pushed, told};
use super::stage::{becomes, is_unknown, older, older_names};
use super::through::{SHORT_LIST, search};
use crate::governed::bank::{Bank, NO_HOLD, money, status};
use crate::governed::database::Backing;
use crate::kit::names;

const REVEALING: &str = "[[agents]]\nname = \"default\"\ntoken_budget = 0\nreveal_found = true\npinned = [\"bank:statement\"]\n[policy]\nfolder = \"policy\"\n";
const ALL: &str = "permit (principal, action, resource);\n";

fn open() -> Bank {
    let toml = format!("{REVEALING}{NO_HOLD}");
    Bank::open_with(Backing::Sqlite, &toml, &[("policy/guard.cedar", ALL)])
}

fn looking(query: &str) -> Value {
    json!({ "name": "search_tools", "arguments": { "query": query } })
}

#[tokio::test]
async fn found_tools_join_the_list_of_the_session_that_found_them_and_it_is_told() {
    let bank = open();
    let mine = older(&bank.agent()).await;
    let other = older(&bank.agent()).await;
    let mut stream = pushed(&mine).await;
    assert_eq!(older_names(&mine).await, SHORT_LIST);
    mine.legacy(1, "tools/call", looking("refund")).await.result();
    told(&mut stream).await;
    let now = older_names(&mine).await;
    assert!(now.contains(&"bank__refund".to_owned()) && now.is_sorted(), "{now:?}");
    let list = mine.legacy(2, "tools/list", json!({})).await.result();
    let refund = list["tools"].as_array().expect("a list").iter().find(|tool| tool["name"] == "bank__refund");
    assert_eq!(refund.map(|tool| &tool["inputSchema"]["required"]), Some(&json!(["amount", "account"])));
    let params = json!({ "name": "bank__refund", "arguments": money(1) });
    assert_eq!(status(&mine.legacy(3, "tools/call", params).await.result()), "succeeded");
    assert_eq!(older_names(&other).await, SHORT_LIST, "another connection found nothing");
    assert_eq!(names(&bank.agent()).await, SHORT_LIST, "the list of the newer era depends on the credential");
}

#[tokio::test]
async fn in_the_newer_era_nothing_is_revealed() {
    let bank = open();
    let agent = bank.agent();
    assert!(search(&agent, "refund").await.contains(&"bank__refund".to_owned()));
    assert_eq!(names(&agent).await, SHORT_LIST);
    assert_eq!(older_names(&older(&agent).await).await, SHORT_LIST);
}

#[tokio::test]
async fn what_was_revealed_and_is_forbidden_later_leaves_the_list() {
    let bank = open();
    let mine = older(&bank.agent()).await;
    let mut stream = pushed(&mine).await;
    mine.legacy(1, "tools/call", looking("refund")).await.result();
    told(&mut stream).await;
    assert!(older_names(&mine).await.contains(&"bank__refund".to_owned()));
    let forbid = format!("{ALL}forbid (principal, action == Action::\"bank:refund\", resource);\n");
    bank.write("policy/guard.cedar", &forbid);
    becomes("it leaves the list", || async {
        !older_names(&mine).await.contains(&"bank__refund".to_owned())
    })
    .await;
    told(&mut stream).await;
    let params = json!({ "name": "bank__refund", "arguments": money(1) });
    is_unknown(&mine.legacy(3, "tools/call", params).await.response(), "bank__refund");
    assert_eq!(bank.ran(), Vec::<String>::new());
}
