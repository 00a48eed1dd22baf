//! Automations over REST, from their creation to their end, and requests that fire them.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;
use toolgate_core::governance::Clock;
use toolgate_core::signature::SigningKey;

use super::file_kit::{agent, operator};
use super::gate::{Gate, Read, SECRET, request, somebody};
use super::run_kit::told;
use super::task_kit::{SECRET_NAME, connect, planned};

const MINUTE_MS: i64 = 60_000;
const FAR_MS: i64 = 4_000_000_000_000;

async fn create(gate: &Gate, body: &Value) -> Read {
    gate.post(&operator(), "/automations", &body.to_string()).await
}

fn morning(task: &str) -> Value {
    let trigger = json!({ "on": "cron", "pattern": "0 9 1 1 *", "timezone": "Europe/Berlin" });
    json!({ "name": "morning", "task": task, "trigger": trigger })
}

#[tokio::test]
async fn an_automation_is_made_changed_by_who_saw_it_last_paused_and_removed() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let made = create(&gate, &morning(task.id.as_str())).await;
    assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
    assert_eq!(made.headers["etag"], "\"1\"");
    let shown = gate.get(&agent(), "/automations/morning").await.json();
    assert_eq!(shown, made.json());
    for (key, value) in [
        ("overlap", json!("skip")),
        ("catch_up_seconds", json!(3_600)),
        ("principal", json!("ops")),
        ("version", json!(1)),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    let next = shown["next"].as_str().expect("an instant").to_owned();
    let instants = gate.get(&agent(), "/automations/morning/next?limit=3").await.json();
    assert_eq!(
        (&instants["instants"][0], instants["instants"].as_array().map(Vec::len)),
        (&json!(next), Some(3))
    );

    let mut changed = morning(task.id.as_str());
    changed["overlap"] = json!("buffer_one");
    let put = |tag: &str| {
        let mut sent = request(Method::PUT, "/automations/morning", Some(&operator()), &changed.to_string());
        sent.headers_mut().insert("if-match", tag.parse().expect("a value"));
        gate.send(sent)
    };
    let second = put("\"1\"").await;
    assert_eq!(
        (second.status, &second.json()["overlap"]),
        (StatusCode::OK, &json!("buffer_one")),
        "{second:?}"
    );
    let late = put("\"1\"").await;
    assert_eq!((told(&late), &late.json()["version"]), ((412, "stale".into()), &json!(2)));

    let paused = gate.post(&operator(), "/automations/morning/pause", r#"{"note":"holidays"}"#).await.json();
    assert_eq!((&paused["paused"], paused.get("next")), (&json!("holidays"), None), "{paused}");
    let resumed = gate.post(&operator(), "/automations/morning/resume", "{}").await.json();
    assert_eq!((resumed.get("paused"), &resumed["next"]), (None, &json!(next)), "{resumed}");
    let listed = gate.get(&somebody("audit", Role::Auditor), "/automations").await.json();
    assert_eq!(listed["automations"].as_array().map(Vec::len), Some(1));
    assert_eq!(gate.delete(&operator(), "/automations/morning").await.status, StatusCode::NO_CONTENT);
    assert_eq!(told(&gate.get(&agent(), "/automations/morning").await), (404, "unknown_automation".into()));
}

#[tokio::test]
async fn what_an_automation_cannot_be_is_told_with_the_part() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let cron = |pattern: &str, zone: &str| json!({ "on": "cron", "pattern": pattern, "timezone": zone });
    for (name, trigger, status, code) in [
        ("a", cron("0 0 31 2 *", "UTC"), 422, "bad_schedule"),
        ("a", cron("never", "UTC"), 422, "bad_schedule"),
        ("a", cron("0 9 * * *", "Europe/Berln"), 422, "bad_schedule"),
        ("a", cron("* * * * * *", "UTC"), 422, "bad_schedule"),
        ("a", json!({ "on": "moon" }), 422, "field_invalid"),
        ("a b", cron("0 9 * * *", "UTC"), 422, "bad_automation"),
    ] {
        let body = json!({ "name": name, "task": task.id, "trigger": trigger });
        let answer = create(&gate, &body).await;
        assert_eq!(told(&answer), (status, code.to_owned()), "{body} {answer:?}");
    }
    let gone = create(&gate, &morning("task_x")).await;
    assert_eq!((told(&gone), &gone.json()["field"]), ((404, "unknown_task".into()), &json!("task")));
    assert_eq!(create(&gate, &morning(task.id.as_str())).await.status, StatusCode::CREATED);
    assert_eq!(told(&create(&gate, &morning(task.id.as_str())).await), (409, "automation_taken".into()));
    let backwards = r#"{"from":"yesterday","until":"2027-01-01T00:00:00Z"}"#;
    let refused = gate.post(&operator(), "/automations/morning/backfill", backwards).await;
    assert_eq!((told(&refused), &refused.json()["field"]), ((422, "field_invalid".into()), &json!("from")));
}

