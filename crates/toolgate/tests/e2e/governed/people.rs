//! The required people: how many, of which groups, until when, and who does not count.

use serde_json::json;
use toolgate_testkit::gateway::until;

use super::bank::{Bank, GATED, NO_HOLD, gate, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::{Stdio, WAIT};
use crate::kit::call;

const TOOL: &str = "bank__transfer";

on_both!(
    a_quorum_counts_different_people,
    a_call_that_nobody_decides_is_refused,
    others_are_asked_when_nobody_decides
);

async fn a_quorum_counts_different_people(backing: Backing) {
    let bank =
        Bank::open_on(backing, &format!("{}{NO_HOLD}", gate("@quorum(\"2\") @approvers(\"finance\")")));
    let agent = bank.agent();
    let ann = bank.token("--role approver --principal ann --group finance");
    let ann_again = bank.token("--role approver --principal ann --group finance --label laptop");
    let ben = bank.token("--role approver --principal ben --group finance");
    let robot = bank.token("--role approver --principal bot --kind service --group finance");
    let id = pending(&call(&agent, TOOL, money(7)).await);
    for token in [&ann, &ann_again] {
        assert_eq!(bank.approve_as(token, &id).await["state"], "pending", "one person is one person");
    }
    let refused = bank.decide(&robot, &id, json!({ "decision": "approve" })).await;
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (403, Some("approval_not_a_person")),
        "{refused:?}"
    );
    pending(&call(&agent, TOOL, money(7)).await);
    assert_eq!(bank.approve_as(&ben, &id).await["state"], "approved");
    assert_eq!(status(&call(&agent, TOOL, money(7)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(7)]);
}

#[tokio::test]
async fn whoever_asks_does_not_count() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent_with(&bank.token("--role agent --principal ann"));
    let (ann, admin) =
        (bank.token("--role approver --principal ann"), bank.token("--role admin --principal ann"));
    let id = pending(&call(&agent, TOOL, money(7)).await);
    for token in [&ann, &admin] {
        for decision in ["approve", "deny"] {
            let refused = bank.decide(token, &id, json!({ "decision": decision })).await;
            assert_eq!(
                (refused.status, refused.json()["code"].as_str()),
                (403, Some("approval_requester")),
                "{refused:?}"
            );
        }
        let by_hand = bank.gateway.cli(&["approvals", "approve", &id, "--token", token]);
        assert!(!by_hand.status.success(), "{by_hand:?}");
    }
    assert_eq!(bank.approval(&id)["state"], "pending");
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn the_person_at_the_command_line_may_not_approve_their_own_call() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let output = bank.gateway.cli(&["--json", "tools", "call", TOOL, "amount:=7", "account=DE1"]);
    let said = serde_json::from_slice(&output.stdout).expect("JSON");
    let id = pending(&said);
    let own = bank.gateway.cli(&["approvals", "approve", &id]);
    assert!(!own.status.success(), "{own:?}");
    bank.approve_as(&bank.gateway.admin, &id).await;
    bank.say(&["tools", "call", TOOL, "amount:=7", "account=DE1"]);
    assert_eq!(bank.ran(), [moved(7)]);
}

#[tokio::test]
async fn the_person_at_the_command_line_decides_for_the_agent_on_the_pipe() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let mut agent = Stdio::initialized(&bank.gateway, "2025-11-25", &json!({})).await;
    let params = json!({ "name": TOOL, "arguments": money(7) });
    let id = pending(&agent.request(1, "tools/call", params.clone()).await["result"]);
    bank.approve(&id);
    assert_eq!(status(&agent.request(2, "tools/call", params).await["result"]), "succeeded");
    assert_eq!(bank.ran(), [moved(7)]);
    let voted = bank.events(&["--kind", "approval.voted"]);
    assert_eq!(
        (&voted[0]["principal"], &voted[0]["detail"]["via"]),
        (&json!("local"), &json!("cli")),
        "{voted:?}"
    );
}

