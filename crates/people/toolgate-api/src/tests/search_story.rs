//! The view of a session: lists, searches and costs never go beyond it.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;
use toolgate_core::scope::{AgentName, Credential};

use super::gate::{Gate, Read, introduce, request, somebody};
use super::parts::stock;

/// A gate with three servers, and an agent `reader` that has files and no money.
async fn stocked() -> Gate {
    let gate = Gate::open().await;
    stock(&gate.catalog);
    let operator = somebody("op", Role::Operator);
    for (path, body) in [
        ("/capabilities/files", r#"{"servers":["files"]}"#),
        ("/agents/reader", r#"{"capabilities":["files"],"mounts":{"pointers":["p1"]}}"#),
    ] {
        let put = gate.put(&operator, path, body).await;
        assert_eq!(put.status, StatusCode::OK, "{put:?}");
    }
    gate
}

/// Asks with a token that is bound to an agent.
async fn bound(gate: &Gate, agent: &str, path: &str) -> Read {
    let mut credential = Credential::of(somebody("bot", Role::Agent));
    credential.agent = Some(AgentName::new(agent).expect("a name"));
    let mut request = request(Method::GET, path, None, "");
    introduce(&mut request, credential);
    gate.send(request).await
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|one| one["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn lists_show_what_the_session_sees_and_nothing_else() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let all = gate.get(&agent, "/tools").await.json();
    assert_eq!(names(&all["tools"]), ["bank:balance", "bank:transfer", "files:read"]);
    let approval = |at: usize| all["tools"][at]["approval"].clone();
    assert_eq!((approval(0), approval(1)), (json!("never"), json!("sometimes")));
    let reader = gate.get(&agent, "/tools?agent=reader").await.json();
    assert_eq!(names(&reader["tools"]), ["files:point", "files:read"]);
    let own = bound(&gate, "reader", "/tools").await.json();
    assert_eq!(names(&own["tools"]), ["files:point", "files:read"]);
    let both = bound(&gate, "reader", "/tools?agent=teller").await.json();
    assert_eq!(both["tools"], json!([]), "never more than its own");
}

#[tokio::test]
async fn what_is_not_seen_is_unknown_and_never_hinted_at() {
    let gate = stocked().await;
    for name in ["bank:transfer", "bank__transfer", "files:secret", "bank:transfre"] {
        let answer = bound(&gate, "reader", &format!("/tools/{name}")).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (404, "unknown_tool"), "{name}");
        let hint = answer.json()["hint"].as_str().expect("a hint").to_owned();
        assert!(!hint.contains("bank") && !hint.contains("secret"), "{hint}");
    }
    let near = bound(&gate, "reader", "/tools/files:raed").await.json();
    assert_eq!(near["hint"], "did you mean \"files:read\"?");
    let body = r#"{"name":"bank:transfre"}"#;
    let mut called = request(Method::POST, "/tools/call?agent=reader", None, body);
    introduce(&mut called, Credential::of(somebody("agent-7", Role::Agent)));
    let called = gate.send(called).await;
    assert_eq!((called.status.as_u16(), called.problem().as_str()), (404, "unknown_tool"));
    assert!(!called.text.contains("transfer"), "{called:?}");
}

#[tokio::test]
async fn a_tool_is_shown_with_what_it_costs_and_needs() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let tool = gate.get(&agent, "/tools/files:point?agent=reader").await.json();
    assert_eq!(tool["mounts"], json!(["pointer"]));
    let tokens = |part: &str| tool["tokens"][part].as_u64().expect("a number");
    assert!(tokens("full") > tokens("line") && tokens("signature") > 0, "{tool}");
    let read = gate.get(&agent, "/tools/files:read").await.json();
    assert_eq!(read["examples"], json!(["what is in this document"]));
    let listed = gate.get(&agent, "/tools?server=files").await.json();
    assert!(listed["tools"][0].get("tokens").is_none(), "a list counts nothing: {listed}");
}

#[tokio::test]
async fn a_call_goes_as_the_agent_that_is_named() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let body = r#"{"name":"say:succeeded"}"#;
    let own = gate.post(&agent, "/tools/call", body).await.json()["data"].clone();
    let named = gate.post(&agent, "/tools/call?agent=reader", body).await.json()["data"].clone();
    assert_eq!((&own["agent"], &named["agent"]), (&json!("default"), &json!("reader")));
    assert!(own["session"] != named["session"] && named["principal"] == "agent-7", "{own} {named}");
}

