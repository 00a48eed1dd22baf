//! Agents and capabilities from the file and through the API: a credential sees its agent's tools, and no
//! more.

use serde_json::{Value, json};

use super::ears::EraListeners;
use super::stage::{Stage, becomes, is_unknown, list_text, older, older_names, response};
use crate::kit::{call, names};
use crate::live::site::{done, refused};

#[tokio::test]
async fn a_token_that_is_bound_to_an_agent_has_its_tools_and_no_others() {
    let stage = Stage::open("").await;
    for (agent, wanted) in [
        ("reader", &["one__work"][..]),
        ("writer", &["one__work", "one__write", "two__work", "two__write"]),
        ("other", &["two__work", "two__write"]),
        ("nothing", &[]),
        ("default", &["one__work", "one__write", "two__work", "two__write"]),
    ] {
        let newer = stage.bound(agent);
        let older = older(&newer).await;
        assert_eq!(names(&newer).await, wanted, "{agent}");
        assert_eq!(older_names(&older).await, wanted, "{agent}, older era");
        for tool in ["one__work", "one__write", "two__work"] {
            let params = json!({ "name": tool, "arguments": { "n": 1 } });
            let said = [
                newer.modern("tools/call", params.clone()).await.response(),
                older.legacy(1, "tools/call", params.clone()).await.response(),
            ];
            let rest = stage.site.rest(&newer.token, "POST", "/tools/call", Some(params)).await;
            if wanted.contains(&tool) {
                said.iter().for_each(|said| assert_eq!(done(&said["result"])["arguments"]["n"], 1));
                assert_eq!(rest.status, 200, "{agent} {tool}: {rest:?}");
            } else {
                said.iter().for_each(|said| is_unknown(said, tool));
                assert_eq!(rest.status, 404, "{agent} {tool}: {rest:?}");
            }
        }
    }
    let denied = |page: &Value| page["events"].as_array().map(Vec::len);
    let path = "/ledger?principal=reader-bot&outcome=denied&limit=1000";
    let page = stage.site.becomes(path, |page| denied(page) >= Some(6)).await;
    assert_eq!(denied(&page), Some(6), "two tools, three doors, each attempt recorded: {page}");
}

#[tokio::test]
async fn an_agent_is_for_the_principals_and_groups_that_it_names() {
    let more = "[[agents]]\nname = \"desk\"\ncapabilities = [\"second\"]\nprincipals = [\"ann\"]\ngroups = [\"desk\"]\n";
    let stage = Stage::open(more).await;
    let two = ["two__work", "two__write"];
    for of_whom in ["--principal ann", "--principal ben --group desk"] {
        let token = stage.site.token(&format!("--role agent {of_whom}"));
        assert_eq!(names(&stage.site.agent_with(&token)).await, two, "{of_whom}");
    }
    let nobody = stage.site.token("--role agent --principal cid --group elsewhere");
    assert_eq!(names(&stage.site.agent_with(&nobody)).await.len(), 4);
    let bound = stage.site.token("--role agent --principal ann --agent reader");
    assert_eq!(names(&stage.site.agent_with(&bound)).await, ["one__work"], "what a token says comes first");
}

