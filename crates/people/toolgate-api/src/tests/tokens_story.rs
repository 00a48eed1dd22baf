//! Tokens: shown once, listed without secrets, revoked, and all of it in the ledger.

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::{Principal, Role};
use toolgate_store::NewTokenSpec;

use super::gate::{Gate, somebody};

async fn make(gate: &Gate, who: &Principal, body: Value) -> Value {
    let made = gate.post(who, "/tokens", &body.to_string()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
    assert_eq!(made.headers["cache-control"], "no-store");
    made.json()
}

#[tokio::test]
async fn a_token_is_shown_once_and_works_until_it_is_revoked() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let wish = json!({ "role": "approver", "label": "desk", "principal": "ann", "groups": ["finance"] });
    let made = make(&gate, &admin, wish).await;
    let (id, secret) = (made["id"].as_str().expect("an id"), made["token"].as_str().expect("a secret"));
    let credential = gate.store.verify(secret).await.expect("a store").expect("it is a token");
    assert_eq!((credential.principal.id.as_str(), credential.principal.role), ("ann", Role::Approver));
    let listed = gate.get(&admin, "/tokens").await;
    assert!(!listed.text.contains(secret), "the list tells no secret");
    let token =
        listed.json()["tokens"].as_array().expect("a list").iter().find(|one| one["id"] == id).cloned();
    let token = token.expect("it is listed");
    assert_eq!(
        (&token["label"], &token["groups"], &token["kind"]),
        (&json!("desk"), &json!(["finance"]), &json!("human"))
    );
    let path = format!("/tokens/{id}");
    for _ in 0..2 {
        assert_eq!(gate.delete(&admin, &path).await.status, StatusCode::NO_CONTENT);
    }
    assert!(gate.store.verify(secret).await.expect("a store").is_none());
    let ledger = gate.get(&admin, "/ledger?limit=2").await;
    assert!(!ledger.text.contains(secret), "the ledger tells no secret");
    let ledger = ledger.json();
    let kinds: Vec<&Value> =
        ledger["events"].as_array().expect("events").iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, [&json!("token.revoked"), &json!("token.created")], "revoking twice is one event");
    assert_eq!(
        (&ledger["events"][0]["principal"], &ledger["events"][1]["detail"]["token"]),
        (&json!("root"), &json!(id))
    );
}

#[tokio::test]
async fn the_last_token_of_an_admin_stays() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let first = gate.store.create_token("one", NewTokenSpec::of(Role::Admin)).await.expect("a token");
    let kept = gate.delete(&admin, &format!("/tokens/{}", first.id)).await;
    assert_eq!((kept.status, kept.problem().as_str()), (StatusCode::CONFLICT, "last_admin"));
    make(&gate, &admin, json!({ "role": "admin" })).await;
    assert_eq!(gate.delete(&admin, &format!("/tokens/{}", first.id)).await.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_token_for_an_agent_that_is_not_there_yet_is_made_with_a_warning() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let unknown = make(&gate, &admin, json!({ "role": "agent", "agent": "writer" })).await;
    assert!(unknown["warning"].as_str().expect("a warning").contains("writer"));
    let known = make(&gate, &admin, json!({ "role": "agent", "agent": "teller" })).await;
    assert!(known.get("warning").is_none(), "{known}");
}

#[tokio::test]
async fn what_cannot_be_a_token_is_refused_and_nothing_is_made() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    for (body, code) in [
        (json!({ "role": "king" }), "field_invalid"),
        (json!({}), "field_invalid"),
        (json!({ "role": "agent", "secret": "x" }), "field_unknown"),
        (json!({ "role": "agent", "principal": "gateway" }), "token_invalid"),
        (json!({ "role": "agent", "principal": "" }), "token_invalid"),
        (json!({ "role": "server" }), "token_invalid"),
        (json!({ "role": "auditor", "agent": "teller" }), "token_invalid"),
    ] {
        let refused = gate.post(&admin, "/tokens", &body.to_string()).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{body} {refused:?}");
        assert_eq!(refused.problem(), code, "{body}");
    }
    let gone = gate.delete(&admin, "/tokens/tok_none").await;
    assert_eq!((gone.status, gone.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(gate.get(&admin, "/tokens").await.json(), json!({ "tokens": [] }));
}

#[tokio::test]
async fn a_token_says_who_made_it_until_when_it_holds_and_when_it_was_used() {
    let gate = Gate::open().await;
    let admin = somebody("root", Role::Admin);
    let made = make(&gate, &admin, json!({ "role": "agent", "expires_in_seconds": 3600 })).await;
    assert!(made["expires_at"].is_string(), "{made}");
    let listed = gate.get(&admin, "/tokens").await.json();
    let token = &listed["tokens"][0];
    assert_eq!((&token["created_by"], &token["state"]), (&json!("root"), &json!("live")), "{token}");
    assert_eq!(token["expires_at"], made["expires_at"]);
    let ledger = gate.get(&admin, "/ledger?limit=1").await.json();
    assert_eq!(ledger["events"][0]["detail"]["expires_at"], made["expires_at"], "{ledger}");
    let never = json!({ "role": "agent", "expires_in_seconds": 0 });
    let refused = gate.post(&admin, "/tokens", &never.to_string()).await;
    assert_eq!(
        (refused.status, refused.problem().as_str()),
        (StatusCode::UNPROCESSABLE_ENTITY, "token_invalid")
    );
}