#[tokio::test]
async fn a_request_says_one_agent_or_one_session() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let long = "x".repeat(65);
    for path in ["/tools", "/tools/files:read", "/tools/cost", "/tools/preview", "/tools/search"] {
        let q = if path == "/tools/search" { "&q=read" } else { "" };
        for (who, status, code) in [
            ("agent=reader&session=ses_1", 400, "parameter_invalid"),
            ("agent=nobody", 404, "unknown_agent"),
            ("agent=a%20b", 400, "parameter_invalid"),
            (&format!("agent={long}"), 400, "parameter_invalid"),
            ("session=ses_nowhere", 404, "unknown_session"),
            ("session=reader", 404, "unknown_session"),
            ("agnet=reader", 400, "parameter_unknown"),
        ] {
            let answer = gate.get(&agent, &format!("{path}?{who}{q}")).await;
            let told = (answer.status.as_u16(), answer.problem());
            assert_eq!(told, (status, code.to_owned()), "{path} {who}");
        }
    }
    let both = gate.post(&agent, "/tools/call?agent=a&session=b", r#"{"name":"say:succeeded"}"#).await;
    assert_eq!((both.status.as_u16(), both.problem().as_str()), (400, "parameter_invalid"));
}

#[tokio::test]
async fn a_search_finds_by_words_and_by_name_within_the_session() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let found = gate.get(&agent, "/tools/search?q=read+a+file").await.json();
    let first = &found["results"][0];
    assert_eq!((&first["name"], &first["place"]), (&json!("files:read"), &json!("words")));
    assert_eq!((&first["wire_name"], &first["server"]), (&json!("files__read"), &json!("files")));
    assert!(first["score"].as_f64().expect("a score") > 0.0);
    assert!(first["signature"].as_str().expect("a signature").contains("files__read"), "{first}");
    assert!(found["text"].as_str().expect("a text").contains("files__read"));
    assert!(found["tokens"].as_u64().expect("tokens") <= 500 && found["more"].is_number());
    let exact = gate.get(&agent, "/tools/search?q=bank:transfer&limit=1").await.json();
    assert_eq!(
        (&exact["results"][0]["name"], &exact["results"][0]["place"]),
        (&json!("bank:transfer"), &json!("exact"))
    );
    let whole = gate.get(&agent, "/tools/search?q=bank:transfer").await.json();
    let count = |found: &Value| found["results"].as_array().map_or(0, Vec::len) as u64;
    let more = |found: &Value| found["more"].as_u64().expect("a number");
    assert_eq!((count(&exact), count(&exact) + more(&exact)), (1, count(&whole) + more(&whole)), "{whole}");
    assert!(
        count(&whole) > 1 && !exact["text"].as_str().expect("a text").contains("bank__balance"),
        "{exact}"
    );
    let hidden = gate.get(&agent, "/tools/search?q=secret+file").await;
    assert!(!names(&hidden.json()["results"]).contains(&"files:secret"), "{hidden:?}");
    assert!(!hidden.text.contains("files__secret"), "{hidden:?}");
    let other = gate.get(&agent, "/tools/search?q=transfer+money&agent=reader").await;
    assert!(!other.text.contains("bank"), "{other:?}");
}

#[tokio::test]
async fn a_search_says_as_much_as_it_is_asked_to() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let ask = async |more: &str| gate.get(&agent, &format!("/tools/search?q=read+file{more}")).await.json();
    let member = |found: &Value, name: &str| found["results"][0].get(name).is_some();
    assert!(member(&ask("&detail=name").await, "line"));
    assert!(member(&ask("&detail=schema").await, "definition"));
    assert!(member(&ask("&detail=signature&budget_tokens=1").await, "name"), "brought within the limits");
    let servers = ask("&servers=files,%20nowhere").await;
    assert_eq!(servers["unknown_servers"], json!(["nowhere"]));
    assert!(names(&servers["results"]).iter().all(|name| name.starts_with("files:")));
    let unseen = bound(&gate, "reader", "/tools/search?q=transfer&servers=bank").await.json();
    assert_eq!(unseen["unknown_servers"], json!(["bank"]), "what is not seen is not there");
    assert_eq!(unseen["results"], json!([]));
}

