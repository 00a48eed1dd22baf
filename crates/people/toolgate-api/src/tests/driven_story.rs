//! Runs that the gateway drives: their start, their chat, and their end.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::governance::Clock as _;
use toolgate_core::id::{FileId, RunId, SessionId, TaskId};
use toolgate_core::model::ModelName;
use toolgate_core::run::{PlannedCall, PlayedOutcome, RunBudget, RunStart, TaskPlan};
use toolgate_core::{MessageLimits, PrincipalId, RawJson};
use toolgate_sessions::SessionEnd;

use super::file_kit::{agent, operator};
use super::gate::{BODY_BYTES_MAX, Gate, Read, until};
use super::run_kit::{Workshop, told};

const GOAL: &str = r#"{"name":"Tailor","agent":"teller","goal":"Tailor it.","model":"gpt","instructions":"Be brief.",
    "outcome_schema":{"type":"object"},"budget":{"turns":7,"tokens":1000,"cost_micros":50}}"#;

async fn defined(gate: &Gate, body: &str) -> String {
    let made = gate.post(&operator(), "/tasks", body).await;
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["id"].as_str().expect("an id").to_owned()
}

fn run_id(answer: &Read) -> String {
    assert_eq!(answer.status, 201, "{answer:?}");
    let run = answer.json();
    run["id"].as_str().or(run["run"]["id"].as_str()).expect("an id").to_owned()
}

/// A start by a principal that is known by name only.
fn start_by(by: &str, parent: Option<&str>) -> RunStart {
    RunStart {
        task: None,
        plan: TaskPlan {
            goal: "Do it.".into(),
            model: ModelName::new("gpt").expect("a name"),
            instructions: String::new(),
            input: Vec::new(),
            outcome_schema: None,
            spend_per_day_micros: None,
        },
        agent: None,
        budget: RunBudget::default(),
        input: Vec::new(),
        parent: parent.map(RunId::new),
        within: None,
        by: PrincipalId::new(by),
        automation: None,
        cause: None,
    }
}

/// A gate with a workshop behind it.
async fn workshop() -> (Gate, Arc<Workshop>) {
    let mut shop = None;
    let limits = MessageLimits { request_bytes_max: 64 * BODY_BYTES_MAX, ..MessageLimits::default() };
    let gate = Gate::with(limits, |runs| {
        let made = Workshop::new(runs);
        shop = Some(made.clone());
        Arc::new(made)
    });
    let gate = gate.await;
    (gate, shop.expect("it was made"))
}

fn planned(id: &str, name: &str) -> PlannedCall {
    PlannedCall { id: id.into(), name: name.into(), arguments: RawJson::EMPTY }
}

