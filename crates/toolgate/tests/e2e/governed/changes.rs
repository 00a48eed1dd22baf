//! Changes after an approval: the tool, the policies, the server that was to run it.

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, GATED, NO_HOLD, envelope, money, moved, pending, status};
use super::database::Backing;
use crate::doors::WAIT;
use crate::kit::call;

const TOOL: &str = "bank__transfer";
/// A changed tool is accepted automatically: the approval still does not cover it.
const AS_IT_COMES: &str = "\n[registry]\ndrift = \"accept\"\n";

#[tokio::test]
async fn a_yes_to_a_tool_that_is_another_by_now_lets_nothing_run() {
    let bank = Bank::open(&format!("{}{NO_HOLD}{AS_IT_COMES}", super::bank::gate("@editable(\"true\")")));
    let agent = bank.agent();
    let (approved, waiting) =
        (pending(&call(&agent, TOOL, money(1)).await), pending(&call(&agent, TOOL, money(2)).await));
    bank.approve(&approved);
    let toml = std::fs::read_to_string(bank.gateway.folder().join("toolgate.toml")).expect("it is there");
    bank.write(
        "toolgate.toml",
        &toml.replace("\"--journal\"", "\"--description\",\"Moves all your money\",\"--journal\""),
    );
    let bank = bank.killed();
    let listed = until_async(WAIT, || async {
        let list = bank.agent().modern("tools/list", json!({})).await.text;
        list.contains("Moves all your money").then_some(())
    });
    listed.await.expect("the tool says something else now");
    let agent = bank.agent();
    assert_ne!(pending(&call(&agent, TOOL, money(1)).await), approved, "the yes was for another tool");
    for decision in [json!({ "decision": "edit", "arguments": money(3) }), json!({ "decision": "approve" })] {
        let told = bank.decide(&bank.gateway.admin, &waiting, decision).await;
        assert_eq!(
            (told.status, told.json()["code"].as_str()),
            (409, Some("approval_withdrawn")),
            "{told:?}"
        );
    }
    assert_ne!(pending(&call(&agent, TOOL, money(2)).await), waiting);
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_grant_for_a_tool_that_is_another_by_now_lets_nothing_pass() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}{AS_IT_COMES}"));
    let id = pending(&call(&bank.agent(), TOOL, money(1)).await);
    bank.say(&["approvals", "approve", &id, "--remember", "--pin", "/account"]);
    assert_eq!(status(&call(&bank.agent(), TOOL, money(2)).await), "succeeded");
    let toml = std::fs::read_to_string(bank.gateway.folder().join("toolgate.toml")).expect("it is there");
    bank.write(
        "toolgate.toml",
        &toml.replace("\"--journal\"", "\"--description\",\"Moves all your money\",\"--journal\""),
    );
    let bank = bank.killed();
    let listed = until_async(WAIT, || async {
        let list = bank.agent().modern("tools/list", json!({})).await.text;
        list.contains("Moves all your money").then_some(())
    });
    listed.await.expect("the tool says something else now");
    pending(&call(&bank.agent(), TOOL, money(3)).await);
    assert_eq!(bank.ran(), [moved(2)]);
}

#[tokio::test]
async fn a_yes_under_other_policies_is_asked_for_anew() {
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}");
    let gate = "forbid (principal, action == Action::\"bank:transfer\", resource);";
    let bank = Bank::open_with(Backing::Sqlite, &toml, &[("policy/gates.cedar", gate)]);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.approve(&id);
    bank.write("policy/gates.cedar", &format!("@quorum(\"2\") {gate}"));
    let reloaded =
        until_async(WAIT, || async { (bank.events(&["--kind", "policy.loaded"]).len() > 1).then_some(()) });
    reloaded.await.expect("the new policy is taken up");
    assert_ne!(pending(&call(&agent, TOOL, money(1)).await), id, "one person's yes is not enough any more");
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_yes_outlives_changes_around_the_policies_that_asked_for_it() {
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}");
    let gate = "forbid (principal, action == Action::\"bank:transfer\", resource);";
    let bank = Bank::open_with(Backing::Sqlite, &toml, &[("policy/gates.cedar", gate)]);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    let around = "// Money is looked at.\n\n@id(\"refunds\")\nforbid (principal, action == Action::\"bank:refund\", resource);\n\
        forbid (\n  principal, // whoever it is\n  action == Action::\"bank:transfer\",\n  resource\n);\n";
    bank.write("policy/gates.cedar", around);
    let reloaded =
        until_async(WAIT, || async { (bank.events(&["--kind", "policy.loaded"]).len() > 1).then_some(()) });
    reloaded.await.expect("the new policies are taken up");
    assert_eq!(pending(&call(&agent, TOOL, money(1)).await), id, "the same policy asks");
    bank.approve(&id);
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(1)]);
}

