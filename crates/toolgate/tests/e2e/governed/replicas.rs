//! Several gateways, and commands beside them, on one state: one outcome, one ledger.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, GATED, NO_HOLD, gate, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::WAIT;
use crate::kit::call;

const TOOL: &str = "bank__transfer";

on_both!(
    commands_without_a_gateway_write_the_ledger_at_the_same_time,
    commands_beside_a_busy_gateway_neither_fail_nor_disturb_it,
);

/// Another gateway on the same database.
fn another(bank: &Bank, toml: &str) -> Bank {
    let database = bank.backing().database().expect("gateways share a Postgres");
    Bank::open_on(Backing::Shared(database.clone(), "second"), toml)
}

#[tokio::test]
async fn what_one_gateway_asks_another_decides() {
    let toml = format!("{GATED}[approvals]\nhold_seconds = 20\n");
    let one = Bank::open_on(Backing::postgres(), &toml);
    let two = another(&one, &toml);
    let client = one.agent();
    let held = tokio::spawn(async move { call(&client, TOOL, money(1)).await });
    let asked = until_async(WAIT, || async { two.events(&["--kind", "approval.requested"]).pop() });
    let asked = asked.await.expect("people are asked");
    two.approve_as(&one.gateway.admin, asked["approval"].as_str().expect("an approval")).await;
    let done = held.await.expect("answered");
    assert_eq!(status(&done), "succeeded", "{done}");
    assert_eq!((one.ran(), two.ran()), (vec![moved(1)], Vec::<String>::new()));
    two.verify();
}

