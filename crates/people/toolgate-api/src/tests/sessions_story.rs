//! Sessions, from the one who opens them to the token that stops working.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;
use toolgate_core::scope::Credential;

use super::gate::{Gate, Read, introduce, request, somebody, until};
use super::parts::stock;

async fn stocked() -> Gate {
    let gate = Gate::open().await;
    stock(&gate.catalog);
    let operator = somebody("op", Role::Operator);
    let body = r#"{"tools":["files:*","chat:*","nothing:*"]}"#;
    assert_eq!(gate.put(&operator, "/capabilities/desk", body).await.status, StatusCode::OK);
    let body = r#"{"capabilities":["desk"],"blocked":["files:point"],"limits":{"sessions_max":2}}"#;
    assert_eq!(gate.put(&operator, "/agents/clerk", body).await.status, StatusCode::OK);
    gate
}

async fn open(gate: &Gate, role: Role, body: &str) -> Read {
    gate.post(&somebody("agent-7", role), "/sessions", body).await
}

fn id(opened: &Read) -> String {
    opened.json()["session"]["id"].as_str().unwrap_or_else(|| panic!("no id: {opened:?}")).to_owned()
}

/// The credential of a session's token, as the edge makes it.
async fn holder(gate: &Gate, opened: &Read) -> Option<Credential> {
    gate.store.verify(opened.json()["token"].as_str().expect("a token")).await.expect("the store is there")
}

async fn ask(gate: &Gate, credential: &Credential, method: Method, path: &str, body: &str) -> Read {
    let mut request = request(method, path, None, body);
    introduce(&mut request, credential.clone());
    gate.send(request).await
}

async fn patch(gate: &Gate, role: Role, path: &str, tag: Option<&str>, body: &str) -> Read {
    let mut request = request(Method::PATCH, path, Some(&somebody("agent-7", role)), body);
    if let Some(tag) = tag {
        request.headers_mut().insert("if-match", tag.parse().expect("a value"));
    }
    gate.send(request).await
}

fn told(answer: &Read) -> (u16, String) {
    (answer.status.as_u16(), answer.problem())
}

