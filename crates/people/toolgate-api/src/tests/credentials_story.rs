//! Credentials for sites go in with their values, and come out without.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::{Principal, Role};

use super::gate::{Gate, Read, request, somebody};

const PASSWORD: &str = "hunter2-of-ada";

async fn send(gate: &Gate, who: &Principal, method: Method, path: &str, body: &Value) -> Read {
    gate.send(request(method, path, Some(who), &body.to_string())).await
}

fn body() -> Value {
    json!({ "name": "Example Jobs", "origin": "https://jobs.example",
        "fields": { "username": { "value": "ada" }, "password": { "value": PASSWORD }, "code": { "secret": "CODE_SEED" } },
        "users": ["agent:applicant"], "servers": ["browser"], "expires_at": "2999-01-01T00:00:00Z" })
}

#[tokio::test]
async fn a_credential_is_created_shown_rotated_and_erased_and_its_values_are_never_shown() {
    let gate = Gate::open().await;
    let (operator, auditor) = (somebody("op", Role::Operator), somebody("eve", Role::Auditor));
    let created = send(&gate, &operator, Method::POST, "/credentials", &body()).await;
    assert_eq!(created.status, StatusCode::CREATED, "{created:?}");
    let id = created.json()["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("cred_"), "{id}");
    let listed = gate.get(&auditor, "/credentials").await;
    assert_eq!(listed.json()["credentials"][0], created.json());
    let view = listed.json()["credentials"][0].clone();
    let told = (&view["origin"], &view["users"], &view["servers"], &view["created_by"], &view["expires_at"]);
    assert_eq!(
        told,
        (
            &json!("https://jobs.example"),
            &json!(["agent:applicant"]),
            &json!(["browser"]),
            &json!("op"),
            &json!("2999-01-01T00:00:00.000Z")
        )
    );
    let fields = view["fields"].as_array().expect("a list").iter();
    let fields: Vec<(&str, Option<&str>)> =
        fields.map(|field| (field["name"].as_str().expect("a name"), field["secret"].as_str())).collect();
    assert_eq!(fields, [("code", Some("CODE_SEED")), ("password", None), ("username", None)]);
    let rotated = json!({ "value": "another-of-ada" });
    let path = format!("/credentials/{id}/fields/password");
    let rotated = send(&gate, &operator, Method::PUT, &path, &rotated).await;
    assert_eq!(rotated.status, StatusCode::OK, "{rotated:?}");
    let shown = gate.get(&auditor, &format!("/credentials/{id}")).await;
    assert_eq!(shown.json(), rotated.json());
    for answer in [&created, &listed, &rotated, &shown] {
        assert!(!answer.text.contains("of-ada"), "{answer:?}");
    }
    assert_eq!(gate.delete(&operator, &format!("/credentials/{id}")).await.status, StatusCode::NO_CONTENT);
    assert_eq!(gate.get(&auditor, "/credentials").await.json(), json!({ "credentials": [] }));
    let gone = gate.get(&auditor, &format!("/credentials/{id}")).await;
    assert_eq!((gone.status, gone.problem().as_str()), (StatusCode::GONE, "credential_erased"));
}

#[tokio::test]
async fn what_cannot_be_a_credential_is_refused_without_telling_its_values() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let with = |key: &str, value: Value| {
        let mut body = body();
        body[key] = value;
        body
    };
    let both = json!({ "password": { "value": PASSWORD, "secret": "X" } });
    for (body, code) in [
        (with("users", json!(["ann"])), "credential_invalid"),
        (with("users", json!(["*"])), "credential_invalid"),
        (with("servers", json!(["a:b"])), "credential_invalid"),
        (with("expires_at", json!("tomorrow")), "credential_invalid"),
        (with("fields", both), "credential_invalid"),
        (with("fields", json!({ "password": {} })), "credential_invalid"),
        (with("fields", json!({ "password": { "values": PASSWORD } })), "credential_invalid"),
        (with("fields", json!({ "password": [PASSWORD] })), "credential_invalid"),
        (with("fields", json!({ "password": PASSWORD })), "credential_invalid"),
        (with("value", json!(PASSWORD)), "field_unknown"),
    ] {
        let answer = send(&gate, &operator, Method::POST, "/credentials", &body).await;
        assert_eq!(answer.problem(), code, "{body}: {answer:?}");
        assert!(answer.status.is_client_error() && !answer.text.contains(PASSWORD), "{answer:?}");
    }
    let created = send(&gate, &operator, Method::POST, "/credentials", &body()).await;
    let path = format!("/credentials/{}/fields/password", created.json()["id"].as_str().expect("an id"));
    for wrong in [
        json!({ "value": [PASSWORD] }),
        json!({ "value": 4_711_081_511_u64 }),
        json!({ "value": PASSWORD, "secret": "X" }),
        json!({ "values": PASSWORD }),
        json!({}),
    ] {
        let answer = send(&gate, &operator, Method::PUT, &path, &wrong).await;
        assert_eq!(answer.problem(), "credential_invalid", "{answer:?}");
        assert!(!answer.text.contains(PASSWORD) && !answer.text.contains("4711081511"), "{answer:?}");
    }
    let unknown = gate.get(&operator, "/credentials/cred_0").await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (StatusCode::NOT_FOUND, "unknown_credential"));
}
