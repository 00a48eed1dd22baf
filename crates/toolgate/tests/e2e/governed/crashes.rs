//! Kill -9 at every step of a call: nothing runs twice, no approved call is lost, and the ledger records
//! unknown outcomes.

use serde_json::{Value, json};
use tokio::task::JoinHandle;
use toolgate_testkit::gateway::until;

use super::bank::{Bank, GATED, NO_HOLD, envelope, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::WAIT;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";

on_both!(
    killed_before_it_was_sent_a_call_is_unknown_and_not_sent_by_itself,
    killed_after_it_was_sent_a_call_is_unknown_and_not_sent_again,
    killed_after_it_was_recorded_a_call_has_its_end,
    killed_once_people_were_asked_a_call_attaches_and_runs_once,
    killed_while_it_waits_a_call_attaches_and_runs_once,
    what_is_approved_while_the_gateway_is_dead_runs_once,
    killed_with_its_approval_used_a_call_is_not_sent_again,
);

/// Makes a call that will never be answered, for the gateway stops in the middle of it.
fn call_into_the_void(bank: &Bank, amount: u64) -> JoinHandle<()> {
    let client = bank.agent();
    tokio::spawn(async move {
        let params = json!({ "name": TOOL, "arguments": money(amount) });
        drop(client.modern_request(1, "tools/call", params).send().await);
    })
}

/// Lets a call run to the point where the gateway stops, and kills the gateway there.
async fn killed_at(bank: Bank, point: &str, amount: u64) -> Bank {
    let waiting = call_into_the_void(&bank, amount);
    // The request is sent by a task of this thread, which the wait below would keep from running.
    let stopped = toolgate_testkit::gateway::until_async(WAIT, || async {
        let line = format!("stopped at {point}");
        bank.gateway.log().contains(&line).then_some(())
    });
    assert!(stopped.await.is_some(), "no call reached {point:?}");
    waiting.abort();
    let bank = bank.killed();
    // The gateway does its recovery before it serves.
    assert_eq!(status(&call(&bank.agent(), "bank__balance", json!({})).await), "succeeded");
    bank
}

/// The bank's actions, without the reads.
fn transfers(bank: &Bank) -> Vec<String> {
    bank.ran().into_iter().filter(|line| line.starts_with("transfer")).collect()
}

/// The outcomes of the transfers in the ledger.
fn ends(bank: &Bank) -> Vec<Value> {
    bank.events(&["--kind", "tool.call.completed", "--tool", "bank:transfer"])
}

/// The one transfer is recorded as unknown, and the log says so.
fn is_unknown(bank: &Bank) {
    let unknown: Vec<Value> = ends(bank).into_iter().filter(|end| end["outcome"] == "unknown").collect();
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    let call = unknown[0]["call"].as_str().expect("a call");
    let said = until(WAIT, || {
        bank.gateway.log().into_iter().find(|line| line.contains(call) && line.contains("not known"))
    });
    assert!(said.is_some(), "the log does not say that {call} is not known: {:?}", bank.gateway.log());
    bank.verify();
}

async fn killed_before_it_was_sent_a_call_is_unknown_and_not_sent_by_itself(backing: Backing) {
    let bank = killed_at(Bank::open_stopping(backing, NO_HOLD, "started"), "started", 1).await;
    assert_eq!(transfers(&bank), Vec::<String>::new());
    is_unknown(&bank);
    assert_eq!(status(&call(&bank.agent(), TOOL, money(1)).await), "succeeded");
    assert_eq!(transfers(&bank), [moved(1)]);
    let bank = bank.killed();
    assert_eq!(ends(&bank).len(), 2, "what is swept once is not swept again");
}

async fn killed_after_it_was_sent_a_call_is_unknown_and_not_sent_again(backing: Backing) {
    let bank = killed_at(Bank::open_stopping(backing, NO_HOLD, "answered"), "answered", 1).await;
    assert_eq!(transfers(&bank), [moved(1)]);
    is_unknown(&bank);
}

async fn killed_after_it_was_recorded_a_call_has_its_end(backing: Backing) {
    let bank = killed_at(Bank::open_stopping(backing, NO_HOLD, "recorded"), "recorded", 1).await;
    assert_eq!(transfers(&bank), [moved(1)]);
    let ends = ends(&bank);
    assert_eq!((ends.len(), &ends[0]["outcome"]), (1, &json!("succeeded")), "{ends:?}");
    bank.verify();
}

async fn killed_once_people_were_asked_a_call_attaches_and_runs_once(backing: Backing) {
    let bank = Bank::open_stopping(backing, &format!("{GATED}{NO_HOLD}"), "asked");
    let bank = killed_at(bank, "asked", 1).await;
    let requested = bank.events(&["--kind", "approval.requested"]);
    assert_eq!(requested.len(), 1, "{requested:?}");
    let id = requested[0]["approval"].as_str().expect("an approval");
    attaches_and_runs_once(&bank, id).await;
}

async fn attaches_and_runs_once(bank: &Bank, id: &str) {
    let agent = bank.agent();
    assert_eq!(pending(&call(&agent, TOOL, money(1)).await), id, "the same call attaches");
    bank.approve(id);
    runs_once(bank, id).await;
}

async fn runs_once(bank: &Bank, id: &str) {
    let agent = bank.agent();
    let done = call(&agent, TOOL, money(1)).await;
    assert_eq!((status(&done), envelope(&done)["approval_id"].as_str()), ("succeeded", Some(id)), "{done}");
    assert_ne!(pending(&call(&agent, TOOL, money(1)).await), id);
    assert_eq!(transfers(bank), [moved(1)]);
    bank.verify();
}

async fn killed_while_it_waits_a_call_attaches_and_runs_once(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}[approvals]\nhold_seconds = 5\n"));
    let waiting = call_into_the_void(&bank, 1);
    let asked = toolgate_testkit::gateway::until_async(WAIT, || async {
        bank.events(&["--kind", "approval.requested"]).pop()
    });
    let asked = asked.await.expect("people are asked");
    waiting.abort();
    let bank = bank.killed();
    let id = asked["approval"].as_str().expect("an approval");
    let client = bank.agent();
    let attached = tokio::spawn(async move { call(&client, TOOL, money(1)).await });
    bank.approve_as(&bank.gateway.admin, id).await;
    assert_eq!(status(&attached.await.expect("answered")), "succeeded");
    assert_eq!(transfers(&bank), [moved(1)]);
    bank.verify();
}