#[tokio::test]
async fn queries_of_any_length_and_language_are_answered() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    let long = "read+file+".repeat(1_000);
    let found = gate.get(&agent, &format!("/tools/search?q={long}")).await;
    assert_eq!((found.status, &found.json()["results"][0]["name"]), (StatusCode::OK, &json!("files:read")));
    for other in ["%E8%AA%AD%E3%82%80", "%F0%9F%92%A9", "%00", "zzzzqqqq"] {
        let found = gate.get(&agent, &format!("/tools/search?q={other}")).await;
        assert_eq!((found.status, &found.json()["results"]), (StatusCode::OK, &json!([])), "{other}");
    }
}

#[tokio::test]
async fn a_search_without_words_or_with_odd_parameters_is_refused() {
    let gate = stocked().await;
    let agent = somebody("agent-7", Role::Agent);
    for (query, code, field) in [
        ("", "parameter_invalid", None),
        ("?q=", "parameter_invalid", Some("q")),
        ("?q=%20", "parameter_invalid", Some("q")),
        ("?q=a&q=b", "parameter_invalid", Some("q")),
        ("?q=a&limit=0", "parameter_invalid", Some("limit")),
        ("?q=a&limit=201", "parameter_invalid", Some("limit")),
        ("?q=a&detail=lots", "parameter_invalid", Some("detail")),
        ("?q=a&budget_tokens=-1", "parameter_invalid", Some("budget_tokens")),
        ("?query=a", "parameter_unknown", Some("query")),
    ] {
        let answer = gate.get(&agent, &format!("/tools/search{query}")).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (400, code), "{query}");
        let told = answer.json()["field"].as_str().map(str::to_owned);
        assert!(field.is_none() || told.as_deref() == field, "{query}: {told:?}");
    }
}

#[tokio::test]
async fn costs_are_told_by_server_and_by_tool() {
    let gate = stocked().await;
    let operator = somebody("op", Role::Operator);
    let always = r#"{"token_budget":0,"pinned":["files:read"]}"#;
    assert_eq!(gate.put(&operator, "/agents/finder", always).await.status, StatusCode::OK);
    let agent = somebody("agent-7", Role::Agent);
    let cost = gate.get(&agent, "/tools/cost").await.json();
    assert_eq!(
        (&cost["surface"], &cost["tools"], &cost["tokens_saved"]),
        (&json!("full"), &json!(3), &json!(0))
    );
    assert!(cost["tokenizer"].as_str().expect("a name").contains("o200k"), "{cost}");
    let servers = cost["servers"].as_array().expect("a list");
    let sum: u64 = servers.iter().map(|one| one["tokens_full"].as_u64().expect("tokens")).sum();
    assert_eq!(json!(sum), cost["tokens_full"]);
    assert_eq!(servers[0]["tools"].as_array().map(Vec::len), Some(2), "the dearest first: {cost}");
    let searched = gate.get(&agent, "/tools/cost?agent=finder").await.json();
    assert_eq!((&searched["surface"], &searched["agent"]), (&json!("search"), &json!("finder")));
    assert_eq!(searched["token_budget"], 0);
    assert_eq!(searched["tokens_full"], cost["tokens_full"], "everything costs the same");
}

#[tokio::test]
async fn a_list_is_shown_exactly_as_the_agent_is_given_it() {
    let gate = stocked().await;
    let operator = somebody("op", Role::Operator);
    let always = r#"{"token_budget":0,"pinned":["files:read"]}"#;
    assert_eq!(gate.put(&operator, "/agents/finder", always).await.status, StatusCode::OK);
    let names = |list: &Value| -> Vec<String> {
        let tools = list["list"]["tools"].as_array().expect("a list").iter();
        tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    };
    let reader = gate.get(&operator, "/tools/preview?agent=reader").await.json();
    assert_eq!((&reader["surface"], &reader["agent"]), (&json!("full"), &json!("reader")));
    assert!(names(&reader).iter().all(|name| name.starts_with("files__")), "{reader}");
    let finder = gate.get(&operator, "/tools/preview?agent=finder").await.json();
    assert_eq!(finder["surface"], "search");
    let found = names(&finder);
    assert!(
        found.contains(&"files__read".to_owned()) && found.contains(&"search_tools".to_owned()),
        "{found:?}"
    );
    let session = finder["session"].as_str().expect("an id");
    let again = gate.get(&operator, &format!("/sessions/{session}/preview")).await.json();
    assert_eq!(again["list"], finder["list"], "{again}");
    let beyond = gate.get(&operator, "/tools/preview?cursor=nowhere").await;
    assert_eq!((beyond.status, beyond.problem().as_str()), (StatusCode::BAD_REQUEST, "parameter_invalid"));
}
