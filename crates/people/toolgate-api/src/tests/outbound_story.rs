//! Webhooks and retention: shown without secrets, tested on request.

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
