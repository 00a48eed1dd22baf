//! The registry of tools, as reviewers see it.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use toolgate_core::server::ServerListing;
use toolgate_core::{Principal, RawJson, Role};

use super::gate::{Gate, somebody};
use super::parts::{listing, server};

const WAIT: Duration = Duration::from_secs(20);

fn reviewer() -> Principal {
    somebody("op", Role::Operator)
}

/// Waits until the registry shows a tool in a status.
async fn until(gate: &Gate, name: &str, status: &str) -> Value {
    let seen = async {
        loop {
            let answer = gate.get(&reviewer(), &format!("/registry/tools/{name}")).await;
            let tool = answer.json();
            if tool["status"] == status {
                return tool;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(WAIT, seen).await.unwrap_or_else(|_| panic!("{name} is not {status}"))
}

#[tokio::test]
async fn a_row_has_what_the_definition_says_about_its_tool() {
    let gate = Gate::open().await;
    let extra = json!({ "capabilities": ["money"], "effects": ["read"], "file_strategy": "image_base64" });
    let definition = json!({ "name": "scan", "inputSchema": { "type": "object" },
        "annotations": { "readOnlyHint": true }, "_meta": { "dev.toolgate/tool": extra } });
    let tools = vec![RawJson::from(definition)];
    gate.registry.listed(&server(), ServerListing { tools, ..ServerListing::default() });
    let tool = until(&gate, "bank:scan", "active").await;
    assert_eq!((&tool["capabilities"], &tool["effects"]), (&json!(["money"]), &json!(["read"])));
    assert_eq!(tool["file_strategy"], "image_base64");
    let slot = json!({ "argument": "file_id", "strategy": "image_base64", "content": "image_data", "media_type": "image_type" });
    assert_eq!(tool["files"], json!([slot]));
    assert_eq!(tool["annotations"], json!({ "readOnlyHint": true }));
    assert_eq!(tool.get("summary"), None, "it has no description");
}

/// Two tools were pinned, and one of them has changed.
async fn drifted() -> (Gate, Value) {
    let gate = Gate::open().await;
    gate.registry.listed(&server(), listing());
    until(&gate, "bank:transfer", "active").await;
    let mut tools = listing().tools;
    let mut changed: Value = tools[0].decode().expect("JSON");
    changed["description"] = "Moves all money".into();
    tools[0] = RawJson::from(changed);
    gate.registry.listed(&server(), ServerListing { tools, ..ServerListing::default() });
    let tool = until(&gate, "bank:transfer", "quarantined").await;
    (gate, tool)
}

async fn review(gate: &Gate, verdict: &str, version: &Value) -> super::gate::Read {
    let body = json!({ "verdict": verdict, "version": version }).to_string();
    gate.post(&reviewer(), "/registry/tools/bank:transfer/review", &body).await
}

#[tokio::test]
async fn tools_are_listed_by_page_and_status_and_shown_with_their_definitions() {
    let (gate, tool) = drifted().await;
    let auditor = somebody("audit", Role::Auditor);
    let first = gate.get(&auditor, "/registry/tools?limit=1&server=bank").await.json();
    assert_eq!(first["tools"][0]["name"], "bank:balance");
    let next = first["next_cursor"].as_str().expect("there is more");
    let second = gate.get(&auditor, &format!("/registry/tools?limit=1&cursor={next}")).await.json();
    assert_eq!((&second["tools"][0]["name"], second.get("next_cursor")), (&json!("bank:transfer"), None));
    let quarantined = gate.get(&auditor, "/registry/tools?status=quarantined").await.json();
    assert_eq!(quarantined["tools"].as_array().expect("a list").len(), 1);
    assert_eq!(gate.get(&auditor, "/registry/tools?server=shop").await.json(), json!({ "tools": [] }));
    assert_eq!(tool["definition"]["description"], "Moves money");
    assert_eq!(tool["candidate"]["description"], "Moves all money");
    assert_ne!(tool["version"], tool["candidate_version"]);
    assert!(tool["reason"].is_string() && tool["first_seen"].is_string(), "{tool}");
}

#[tokio::test]
async fn a_change_is_shown_as_a_difference_and_accepted() {
    let (gate, tool) = drifted().await;
    let diff = gate.get(&somebody("ann", Role::Approver), "/registry/tools/bank:transfer/diff").await.json();
    let text = diff["diff"].as_str().expect("a text");
    assert!(text.contains("Moves all money") && text.contains("Moves money"), "{text}");
    assert_eq!(
        (&diff["change_summary"], &diff["changes"]),
        (&json!("only descriptions changed"), &json!(["the description changed"]))
    );
    let (pinned, offered) =
        (diff["pinned"].as_str().expect("a text"), diff["offered"].as_str().expect("a text"));
    assert!(
        pinned.contains("description: Moves money\n") && offered.contains("description: Moves all money\n"),
        "{diff}"
    );
    let accepted = review(&gate, "accept", &tool["candidate_version"]).await;
    assert_eq!(accepted.status, StatusCode::OK, "{accepted:?}");
    let accepted = accepted.json();
    assert_eq!((&accepted["status"], &accepted["reviewed_by"]), (&json!("active"), &json!("op")));
    assert_eq!(accepted["version"], tool["candidate_version"]);
    let again = review(&gate, "accept", &tool["candidate_version"]).await;
    again.problem();
    assert_eq!(again.status, StatusCode::CONFLICT, "there is nothing to review any more");
}

#[tokio::test]
async fn a_change_is_rejected_only_by_somebody_who_saw_it() {
    let (gate, tool) = drifted().await;
    let unseen = review(&gate, "reject", &tool["version"]).await;
    unseen.problem();
    assert_eq!(unseen.status, StatusCode::CONFLICT);
    let rejected = review(&gate, "reject", &tool["candidate_version"]).await;
    assert_eq!(
        (rejected.status, &rejected.json()["rejected_version"]),
        (StatusCode::OK, &tool["candidate_version"])
    );
    assert_eq!(rejected.json()["status"], "quarantined");
}

#[tokio::test]
async fn what_cannot_be_reviewed_is_told() {
    let (gate, tool) = drifted().await;
    let version = &tool["candidate_version"];
    for (body, status, code) in [
        (json!({ "verdict": "maybe", "version": version }), 422, "field_invalid"),
        (json!({ "verdict": "accept" }), 422, "field_invalid"),
        (json!({ "verdict": "accept", "version": "abc" }), 422, "field_invalid"),
        (json!({ "verdict": "accept", "version": version, "why": "" }), 422, "field_unknown"),
    ] {
        let answer = gate.post(&reviewer(), "/registry/tools/bank:transfer/review", &body.to_string()).await;
        assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (status, code), "{body}");
    }
    for path in ["/registry/tools/bank:nothing", "/registry/tools/nothing/diff"] {
        let answer = gate.get(&reviewer(), path).await;
        answer.problem();
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    let bad = gate.get(&reviewer(), "/registry/tools?status=quarantine").await;
    assert_eq!((bad.status, bad.problem().as_str()), (StatusCode::BAD_REQUEST, "parameter_invalid"));
    assert_eq!(bad.json()["hint"], "did you mean \"quarantined\"?");
}
