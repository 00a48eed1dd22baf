//! Approvals and grants.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::{Principal, PrincipalKind, Role};

use super::gate::{Gate, Read, approver, request, somebody};

const ARGUMENTS: &str = r#"{"account":"A","amount":5}"#;

async fn decide(gate: &Gate, who: &Principal, id: &str, body: &str) -> Read {
    gate.post(who, &format!("/approvals/{id}/decide"), body).await
}

#[tokio::test]
async fn one_yes_is_enough_and_saying_it_again_changes_nothing() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    for _ in 0..2 {
        let answer =
            decide(&gate, &approver("ann"), asked.id.as_str(), r#"{"decision":"approve","reason":"fine"}"#)
                .await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let approval = &answer.json()["approval"];
        assert_eq!(
            (&approval["state"], &approval["votes"][0]["reason"]),
            (&json!("approved"), &json!("fine"))
        );
        assert_eq!(approval["votes"].as_array().map(Vec::len), Some(1));
    }
}

#[tokio::test]
async fn contradicting_a_decision_is_a_conflict_that_tells_the_state() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    assert_eq!(
        decide(&gate, &approver("ann"), asked.id.as_str(), r#"{"decision":"deny"}"#).await.status,
        StatusCode::OK
    );
    let answer = decide(&gate, &approver("bob"), asked.id.as_str(), r#"{"decision":"approve"}"#).await;
    assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::CONFLICT, "approval_settled"));
    assert_eq!(answer.json()["state"], "denied");
}

#[tokio::test]
async fn who_may_not_decide_is_refused_and_nothing_changes() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    let requester = Principal { id: asked.binding.principal.clone(), ..approver("agent-7") };
    let machine = Principal { kind: PrincipalKind::Service, ..approver("bot") };
    for (who, code) in [
        (requester, "approval_requester"),
        (machine, "approval_not_a_person"),
        (somebody("eve", Role::Approver), "approval_not_in_group"),
        (somebody("op", Role::Operator), "wrong_role"),
    ] {
        let answer = decide(&gate, &who, asked.id.as_str(), r#"{"decision":"approve"}"#).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::FORBIDDEN, code));
    }
    let now = gate.store.get_approval(&asked.id).await.expect("a store").expect("it is there");
    assert_eq!(now, asked);
}