#[tokio::test]
async fn only_admins_hand_on_the_rights_of_others() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let mut body = morning(task.id.as_str());
    body["principal"] = json!("ann");
    let refused = create(&gate, &body).await;
    assert_eq!(
        (told(&refused), &refused.json()["field"]),
        ((403, "not_allowed".into()), &json!("principal"))
    );
    let admin = somebody("root", Role::Admin);
    let made = gate.post(&admin, "/automations", &body.to_string()).await;
    assert_eq!((made.status, &made.json()["principal"]), (StatusCode::CREATED, &json!("ann")), "{made:?}");
    // Another task would run with the same rights.
    let changed = morning(task.id.as_str()).to_string();
    assert_eq!(
        told(&gate.put(&operator(), "/automations/morning", &changed).await),
        (403, "not_allowed".into())
    );
    let kept = gate.put(&admin, "/automations/morning", &changed).await.json();
    assert_eq!(kept["principal"], "ann");
}

#[tokio::test]
async fn a_process_without_agents_says_so() {
    let gate = Gate::open().await;
    assert_eq!(told(&gate.get(&operator(), "/automations").await), (409, "not_driven_here".into()));
}

/// A signed request.
struct FireMessage<'a> {
    id: &'a str,
    secret: &'a str,
    age_ms: i64,
    path: &'a str,
}

const MESSAGE: FireMessage<'static> =
    FireMessage { id: "msg_1", secret: SECRET, age_ms: 0, path: "/automations/arrivals/fire" };

async fn send(gate: &Gate, message: &FireMessage<'_>, body: &str) -> Read {
    let timestamp = ((gate.clock.now_ms() - message.age_ms) / 1_000).to_string();
    let key = SigningKey::parse(message.secret).expect("a secret");
    let signature = key.sign(message.id, &timestamp, body.as_bytes());
    let mut sent = request(Method::POST, message.path, None, body);
    let headers =
        [("webhook-id", message.id), ("webhook-timestamp", &timestamp), ("webhook-signature", &signature)];
    for (name, value) in headers {
        sent.headers_mut().insert(name, value.parse().expect("a value"));
    }
    gate.send(sent).await
}

#[tokio::test]
async fn a_signed_request_starts_one_run_however_often_it_comes() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let trigger = json!({ "on": "webhook", "secret": SECRET_NAME });
    let wanted = json!({ "name": "arrivals", "task": task.id, "trigger": trigger, "overlap": "allow_all" });
    let made = create(&gate, &wanted);
    assert_eq!(made.await.status, StatusCode::CREATED);
    let first = send(&gate, &MESSAGE, r#"{"order":1}"#).await;
    assert_eq!(
        (first.status, &first.json()["state"]),
        (StatusCode::ACCEPTED, &json!("started")),
        "{first:?}"
    );
    let again = send(&gate, &MESSAGE, r#"{"order":1}"#).await;
    assert_eq!(again.json()["run"], first.json()["run"], "the same message is the same start");
    let other = send(&gate, &FireMessage { id: "msg_2", ..MESSAGE }, r#"{"order":2}"#).await;
    assert_ne!(other.json()["run"], first.json()["run"]);
    let fires = gate.get(&operator(), "/automations/arrivals/fires").await.json();
    assert_eq!(fires["fires"].as_array().map(Vec::len), Some(2), "{fires}");
}

#[tokio::test]
async fn what_is_forged_late_or_huge_starts_nothing() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let trigger = json!({ "on": "webhook", "secret": SECRET_NAME });
    create(&gate, &json!({ "name": "arrivals", "task": task.id, "trigger": trigger })).await;
    let once = json!({ "on": "once", "at_ms": FAR_MS });
    create(&gate, &json!({ "name": "later", "task": task.id, "trigger": once })).await;
    for (message, code) in [
        (FireMessage { secret: "another", ..MESSAGE }, "signature_wrong"),
        (FireMessage { path: "/automations/nobody/fire", ..MESSAGE }, "signature_wrong"),
        (FireMessage { path: "/automations/later/fire", ..MESSAGE }, "signature_wrong"),
        (FireMessage { age_ms: 6 * MINUTE_MS, ..MESSAGE }, "signature_stale"),
    ] {
        assert_eq!(told(&send(&gate, &message, "{}").await), (401, code.to_owned()), "{}", message.path);
    }
    let huge = format!(r#"{{"a":"{}"}}"#, "x".repeat(300 << 10));
    assert_eq!(told(&send(&gate, &MESSAGE, &huge).await), (413, "body_too_large".into()));
    let fires = gate.get(&operator(), "/automations/arrivals/fires").await.json();
    assert_eq!(fires["fires"], json!([]));
}
