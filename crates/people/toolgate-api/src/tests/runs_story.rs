//! Runs, from the one who creates them to their end, and who may know of them.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;
use toolgate_core::run::SlotType;

use super::file_kit::{agent, operator};
use super::gate::{Gate, Read, somebody};
use super::run_kit::{ask_as, asked, slot, start, started, told, work};

async fn create(gate: &Gate, body: &str) -> Read {
    gate.post(&agent(), "/runs", body).await
}

#[tokio::test]
async fn a_run_is_created_with_its_session_files_and_budget() {
    let gate = Gate::open().await;
    let task =
        gate.post(&operator(), "/tasks", r#"{"name":"t","agent":"teller","budget":{"calls":5}}"#).await;
    let task = task.json()["id"].as_str().expect("an id").to_owned();
    let file = gate.keep(&agent(), "cv.txt", "my life").await;
    let body = json!({ "task": task, "input": [{ "path": "in/cv.txt", "file_id": file }],
        "budget": { "calls": 9, "bytes": 1000 }, "policy_template": "standard", "mounts": {} });
    let started = start(&gate, &body.to_string()).await;
    let answer = started.answer.json();
    let (run, session) = (&answer["run"], &answer["session"]);
    assert_eq!(started.answer.headers["location"], started.path(""));
    for (key, value) in [
        ("state", json!("pending")),
        ("task", json!(task)),
        ("agent", json!("teller")),
        ("principal", json!("agent-7")),
        ("created_by", json!("agent-7")),
        ("session", session["id"].clone()),
        ("budget", json!({ "calls": 5, "bytes": 1000 })),
        ("used", json!({ "calls": 0, "seconds": 0, "bytes": 0 })),
        ("output", json!([])),
    ] {
        assert_eq!(run[key], value, "{key}");
    }
    assert!(run["input_manifest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")), "{run}");
    assert_eq!((&run["input"][0]["path"], &run["input"][0]["file_id"]), (&json!("in/cv.txt"), &json!(file)));
    for (key, value) in [
        ("run", run["id"].clone()),
        ("task", json!(task)),
        ("agent", json!("teller")),
        ("policy_template", json!("standard")),
    ] {
        assert_eq!(session[key], value, "{key}");
    }
    assert_eq!(answer["mcp_path"], format!("/mcp/{}", session["id"].as_str().expect("an id")));
    let own = started.holder(&gate).await;
    let shown = ask_as(&gate, &own, Method::GET, &started.path(""), "").await.json();
    assert_eq!(shown["waiting"], json!({ "inputs": [], "approvals": [] }));
    assert_eq!(shown["calls"], json!({ "open": 0, "completed": 0, "failed": 0, "unknown": 0 }));
    assert!(shown.get("token").is_none(), "it is told once");
}