#[tokio::test]
async fn an_edit_is_validated_and_judged_before_it_counts() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    for (arguments, status, code) in [
        (r#"{"amuont":4}"#, StatusCode::UNPROCESSABLE_ENTITY, "invalid_arguments"),
        (r#"{"amount":500}"#, StatusCode::FORBIDDEN, "denied"),
        ("[]", StatusCode::UNPROCESSABLE_ENTITY, "invalid_arguments"),
    ] {
        let body = format!(r#"{{"decision":"edit","arguments":{arguments}}}"#);
        let answer = decide(&gate, &approver("ann"), asked.id.as_str(), &body).await;
        assert_eq!((answer.status, answer.problem().as_str()), (status, code), "{arguments}");
    }
    let body = r#"{"decision":"edit","arguments":{"account":"A","amount":4}}"#;
    let answer = decide(&gate, &approver("ann"), asked.id.as_str(), body).await;
    assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
    let approval = &answer.json()["approval"];
    assert_eq!(approval["arguments"], json!({"account": "A", "amount": 4}));
    assert_eq!(approval["proposed_arguments"], json!({"account": "A", "amount": 5}));
}

#[tokio::test]
async fn asking_for_changes_needs_a_reason() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    for word in ["edit", "request_changes"] {
        let body = format!(r#"{{"decision":"{word}"}}"#);
        let answer = decide(&gate, &approver("ann"), asked.id.as_str(), &body).await;
        assert_eq!(answer.problem(), "reason_missing", "{word}");
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let body = r#"{"decision":"edit","reason":"take account B"}"#;
    let answer = decide(&gate, &approver("ann"), asked.id.as_str(), body).await;
    assert_eq!(answer.json()["approval"]["state"], "changes_requested");
}

#[tokio::test]
async fn bodies_that_say_something_else_than_meant_are_refused() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    for (body, code) in [
        (r#"{"decision":"aprove"}"#, "field_invalid"),
        (r#"{"desicion":"approve"}"#, "field_unknown"),
        (r#"{"decision":"approve","arguments":{}}"#, "field_misplaced"),
        (r#"{"decision":"deny","grant":{}}"#, "field_misplaced"),
        (r#"{"decision":"approve","grant":{"uses":-1}}"#, "field_invalid"),
        (r#"{"decision":"approve","grant":{"pins":["/nothing"]}}"#, "pin_unknown"),
        (r#"{"decision":"approve","grant":{"expires_in_seconds":99999999999}}"#, "grant_too_long"),
        ("", "json_broken"),
    ] {
        let answer = decide(&gate, &approver("ann"), asked.id.as_str(), body).await;
        assert_eq!(answer.problem(), code, "{body}");
    }
    let unknown = decide(&gate, &approver("ann"), "apr_none", r#"{"decision":"approve"}"#).await;
    assert_eq!((unknown.status, unknown.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
}

#[tokio::test]
async fn agents_see_what_they_asked_for_and_nothing_else() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    let path = format!("/approvals/{}", asked.id);
    let own = gate.get(&somebody("agent-7", Role::Agent), &path).await;
    assert_eq!((own.status, &own.json()["id"]), (StatusCode::OK, &json!(asked.id)));
    let foreign = gate.get(&somebody("agent-8", Role::Agent), &path).await;
    let absent = gate.get(&somebody("agent-8", Role::Agent), "/approvals/apr_none").await;
    assert_eq!((foreign.status, absent.status), (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND));
    assert_eq!(gate.get(&somebody("audit", Role::Auditor), &path).await.status, StatusCode::OK);
}

#[tokio::test]
async fn approvals_are_listed_by_page_and_filter() {
    let gate = Gate::open().await;
    for amount in 0..5 {
        gate.ask(&format!(r#"{{"amount":{amount}}}"#)).await;
    }
    let ann = approver("ann");
    let mut amounts = Vec::new();
    let mut path = "/approvals?state=pending&limit=2&tool=bank%3Atransfer&principal=agent-7".to_owned();
    loop {
        let page = gate.get(&ann, &path).await.json();
        let of_page = page["approvals"].as_array().expect("a list").iter();
        amounts.extend(of_page.map(|approval| approval["arguments"]["amount"].as_i64().expect("a number")));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/approvals?state=pending&limit=2&cursor={cursor}");
    }
    assert_eq!(amounts, [4, 3, 2, 1, 0]);
    let none = gate.get(&ann, "/approvals?state=used").await.json();
    assert_eq!(none, json!({ "approvals": [] }));
    for (path, code) in [
        ("/approvals?state=pendign", "parameter_invalid"),
        ("/approvals?limit=501", "parameter_invalid"),
        ("/approvals?stat=pending", "parameter_unknown"),
    ] {
        let answer = gate.get(&ann, path).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::BAD_REQUEST, code), "{path}");
        assert!(answer.json()["field"].is_string());
    }
    assert_eq!(gate.get(&ann, "/approvals?state=pendign").await.json()["hint"], "did you mean \"pending\"?");
}

#[tokio::test]
async fn a_grant_is_given_listed_and_taken_back_once() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    let ann = approver("ann");
    let body = r#"{"decision":"approve","grant":{"pins":["/account"],"uses":5,"expires_in_seconds":600}}"#;
    let granted = decide(&gate, &ann, asked.id.as_str(), body).await.json()["grant"].clone();
    assert_eq!((&granted["uses_left"], &granted["pins"][0]["path"]), (&json!(5), &json!("/account")));
    let path = format!("/grants/{}", granted["id"].as_str().expect("an id"));
    assert_eq!(gate.get(&ann, "/grants").await.json()["grants"], json!([granted]));
    let revoke = || async { gate.send(request(Method::DELETE, &path, Some(&ann), "")).await };
    assert_eq!(revoke().await.status, StatusCode::NO_CONTENT);
    let again = revoke().await;
    assert_eq!((again.status, again.problem().as_str()), (StatusCode::CONFLICT, "grant_ended"));
    assert_eq!(gate.get(&ann, "/grants").await.json(), json!({ "grants": [] }));
    let all = gate.get(&ann, "/grants?which=all").await.json();
    assert!(all["grants"][0]["revoked_at"].is_string());
    let none = gate.send(request(Method::DELETE, "/grants/grt_none", Some(&ann), "")).await;
    assert_eq!((none.status, none.problem().as_str()), (StatusCode::NOT_FOUND, "not_found"));
}

#[tokio::test]
async fn a_store_that_is_away_is_said_to_be_and_nothing_is_told_of_it() {
    let gate = Gate::open().await;
    let asked = gate.ask(ARGUMENTS).await;
    gate.store.fail_nth(1);
    let answer = decide(&gate, &approver("ann"), asked.id.as_str(), r#"{"decision":"approve"}"#).await;
    assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::SERVICE_UNAVAILABLE, "store_down"));
    let problem = answer.json();
    assert_eq!((&problem["retry"], &problem["fault"]), (&json!(true), &json!("gateway")));
    gate.store.fail_nth(1);
    assert_eq!(gate.get(&approver("ann"), "/approvals").await.problem(), "store_down");
    let answer = decide(&gate, &approver("ann"), asked.id.as_str(), r#"{"decision":"approve"}"#).await;
    assert_eq!(answer.status, StatusCode::OK);
}