fn tools(page: &Value, key: &str) -> Vec<String> {
    let list = page["tools"].as_array().unwrap_or_else(|| panic!("no tools: {page}"));
    list.iter().map(|one| one[key].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn a_session_is_opened_used_with_its_token_and_closed() {
    let gate = stocked().await;
    let body =
        r#"{"agent":"clerk","mounts":{"providers":["slack"]},"policy_template":"standard","task":"t"}"#;
    let opened = open(&gate, Role::Agent, body).await;
    assert_eq!(opened.status, StatusCode::CREATED, "{opened:?}");
    let (id, session) = (id(&opened), opened.json()["session"].clone());
    assert_eq!(opened.headers["location"], format!("/sessions/{id}"));
    assert_eq!(
        (&opened.headers["etag"], &opened.json()["mcp_url"]),
        (&"\"1\"".parse().expect("a value"), &json!(format!("/mcp/{id}")))
    );
    for (key, value) in [
        ("agent", json!("clerk")),
        ("kind", json!("explicit")),
        ("state", json!("active")),
        ("principal", json!("agent-7")),
        ("opened_by", json!("agent-7")),
        ("mounts", json!({ "providers": ["slack"] })),
        ("policy_template", json!("standard")),
        ("task", json!("t")),
        ("version", json!(1)),
    ] {
        assert_eq!(session[key], value, "{key}");
    }
    let own = holder(&gate, &opened).await.expect("the token is good");
    let seen = ask(&gate, &own, Method::GET, "/tools", "").await.json();
    assert_eq!(tools(&seen, "name"), ["chat:post", "files:read"]);
    let called = ask(&gate, &own, Method::POST, "/tools/call", r#"{"name":"say:succeeded"}"#).await.json();
    assert_eq!((&called["data"]["session"], &called["data"]["agent"]), (&json!(id), &json!("clerk")));
    let by_id = gate.get(&somebody("agent-7", Role::Agent), &format!("/tools?session={id}")).await.json();
    assert_eq!(tools(&by_id, "name"), ["chat:post", "files:read"]);
    let closed = gate.delete(&somebody("agent-7", Role::Agent), &format!("/sessions/{id}")).await;
    assert_eq!((closed.status, &closed.json()["state"]), (StatusCode::OK, &json!("closed")));
    assert_eq!(closed.json()["closed_because"], "closed");
    assert_eq!(holder(&gate, &opened).await, None, "the token ends with it");
    let late = ask(&gate, &own, Method::GET, "/tools", "").await;
    assert_eq!(told(&late), (410, "session_closed".into()));
    let again = gate.delete(&somebody("agent-7", Role::Agent), &format!("/sessions/{id}")).await;
    assert_eq!(again.status, StatusCode::OK, "closing twice changes nothing");
}

#[tokio::test]
async fn what_a_session_cannot_be_is_told_with_the_part_and_the_nearest() {
    let gate = stocked().await;
    let long = format!(r#"{{"task":"{}"}}"#, "x".repeat(257));
    for (body, status, code, field, hint) in [
        (r#"{"agent":"clrek"}"#, 422, "unknown_agent", Some("agent"), ""),
        (r#"{"agent":"a b"}"#, 422, "field_invalid", Some("agent"), ""),
        (r#"{"mounts":{"servers":["flies"]}}"#, 422, "unknown_mount", Some("mounts.servers"), "files"),
        (r#"{"mounts":{"providers":["slakc"]}}"#, 422, "unknown_mount", Some("mounts.providers"), ""),
        (r#"{"mounts":{"pointers":[""]}}"#, 422, "invalid_mounts", Some("mounts.pointers[0]"), ""),
        (r#"{"mounts":{"servers":"files"}}"#, 422, "field_invalid", Some("mounts.servers"), ""),
        (r#"{"mounts":{"disks":[]}}"#, 422, "field_unknown", Some("disks"), "servers"),
        (r#"{"policy_template":"regulatde"}"#, 422, "unknown_template", Some("policy_template"), "regulated"),
        (r#"{"policy_template":3}"#, 422, "field_invalid", Some("policy_template"), ""),
        (r#"{"agnet":"clerk"}"#, 422, "field_unknown", Some("agnet"), "agent"),
        (r#"{"task":7}"#, 422, "field_invalid", Some("task"), ""),
        (long.as_str(), 422, "invalid_session", Some("task"), ""),
        (r#"{"principal":"somebody"}"#, 403, "not_allowed", Some("principal"), ""),
        ("[]", 422, "field_invalid", None, ""),
        ("{", 400, "json_broken", None, ""),
    ] {
        let answer = open(&gate, Role::Agent, body).await;
        assert_eq!(told(&answer), (status, code.to_owned()), "{body} {answer:?}");
        assert_eq!(answer.json().get("field").and_then(Value::as_str), field, "{body}");
        assert!(answer.json()["hint"].as_str().unwrap_or_default().contains(hint), "{body} {answer:?}");
    }
    // Names that an agent may not know are shown to operators only.
    for (body, name) in
        [(r#"{"agent":"clrek"}"#, "clerk"), (r#"{"mounts":{"providers":["slakc"]}}"#, "slack")]
    {
        for (role, is_told) in [(Role::Operator, true), (Role::Agent, false)] {
            let hint = open(&gate, role, body).await.json()["hint"].as_str().unwrap_or_default().to_owned();
            assert_eq!(hint.contains(name), is_told, "{body} {hint}");
        }
    }
    let strict = r#"{"policy_template":"regulated"}"#;
    gate.put(&somebody("op", Role::Operator), "/agents/strict", strict).await;
    let weak = open(&gate, Role::Agent, r#"{"agent":"strict","policy_template":"standard"}"#).await;
    assert_eq!(told(&weak), (422, "template_too_weak".into()));
    let all = gate.get(&somebody("op", Role::Operator), "/sessions?agent=strict").await.json();
    assert_eq!(all["sessions"], json!([]));
}

#[tokio::test]
async fn rules_that_fit_nothing_are_told_to_those_who_run_the_gateway() {
    let gate = stocked().await;
    let opened = open(&gate, Role::Operator, r#"{"agent":"clerk","principal":"bot"}"#).await.json();
    assert_eq!(opened["session"]["principal"], "bot");
    assert_eq!(opened["warnings"].as_array().map(Vec::len), Some(1), "{opened}");
    assert_eq!(opened["warnings"][0]["pattern"], "nothing:*");
    assert_eq!(opened["session"]["scope"]["layers"][0]["blocked"], json!(["files:point"]));
    let opened = open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await.json();
    assert_eq!(opened["warnings"], json!([]));
    assert!(opened["session"].get("scope").is_none(), "it names what is not seen: {opened}");
}

#[tokio::test]
async fn no_more_sessions_are_open_than_the_agent_may_have() {
    let gate = stocked().await;
    let first = open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await;
    assert_eq!(open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await.status, StatusCode::CREATED);
    let third = open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await;
    assert_eq!((told(&third), &third.json()["retry"]), ((429, "too_many_sessions".into()), &json!(true)));
    gate.delete(&somebody("agent-7", Role::Agent), &format!("/sessions/{}", id(&first))).await;
    assert_eq!(open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await.status, StatusCode::CREATED);
}

#[tokio::test]
async fn somebody_elses_session_is_not_there() {
    let gate = stocked().await;
    let id = id(&open(&gate, Role::Agent, "{}").await);
    let other = somebody("agent-8", Role::Agent);
    for path in [format!("/sessions/{id}"), format!("/sessions/{id}/explain"), format!("/sessions/{id}/cost")]
    {
        assert_eq!(told(&gate.get(&other, &path).await), (404, "unknown_session".into()), "{path}");
        assert_eq!(gate.get(&somebody("audit", Role::Auditor), &path).await.status, StatusCode::OK, "{path}");
    }
    let path = format!("/sessions/{id}");
    let patched = gate.send(request(Method::PATCH, &path, Some(&other), r#"{"mounts":{}}"#)).await;
    assert_eq!(told(&patched), (404, "unknown_session".into()));
    assert_eq!(told(&gate.delete(&other, &path).await), (404, "unknown_session".into()));
    assert_eq!(
        told(&gate.get(&other, &format!("/tools?session={id}")).await),
        (404, "unknown_session".into())
    );
    assert_eq!(gate.get(&other, "/sessions").await.json()["sessions"], json!([]));
    assert_eq!(gate.get(&other, "/sessions?principal=agent-7").await.json()["sessions"], json!([]));
}

#[tokio::test]
async fn the_token_of_a_session_sees_that_one_and_changes_nothing() {
    let gate = stocked().await;
    let opened = open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await;
    let other = id(&open(&gate, Role::Agent, "{}").await);
    let own = holder(&gate, &opened).await.expect("the token is good");
    let listed = ask(&gate, &own, Method::GET, "/sessions", "").await.json();
    assert_eq!(
        (listed["sessions"].as_array().map(Vec::len), &listed["sessions"][0]["id"]),
        (Some(1), &json!(id(&opened)))
    );
    for path in [format!("/sessions/{other}"), format!("/tools?session={other}")] {
        assert_eq!(told(&ask(&gate, &own, Method::GET, &path, "").await), (404, "unknown_session".into()));
    }
    assert_eq!(
        told(&ask(&gate, &own, Method::GET, "/tools?agent=teller", "").await),
        (404, "unknown_agent".into())
    );
    assert_eq!(told(&ask(&gate, &own, Method::POST, "/sessions", "{}").await), (403, "not_allowed".into()));
    let path = format!("/sessions/{}", id(&opened));
    let widened = ask(&gate, &own, Method::PATCH, &path, r#"{"mounts":{"providers":["slack"]}}"#).await;
    assert_eq!(told(&widened), (403, "not_allowed".into()));
}

#[tokio::test]
async fn mounts_are_changed_by_whoever_saw_the_last_version() {
    let gate = stocked().await;
    let opened = open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await;
    let path = format!("/sessions/{}", id(&opened));
    let slack = r#"{"mounts":{"providers":["slack"]}}"#;
    let changed = patch(&gate, Role::Agent, &path, Some("\"1\""), slack).await;
    assert_eq!((changed.status, &changed.json()["version"]), (StatusCode::OK, &json!(2)), "{changed:?}");
    assert_eq!(changed.headers["etag"], "\"2\"");
    let own = holder(&gate, &opened).await.expect("the token is good");
    let seen = ask(&gate, &own, Method::GET, "/tools", "").await.json();
    assert_eq!(tools(&seen, "name"), ["chat:post", "files:read"]);
    let late = patch(&gate, Role::Agent, &path, Some("\"1\""), r#"{"mounts":{}}"#).await;
    assert_eq!((told(&late), &late.json()["version"]), ((412, "stale".into()), &json!(2)));
    for (tag, body, status, code) in [
        (Some("2"), slack, 400, "header_invalid"),
        (None, r#"{"mounts":{"servers":["nowhere"]}}"#, 422, "unknown_mount"),
        (None, r#"{"mounts":[]}"#, 422, "field_invalid"),
        (None, "{}", 422, "field_invalid"),
        (None, r#"{"mounts":{},"agent":"x"}"#, 422, "field_unknown"),
    ] {
        assert_eq!(
            told(&patch(&gate, Role::Agent, &path, tag, body).await),
            (status, code.to_owned()),
            "{body}"
        );
    }
    gate.delete(&somebody("agent-7", Role::Agent), &path).await;
    let closed = patch(&gate, Role::Agent, &path, None, r#"{"mounts":{}}"#).await;
    assert_eq!(told(&closed), (410, "session_closed".into()));
}

#[tokio::test]
async fn sessions_are_listed_newest_first_by_page_and_filter() {
    let gate = stocked().await;
    let operator = somebody("op", Role::Operator);
    let mut ids = Vec::new();
    for body in [
        r#"{"agent":"clerk","principal":"a"}"#,
        r#"{"agent":"teller","principal":"a"}"#,
        r#"{"principal":"b"}"#,
    ] {
        gate.clock.advance_ms(10);
        ids.push(id(&gate.post(&operator, "/sessions", body).await));
    }
    gate.delete(&operator, &format!("/sessions/{}", ids[0])).await;
    let listed = async |query: &str| {
        let page = gate.get(&operator, &format!("/sessions{query}")).await.json();
        let sessions = page["sessions"].as_array().unwrap_or_else(|| panic!("{page}")).iter();
        let found: Vec<String> = sessions.map(|one| one["id"].as_str().expect("an id").to_owned()).collect();
        (found, page["next_cursor"].as_str().map(str::to_owned))
    };
    let newest: Vec<String> = ids.iter().rev().cloned().collect();
    assert_eq!(listed("").await, (newest.clone(), None));
    let (first, next) = listed("?limit=2").await;
    let next = next.expect("there is more");
    assert_eq!(first, newest[..2]);
    assert_eq!(listed(&format!("?limit=2&cursor={next}")).await, (vec![ids[0].clone()], None));
    assert_eq!(listed("?agent=teller").await.0, [ids[1].clone()]);
    assert_eq!(listed("?principal=a&state=active").await.0, [ids[1].clone()]);
    assert_eq!(listed("?state=closed").await.0, [ids[0].clone()]);
    for (query, status) in [
        ("?state=open", 400),
        ("?limit=501", 400),
        ("?agent=a%20b", 400),
        ("?who=a", 400),
        ("?cursor=x", 422),
    ] {
        let answer = gate.get(&operator, &format!("/sessions{query}")).await;
        answer.problem();
        assert_eq!(answer.status.as_u16(), status, "{query}");
    }
}

#[tokio::test]
async fn a_session_is_explained_tool_by_tool() {
    let gate = stocked().await;
    let id = id(&open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await);
    let auditor = somebody("audit", Role::Auditor);
    let whole = gate.get(&auditor, &format!("/sessions/{id}/explain")).await.json();
    let said: Vec<String> = whole["tools"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| {
            format!(
                "{} {} {}",
                one["tool"].as_str().expect("a name"),
                one["in"],
                one["by"].as_str().expect("a word")
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            "bank:balance false capability",
            "bank:transfer false capability",
            "chat:post false mounts",
            "files:point false blocked",
            "files:read true capability",
            "files:secret false policy",
        ]
    );
    assert_eq!(whole["tools"][4]["reason"], "capability \"desk\" of agent \"clerk\": tools `files:*`");
    assert_eq!(
        (&whole["tools"][4]["approval"], &whole["tools"][4]["pinned"]),
        (&json!("never"), &json!(false))
    );
    assert_eq!(
        (&whole["tools_in"], &whole["tools_out"], &whole["surface"]),
        (&json!(1), &json!(5), &json!("full"))
    );
    assert_eq!(whole["warnings"][0]["pattern"], "nothing:*");
    assert!(whole["tokens_full"].as_u64().expect("tokens") > 0 && whole["token_budget"] == 8000, "{whole}");
    let part =
        async |query: &str| gate.get(&auditor, &format!("/sessions/{id}/explain?{query}")).await.json();
    assert_eq!(tools(&part("in=true").await, "tool"), ["files:read"]);
    assert_eq!(tools(&part("in=false&server=files").await, "tool"), ["files:point", "files:secret"]);
    let first = part("limit=4").await;
    assert_eq!((tools(&first, "tool").len(), &first["next_cursor"]), (4, &json!("files:point")));
    assert_eq!(tools(&part("limit=4&cursor=files:point").await, "tool"), ["files:read", "files:secret"]);
    let odd = gate.get(&auditor, &format!("/sessions/{id}/explain?in=maybe")).await;
    assert_eq!(told(&odd), (400, "parameter_invalid".into()));
    let cost = gate.get(&auditor, &format!("/sessions/{id}/cost")).await.json();
    assert_eq!((&cost["session"], &cost["tools"]), (&json!(id), &json!(1)));
    assert_eq!(cost["tokens_full"], whole["tokens_full"]);
}

#[tokio::test]
async fn an_agent_is_explained_only_what_it_sees() {
    let gate = stocked().await;
    let opened = open(&gate, Role::Agent, r#"{"agent":"clerk"}"#).await;
    let path = format!("/sessions/{}/explain", id(&opened));
    let own = holder(&gate, &opened).await.expect("the token is good");
    for who in [own, Credential::of(somebody("agent-7", Role::Agent))] {
        let explained = ask(&gate, &who, Method::GET, &path, "").await;
        assert_eq!(tools(&explained.json(), "tool"), ["files:read"]);
        assert!(!explained.text.contains("secret") && !explained.text.contains("bank"), "{explained:?}");
        assert!(explained.json().get("tools_out").is_none() && explained.json()["warnings"] == json!([]));
        let out = ask(&gate, &who, Method::GET, &format!("{path}?in=false"), "").await.json();
        assert_eq!(out["tools"], json!([]));
    }
}

#[tokio::test]
async fn a_default_session_can_be_looked_at_and_not_changed() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let called = gate.post(&agent, "/tools/call", r#"{"name":"say:succeeded"}"#).await.json();
    let id = called["data"]["session"].as_str().expect("an id").to_owned();
    let path = format!("/sessions/{id}");
    until("its row is written", async || gate.get(&agent, &path).await.status == StatusCode::OK).await;
    let shown = gate.get(&agent, &path).await.json();
    assert_eq!((&shown["kind"], &shown["agent"]), (&json!("default"), &json!("default")));
    let patched = patch(&gate, Role::Operator, &path, None, r#"{"mounts":{}}"#).await;
    assert_eq!(told(&patched), (409, "default_session".into()));
    assert_eq!(told(&gate.delete(&agent, &path).await), (409, "default_session".into()));
}