#[tokio::test]
async fn what_a_run_cannot_be_is_told_and_leaves_nothing() {
    let gate = Gate::open().await;
    let foreign = gate.keep(&somebody("agent-8", Role::Agent), "a.txt", "theirs").await;
    let own = gate.keep(&agent(), "a.txt", "mine").await;
    let file = |path: &str, id: &str| json!({ "input": [{ "path": path, "file_id": id }] }).to_string();
    for (body, status, code, field) in [
        (r#"{"task":"task_x"}"#.to_owned(), 404, "unknown_task", Some("task")),
        (r#"{"parent":"run_x"}"#.to_owned(), 404, "unknown_run", Some("parent")),
        (r#"{"agent":"tellre"}"#.to_owned(), 422, "unknown_agent", Some("agent")),
        (r#"{"principal":"bob"}"#.to_owned(), 403, "not_allowed", Some("principal")),
        (file("a.txt", "file_x"), 404, "unknown_file", Some("input[0].file_id")),
        (file("a.txt", &foreign), 404, "unknown_file", Some("input[0].file_id")),
        (file("../a.txt", &own), 422, "bad_input", Some("input")),
        (r#"{"budget":{"seconds":0}}"#.to_owned(), 422, "field_invalid", Some("budget.seconds")),
        (r#"{"mounts":{"servers":["x"]}}"#.to_owned(), 422, "unknown_mount", Some("mounts.servers")),
        (r#"{"policy_template":"lax"}"#.to_owned(), 422, "unknown_template", Some("policy_template")),
        (r#"{"inputs":[]}"#.to_owned(), 422, "field_unknown", Some("inputs")),
        ("{".to_owned(), 400, "json_broken", None),
    ] {
        let answer = create(&gate, &body).await;
        assert_eq!(told(&answer), (status, code.to_owned()), "{body} {answer:?}");
        assert_eq!(answer.json().get("field").and_then(Value::as_str), field, "{body}");
    }
    assert_eq!(gate.get(&operator(), "/runs").await.json()["runs"], json!([]));
    let own = start(&gate, "{}").await.holder(&gate).await;
    let nested = ask_as(&gate, &own, Method::POST, "/runs", "{}").await;
    assert_eq!(told(&nested), (403, "not_allowed".into()), "the token of a session opens nothing");
}

#[tokio::test]
async fn a_run_that_gets_no_session_has_failed() {
    let gate = Gate::open().await;
    let body = r#"{"capabilities":["money"],"limits":{"sessions_max":1}}"#;
    gate.put(&operator(), "/agents/busy", body).await;
    start(&gate, r#"{"agent":"busy"}"#).await;
    assert_eq!(told(&create(&gate, r#"{"agent":"busy"}"#).await), (429, "too_many_sessions".into()));
    let failed = gate.get(&agent(), "/runs?state=failed").await.json();
    assert_eq!(failed["runs"].as_array().map(Vec::len), Some(1), "{failed}");
    assert_eq!(failed["runs"][0]["reason"], "session.too_many_sessions");
}

#[tokio::test]
async fn operators_create_runs_for_others_who_work_in_them() {
    let gate = Gate::open().await;
    let file = gate.keep(&operator(), "brief.txt", "do it").await;
    let body = json!({ "principal": "bot", "agent": "teller", "input": [{ "path": "b", "file_id": file }] });
    let started = started(gate.post(&operator(), "/runs", &body.to_string()).await);
    let run = started.answer.json()["run"].clone();
    assert_eq!((&run["principal"], &run["created_by"]), (&json!("bot"), &json!("ops")));
    let own = started.holder(&gate).await;
    assert_eq!(own.principal.id.as_str(), "bot");
    assert_eq!(ask_as(&gate, &own, Method::GET, &started.path(""), "").await.status, StatusCode::OK);
    assert_eq!(gate.get(&somebody("bot", Role::Agent), &started.path("")).await.status, StatusCode::OK);
    let nobody = started_for_agent(&gate).await;
    assert_eq!(nobody, "teller", "without a name it is the agent's");
}

async fn started_for_agent(gate: &Gate) -> String {
    let answer = gate.post(&operator(), "/runs", r#"{"agent":"teller"}"#).await.json();
    answer["run"]["principal"].as_str().expect("a principal").to_owned()
}

#[tokio::test]
async fn somebody_elses_run_is_not_there() {
    let gate = Gate::open().await;
    let mine = start(&gate, "{}").await;
    let other = start(&gate, "{}").await;
    let stranger = somebody("agent-8", Role::Agent);
    let unknown = gate.get(&stranger, "/runs/run_x").await;
    let reads = ["", "/children", "/calls", "/events"];
    for more in reads {
        let answer = gate.get(&stranger, &mine.path(more)).await;
        assert_eq!(told(&answer), (404, "unknown_run".into()), "{more}");
        let same = answer.text.replace(&mine.id, "run_x");
        assert_eq!(same, unknown.text, "it reads as if there were none");
        let auditor = somebody("audit", Role::Auditor);
        assert_eq!(gate.get(&auditor, &mine.path(more)).await.status, StatusCode::OK, "{more}");
    }
    let batch = r#"{"calls":[{"id":"a","name":"say:succeeded"}]}"#;
    for (more, body) in [("/pause", ""), ("/resume", ""), ("/cancel", "{}"), ("/tool-calls", batch)] {
        let answer = gate.post(&stranger, &mine.path(more), body).await;
        assert_eq!(told(&answer), (404, "unknown_run".into()), "{more}");
    }
    assert_eq!(gate.get(&stranger, "/runs").await.json()["runs"], json!([]));
    assert_eq!(gate.get(&stranger, "/runs?principal=agent-7").await.json()["runs"], json!([]));
    // The token of a session sees its own run and no other one of the same principal.
    let own = mine.holder(&gate).await;
    let listed = ask_as(&gate, &own, Method::GET, "/runs", "").await.json();
    assert_eq!(listed["runs"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed["runs"][0]["id"], mine.id.as_str());
    let filtered = ask_as(&gate, &own, Method::GET, "/runs?state=paused", "").await.json();
    assert_eq!(filtered["runs"], json!([]));
    let peeked = ask_as(&gate, &own, Method::GET, &other.path(""), "").await;
    assert_eq!(told(&peeked), (404, "unknown_run".into()));
}

#[tokio::test]
async fn a_token_that_is_bound_to_an_agent_sees_the_runs_of_that_agent() {
    let gate = Gate::open().await;
    let bound = toolgate_core::scope::Credential {
        agent: Some(toolgate_core::scope::AgentName::new("teller").expect("a name")),
        ..toolgate_core::scope::Credential::of(agent())
    };
    let within = started(ask_as(&gate, &bound, Method::POST, "/runs", "{}").await);
    let outside = start(&gate, "{}").await;
    assert_eq!(ask_as(&gate, &bound, Method::GET, &within.path(""), "").await.status, StatusCode::OK);
    let hidden = ask_as(&gate, &bound, Method::POST, &outside.path("/cancel"), "{}").await;
    assert_eq!(told(&hidden), (404, "unknown_run".into()));
}

#[tokio::test]
async fn runs_are_listed_newest_first_by_page_and_filter() {
    let gate = Gate::open().await;
    let task = gate.post(&operator(), "/tasks", r#"{"name":"t"}"#).await.json()["id"].clone();
    let task = task.as_str().expect("an id");
    let mut ids = Vec::new();
    for body in [
        format!(r#"{{"task":"{task}","principal":"a"}}"#),
        r#"{"principal":"a"}"#.to_owned(),
        r#"{"principal":"b"}"#.to_owned(),
    ] {
        gate.clock.advance_ms(10);
        ids.push(started(gate.post(&operator(), "/runs", &body).await).id);
    }
    gate.clock.advance_ms(10);
    let child = format!(r#"{{"parent":"{}","principal":"b"}}"#, ids[2]);
    ids.push(started(gate.post(&operator(), "/runs", &child).await).id);
    gate.post(&operator(), &format!("/runs/{}/cancel", ids[0]), r#"{"reason":"enough"}"#).await;
    let listed = async |query: &str| {
        let page = gate.get(&operator(), &format!("/runs{query}")).await.json();
        let runs = page["runs"].as_array().unwrap_or_else(|| panic!("{page}")).iter();
        let found: Vec<String> = runs.map(|run| run["id"].as_str().expect("an id").to_owned()).collect();
        (found, page["next_cursor"].as_str().map(str::to_owned))
    };
    let newest: Vec<String> = ids.iter().rev().cloned().collect();
    assert_eq!(listed("").await, (newest.clone(), None));
    let (first, next) = listed("?limit=3").await;
    assert_eq!(first, newest[..3]);
    let next = next.expect("there is more");
    assert_eq!(listed(&format!("?limit=3&cursor={next}")).await, (vec![ids[0].clone()], None));
    assert_eq!(listed("?state=cancelled").await.0, [ids[0].clone()]);
    assert_eq!(listed(&format!("?task={task}")).await.0, [ids[0].clone()]);
    assert_eq!(listed("?principal=a&state=pending").await.0, [ids[1].clone()]);
    assert_eq!(listed(&format!("?parent={}", ids[2])).await.0, [ids[3].clone()]);
    for (query, status) in [("?state=done", 400), ("?limit=201", 400), ("?who=a", 400), ("?cursor=x", 422)] {
        let answer = gate.get(&operator(), &format!("/runs{query}")).await;
        answer.problem();
        assert_eq!(answer.status.as_u16(), status, "{query}");
    }
}

#[tokio::test]
async fn a_run_is_paused_resumed_and_cancelled() {
    let gate = Gate::open().await;
    let started = start(&gate, "{}").await;
    let step =
        async |who: &toolgate_core::Principal, step: &str| gate.post(who, &started.path(step), "{}").await;
    assert_eq!(told(&step(&agent(), "/pause").await), (409, "run_state".into()), "it has not begun");
    work(&gate, &started.run(), 1).await;
    assert_eq!(told(&step(&agent(), "/resume").await), (409, "run_state".into()), "it is not paused");
    let paused = step(&agent(), "/pause").await;
    assert_eq!((paused.status, &paused.json()["state"]), (StatusCode::OK, &json!("paused")), "{paused:?}");
    assert_eq!(paused.json()["reason"], "operator");
    assert_eq!(step(&agent(), "/resume").await.json()["state"], "running");
    // A run that an operator paused can only be resumed by operators.
    step(&operator(), "/pause").await;
    assert_eq!(told(&step(&agent(), "/resume").await), (403, "not_allowed".into()));
    assert_eq!(step(&operator(), "/resume").await.json()["state"], "running");
    let long = format!(r#"{{"reason":"{}"}}"#, "x".repeat(501));
    assert_eq!(told(&gate.post(&agent(), &started.path("/cancel"), &long).await), (422, "bad_reason".into()));
    let cancelled = gate.post(&agent(), &started.path("/cancel"), r#"{"reason":"not needed"}"#).await;
    assert_eq!(
        (&cancelled.json()["state"], &cancelled.json()["reason"]),
        (&json!("cancelled"), &json!("not needed"))
    );
    assert!(cancelled.json()["ended_at"].is_string());
    for more in ["/pause", "/resume", "/cancel"] {
        assert_eq!(told(&step(&operator(), more).await), (410, "run_ended".into()), "{more}");
    }
}

#[tokio::test]
async fn a_run_tells_what_it_waits_for_what_it_called_and_what_is_within_it() {
    let gate = Gate::open().await;
    let started = start(&gate, r#"{"budget":{"calls":9}}"#).await;
    let child = start(&gate, &format!(r#"{{"parent":"{}"}}"#, started.id)).await;
    let input = asked(&gate, &started.run(), slot(SlotType::Text, "why")).await;
    let shown = gate.get(&agent(), &started.path("")).await.json();
    assert_eq!((&shown["state"], &shown["reason"]), (&json!("paused"), &json!("input")));
    assert_eq!(shown["waiting"]["inputs"][0]["id"], input.as_str());
    assert_eq!(shown["calls"], json!({ "open": 0, "completed": 2, "failed": 0, "unknown": 0 }));
    assert_eq!(shown["used"], json!({ "calls": 2, "seconds": 0, "bytes": 30 }));
    assert_eq!(shown["children"], 1);
    let calls = gate.get(&agent(), &started.path("/calls")).await.json();
    let first = &calls["calls"][0];
    assert_eq!(
        (&first["tool"], &first["kind"], &first["state"]),
        (&json!("bank:balance"), &json!("data"), &json!("completed"))
    );
    assert!(first["started_at"].is_string() && first["ended_at"].is_string(), "{first}");
    let children = gate.get(&agent(), &started.path("/children")).await.json();
    assert_eq!(children["runs"][0]["id"], child.id.as_str());
    // Resuming without an answer cancels the question, and all child runs end with it.
    let resumed = gate.post(&agent(), &started.path("/resume"), "").await;
    assert_eq!(resumed.json()["state"], "running", "it is their own question: {resumed:?}");
    gate.post(&agent(), &started.path("/cancel"), "{}").await;
    let child = gate.get(&agent(), &child.path("")).await.json();
    assert_eq!((&child["state"], &child["reason"]), (&json!("cancelled"), &json!("parent")));
}

#[tokio::test]
async fn an_approval_that_a_run_waits_for_is_shown_with_it() {
    let gate = Gate::open().await;
    let started = start(&gate, "{}").await;
    gate.ask(r#"{"amount":1}"#).await;
    let mine = gate.ask_in(r#"{"amount":2}"#, Some(started.run())).await;
    let shown = gate.get(&agent(), &started.path("")).await.json();
    let approvals = shown["waiting"]["approvals"].as_array().expect("a list");
    assert_eq!(approvals.len(), 1, "{shown}");
    assert_eq!(approvals[0]["id"], mine.id.as_str());
}

#[tokio::test]
async fn a_child_gets_what_its_parent_has_and_is_held_to_as_much_care() {
    let gate = Gate::open().await;
    let file = gate.keep(&operator(), "brief.txt", "do it").await;
    let body = json!({ "principal": "agent-7", "policy_template": "regulated", "budget": { "calls": 3 },
        "input": [{ "path": "b", "file_id": file }] });
    let parent = started(gate.post(&operator(), "/runs", &body.to_string()).await);
    let child = |more: Value| {
        let mut body = json!({ "parent": parent.id, "input": [{ "path": "b", "file_id": file }] });
        body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        body.to_string()
    };
    let within = start(&gate, &child(json!({}))).await.answer.json();
    assert_eq!(within["run"]["input"][0]["file_id"], file.as_str(), "the parent was given it");
    assert_eq!(
        (&within["run"]["budget"]["calls"], &within["session"]["policy_template"]),
        (&json!(3), &json!("regulated"))
    );
    let weak = create(&gate, &child(json!({ "policy_template": "standard" }))).await;
    assert_eq!(told(&weak), (422, "template_too_weak".into()));
    let strict = start(&gate, &child(json!({ "policy_template": "audit_critical" }))).await.answer.json();
    assert_eq!(strict["session"]["policy_template"], "audit_critical");
    gate.post(&operator(), &parent.path("/cancel"), "{}").await;
    assert_eq!(told(&create(&gate, &child(json!({}))).await), (410, "run_ended".into()));
}

#[tokio::test]
async fn another_session_joins_a_run_of_the_caller_that_has_not_ended() {
    let gate = Gate::open().await;
    let started = start(&gate, r#"{"agent":"teller","policy_template":"regulated"}"#).await;
    let join = json!({ "run": started.id }).to_string();
    let joined = gate.post(&agent(), "/sessions", &join).await;
    assert_eq!(joined.status, StatusCode::CREATED, "{joined:?}");
    let session = joined.json()["session"].clone();
    assert_eq!((&session["run"], &session["agent"]), (&json!(started.id), &json!("teller")));
    assert_eq!(session["policy_template"], "regulated", "no less care");
    assert_eq!(gate.get(&agent(), &started.path("")).await.json()["session"], session["id"]);
    // Operators open it for the principal that works there.
    let by_operator = gate.post(&operator(), "/sessions", &join).await.json();
    assert_eq!(by_operator["session"]["principal"], "agent-7");
    let stranger = somebody("agent-8", Role::Agent);
    let weak = json!({ "run": started.id, "policy_template": "standard" }).to_string();
    let other = json!({ "run": started.id, "principal": "bob" }).to_string();
    for (who, body, status, code, field) in [
        (&stranger, join.as_str(), 404, "unknown_run", "run"),
        (&agent(), r#"{"run":"run_x"}"#, 404, "unknown_run", "run"),
        (&agent(), r#"{"run":""}"#, 404, "unknown_run", "run"),
        (&agent(), weak.as_str(), 422, "template_too_weak", "policy_template"),
        (&operator(), other.as_str(), 403, "not_allowed", "principal"),
    ] {
        let answer = gate.post(who, "/sessions", body).await;
        assert_eq!(
            (told(&answer), &answer.json()["field"]),
            ((status, code.to_owned()), &json!(field)),
            "{body}"
        );
    }
    gate.post(&agent(), &started.path("/cancel"), "{}").await;
    let late = gate.post(&agent(), "/sessions", &join).await;
    assert_eq!((told(&late), &late.json()["field"]), ((410, "run_ended".into()), &json!("run")));
}
