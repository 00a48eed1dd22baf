//! Webhooks, mail and retention: shown without secrets, tested on request.

use http::StatusCode;
use serde_json::json;
use toolgate_core::Role;

use super::gate::{Gate, somebody};

#[tokio::test]
async fn webhooks_are_told_with_how_deliveries_go() {
    let gate = Gate::open().await;
    let told = gate.get(&somebody("audit", Role::Auditor), "/webhooks").await.json();
    let expected = json!({ "name": "chat", "address": "https://hooks.example.com", "events": ["approval.requested"],
        "decisions": true, "groups": ["finance"], "waiting": 2, "delivered": 7,
        "delivered_at": "1970-01-01T00:00:00.000Z", "failures": 1, "passed_over": 0, "last_error": "HTTP status 502" });
    assert_eq!(told, json!({ "webhooks": [expected] }));
}

#[tokio::test]
async fn a_test_says_whether_it_arrived() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let taken = gate.post(&operator, "/webhooks/chat/test", "").await;
    assert_eq!((taken.status, taken.json()), (StatusCode::OK, json!({ "delivered": true })));
    let broken = gate.post(&operator, "/webhooks/broken/test", "").await.json();
    assert_eq!(broken, json!({ "delivered": false, "error": "HTTP status 502" }));
    let nobody = gate.post(&operator, "/webhooks/other/test", "").await;
    assert_eq!((nobody.status, nobody.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
}

#[tokio::test]
async fn times_to_keep_are_told() {
    let gate = Gate::open().await;
    let told = gate.get(&somebody("audit", Role::Auditor), "/retention").await.json();
    assert_eq!((&told["bodies_days"], &told["files_days"]), (&json!(90), &json!(30)));
}

#[tokio::test]
async fn mail_is_told_with_how_deliveries_go() {
    let gate = Gate::open().await;
    let told = gate.get(&somebody("audit", Role::Auditor), "/mail").await.json();
    let recipient = json!({ "to": "ann@example.com", "waiting": 1, "delivered": 3,
        "delivered_at": "1970-01-01T00:00:00.000Z", "failures": 0, "passed_over": 0 });
    let expected = json!({ "configured": true, "server": "smtp.example.com:587", "tls": "starttls",
        "from": "gate@example.com", "notices": ["approvals"], "digest_at": "08:00 UTC", "recipients": [recipient] });
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_test_of_mail_says_how_far_each_came() {
    let gate = Gate::open().await;
    let tested = gate.post(&somebody("op", Role::Operator), "/mail/test", "").await;
    let ann = json!({ "to": "ann@example.com", "delivered": true, "passed": ["connection", "mail"] });
    let ben = json!({ "to": "ben@example.com", "delivered": false, "passed": ["connection"],
        "error": "sign-in: 535 no", "hint": "check it" });
    assert_eq!((tested.status, tested.json()), (StatusCode::OK, json!({ "tests": [ann, ben] })));
}
