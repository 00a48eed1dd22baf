//! Servers of the file, and registered servers.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::server::{InstanceId, InstanceState, ServerHealth, ServerState};
use toolgate_core::{MessageLimits, Principal, Role};
use toolgate_store::ListCounts;

use super::gate::{BODY_BYTES_MAX, Gate, Read, somebody};
use super::parts::server;

fn jobs() -> Principal {
    somebody("jobs", Role::Server)
}

fn registration(more: Value) -> String {
    let mut body = json!({ "name": "jobs", "url": "http://127.0.0.1:4000/mcp", "instance_id": "jobs-1" });
    let (Value::Object(body_members), Value::Object(more)) = (&mut body, more) else { panic!("objects") };
    body_members.extend(more);
    body.to_string()
}

async fn register(gate: &Gate, who: &Principal, more: Value) -> Read {
    gate.post(who, "/servers/register", &registration(more)).await
}

async fn shown(gate: &Gate, name: &str) -> Value {
    gate.get(&somebody("op", Role::Operator), &format!("/servers/{name}")).await.json()
}

#[tokio::test]
async fn servers_are_listed_with_where_they_come_from_and_shown_with_how_they_do() {
    let gate = Gate::open().await;
    let all = gate.get(&somebody("op", Role::Operator), "/servers").await.json();
    let bank = &all["servers"][0];
    assert_eq!(
        (&bank["name"], &bank["source"], &bank["health"], &bank["tools"]),
        (&json!("bank"), &json!("file"), &json!("starting"), &json!(0))
    );
    let bank = shown(&gate, "bank").await;
    assert_eq!((&bank["name"], &bank["vitals"]["latency"]["p95_ms"]), (&json!("bank"), &json!(2.0)));
    assert_eq!(
        (&bank["vitals"]["tools"][0]["name"], &bank["vitals"]["tools"][0]["resting_seconds"]),
        (&json!("transfer"), &json!(1.5))
    );
    let confinement = json!({ "level": "confined", "says": ["writes only in /tmp"] });
    assert_eq!(bank["confinement"], confinement);
    let unknown = gate.get(&somebody("op", Role::Operator), "/servers/bnak").await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_server"));
    assert_eq!(unknown.json()["hint"], "did you mean \"bank\"?");
}

#[tokio::test]
async fn a_server_is_shown_with_its_state_since_when_and_each_instance() {
    let gate = Gate::open().await;
    let instance = InstanceState {
        id: InstanceId::only(),
        version: None,
        health: ServerHealth::Degraded,
        reason: Some("connection refused".to_owned()),
    };
    let state = ServerState {
        health: ServerHealth::Degraded,
        reason: Some("no instance answers".to_owned()),
        instances: vec![instance],
        ..ServerState::starting()
    };
    let counts = ListCounts { tools: 2, prompts: 1, resources: 0 };
    gate.store.write_status(&server(), &state, counts, 1_785_585_600_000).await.expect("written");
    let bank = shown(&gate, "bank").await;
    assert_eq!(
        (&bank["health"], &bank["reason"], &bank["since"], &bank["tools"]),
        (&json!("degraded"), &json!("no instance answers"), &json!("2026-08-01T12:00:00.000Z"), &json!(2))
    );
    let instance = json!([{ "id": "only", "url": "http://bank.example/mcp", "health": "degraded", "reason": "connection refused" }]);
    assert_eq!(bank["instances"], instance);
}

#[tokio::test]
async fn an_auditor_sees_how_a_server_does_and_not_what_it_wrote() {
    let gate = Gate::open().await;
    let bank = toolgate_core::ServerName::new("bank").expect("a name");
    gate.store.write_stderr(&bank, &["account 7 of Ann".to_owned()]).await.expect("written");
    assert_eq!(shown(&gate, "bank").await["stderr"], json!(["account 7 of Ann"]));
    let audited = gate.get(&somebody("audit", Role::Auditor), "/servers/bank").await;
    assert_eq!((audited.status, &audited.json()["name"]), (StatusCode::OK, &json!("bank")));
    assert_eq!(audited.json().get("stderr"), None);
}