#[tokio::test]
async fn a_task_says_its_work_and_keeps_its_versions() {
    let gate = Gate::open().await;
    let task = defined(&gate, GOAL).await;
    let shown = gate.get(&agent(), &format!("/tasks/{task}")).await.json();
    for (key, value) in [
        ("goal", json!("Tailor it.")),
        ("model", json!("gpt")),
        ("instructions", json!("Be brief.")),
        ("outcome_schema", json!({ "type": "object" })),
        ("budget", json!({ "turns": 7, "tokens": 1000, "cost_micros": 50 })),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    let plain = gate.put(&operator(), &format!("/tasks/{task}"), r#"{"name":"Tailor"}"#).await.json();
    assert_eq!((plain.get("goal"), plain.get("model")), (None, None), "all of it is new");
    let versions = gate.get(&agent(), &format!("/tasks/{task}/versions")).await.json();
    let versions = versions["versions"].as_array().expect("a list").clone();
    let numbers: Vec<&Value> = versions.iter().map(|one| &one["version"]).collect();
    assert_eq!(numbers, [&json!(2), &json!(1)]);
    assert_eq!((versions[0].get("goal"), &versions[1]["goal"]), (None, &json!("Tailor it.")));
}

#[tokio::test]
async fn work_that_makes_no_sense_is_refused_at_its_field() {
    let gate = Gate::open().await;
    let long = format!(r#"{{"name":"x","model":"gpt","goal":"{}"}}"#, "x".repeat(3_000));
    assert_eq!(gate.post(&operator(), "/tasks", &long).await.status, 201);
    for (body, code, field) in [
        (r#"{"name":"x","goal":"g"}"#, "field_invalid", "model"),
        (r#"{"name":"x","model":"gpt"}"#, "field_invalid", "goal"),
        (r#"{"name":"x","goal":" ","model":"gpt"}"#, "field_invalid", "goal"),
        (r#"{"name":"x","goal":"g","model":"gqt"}"#, "unknown_model", "model"),
        (
            r#"{"name":"x","goal":"g","model":"gpt","outcome_schema":{"type":5}}"#,
            "field_invalid",
            "outcome_schema",
        ),
    ] {
        let refused = gate.post(&operator(), "/tasks", body).await;
        assert_eq!((told(&refused), &refused.json()["field"]), ((422, code.into()), &json!(field)), "{body}");
    }
    let near = gate.post(&operator(), "/tasks", r#"{"name":"x","goal":"g","model":"gqt"}"#).await.json();
    assert!(!near["hint"].as_str().expect("a hint").is_empty());
}

#[tokio::test]
async fn a_run_of_a_task_has_its_agent_its_budget_and_its_loop_and_gives_out_no_token() {
    let gate = Gate::open().await;
    let task = defined(&gate, GOAL).await;
    let made = gate.post(&operator(), &format!("/tasks/{task}/runs"), r#"{"budget":{"turns":3}}"#).await;
    let run = run_id(&made);
    assert_eq!(made.headers["location"], format!("/runs/{run}").as_str());
    let shown = gate.get(&operator(), &format!("/runs/{run}")).await.json();
    assert_eq!(
        (&shown["task"], &shown["agent"], &shown["principal"]),
        (&json!(task), &json!("teller"), &json!("teller"))
    );
    assert_eq!(shown["budget"], json!({ "turns": 3, "tokens": 1000, "cost_micros": 50 }));
    assert_eq!((&shown["state"], &shown["created_by"]), (&json!("running"), &json!("ops")));
    assert!(shown["session"].is_string() && !made.text.contains("\"token\""), "{made:?}");
    assert_eq!((&shown["driven"]["model"], &shown["driven"]["turn"]), (&json!("gpt"), &json!(0)));
    let chat = gate.get(&operator(), &format!("/runs/{run}/chat")).await.json();
    assert_eq!(chat["messages"][0]["text"], "Tailor it.");
    assert_eq!(gate.get(&operator(), &format!("/runs/{run}/turns")).await.json(), json!({ "turns": [] }));
    // A run without a task takes the same way.
    let body = r#"{"goal":"Do it.","model":"gpt"}"#;
    let free = gate.post(&agent(), "/runs", body).await;
    let free = (run_id(&free), free);
    assert!(free.1.json().get("token").is_none() && free.1.json().get("mcp_path").is_none(), "{:?}", free.1);
    let shown = gate.get(&agent(), &format!("/runs/{}", free.0)).await.json();
    assert_eq!((&shown["principal"], shown.get("task")), (&json!("agent-7"), None));
}

#[tokio::test]
async fn a_task_that_cannot_run_says_what_is_gone() {
    let gate = Gate::open().await;
    let start =
        async |task: &str, body: &str| gate.post(&operator(), &format!("/tasks/{task}/runs"), body).await;
    let plain = defined(&gate, r#"{"name":"by hand"}"#).await;
    let refused = start(&plain, "{}").await;
    assert_eq!(
        (told(&refused), &refused.json()["field"]),
        ((422, "task_without_plan".into()), &json!("goal"))
    );
    assert!(!refused.json()["hint"].as_str().expect("a hint").is_empty());
    let task = defined(&gate, GOAL).await;
    let refused = start(&task, r#"{"agent":"telller"}"#).await;
    assert_eq!((told(&refused), &refused.json()["field"]), ((422, "unknown_agent".into()), &json!("agent")));
    let refused = start(&task, r#"{"input":[{"path":"a","file_id":"file_x"}]}"#).await;
    assert_eq!(told(&refused), (404, "unknown_file".into()));
    assert_eq!(told(&start("task_x", "{}").await), (404, "unknown_task".into()));
    // A file that was there when the task was made.
    let stored = gate.store.task(&TaskId::new(task.as_str())).await.expect("read").expect("there");
    let mut plan = stored.plan.expect("a plan");
    plan.input.push(toolgate_core::run::InputFile {
        path: "cv.pdf".into(),
        file: FileId::new("file_gone"),
        digest: toolgate_core::Digest::of("cv"),
    });
    let lost = RunStart { plan, ..start_by("agent-7", None) };
    let refused = gate.api.starter().start(lost).await.expect_err("its file is gone");
    assert_eq!((refused.code, refused.field.as_deref()), (&codes::UNKNOWN_FILE, Some("input[0].file_id")));
}

#[tokio::test]
async fn a_start_that_fails_half_way_leaves_no_run_without_a_driver() {
    let gate = Gate::open().await;
    let task = defined(&gate, GOAL).await;
    gate.driven.break_next(&codes::STORE_DOWN);
    let refused = gate.post(&operator(), &format!("/tasks/{task}/runs"), "{}").await;
    assert_eq!(refused.status, 503, "{refused:?}");
    let runs = gate.get(&operator(), &format!("/runs?task={task}")).await.json();
    assert_eq!(
        (&runs["runs"][0]["state"], &runs["runs"][0]["reason"]),
        (&json!("failed"), &json!("start.store_down"))
    );
    let session = runs["runs"][0]["session"].as_str().expect("it had one");
    let session = gate.store.get_session(&SessionId::new(session)).await.expect("read").expect("there");
    assert!(session.closing.is_some(), "its session is closed too");
}

#[tokio::test]
async fn a_run_of_a_name_has_the_rights_of_an_agent_and_a_child_those_of_its_parent() {
    let gate = Gate::open().await;
    let starter = gate.api.starter();
    let outer = r#"{"goal":"g","model":"gpt","policy_template":"regulated","mounts":{"servers":["bank"]}}"#;
    let parent = run_id(&gate.post(&agent(), "/runs", outer).await);
    let child = starter.start(start_by("agent-7", Some(&parent))).await.expect("started");
    let scope = async |run: &str| {
        let run = gate.runs.get(&RunId::new(run)).await.expect("there");
        let session =
            gate.store.get_session(&run.session.expect("a session")).await.expect("read").expect("there");
        (session.principal, session.scope)
    };
    let (principal, within) = scope(child.as_str()).await;
    let (_, around) = scope(&parent).await;
    assert_eq!((principal.id.as_str(), principal.role), ("agent-7", toolgate_core::Role::Agent));
    assert_eq!((within.template, &within.mounts.servers), (around.template, &around.mounts.servers));
    let alone = starter.start(start_by("ops", None)).await.expect("started");
    assert_eq!(
        scope(alone.as_str()).await.0.role,
        toolgate_core::Role::Agent,
        "whatever the role of its name"
    );
    starter.cancel(&RunId::new(parent.as_str()), &PrincipalId::new("ops")).await.expect("cancelled");
    let state = starter.state(&child).await.expect("asked").expect("there");
    assert_eq!(state.as_str(), "cancelled");
    let late = starter.start(start_by("agent-7", Some(&parent))).await.expect_err("it has ended");
    assert_eq!((late.code, late.field.as_deref()), (&codes::RUN_ENDED, Some("parent")));
    assert_eq!(starter.state(&RunId::new("run_x")).await, Ok(None));
}

#[tokio::test]
async fn pausing_and_cancelling_reach_the_loop_and_the_calls_of_all_runs_within() {
    let (gate, shop) = workshop().await;
    let body = r#"{"goal":"g","model":"gpt"}"#;
    let parent = run_id(&gate.post(&agent(), "/runs", body).await);
    let child =
        gate.api.starter().start(start_by("agent-7", Some(&parent))).await.expect("started").to_string();
    assert_eq!(gate.post(&agent(), &format!("/runs/{parent}/pause"), "{}").await.status, 200);
    assert_eq!(gate.driven.interrupted(), [parent.as_str()]);
    assert_eq!(gate.post(&agent(), &format!("/runs/{parent}/cancel"), "{}").await.status, 200);
    assert_eq!(gate.driven.interrupted(), [parent.as_str(), child.as_str(), parent.as_str()]);
    assert_eq!(shop.cancelled(), [child.as_str(), parent.as_str()]);
}

#[tokio::test]
async fn a_turn_is_played_in_the_session_of_the_run_and_once() {
    let (gate, shop) = workshop().await;
    let id = run_id(&gate.post(&agent(), "/runs", r#"{"goal":"g","model":"gpt"}"#).await);
    let player = gate.api.player();
    let run = gate.runs.get(&RunId::new(id.as_str())).await.expect("there");
    let turn = || {
        vec![
            planned("1.0", "complete_workflow"),
            planned("1.1", "request_user_input"),
            planned("1.2", "work:one"),
            planned("1.3", "work:two"),
            planned("1.4", "nowhere"),
        ]
    };
    let played = player.play(&run, turn()).await.expect("played");
    let outcomes: Vec<&PlayedOutcome> = played.iter().map(|call| &call.outcome).collect();
    assert_eq!(outcomes[0], &PlayedOutcome::NotNow, "the run waits for an answer");
    assert!(matches!(outcomes[1], PlayedOutcome::Waits(action) if action.kind.as_str() == "question"));
    let session = run.session.as_ref().expect("a session").to_string();
    assert!(matches!(outcomes[2], PlayedOutcome::Ended { text, is_error: false } if text.contains(&session)));
    assert!(matches!(outcomes[4], PlayedOutcome::Ended { is_error: true, .. }));
    let again = player.play(&run, turn()).await.expect("played");
    assert_eq!((&again[2], &again[3]), (&played[2], &played[3]), "what has ended is read");
    assert_eq!(shop.diary().iter().filter(|name| *name == "work:one").count(), 1);
    player.cancel(&run.id).await;
    assert_eq!(shop.cancelled(), [id.as_str()]);
}

#[tokio::test]
async fn a_run_is_offered_the_list_of_its_session() {
    let gate = Gate::open().await;
    let id = run_id(&gate.post(&agent(), "/runs", r#"{"goal":"g","model":"gpt"}"#).await);
    let run = gate.runs.get(&RunId::new(id.as_str())).await.expect("there");
    let offer = gate.api.player().offer(&run).await.expect("offered");
    let names: Vec<&str> = offer.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert!(!names.is_empty() && names == sorted, "{names:?}");
    assert!(offer.tools.iter().all(|tool| tool.schema.as_str().starts_with('{')));
    assert_eq!(offer, gate.api.player().offer(&run).await.expect("offered"), "the same bytes each time");
}

#[tokio::test]
async fn a_run_is_tried_again_under_its_own_id() {
    let gate = Gate::open().await;
    let id = run_id(&gate.post(&agent(), "/runs", r#"{"goal":"Do it.","model":"gpt"}"#).await);
    let late = gate.post(&agent(), &format!("/runs/{id}/retry"), r#"{"turn":3}"#).await;
    assert_eq!((told(&late), &late.json()["field"]), ((422, "field_invalid".into()), &json!("turn")));
    let again = gate.post(&agent(), &format!("/runs/{id}/retry"), r#"{"turn":0}"#).await;
    let again = run_id(&again);
    assert_ne!(again, id);
    let chat = gate.get(&agent(), &format!("/runs/{again}/chat")).await.json();
    assert_eq!(chat["messages"][0]["text"], "Do it.");
    let plain =
        gate.post(&agent(), "/runs", "{}").await.json()["run"]["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        told(&gate.post(&agent(), &format!("/runs/{plain}/retry"), "{}").await),
        (409, "run_state".into())
    );
    assert_eq!(gate.get(&agent(), &format!("/runs/{plain}/chat")).await.json(), json!({ "messages": [] }));
}

#[tokio::test]
async fn the_session_of_a_driven_run_ends_with_it() {
    let gate = Gate::open().await;
    let closed = async |run: &str| {
        let run = gate.runs.get(&RunId::new(run)).await.expect("there");
        let session = gate.store.get_session(&run.session.expect("a session")).await.expect("read");
        session.expect("there").closing.is_some()
    };
    let body = r#"{"goal":"g","model":"gpt"}"#;
    let cancelled = run_id(&gate.post(&agent(), "/runs", body).await);
    assert!(!closed(&cancelled).await);
    assert_eq!(gate.post(&agent(), &format!("/runs/{cancelled}/cancel"), "{}").await.status, 200);
    assert!(closed(&cancelled).await, "nobody drives it any more");
    let failed = RunId::new(run_id(&gate.post(&agent(), "/runs", body).await));
    let run = gate.runs.fail(&failed, "no use", &PrincipalId::new("agent-7")).await.expect("failed");
    for _ in 0..2 {
        gate.api.player().leave(&run).await;
        assert!(closed(failed.as_str()).await);
    }
    let by_client = gate.post(&agent(), "/runs", "{}").await.json();
    let by_client = by_client["run"]["id"].as_str().expect("an id");
    assert_eq!(gate.post(&agent(), &format!("/runs/{by_client}/cancel"), "{}").await.status, 200);
    assert!(!closed(by_client).await, "its client closes it");
}

#[tokio::test]
async fn a_run_that_is_tried_again_is_as_careful_as_the_first() {
    let gate = Gate::open().await;
    let body = r#"{"goal":"g","model":"gpt","policy_template":"regulated","mounts":{"servers":["bank"]}}"#;
    let first = run_id(&gate.post(&agent(), "/runs", body).await);
    let again = run_id(&gate.post(&agent(), &format!("/runs/{first}/retry"), "{}").await);
    let third = run_id(&gate.post(&agent(), &format!("/runs/{again}/retry"), "{}").await);
    for run in [again, third] {
        let run = gate.runs.get(&RunId::new(run)).await.expect("there");
        let session = gate.store.get_session(&run.session.expect("a session")).await.expect("read");
        let scope = session.expect("there").scope;
        assert_eq!(scope.template, Some(PolicyTemplate::Regulated));
        assert!(scope.mounts.servers.iter().any(|server| server.as_str() == "bank"));
    }
}

#[tokio::test]
async fn a_run_that_a_session_asks_for_sees_no_more_than_the_session() {
    let gate = Gate::open().await;
    let body = r#"{"goal":"g","model":"gpt","policy_template":"regulated"}"#;
    let asking = run_id(&gate.post(&agent(), "/runs", body).await);
    let scope = async |run: &RunId| {
        let run = gate.runs.get(run).await.expect("there");
        let session = gate.store.get_session(&run.session.expect("a session")).await.expect("read");
        session.expect("there").scope
    };
    let within = Some(scope(&RunId::new(asking.as_str())).await);
    let start = RunStart { within, ..start_by("agent-7", None) };
    let started = gate.api.starter().start(start).await.expect("started");
    assert_eq!(scope(&started).await.template, Some(PolicyTemplate::Regulated));
}

#[tokio::test]
async fn a_run_that_waited_longer_than_its_session_lasts_gets_another_within_the_same_scope() {
    let (gate, _) = workshop().await;
    let body = r#"{"goal":"g","model":"gpt","policy_template":"regulated"}"#;
    let id = RunId::new(run_id(&gate.post(&agent(), "/runs", body).await));
    let player = gate.api.player();
    let session = async || gate.runs.get(&id).await.expect("there").session.expect("a session");
    let close = async |session: &SessionId, reason: &str| {
        let end = SessionEnd { at_ms: gate.clock.now_ms(), reason: reason.into() };
        gate.books.close_session(session, &end, Vec::new()).await.expect("closed");
    };
    let first = session().await;
    close(&first, "idle").await;
    until("another session", async || {
        let run = gate.runs.get(&id).await.expect("there");
        player.offer(&run).await.is_ok() && session().await != first
    })
    .await;
    let second = session().await;
    let stored = gate.store.get_session(&second).await.expect("read").expect("there");
    assert_eq!((stored.scope.template, stored.run), (Some(PolicyTemplate::Regulated), Some(id.clone())));
    // An end that somebody decided on stands.
    close(&second, "closed").await;
    until("no session", async || {
        let run = gate.runs.get(&id).await.expect("there");
        player.offer(&run).await.is_err()
    })
    .await;
    assert_eq!(session().await, second);
}
