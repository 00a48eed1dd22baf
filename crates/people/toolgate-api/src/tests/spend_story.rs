//! The cost of models over REST.

use serde_json::json;
use toolgate_core::Role;

use super::file_kit::{agent, operator};
use super::gate::{Gate, somebody};
use super::run_kit::told;

#[tokio::test]
async fn without_turns_nothing_was_spent() {
    let gate = Gate::open().await;
    let spend = gate.get(&somebody("audit", Role::Auditor), "/spend?by=day&from=2026-01-01").await.json();
    assert_eq!((&spend["by"], &spend["rows"]), (&json!("day"), &json!([])), "{spend}");
    assert_eq!(
        (&spend["from"], &spend["total"]["cost_micros"]),
        (&json!("2026-01-01T00:00:00.000Z"), &json!(0))
    );
    let overview = gate.get(&operator(), "/overview").await.json();
    assert_eq!(overview["spend_today"]["cost_micros"], 0, "{overview}");
    let approver = gate.get(&somebody("ann", Role::Approver), "/overview").await.json();
    assert_eq!(approver.get("spend_today"), None);
}

#[tokio::test]
async fn an_odd_question_is_told_and_agents_do_not_see_what_others_spend() {
    let gate = Gate::open().await;
    for query in ["by=moon", "from=soon", "until=never", "agent=a"] {
        let answer = gate.get(&operator(), &format!("/spend?{query}")).await;
        answer.problem();
        assert_eq!(answer.status, 400, "{query}");
    }
    assert_eq!(told(&gate.get(&agent(), "/spend").await), (403, "wrong_role".into()));
}
