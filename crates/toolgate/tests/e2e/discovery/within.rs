//! A credential that is bound to an agent stays within it: the principal's sessions for other agents are
//! hidden from it, whether the token binds it or a definition does.

use serde_json::{Value, json};

use super::stage::{Stage, is_unknown, response};
use crate::kit::names;

const BOBS: &str = "[[agents]]\nname = \"bobs\"\ncapabilities = [\"first\"]\nprincipals = [\"bob\"]\n";

/// Forbidden actions on a session, each answered as if there were none.
async fn knows_nothing_of(stage: &Stage, token: &str, id: &str) {
    let path = format!("/sessions/{id}");
    let mounts = Some(json!({ "mounts": {} }));
    for (method, path, body) in [
        ("GET", path.clone(), None),
        ("GET", format!("{path}/explain"), None),
        ("GET", format!("/tools?session={id}"), None),
        ("GET", format!("/tools/cost?session={id}"), None),
        ("GET", format!("/tools/search?q=work&session={id}"), None),
        ("POST", format!("/tools/call?session={id}"), Some(json!({ "name": "two__work", "arguments": {} }))),
        ("PATCH", path.clone(), mounts),
        ("DELETE", path, None),
    ] {
        let answer = stage.site.rest(token, method, &path, body).await;
        assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
        assert!(!answer.text.contains("two:"), "{answer:?}");
    }
    let all = stage.site.rest(token, "GET", "/sessions", None).await.json();
    assert!(!all.to_string().contains(id), "{all}");
    let client = stage.at(&stage.site.agent_with(token), &format!("/mcp/{id}"));
    assert_eq!(client.modern("tools/list", json!({})).await.status, 404);
}

#[tokio::test]
async fn a_bound_token_knows_nothing_of_other_agents_sessions_of_its_principal() {
    let stage = Stage::open(BOBS).await;
    let token = stage.site.token("--role agent --principal p1 --agent reader");
    let body = |agent: &str, principal: &str| json!({ "agent": agent, "principal": principal });
    let admin = &stage.site.gateway.admin;
    let wide = stage.session(admin, body("writer", "p1")).await;
    knows_nothing_of(&stage, &token, &wide.id).await;
    let bob = stage.site.token("--role agent --principal bob");
    let wide_of_bob = stage.session(admin, body("writer", "bob")).await;
    knows_nothing_of(&stage, &bob, &wide_of_bob.id).await;
    is_unknown(&response(&stage.site.agent_with(&bob), "two__work", json!({})).await, "two__work");
    for opened in [&wide, &wide_of_bob] {
        assert_eq!(names(&opened.client).await.len(), 4, "whom it was given to has it");
    }
    let own = stage.session(&token, json!({})).await;
    let listed = stage.site.rest(&token, "GET", "/sessions", None).await.json();
    assert!(listed.to_string().contains(&own.id), "its own it sees: {listed}");
}

#[tokio::test]
async fn the_run_and_the_task_of_a_session_are_those_of_its_calls() {
    let stage = Stage::open("").await;
    let token = stage.bound_token("writer");
    let run = stage.run(&token).await;
    let opened = stage.session(&token, json!({ "run": run, "task": "T-7" })).await;
    let claimed = json!({ "dev.toolgate/run_id": "run_of_another", "dev.toolgate/task_id": "T-0" });
    let params = json!({ "name": "one__work", "arguments": {}, "_meta": claimed });
    opened.client.modern("tools/call", params).await.result();
    let ended = stage.told_of("tool.call.completed", &opened.id).await;
    let about: Vec<(&Value, &Value)> = ended.iter().map(|one| (&one["run"], &one["task"])).collect();
    assert_eq!(about, [(&json!(run), &json!("T-7"))], "{ended:?}");
}

#[tokio::test]
async fn nobody_is_given_the_session_of_a_token_that_has_no_other_name() {
    let stage = Stage::open("").await;
    let me = stage.site.agent();
    crate::kit::call(&me, "one__work", json!({})).await;
    let ends = stage.site.get("/ledger?kind=tool.call.completed").await;
    let principal = ends["events"][0]["principal"].as_str().expect("a principal").to_owned();
    assert!(principal.starts_with("tok_"), "{principal}");
    let body = json!({ "principal": principal });
    let answer = stage.site.rest(&stage.site.gateway.admin, "POST", "/sessions", Some(body)).await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
}