/// The approval that waits, and is another one.
async fn waiting(bank: &Bank, other_than: Option<&str>) -> String {
    let found = until_async(WAIT, || async {
        let list = bank.get(&bank.gateway.admin, "/approvals?state=pending").await.json();
        let id = list["approvals"][0]["id"].as_str()?.to_owned();
        (other_than != Some(id.as_str())).then_some(id)
    });
    found.await.expect("people are asked")
}

#[tokio::test]
async fn a_question_that_policy_does_not_ask_any_more_is_withdrawn_and_asked_anew() {
    let toml = "[policy]\nfolder = \"policy\"\n[approvals]\nhold_seconds = 30\n";
    let gate = "@id(\"money\") forbid (principal, action == Action::\"bank:transfer\", resource);";
    let bank = Bank::open_with(Backing::Sqlite, toml, &[("policy/gates.cedar", gate)]);
    let client = bank.agent();
    let held = tokio::spawn(async move { call(&client, TOOL, money(1)).await });
    let first = waiting(&bank, None).await;
    bank.write("policy/gates.cedar", &format!("@quorum(\"2\") {gate}"));
    let second = waiting(&bank, Some(&first)).await;
    let withdrawn = bank.approval(&first);
    assert_eq!(
        (&withdrawn["state"], &withdrawn["withdrawn"]),
        (&json!("cancelled"), &json!("policies_changed")),
        "{withdrawn}"
    );
    let ended = bank.events(&["--kind", "approval.resolved"]);
    assert_eq!(ended[0]["detail"]["withdrawn"], "policies_changed", "{ended:?}");
    let late = bank.decide(&bank.gateway.admin, &first, json!({ "decision": "approve" })).await;
    assert_eq!((late.status, late.json()["code"].as_str()), (409, Some("approval_withdrawn")), "{late:?}");
    assert!(late.text.contains("policies that asked for approval have changed"), "{late:?}");
    let ann = bank.token("--role approver --principal ann");
    bank.approve_as(&bank.gateway.admin, &second).await;
    assert_eq!(bank.approve_as(&ann, &second).await["state"], "approved");
    assert_eq!(status(&held.await.expect("answered")), "succeeded");
    assert_eq!(bank.ran(), [moved(1)]);
    bank.verify();
}

#[tokio::test]
async fn a_held_call_that_needs_nobody_any_more_runs() {
    let toml = "[policy]\nfolder = \"policy\"\n[approvals]\nhold_seconds = 30\n";
    let gate = "forbid (principal, action == Action::\"bank:transfer\", resource);";
    let bank = Bank::open_with(Backing::Sqlite, toml, &[("policy/gates.cedar", gate)]);
    let client = bank.agent();
    let held = tokio::spawn(async move { call(&client, TOOL, money(1)).await });
    let id = waiting(&bank, None).await;
    bank.write("policy/gates.cedar", "");
    assert_eq!(status(&held.await.expect("answered")), "succeeded");
    assert_eq!(bank.approval(&id)["state"], "cancelled");
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_call_that_was_lost_is_sent_again_only_if_twice_is_as_good_as_once() {
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, "bank__balance", json!({})).await), "succeeded");
    bank.write("doom", "");
    let lost = call(&agent, TOOL, money(1)).await;
    assert_eq!((status(&lost), &lost["isError"]), ("failed", &json!(true)), "{lost}");
    assert_eq!(lost["_meta"]["dev.toolgate/fault"]["code"], "server_lost", "{lost}");
    let back = until_async(WAIT, || async {
        (status(&call(&agent, "bank__balance", json!({})).await) == "succeeded").then_some(())
    });
    back.await.expect("the bank comes back");
    assert_eq!(bank.ran().iter().filter(|line| line.starts_with("transfer")).count(), 1);
    bank.write("doom", "");
    let again = call(&agent, "bank__refund", money(1)).await;
    let refunds = bank.ran().iter().filter(|line| line.starts_with("refund")).count();
    assert_eq!(envelope(&again)["warnings"][0]["code"], "sent_again", "{again}");
    assert!(refunds == 2 || status(&again) == "failed", "{again}");
    bank.verify();
}