async fn what_is_approved_while_the_gateway_is_dead_runs_once(backing: Backing) {
    let mut bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let id = pending(&call(&bank.agent(), TOOL, money(1)).await);
    bank.gateway.end(true);
    bank.approve(&id);
    let bank = bank.killed();
    assert_eq!(bank.ran(), Vec::<String>::new(), "nothing runs without its caller");
    runs_once(&bank, &id).await;
}

async fn killed_with_its_approval_used_a_call_is_not_sent_again(backing: Backing) {
    let mut bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let mut sent = Vec::new();
    for (amount, point) in [(1, "started"), (2, "answered"), (3, "recorded")] {
        let id = pending(&call(&bank.agent(), TOOL, money(amount)).await);
        bank.approve(&id);
        bank = killed_at(bank.killed_then_stopping(point), point, amount).await;
        if point != "started" {
            sent.push(moved(amount));
        }
        assert_eq!(transfers(&bank), sent, "{point}");
        let end = ends(&bank).pop().expect("an end");
        let expected = if point == "recorded" { "succeeded" } else { "unknown" };
        assert_eq!(end["outcome"], expected, "{point}: {end}");
        let approval = bank.approval(&id);
        assert_eq!((&approval["state"], &approval["used_by"]), (&json!("used"), &end["call"]), "{point}");
        let told = call(&bank.agent(), TOOL, money(amount)).await;
        let expected = if point == "recorded" { "joined" } else { "unknown" };
        assert_eq!(status(&told), expected, "{point}: whoever missed the end hears of it: {told}");
        match point {
            "recorded" => assert_eq!(text(&told), format!("transfer done: {}", money(amount))),
            _ => assert!(text(&told).contains("whether it took effect is not known"), "{told}"),
        }
        assert_ne!(pending(&call(&bank.agent(), TOOL, money(amount)).await), id, "{point}: asked anew");
        assert_eq!(transfers(&bank), sent, "{point}");
        bank.verify();
    }
}

#[tokio::test]
async fn a_call_that_the_bank_still_works_on_is_unknown_after_a_kill() {
    let bank = Bank::open(NO_HOLD);
    let client = bank.agent();
    let held = tokio::spawn(async move {
        drop(
            client
                .modern_request(1, "tools/call", json!({ "name": "bank__hold", "arguments": money(1) }))
                .send()
                .await,
        );
    });
    let reached =
        toolgate_testkit::gateway::until_async(WAIT, || async { (bank.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    held.abort();
    let bank = bank.killed();
    let ends = bank.events(&["--kind", "tool.call.completed"]);
    assert_eq!((ends.len(), &ends[0]["outcome"]), (1, &json!("unknown")), "{ends:?}");
    assert_eq!(bank.ran().len(), 1);
    bank.verify();
}

#[tokio::test]
async fn a_grant_loses_no_use_and_gains_none_by_a_kill() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let id = pending(&call(&bank.agent(), TOOL, money(1)).await);
    bank.say(&["approvals", "approve", &id, "--remember", "--uses", "2", "--pin", "/account"]);
    let bank = killed_at(bank.killed_then_stopping("started"), "started", 2).await;
    let left = bank.say_json(&["approvals", "grants"]);
    assert_eq!(left[0]["uses_left"], 1, "{left}");
    assert_eq!(status(&call(&bank.agent(), TOOL, money(3)).await), "succeeded");
    pending(&call(&bank.agent(), TOOL, money(4)).await);
    assert_eq!(transfers(&bank), [moved(3)]);
}