#[tokio::test]
async fn two_gateways_that_decide_at_once_have_one_outcome() {
    let toml = format!("{}{NO_HOLD}", gate(""));
    let one = Bank::open_on(Backing::postgres(), &toml);
    let two = another(&one, &toml);
    let (ann, ben) =
        (one.token("--role approver --principal ann"), one.token("--role approver --principal ben"));
    let agent = one.agent();
    for amount in 1..=8 {
        let id = pending(&call(&agent, TOOL, money(amount)).await);
        let (yes, no) = tokio::join!(
            one.decide(&ann, &id, json!({ "decision": "approve" })),
            two.decide(&ben, &id, json!({ "decision": "deny" })),
        );
        let mut statuses = [yes.status, no.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{yes:?} {no:?}");
        call(&agent, TOOL, money(amount)).await;
        assert_eq!(one.ran().contains(&moved(amount)), yes.status == 200);
    }
    one.verify();
}

#[tokio::test]
async fn a_yes_is_used_once_by_two_gateways() {
    let toml = format!("{GATED}{NO_HOLD}");
    let one = Bank::open_on(Backing::postgres(), &toml);
    let two = another(&one, &toml);
    let elsewhere = two.agent_with(&one.gateway.agent);
    for amount in 1..=5_u64 {
        let id = pending(&call(&one.agent(), TOOL, money(amount)).await);
        one.approve(&id);
        let here = one.agent();
        let (first, second) =
            tokio::join!(call(&here, TOOL, money(amount)), call(&elsewhere, TOOL, money(amount)));
        let ran = one.ran().len() + two.ran().len();
        assert_eq!(ran, usize::try_from(amount).expect("few"), "{first} {second}");
        let succeeded = [&first, &second].into_iter().filter(|result| status(result) == "succeeded").count();
        assert_eq!(succeeded, 1, "{first} {second}");
    }
    two.verify();
}

#[tokio::test]
async fn one_gateway_does_not_sweep_the_open_calls_of_another() {
    let one = Bank::open_on(Backing::postgres(), NO_HOLD);
    let client = one.agent();
    let held = tokio::spawn(async move { call(&client, "bank__hold", money(1)).await });
    let reached = until_async(WAIT, || async { (one.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    let two = another(&one, NO_HOLD);
    assert_eq!(two.events(&["--kind", "tool.call.completed"]), Vec::<Value>::new());
    one.write("release", "");
    assert_eq!(status(&held.await.expect("answered")), "succeeded");
    let ends = two.events(&["--kind", "tool.call.completed"]);
    assert_eq!((ends.len(), &ends[0]["outcome"]), (1, &json!("succeeded")), "{ends:?}");
    two.verify();
}

/// Longer than a gateway may be silent.
const SILENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// Two gateways on one database, and a call that waits in the bank of the first.
async fn with_a_held_call() -> (Bank, Bank, tokio::task::JoinHandle<()>) {
    let one = Bank::open_on(Backing::postgres(), NO_HOLD);
    let two = another(&one, NO_HOLD);
    let client = one.agent();
    let held = tokio::spawn(async move {
        let params = json!({ "name": "bank__hold", "arguments": money(1) });
        drop(client.modern_request(1, "tools/call", params).send().await);
    });
    let reached = until_async(WAIT, || async { (one.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    (one, two, held)
}

/// The end of the call, as the other gateway has recorded it.
async fn closed_by(two: &Bank, admin: &str) -> Value {
    let closed = until_async(SILENCE, || async {
        let page = two.get(admin, "/ledger?kind=tool.call.completed").await.json();
        page["events"].as_array().and_then(|events| events.first().cloned())
    });
    closed.await.expect("the other gateway closes the call")
}

#[tokio::test]
async fn calls_of_a_gateway_that_died_for_good_are_unknown_and_not_said_to_run() {
    let (mut one, two, held) = with_a_held_call().await;
    let admin = one.gateway.admin.clone();
    one.gateway.end(true);
    held.abort();
    let end = closed_by(&two, &admin).await;
    assert_eq!((&end["outcome"], &end["detail"]["swept"]), (&json!("unknown"), &json!(true)), "{end}");
    let running = two.get(&admin, "/calls?state=running").await;
    assert_eq!(running.json()["calls"], json!([]), "{running:?}");
    two.verify();
}

#[tokio::test]
async fn a_gateway_that_was_taken_for_dead_goes_on_without_ending_calls_twice() {
    let (one, two, held) = with_a_held_call().await;
    toolgate_testkit::gateway::signal("-STOP", one.gateway.pid());
    assert_eq!(closed_by(&two, &one.gateway.admin).await["outcome"], "unknown");
    toolgate_testkit::gateway::signal("-CONT", one.gateway.pid());
    one.write("release", "");
    held.await.expect("its client is answered");
    let agent = one.agent();
    let goes_on = until_async(WAIT, || async {
        let answer = agent.modern("tools/call", json!({ "name": TOOL, "arguments": money(2) })).await;
        (answer.status == 200 && status(&answer.result()) == "succeeded").then_some(())
    });
    goes_on.await.expect("it writes its stream again");
    let ends = two.events(&["--kind", "tool.call.completed", "--tool", "bank:hold"]);
    assert_eq!((ends.len(), &ends[0]["outcome"]), (1, &json!("unknown")), "{ends:?}");
    two.verify();
}

async fn commands_without_a_gateway_write_the_ledger_at_the_same_time(backing: Backing) {
    const TOGETHER: usize = 4;
    let mut bank = Bank::open_on(backing, NO_HOLD);
    bank.agent().tool_names(1).await;
    bank.gateway.end(false);
    let commands: Vec<_> = (0..TOGETHER)
        .map(|amount| {
            let amount = format!("amount:={amount}");
            let mut command = bank.gateway.cli_command(&["tools", "call", TOOL, "account=DE1", &amount]);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.stdin(std::process::Stdio::null()).spawn().expect("the binary starts")
        })
        .collect();
    for command in commands {
        let output = command.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(bank.ran().len(), TOGETHER);
    assert_eq!(bank.outcomes(), ["succeeded"; TOGETHER]);
    bank.verify();
}

async fn commands_beside_a_busy_gateway_neither_fail_nor_disturb_it(backing: Backing) {
    const ROUNDS: usize = 3;
    const CLIENTS: usize = 8;
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let stop = tokio_util::sync::CancellationToken::new();
    let busy: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (client, stop) = (bank.agent(), stop.clone());
            tokio::spawn(async move {
                let mut done = 0;
                while !stop.is_cancelled() {
                    let result = call(&client, "bank__refund", money(1)).await;
                    assert_eq!(status(&result), "succeeded", "{result}");
                    done += 1;
                }
                done
            })
        })
        .collect();
    for amount in 0..ROUNDS {
        let amount = u64::try_from(amount).expect("few");
        let id = pending(&call(&bank.agent(), TOOL, money(amount)).await);
        // On its own thread, so that the others continue meanwhile.
        let mut approve =
            tokio::process::Command::from(bank.gateway.cli_command(&["approvals", "approve", &id]));
        let approved = approve.output().await.expect("the binary runs");
        assert!(approved.status.success(), "{approved:?}");
        let mut verify = tokio::process::Command::from(bank.gateway.cli_command(&["ledger", "verify"]));
        let verified = verify.output().await.expect("the binary runs");
        assert!(verified.status.success(), "{verified:?}");
        assert_eq!(status(&call(&bank.agent(), TOOL, money(amount)).await), "succeeded");
    }
    stop.cancel();
    let mut refunds = 0;
    for one in busy {
        refunds += one.await.expect("every call goes well");
    }
    assert!(refunds > CLIENTS, "the gateway was busy: {refunds}");
    assert_eq!(bank.ran().len(), refunds + ROUNDS);
    bank.verify();
}