#[tokio::test]
async fn somebody_of_every_gate_must_agree() {
    let gates = "[policy]\ngates = '''\n@id(\"money\") @approvers(\"finance\") forbid (principal, action == Action::\"bank:transfer\", resource);\n\
        @id(\"law\") @approvers(\"legal, board\") forbid (principal, action, resource) when { resource.write };\n'''\n";
    let bank = Bank::open(&format!("{gates}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(8)).await);
    let finance = bank.token("--role approver --principal fin --group finance");
    let board = bank.token("--role approver --principal bob --group board");
    assert_eq!(bank.approve_as(&finance, &id).await["state"], "pending");
    let approved = bank.approve_as(&board, &id).await;
    assert_eq!(approved["state"], "approved");
    assert_eq!(approved["requirement"]["gates"].as_array().map(Vec::len), Some(2), "{approved}");
    assert_eq!(status(&call(&agent, TOOL, money(8)).await), "succeeded");
}

async fn a_call_that_nobody_decides_is_refused(backing: Backing) {
    let toml = format!("{}[approvals]\nhold_seconds = 20\n", gate("@timeout(\"1s\")"));
    let bank = Bank::open_on(backing, &toml);
    let agent = bank.agent();
    let said = call(&agent, TOOL, money(9)).await;
    assert_eq!((status(&said), &said["isError"]), ("expired", &json!(true)), "{said}");
    let expired = bank.events(&["--kind", "approval.resolved"]);
    let id = expired[0]["approval"].as_str().expect("an approval");
    assert_eq!(bank.approval(id)["state"], "expired");
    let late = bank.decide(&bank.gateway.admin, id, json!({ "decision": "approve" })).await;
    assert_eq!(late.status, 409, "{late:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["expired"]);
}

async fn others_are_asked_when_nobody_decides(backing: Backing) {
    let gate = gate("@timeout(\"3s\") @on_timeout(\"escalate\") @approvers(\"finance\")");
    let bank =
        Bank::open_on(backing, &format!("{gate}[approvals]\nhold_seconds = 0\nescalate_to = [\"bosses\"]\n"));
    let agent = bank.agent();
    let boss = bank.token("--role approver --principal boss --group bosses");
    let id = pending(&call(&agent, TOOL, money(9)).await);
    let early = bank.decide(&boss, &id, json!({ "decision": "approve" })).await;
    assert_eq!(
        (early.status, early.json()["code"].as_str()),
        (403, Some("approval_not_in_group")),
        "{early:?}"
    );
    let escalated = until(WAIT, || bank.approval(&id).get("escalated_to").cloned());
    assert_eq!(escalated, Some(json!(["bosses"])));
    assert_eq!(bank.approve_as(&boss, &id).await["state"], "approved");
    assert_eq!(status(&call(&agent, TOOL, money(9)).await), "succeeded");
    assert_eq!(bank.events(&["--kind", "approval.escalated"]).len(), 1);
}

#[tokio::test]
async fn a_yes_that_nobody_uses_lapses() {
    let toml = format!("{GATED}[approvals]\nhold_seconds = 0\napproved_valid_seconds = 1\n");
    let bank = Bank::open(&toml);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(9)).await);
    bank.approve(&id);
    bank.wait_state(&id, "lapsed");
    assert_ne!(pending(&call(&agent, TOOL, money(9)).await), id);
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn those_who_decide_or_audit_call_no_tools() {
    let bank = Bank::open("");
    for role in ["approver", "auditor"] {
        let token = bank.token(&format!("--role {role}"));
        let client = bank.agent_with(&token);
        let newer = client.modern("tools/call", json!({ "name": "bank__balance", "arguments": {} })).await;
        assert_eq!(newer.status, 403, "{role}: {newer:?}");
        let session = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": session });
        assert_eq!(client.raw(opening.to_string()).await.status, 403, "{role}");
        assert_eq!(bank.get(&token, "/sse").await.status, 403, "{role}");
        let rest = bank.rest(&token, "POST", "/tools/call", Some(json!({ "name": "bank:balance" }))).await;
        assert_eq!(
            (rest.status, rest.json()["code"].as_str()),
            (403, Some("wrong_role")),
            "{role}: {rest:?}"
        );
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn an_agent_sees_its_own_approvals_and_decides_none() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let (agent, other) = (bank.gateway.agent.clone(), bank.token("--role agent"));
    let id = pending(&call(&bank.agent(), TOOL, money(5)).await);
    let path = format!("/approvals/{id}");
    let own = bank.get(&agent, &path).await;
    assert_eq!((own.status, own.json()["state"].as_str()), (200, Some("pending")), "{own:?}");
    let foreign = bank.get(&other, &path).await;
    let nothing = bank.get(&other, "/approvals/apr_nobody").await;
    assert_eq!((foreign.status, nothing.status), (404, 404), "{foreign:?}");
    assert_eq!(bank.get(&agent, "/approvals").await.status, 403, "the inbox is for people");
    for token in [&agent, &other] {
        assert_eq!(bank.decide(token, &id, json!({ "decision": "approve" })).await.status, 403);
    }
    let operator = bank.token("--role operator");
    let refused = bank.decide(&operator, &id, json!({ "decision": "approve" })).await;
    assert_eq!(refused.status, 403, "running the gateway is not deciding: {refused:?}");
    assert_eq!(bank.approval(&id)["state"], "pending");
}