#[tokio::test]
async fn an_operator_restarts_a_server_and_nobody_else_does() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    assert_eq!(gate.post(&operator, "/servers/bank/restart", "").await.status, StatusCode::ACCEPTED);
    let unknown = gate.post(&operator, "/servers/nobody/restart", "").await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_server"));
    let auditor = gate.post(&somebody("audit", Role::Auditor), "/servers/bank/restart", "").await;
    assert_eq!(auditor.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn an_operator_disables_a_server_with_a_reason_and_enables_it_again() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let disabled = gate.post(&operator, "/servers/bank/disable", r#"{"reason":"an audit"}"#).await;
    assert_eq!((disabled.status, disabled.text.as_str()), (StatusCode::NO_CONTENT, ""));
    let bank = shown(&gate, "bank").await;
    assert_eq!((&bank["health"], &bank["reason"]), (&json!("disabled"), &json!("an audit")));
    let listed = gate.get(&operator, "/servers").await.json();
    assert_eq!(listed["servers"][0]["health"], "disabled");
    let overview = gate.get(&operator, "/overview").await.json();
    assert_eq!(overview["servers"][0]["health"], "disabled");
    let setting = gate.get(&operator, "/settings/disabled_servers").await.json();
    assert_eq!(
        (&setting["value"], &setting["updated_by"]),
        (&json!([{ "name": "bank", "reason": "an audit" }]), &json!("op"))
    );
    let restart = gate.post(&operator, "/servers/bank/restart", "").await;
    assert_eq!((restart.status, restart.problem().as_str()), (StatusCode::CONFLICT, "server_disabled"));
    assert_eq!(gate.post(&operator, "/servers/bank/enable", "{}").await.status, StatusCode::NO_CONTENT);
    let bank = shown(&gate, "bank").await;
    assert_eq!((&bank["health"], bank.get("reason")), (&json!("starting"), None));
}

#[tokio::test]
async fn what_cannot_be_disabled_is_refused_and_nothing_changes() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let long = json!({ "reason": "x".repeat(501) }).to_string();
    for (path, body, status, code) in [
        ("/servers/nobody/disable", "{}", StatusCode::NOT_FOUND, "unknown_server"),
        ("/servers/nobody/enable", "{}", StatusCode::NOT_FOUND, "unknown_server"),
        ("/servers/bank/disable", long.as_str(), StatusCode::UNPROCESSABLE_ENTITY, "invalid_setting"),
        ("/servers/bank/disable", "{", StatusCode::BAD_REQUEST, "json_broken"),
    ] {
        let refused = gate.post(&operator, path, body).await;
        assert_eq!((refused.status, refused.problem().as_str()), (status, code), "{path} {body}");
    }
    let auditor = gate.post(&somebody("audit", Role::Auditor), "/servers/bank/disable", "{}").await;
    assert_eq!(auditor.status, StatusCode::FORBIDDEN);
    assert_eq!(shown(&gate, "bank").await["health"], "starting");
}

