//! Filters: those in force, and the invalid trials. The results of a trial are tested from outside, over real
//! calls.

use http::StatusCode;
use serde_json::json;
use toolgate_core::Role;

use super::gate::{Gate, somebody};

#[tokio::test]
async fn filters_are_told_as_they_were_written_with_how_often_they_matched() {
    let gate = Gate::open().await;
    let told = gate.get(&somebody("audit", Role::Auditor), "/filters").await.json();
    let expected = json!({ "name": "no mail", "on": "both", "tools": ["bank:*"], "match": null, "kinds": ["email"],
        "action": "mask", "approvers": [], "matched": 3 });
    assert_eq!(told, json!({ "filters": [expected] }));
}

#[tokio::test]
async fn a_trial_names_what_it_cannot_try() {
    let gate = Gate::open().await;
    let operator = somebody("op", Role::Operator);
    let tried = gate.post(&operator, "/filters/test", "{}").await;
    assert_eq!((tried.status, &tried.json()["filters"][0]["name"]), (StatusCode::OK, &json!("no mail")));
    let unknown = gate.post(&operator, "/filters/test", r#"{"filter":"no cards"}"#).await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(unknown.json()["hint"], "there are \"no mail\"");
    for last in ["0", "10001"] {
        let refused = gate.post(&operator, "/filters/test", &format!("{{\"last\":{last}}}")).await;
        assert_eq!(
            (refused.status, refused.problem().as_str()),
            (StatusCode::UNPROCESSABLE_ENTITY, "field_invalid")
        );
        assert_eq!(refused.json()["field"], "last");
    }
    let agent = gate.post(&somebody("agent-7", Role::Agent), "/filters/test", "{}").await;
    assert_eq!((agent.status, agent.problem().as_str()), (StatusCode::FORBIDDEN, "wrong_role"));
}