#[tokio::test]
async fn what_the_api_defines_counts_at_once_and_whoever_it_is_for_is_told() {
    let stage = Stage::open("").await;
    let site = &stage.site;
    let put = |path: &'static str, body: Value| site.rest(&site.gateway.admin, "PUT", path, Some(body));
    let saved = put("/capabilities/writing", json!({ "tools": ["*:write", "githup:*"] })).await;
    assert_eq!(saved.status, 200, "{saved:?}");
    let warned = &saved.json()["warnings"];
    assert_eq!(warned[0]["pattern"], "githup:*", "what fits nothing is named: {warned}");
    assert_eq!(put("/agents/scribe", json!({ "capabilities": ["writing"] })).await.status, 200);
    let scribe = stage.bound("scribe");
    assert_eq!(names(&scribe).await, ["one__write", "two__write"]);
    let (mut ears, quiet) =
        (EraListeners::open(&scribe).await, EraListeners::open(&stage.bound("reader")).await);
    assert_eq!(put("/capabilities/writing", json!({ "tools": ["two:write"] })).await.status, 200);
    ears.hear().await;
    assert_eq!(names(&scribe).await, ["two__write"], "the list is new when the news come");
    let setting = site.get("/settings/agents").await;
    assert_eq!(setting["value"][0]["name"], "scribe", "definitions are settings: {setting}");
    let moved = json!([{ "name": "scribe", "capabilities": ["writing"], "blocked": ["two:*"] }]);
    assert_eq!(site.set("agents", moved).await.status, 200);
    ears.hear().await;
    assert_eq!(names(&scribe).await, Vec::<String>::new());
    let two = |page: &Value| page["versions"].as_array().map(Vec::len) == Some(2);
    site.becomes("/agents/scribe/versions", two).await;
    let mut stage = stage;
    stage.site.gateway.end(false);
    quiet.heard_nothing_more("reader").await;
}

#[tokio::test]
async fn what_the_file_defines_is_not_changed_by_the_api() {
    let stage = Stage::open("").await;
    let site = &stage.site;
    for (method, path, body) in [
        ("PUT", "/agents/reader", Some(json!({}))),
        ("DELETE", "/agents/reader", None),
        ("PUT", "/capabilities/first", Some(json!({ "servers": ["*"] }))),
        ("DELETE", "/capabilities/first", None),
    ] {
        let answer = site.rest(&site.gateway.admin, method, path, body).await;
        assert_eq!(answer.status, 409, "{method} {path}: {answer:?}");
        assert!(answer.text.contains("toolgate.toml"), "it says where it stands: {answer:?}");
    }
    let unknown = json!({ "capabilities": ["first", "secnd"] });
    let problem = refused(
        &site.rest(&site.gateway.admin, "PUT", "/agents/new", Some(unknown)).await,
        422,
        "unknown_capability",
    );
    assert!(problem.to_string().contains("secnd"), "{problem}");
    for token in [&site.gateway.agent, &stage.bound_token("writer")] {
        let answer = site.rest(token, "PUT", "/agents/mine", Some(json!({}))).await;
        assert_eq!(answer.status, 403, "agents define no agents: {answer:?}");
    }
    assert_eq!(names(&stage.bound("reader")).await, ["one__work"]);
}

#[tokio::test]
async fn a_new_file_changes_what_agents_see() {
    let stage = Stage::open("").await;
    let (reader, other) = (stage.bound("reader"), stage.bound("other"));
    let (mut ears, quiet) = (EraListeners::open(&reader).await, EraListeners::open(&other).await);
    let before = list_text(&other).await;
    stage.site.configure(&stage.toml.replace("blocked = [\"*:write\"]", ""));
    ears.hear().await;
    assert_eq!(names(&reader).await, ["one__work", "one__write"]);
    assert_eq!(done(&call(&reader, "one__write", json!({})).await)["tool"], "write");
    assert_eq!(list_text(&other).await, before);
    let mut stage = stage;
    stage.site.gateway.end(false);
    quiet.heard_nothing_more("other").await;
}

#[tokio::test]
async fn a_token_whose_agent_is_not_defined_any_more_has_nothing() {
    let stage = Stage::open("").await;
    let admin = &stage.site.gateway.admin;
    let put =
        stage.site.rest(admin, "PUT", "/agents/brief", Some(json!({ "capabilities": ["first"] }))).await;
    assert_eq!(put.status, 200);
    let brief = stage.bound("brief");
    assert_eq!(names(&brief).await.len(), 2);
    assert_eq!(stage.site.rest(admin, "DELETE", "/agents/brief", None).await.status, 204);
    becomes("its token is refused", || async { brief.modern("tools/list", json!({})).await.status == 403 })
        .await;
    let said = response(&brief, "one__work", json!({})).await;
    assert!(said.to_string().contains("brief"), "it says which agent: {said}");
    assert!(said.get("result").is_none(), "{said}");
}
