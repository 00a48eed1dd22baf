//! Tasks, from their definition to their end.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;

use super::file_kit::{agent, operator};
use super::gate::{Gate, Read, request, somebody};
use super::run_kit::{start, told};

async fn define(gate: &Gate, body: &str) -> Read {
    gate.post(&operator(), "/tasks", body).await
}

fn id(answer: &Read) -> String {
    answer.json()["id"].as_str().unwrap_or_else(|| panic!("no id: {answer:?}")).to_owned()
}

async fn put(gate: &Gate, path: &str, tag: Option<&str>, body: &str) -> Read {
    let mut request = request(Method::PUT, path, Some(&operator()), body);
    if let Some(tag) = tag {
        request.headers_mut().insert("if-match", tag.parse().expect("a value"));
    }
    gate.send(request).await
}

#[tokio::test]
async fn a_task_is_defined_changed_by_who_saw_it_last_and_removed() {
    let gate = Gate::open().await;
    let body =
        r#"{"name":"Tailor","description":"a résumé","agent":"teller","budget":{"calls":5,"seconds":60}}"#;
    let made = define(&gate, body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
    let path = format!("/tasks/{}", id(&made));
    assert_eq!(
        (&made.headers["location"], &made.headers["etag"]),
        (&path.parse().unwrap(), &"\"1\"".parse().unwrap())
    );
    let shown = gate.get(&agent(), &path).await;
    assert_eq!(shown.json(), made.json());
    for (key, value) in [
        ("name", json!("Tailor")),
        ("description", json!("a résumé")),
        ("agent", json!("teller")),
        ("budget", json!({ "calls": 5, "seconds": 60 })),
        ("created_by", json!("ops")),
        ("version", json!(1)),
    ] {
        assert_eq!(shown.json()[key], value, "{key}");
    }
    let changed = put(&gate, &path, Some("\"1\""), r#"{"name":"Tailor it"}"#).await;
    assert_eq!((changed.status, &changed.json()["version"]), (StatusCode::OK, &json!(2)), "{changed:?}");
    assert_eq!(
        (&changed.json()["budget"], changed.json().get("agent")),
        (&json!({}), None),
        "all of it is new"
    );
    let late = put(&gate, &path, Some("\"1\""), r#"{"name":"Mine"}"#).await;
    assert_eq!((told(&late), &late.json()["version"]), ((412, "stale".into()), &json!(2)));
    assert_eq!(
        told(&put(&gate, &path, Some("1"), r#"{"name":"Mine"}"#).await),
        (400, "header_invalid".into())
    );
    assert_eq!(put(&gate, &path, None, r#"{"name":"Anyway"}"#).await.json()["version"], 3);
    let started = start(&gate, &format!(r#"{{"task":"{}"}}"#, id(&made))).await;
    assert_eq!(gate.delete(&operator(), &path).await.status, StatusCode::NO_CONTENT);
    assert_eq!(told(&gate.get(&agent(), &path).await), (404, "unknown_task".into()));
    assert_eq!(told(&gate.delete(&operator(), &path).await), (404, "unknown_task".into()));
    let run = gate.get(&agent(), &started.path("")).await;
    assert_eq!(run.json()["task"], id(&made).as_str(), "its runs stay");
}

#[tokio::test]
async fn what_a_task_cannot_be_is_told_with_the_part() {
    let gate = Gate::open().await;
    let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(201));
    for (body, code, field) in [
        ("{}", "field_invalid", "name"),
        (r#"{"name":" "}"#, "bad_task", "name"),
        (long.as_str(), "bad_task", "name"),
        (r#"{"name":"a","agent":"tellre"}"#, "unknown_agent", "agent"),
        (r#"{"name":"a","agent":"a b"}"#, "field_invalid", "agent"),
        (r#"{"name":"a","budget":{"calls":0}}"#, "field_invalid", "budget.calls"),
        (r#"{"name":"a","budget":{"call":1}}"#, "field_unknown", "call"),
        (r#"{"name":"a","titel":1}"#, "field_unknown", "titel"),
    ] {
        let answer = define(&gate, body).await;
        assert_eq!(told(&answer), (422, code.to_owned()), "{body} {answer:?}");
        // An object that lacks a field has no place for it.
        let told_field = answer.json().get("field").and_then(Value::as_str).map(str::to_owned);
        assert!(body == "{}" || told_field.as_deref() == Some(field), "{body} {answer:?}");
    }
    let misspelt = define(&gate, r#"{"name":"a","agent":"tellre"}"#).await;
    assert_eq!(misspelt.json()["hint"], "did you mean \"teller\"?");
    let unknown = put(&gate, "/tasks/task_x", None, r#"{"name":"a"}"#).await;
    assert_eq!(told(&unknown), (404, "unknown_task".into()));
    assert_eq!(gate.get(&agent(), "/tasks").await.json()["tasks"], json!([]));
}

#[tokio::test]
async fn tasks_are_listed_newest_first_by_page_for_those_who_work_and_audit() {
    let gate = Gate::open().await;
    let mut ids = Vec::new();
    for name in ["one", "two", "three"] {
        gate.clock.advance_ms(10);
        ids.push(id(&define(&gate, &format!(r#"{{"name":"{name}"}}"#)).await));
    }
    let auditor = somebody("audit", Role::Auditor);
    let first = gate.get(&auditor, "/tasks?limit=2").await.json();
    let names = |page: &Value| -> Vec<String> {
        let tasks = page["tasks"].as_array().expect("a list").iter();
        tasks.map(|task| task["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&first), ["three", "two"]);
    let next = first["next_cursor"].as_str().expect("there is more");
    let second = gate.get(&agent(), &format!("/tasks?limit=2&cursor={next}")).await.json();
    assert_eq!((names(&second), second.get("next_cursor")), (vec!["one".to_owned()], None));
    for (query, status) in [("limit=0", 400), ("limit=201", 400), ("cursor=x", 422), ("name=a", 400)] {
        let answer = gate.get(&agent(), &format!("/tasks?{query}")).await;
        answer.problem();
        assert_eq!(answer.status.as_u16(), status, "{query}");
    }
}