#[tokio::test]
async fn an_instance_registers_renews_and_leaves() {
    let gate = Gate::open().await;
    let first = register(&gate, &jobs(), json!({ "lease_seconds": 30, "version": "1.2" })).await;
    assert!(first.status.is_success(), "{first:?}");
    assert_eq!(
        first.json(),
        json!({ "server": "jobs", "instance_id": "jobs-1", "lease_seconds": 30.0, "heartbeat_seconds": 10.0 })
    );
    assert_eq!(register(&gate, &jobs(), json!({})).await.status, StatusCode::OK, "again is not new");
    let known = shown(&gate, "jobs").await;
    assert_eq!((&known["source"], &known["instances"][0]["id"]), (&json!("registered"), &json!("jobs-1")));
    assert!(known["instances"][0]["lease_left"].as_f64().expect("a lease") > 0.0);
    let beat = gate.post(&jobs(), "/servers/jobs/instances/jobs-1/heartbeat", "").await;
    assert_eq!((beat.status, &beat.json()["server"]), (StatusCode::OK, &json!("jobs")));
    let left = gate.delete(&jobs(), "/servers/jobs/instances/jobs-1").await;
    assert_eq!((left.status, left.text.as_str()), (StatusCode::NO_CONTENT, ""));
    let lost = gate.post(&jobs(), "/servers/jobs/instances/jobs-1/heartbeat", "").await;
    assert_eq!((lost.status, lost.problem().as_str()), (StatusCode::GONE, "lease_lost"));
    assert!(lost.json()["hint"].as_str().expect("a hint").contains("register again"));
    assert_eq!(shown(&gate, "jobs").await["instances"], json!([]), "the server is still known");
    let operator = somebody("op", Role::Operator);
    assert_eq!(gate.delete(&operator, "/servers/jobs").await.status, StatusCode::NO_CONTENT);
    assert_eq!(gate.get(&operator, "/servers/jobs").await.status, StatusCode::NOT_FOUND);
    let again = gate.delete(&operator, "/servers/jobs").await;
    again.problem();
    assert_eq!(again.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_instance_says_which_arguments_of_its_tools_take_files() {
    let gate = Gate::open().await;
    let slot =
        json!({ "strategy": "binary_base64", "argument": "scan", "content": "data", "media_type": "kind" });
    let tools = json!({ "run": { "files": [slot] }, "read": { "file_strategy": "plain_text_text" } });
    let answer = register(&gate, &jobs(), json!({ "tools": tools })).await;
    assert!(answer.status.is_success(), "{answer:?}");
    let kept = gate.store.read_instances().await.expect("rows").remove(0).spec.extras;
    assert_eq!(serde_json::to_value(&*kept).expect("JSON"), tools);
}

#[tokio::test]
async fn nobody_takes_the_place_of_another() {
    let gate = Gate::open().await;
    let stranger = somebody("stranger", Role::Server);
    let foreign = register(&gate, &stranger, json!({})).await;
    foreign.problem();
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    assert!(register(&gate, &somebody("op", Role::Operator), json!({})).await.status.is_success());
    let beat = gate.post(&stranger, "/servers/jobs/instances/jobs-1/heartbeat", "").await;
    let leave = gate.delete(&stranger, "/servers/jobs/instances/jobs-1").await;
    assert_eq!((beat.status, leave.status), (StatusCode::FORBIDDEN, StatusCode::FORBIDDEN));
    let taken = register(&gate, &somebody("bank", Role::Server), json!({ "name": "bank" })).await;
    assert_eq!((taken.status, taken.problem().as_str()), (StatusCode::CONFLICT, "name_taken"));
    let configured = gate.delete(&somebody("op", Role::Operator), "/servers/bank").await;
    configured.problem();
    assert_eq!(configured.status, StatusCode::CONFLICT);
    assert_eq!(shown(&gate, "jobs").await["instances"][0]["id"], "jobs-1", "nothing else is disturbed");
}

#[tokio::test]
async fn ten_thousand_tools_are_refused_with_a_reason() {
    let gate = Gate::with_limits(MessageLimits::default()).await;
    let tools = |count: usize, extra: &Value| -> Value {
        let tools: serde_json::Map<_, _> =
            (0..count).map(|one| (format!("tool_{one}"), extra.clone())).collect();
        json!({ "tools": tools })
    };
    let many = register(&gate, &jobs(), tools(10_000, &json!({}))).await;
    many.problem();
    assert_eq!(many.status, StatusCode::UNPROCESSABLE_ENTITY, "{many:?}");
    assert_eq!(many.json()["field"], "tools");
    let large = json!({ "capabilities": ["c".repeat(128)] });
    let large = register(&gate, &jobs(), tools(10_000, &large)).await;
    assert_eq!((large.status, large.problem().as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"));
    assert!(large.json()["detail"].as_str().expect("a detail").contains("1048576 bytes"), "{large:?}");
    assert!(register(&gate, &jobs(), tools(100, &json!({}))).await.status.is_success());
}

#[tokio::test]
async fn what_cannot_be_registered_is_refused_with_the_field() {
    let gate = Gate::open().await;
    let text = json!({ "strategy": "plain_text_text" });
    for (more, field) in [
        (json!({ "url": "http://10.0.0.1/mcp" }), "url"),
        (json!({ "url": "file:///etc/passwd" }), "url"),
        (json!({ "instance_id": "a b" }), "instance_id"),
        (json!({ "lease_seconds": 1 }), "lease_seconds"),
        (json!({ "lease_seconds": "long" }), "lease_seconds"),
        (json!({ "lease": 30 }), "lease"),
        (json!({ "url": null }), "url"),
        (json!({ "tools": { "run": { "files": [text, text] } } }), "tools.run"),
        (
            json!({ "tools": { "run": { "files": [{ "strategy": "base64" }] } } }),
            "tools.run.files[0].strategy",
        ),
        (json!({ "tools": { "run": { "files": [{ "argument": "a" }] } } }), "tools.run.files[0]"),
    ] {
        let answer = register(&gate, &jobs(), more.clone()).await;
        answer.problem();
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{more} {answer:?}");
        assert_eq!(answer.json()["field"], field, "{more} {answer:?}");
    }
    let broken = gate.post(&jobs(), "/servers/register", "{\"name\":").await;
    assert_eq!((broken.status, broken.problem().as_str()), (StatusCode::BAD_REQUEST, "json_broken"));
    let large = register(&gate, &jobs(), json!({ "version": "v".repeat(BODY_BYTES_MAX) })).await;
    assert_eq!((large.status, large.problem().as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"));
    assert!(large.json()["hint"].as_str().expect("a hint").contains("tools"));
    assert_eq!(
        gate.get(&somebody("op", Role::Operator), "/servers/jobs").await.status,
        StatusCode::NOT_FOUND
    );
}
