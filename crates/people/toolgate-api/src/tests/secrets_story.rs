//! Secrets go in and do not come out.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::{Principal, PrincipalId, Role, ServerName};

use super::gate::{Gate, Read, request, somebody};
use crate::SecretIdentity;

async fn put(gate: &Gate, who: &Principal, path: &str, body: &str) -> Read {
    gate.send(request(Method::PUT, path, Some(who), body)).await
}

fn place(principal: Option<&str>) -> SecretIdentity {
    let server = ServerName::new("job-app").expect("a name");
    SecretIdentity { server, principal: principal.map(PrincipalId::new), name: "api_key".to_owned() }
}

#[tokio::test]
async fn a_secret_is_stored_listed_by_name_and_removed() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let stored = put(&gate, &operator, "/secrets/job-app/api_key", r#"{"value":"hunter2"}"#).await;
    assert_eq!((stored.status, stored.text.as_str()), (StatusCode::NO_CONTENT, ""));
    let own = "/secrets/job-app/api_key?principal=ann";
    assert_eq!(put(&gate, &operator, own, r#"{"value":"hunter3"}"#).await.status, StatusCode::NO_CONTENT);
    assert_eq!(gate.secrets.look(&place(None)), Some(("hunter2".to_owned(), "op".to_owned())));
    assert_eq!(gate.secrets.look(&place(Some("ann"))), Some(("hunter3".to_owned(), "op".to_owned())));
    let listed = gate.get(&operator, "/secrets/job-app").await;
    assert!(!listed.text.contains("hunter"), "{listed:?}");
    let at = "1970-01-01T00:00:00.000Z";
    let everybodys = json!({ "name": "api_key", "updated_at": at, "source": "vault", "origins": [] });
    let anns =
        json!({ "name": "api_key", "principal": "ann", "updated_at": at, "source": "vault", "origins": [] });
    let names = json!([everybodys, anns]);
    assert_eq!(listed.json()["secrets"], names);
    assert_eq!(gate.get(&operator, "/secrets/other").await.json(), json!({ "secrets": [] }));
    assert_eq!(gate.delete(&operator, "/secrets/job-app/api_key").await.status, StatusCode::NO_CONTENT);
    assert!(gate.secrets.look(&place(None)).is_none() && gate.secrets.look(&place(Some("ann"))).is_some());
    let gone = gate.delete(&operator, "/secrets/job-app/api_key").await;
    assert_eq!((gone.status, gone.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
}

#[tokio::test]
async fn what_cannot_be_a_secret_is_refused_without_telling_it() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let long = format!(r#"{{"value":"{}"}}"#, "s".repeat(70 << 10));
    for (path, body, status, code) in [
        ("/secrets/job-app/api_key", r#"{"value":""}"#, 422, "secret_invalid"),
        ("/secrets/job-app/api_key", r#"{"value":"hunter2\u0000"}"#, 422, "secret_invalid"),
        ("/secrets/job-app/api_key", r#"{"values":"hunter2"}"#, 422, "field_unknown"),
        ("/secrets/job-app/api_key", r#"{"value":["hunter2"]}"#, 422, "field_invalid"),
        ("/secrets/job-app/api_key", "{", 400, "json_broken"),
        ("/secrets/job-app/api_key", &long, 413, "body_too_large"),
        ("/secrets/job-app/api%7Dkey", r#"{"value":"hunter2"}"#, 400, "parameter_invalid"),
        ("/secrets/job:app/api_key", r#"{"value":"hunter2"}"#, 400, "parameter_invalid"),
        ("/secrets/job-app/api_key?principal=", r#"{"value":"hunter2"}"#, 400, "parameter_invalid"),
        ("/secrets/job-app/api_key?owner=ann", r#"{"value":"hunter2"}"#, 400, "parameter_unknown"),
    ] {
        let answer = put(&gate, &admin, path, body).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (status, code), "{path} {answer:?}");
        assert!(!answer.text.contains("hunter2"), "{answer:?}");
    }
    assert_eq!(gate.get(&admin, "/secrets/job-app").await.json(), json!({ "secrets": [] }));
}
