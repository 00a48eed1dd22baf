//! Calls by hand: policy, people and the ledger apply as to every other call, and the ledger says who forced them.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpAnswer;

use super::bank::{Bank, FORBIDDEN, GATED, NO_HOLD, money, moved, status};
use super::database::Backing;
use super::on_both;
use crate::kit::call;

on_both!(a_call_by_hand_takes_the_whole_path_and_says_who_forced_it);

async fn force(bank: &Bank, token: &str, arguments: Value) -> HttpAnswer {
    bank.rest(token, "POST", "/tools/task.tool.force", Some(arguments)).await
}

/// The data of a forced call that the tool itself let through.
async fn forced(bank: &Bank, token: &str, arguments: Value) -> Value {
    let answer = force(bank, token, arguments).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()["data"].clone()
}

async fn a_call_by_hand_takes_the_whole_path_and_says_who_forced_it(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let ann = bank.token("--role admin --principal ann");
    let transfer = json!({ "name": "bank:transfer", "arguments": money(7) });
    let asked = forced(&bank, &ann, transfer.clone()).await;
    assert_eq!(
        (&asked["status"], &asked["forced_by"]),
        (&json!("pending_approval"), &json!("ann")),
        "{asked}"
    );
    let id = asked["approval_id"].as_str().expect("an approval").to_owned();
    let own = bank.decide(&ann, &id, json!({ "decision": "approve" })).await;
    assert_eq!(own.json()["code"], "approval_requester", "nobody approves what they forced: {own:?}");
    assert_eq!(bank.ran(), [""; 0], "nothing was sent");
    bank.approve(&id);
    let done = forced(&bank, &ann, transfer).await;
    assert_eq!(done["status"], "succeeded", "{done}");
    assert_eq!(bank.ran(), [moved(7)]);
    let decided = bank.events(&["--kind", "policy.decided"]);
    let marked = |event: &&Value| event["tool"] == "bank:transfer" && event["detail"]["forced_by"] == "ann";
    assert!(decided.iter().filter(marked).count() >= 1, "{decided:?}");
    bank.verify();
}

#[tokio::test]
async fn what_policy_forbids_cannot_be_forced() {
    let bank = Bank::open(&format!("{FORBIDDEN}{NO_HOLD}"));
    let transfer = json!({ "name": "bank:transfer", "arguments": money(7) });
    let refused = force(&bank, &bank.gateway.admin, transfer).await;
    // A tool that policy forbids altogether is unknown; one that it forbids for these arguments is denied.
    let told = refused.json();
    let is_unknown = told["error"]["code"] == "unknown_tool";
    assert!(is_unknown || told["data"]["status"] == "denied", "{told}");
    assert_eq!(bank.ran(), [""; 0], "nothing was sent");
}

#[tokio::test]
async fn the_flat_names_of_tools_over_tasks_work_over_mcp() {
    let bank = Bank::open(NO_HOLD);
    for (name, key) in
        [("list_tasks", "tasks"), ("list_active_runs", "runs"), ("list_automations", "automations")]
    {
        let listed = call(&bank.agent(), name, json!({})).await;
        assert_eq!(status(&listed), "succeeded", "{name}: {listed}");
        assert_eq!(listed["structuredContent"]["data"][key], json!([]), "{name}: {listed}");
    }
    let gone = call(&bank.agent(), "get_task", json!({ "task_id": "task_x" })).await;
    assert_eq!(gone["structuredContent"]["error"]["code"], "unknown_task", "{gone}");
}
