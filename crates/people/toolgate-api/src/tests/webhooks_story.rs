//! Signed decisions from another program.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::governance::Clock;
use toolgate_core::signature::SigningKey;

use super::gate::{Gate, Read, SECRET, request};

const MINUTE_MS: i64 = 60_000;

/// A signed message.
struct SignedMessage<'a> {
    id: &'a str,
    secret: &'a str,
    /// The age of the signature.
    age_ms: i64,
    path: &'a str,
}

const MESSAGE: SignedMessage<'static> =
    SignedMessage { id: "msg_1", secret: SECRET, age_ms: 0, path: "/webhooks/chat/decisions" };

async fn send(gate: &Gate, message: &SignedMessage<'_>, body: &str) -> Read {
    let timestamp = ((gate.clock.now_ms() - message.age_ms) / 1000).to_string();
    let key = SigningKey::parse(message.secret).expect("a secret");
    let signature = key.sign(message.id, &timestamp, body.as_bytes());
    let mut request = request(Method::POST, message.path, None, body);
    for (name, value) in
        [("webhook-id", message.id), ("webhook-timestamp", &timestamp), ("webhook-signature", &signature)]
    {
        request.headers_mut().insert(name, value.parse().expect("a value"));
    }
    gate.send(request).await
}

fn yes(id: &str) -> String {
    json!({ "approval_id": id, "decision": "approve", "reason": "seen in chat", "person": "Ann Ä." })
        .to_string()
}

#[tokio::test]
async fn a_signed_decision_counts_for_the_person_and_the_webhooks_groups() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"amount":5}"#).await;
    let answer = send(&gate, &MESSAGE, &yes(asked.id.as_str())).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let approval = &answer.json()["approval"];
    assert_eq!((&approval["state"], &approval["votes"][0]["person"]), (&json!("approved"), &json!("Ann Ä.")));
}

#[tokio::test]
async fn what_is_not_signed_rightly_decides_nothing() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"amount":5}"#).await;
    let body = yes(asked.id.as_str());
    for (message, code) in [
        (SignedMessage { secret: "another", ..MESSAGE }, "signature_wrong"),
        (SignedMessage { path: "/webhooks/other/decisions", ..MESSAGE }, "signature_wrong"),
        (SignedMessage { age_ms: 6 * MINUTE_MS, ..MESSAGE }, "signature_stale"),
        (SignedMessage { age_ms: -6 * MINUTE_MS, ..MESSAGE }, "signature_stale"),
    ] {
        let answer = send(&gate, &message, &body).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::UNAUTHORIZED, code));
    }
    let now = gate.store.get_approval(&asked.id).await.expect("a store").expect("it is there");
    assert_eq!(now, asked);
    assert_eq!(
        send(&gate, &SignedMessage { age_ms: 4 * MINUTE_MS, ..MESSAGE }, &body).await.status,
        StatusCode::OK
    );
}

#[tokio::test]
async fn a_message_is_taken_once() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"amount":5}"#).await;
    let body = yes(asked.id.as_str());
    assert_eq!(send(&gate, &MESSAGE, &body).await.status, StatusCode::OK);
    let again = send(&gate, &MESSAGE, &body).await;
    assert_eq!((again.status, again.problem().as_str()), (StatusCode::CONFLICT, "webhook_replayed"));
    let same_word = send(&gate, &SignedMessage { id: "msg_2", ..MESSAGE }, &body).await;
    assert_eq!(same_word.status, StatusCode::OK, "the same decision in a new message changes nothing");
    gate.clock.advance_ms(11 * MINUTE_MS);
    assert_eq!(send(&gate, &MESSAGE, &body).await.status, StatusCode::OK, "ids are not kept for ever");
}

#[tokio::test]
async fn a_message_that_met_a_broken_store_may_come_again() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"amount":5}"#).await;
    let body = yes(asked.id.as_str());
    gate.store.fail_nth(1);
    let failed = send(&gate, &MESSAGE, &body).await;
    assert_eq!((failed.status, failed.problem().as_str()), (StatusCode::SERVICE_UNAVAILABLE, "store_down"));
    assert_eq!(send(&gate, &MESSAGE, &body).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_decision_must_say_whose_it_is() {
    let gate = Gate::open().await;
    let asked = gate.ask(r#"{"amount":5}"#).await;
    for (number, person) in ["", "  ", "a\nb", &"x".repeat(201)].into_iter().enumerate() {
        let body = json!({ "approval_id": asked.id, "decision": "approve", "person": person }).to_string();
        let message = SignedMessage { id: &format!("msg_{number}"), ..MESSAGE };
        let answer = send(&gate, &message, &body).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (422, "field_invalid"), "{person:?}");
    }
    let nobody = json!({ "approval_id": asked.id, "decision": "approve" }).to_string();
    assert_eq!(
        send(&gate, &SignedMessage { id: "msg_x", ..MESSAGE }, &nobody).await.problem(),
        "field_invalid"
    );
}
