//! "Don't ask again for this": pinned arguments, a number of uses, a lifetime, until it is revoked.

use serde_json::{Value, json};

use super::bank::{Bank, GATED, NO_HOLD, gate, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::kit::call;

const TOOL: &str = "bank__transfer";

on_both!(a_grant_lets_pass_what_is_pinned_so_often, a_grant_that_is_taken_back_lets_nothing_pass);

fn to(account: &str, amount: u64) -> Value {
    json!({ "amount": amount, "account": account })
}

async fn a_grant_lets_pass_what_is_pinned_so_often(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    let grant = json!({ "pins": ["/account"], "uses": 2, "expires_in_seconds": 600 });
    let decided =
        bank.decide(&bank.gateway.admin, &id, json!({ "decision": "approve", "grant": grant })).await;
    assert_eq!(decided.json()["grant"]["uses_left"], 2, "{decided:?}");
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    assert_eq!(bank.events(&["--kind", "grant.used"]).len(), 0, "the yes itself is used first");
    pending(&call(&agent, TOOL, to("DE2", 1)).await);
    let other = bank.agent_with(&bank.token("--role agent"));
    pending(&call(&other, TOOL, money(1)).await);
    for amount in [10, 11] {
        assert_eq!(status(&call(&agent, TOOL, money(amount)).await), "succeeded");
    }
    pending(&call(&agent, TOOL, money(12)).await);
    assert_eq!(bank.ran(), [moved(1), moved(10), moved(11)]);
    assert_eq!(bank.events(&["--kind", "grant.used"]).len(), 2);
    let live = bank.get(&bank.gateway.admin, "/grants").await.json();
    assert_eq!(live["grants"], json!([]), "{live}");
    bank.verify();
}

async fn a_grant_that_is_taken_back_lets_nothing_pass(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.say(&["approvals", "approve", &id, "--remember", "--pin", "/account"]);
    let grants = bank.say_json(&["approvals", "grants"]);
    let grant = grants[0]["id"].as_str().expect("a grant").to_owned();
    for amount in 2..=4 {
        assert_eq!(status(&call(&agent, TOOL, money(amount)).await), "succeeded");
    }
    let revoked = bank.rest(&bank.gateway.admin, "DELETE", &format!("/grants/{grant}"), None).await;
    assert_eq!(revoked.status, 204, "{revoked:?}");
    let again = bank.rest(&bank.gateway.admin, "DELETE", &format!("/grants/{grant}"), None).await;
    assert_eq!(again.status, 409, "{again:?}");
    pending(&call(&agent, TOOL, money(5)).await);
    assert_eq!(bank.events(&["--kind", "grant.revoked"]).len(), 1);
    assert_eq!(bank.ran().len(), 3);
}

#[tokio::test]
async fn a_grant_ends_with_its_time() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.say(&["approvals", "approve", &id, "--remember", "--for", "2s", "--pin", "/account"]);
    assert_eq!(status(&call(&agent, TOOL, money(2)).await), "succeeded");
    let ended = toolgate_testkit::gateway::until(crate::doors::WAIT, || {
        (bank.say_json(&["approvals", "grants"]) == json!([])).then_some(())
    });
    ended.expect("the grant ends");
    pending(&call(&agent, TOOL, money(3)).await);
}

#[tokio::test]
async fn without_pins_a_grant_holds_for_the_very_same_arguments() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.say(&["approvals", "approve", &id, "--remember"]);
    for _ in 0..3 {
        assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    }
    pending(&call(&agent, TOOL, money(2)).await);
    let more = json!({ "amount": 1, "account": "DE1", "password": "x" });
    pending(&call(&agent, TOOL, more).await);
}

#[tokio::test]
async fn a_grant_never_beats_the_guard_or_another_gate() {
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}");
    let gates = "forbid (principal, action == Action::\"bank:transfer\", resource);\n\
        @id(\"large\") forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 100 };";
    let guard = "permit (principal, action, resource);\n\
        forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 1000 };";
    let files = [("policy/gates.cedar", gates), ("policy/guard.cedar", guard)];
    let bank = Bank::open_with(Backing::Sqlite, &toml, &files);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.say(&["approvals", "approve", &id, "--remember", "--pin", "/account"]);
    assert_eq!(status(&call(&agent, TOOL, money(2)).await), "succeeded");
    pending(&call(&agent, TOOL, money(101)).await);
    assert_eq!(status(&call(&agent, TOOL, money(1001)).await), "denied");
    assert_eq!(bank.ran().len(), 1);
}

#[tokio::test]
async fn a_grant_cannot_be_given_for_what_several_must_agree_to() {
    let bank = Bank::open(&format!("{}{NO_HOLD}", gate("@quorum(\"2\")")));
    let id = pending(&call(&bank.agent(), TOOL, money(1)).await);
    let decision = json!({ "decision": "approve", "grant": {} });
    let answer = bank.decide(&bank.gateway.admin, &id, decision).await;
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (422, Some("grant_needs_quorum_of_one")),
        "{answer:?}"
    );
    let unknown = json!({ "decision": "approve", "grant": { "pins": ["/nothing"] } });
    let answer = bank.decide(&bank.gateway.admin, &id, unknown).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (422, Some("pin_unknown")), "{answer:?}");
    assert_eq!(bank.approval(&id)["votes"], json!([]));
}
