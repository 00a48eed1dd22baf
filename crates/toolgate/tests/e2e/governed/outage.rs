//! The database goes down in the middle: nothing runs unrecorded, and the gateway recovers by itself.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, GATED, NO_HOLD, gate, money, moved, pending, status};
use super::database::PostgresServer;
use crate::doors::WAIT;
use crate::kit::{call, call_within, text};

const TOOL: &str = "bank__transfer";

/// The call was not sent because it could not be recorded.
pub(super) fn refused(result: &Value, what: &str) {
    assert_eq!((status(result), &result["isError"]), ("refused", &json!(true)), "{what}: {result}");
    let fault = &result["_meta"]["dev.toolgate/fault"];
    assert_eq!((&fault["code"], &fault["retry"]), (&json!("ledger_down"), &json!(true)), "{what}: {result}");
    // What the driver said is for the operator.
    assert!(text(result).contains("the gateway cannot record calls at the moment"), "{what}: {result}");
    for inside in ["127.0.0.1", "communicating", "database", "sqlx", "governed_"] {
        assert!(!result.to_string().contains(inside), "{what}: {result}");
    }
}

/// Calls until one succeeds again.
pub(super) async fn recovers(bank: &Bank, amount: u64) {
    let agent = bank.agent();
    let well = until_async(WAIT, || async {
        let answer = agent.modern("tools/call", json!({ "name": TOOL, "arguments": money(amount) })).await;
        (answer.status == 200 && status(&answer.result()) == "succeeded").then_some(())
    });
    well.await.expect("the gateway recovers by itself");
}

pub(super) fn transfers(bank: &Bank) -> Vec<String> {
    bank.ran().into_iter().filter(|line| line.starts_with("transfer")).collect()
}

#[tokio::test]
async fn without_a_database_nothing_with_effects_runs_and_looks_are_refused() {
    let server = PostgresServer::start();
    let bank = Bank::open_on(server.backing(), NO_HOLD);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    server.go_away();
    refused(&call(&agent, TOOL, money(2)).await, "a transfer");
    refused(&call(&agent, "bank__balance", json!({})).await, "a look");
    let rest = bank
        .rest(
            &bank.gateway.agent,
            "POST",
            "/tools/call",
            Some(json!({ "name": "bank:transfer", "arguments": money(3) })),
        )
        .await;
    assert_eq!((rest.status, rest.json()["error"]["code"].as_str()), (503, Some("ledger_down")), "{rest:?}");
    let ledger = bank.get(&bank.gateway.admin, "/ledger").await;
    assert_eq!(ledger.status, 503, "{ledger:?}");
    assert_eq!(transfers(&bank), [moved(1)]);
    server.come_back();
    recovers(&bank, 4).await;
    assert_eq!(transfers(&bank), [moved(1), moved(4)]);
    assert_eq!(status(&call(&agent, "bank__balance", json!({})).await), "succeeded");
    bank.verify();
}

/// The answer to a load balancer.
pub(super) async fn ready(bank: &Bank) -> u16 {
    let answer = bank.agent().http.get(bank.gateway.url("/readyz")).send().await.expect("it answers");
    answer.status().as_u16()
}

#[tokio::test]
async fn without_a_database_the_gateway_is_not_ready_and_calls_are_refused_at_once() {
    const CALLS: u32 = 20;
    /// Each of them would wait longer for a connection.
    const TIME_MAX: Duration = Duration::from_secs(30);
    let server = PostgresServer::start();
    let bank = Bank::open_on(server.backing(), NO_HOLD);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, "bank__balance", json!({})).await), "succeeded");
    assert_eq!(ready(&bank).await, 200);
    server.go_away();
    let told = until_async(WAIT, || async { (ready(&bank).await == 503).then_some(()) });
    told.await.expect("it says that it is not ready, though nobody has called");
    let (sent, begun) = (bank.ran(), std::time::Instant::now());
    for amount in 0..CALLS {
        refused(&call(&agent, "bank__balance", json!({})).await, "a look");
        refused(&call(&agent, TOOL, money(u64::from(amount))).await, "a transfer");
    }
    assert!(begun.elapsed() < TIME_MAX, "{:?}", begun.elapsed());
    assert_eq!(bank.ran(), sent, "what is refused is not sent");
    server.come_back();
    let told = until_async(WAIT, || async { (ready(&bank).await == 200).then_some(()) });
    told.await.expect("it is ready again by itself");
    recovers(&bank, 2).await;
    bank.verify();
}

/// Longer than a gateway may take to notice, and much shorter than a statement may take.
const NOTICED_WITHIN: Duration = Duration::from_secs(2);
/// A refusal at once, on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(1);

async fn a_silent_database(fall_silent: impl FnOnce(&PostgresServer)) {
    let server = PostgresServer::start();
    let bank = Bank::open_on(server.backing(), NO_HOLD);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    fall_silent(&server);
    let begun = std::time::Instant::now();
    // Sent before the gateway knows: it is not answered later than the gateway notices.
    let early = tokio::spawn({
        let agent = bank.agent();
        async move { call(&agent, TOOL, money(2)).await }
    });
    let told = until_async(WAIT, || async { (ready(&bank).await == 503).then_some(()) });
    told.await.expect("it says that it is not ready");
    assert!(begun.elapsed() < NOTICED_WITHIN, "it took {:?}", begun.elapsed());
    refused(&early.await.expect("answered"), "a transfer that was under way");
    assert!(begun.elapsed() < NOTICED_WITHIN + AT_ONCE, "it took {:?}", begun.elapsed());
    for what in [TOOL, "bank__balance"] {
        let begun = std::time::Instant::now();
        refused(&call(&agent, what, money(3)).await, what);
        assert!(begun.elapsed() < AT_ONCE, "{what} took {:?}", begun.elapsed());
    }
    assert_eq!(bank.ran(), [moved(1)], "nothing is sent that cannot be recorded");
    server.speak_again();
    recovers(&bank, 4).await;
    assert_eq!(transfers(&bank), [moved(1), moved(4)]);
    bank.verify();
}

#[tokio::test]
async fn a_database_that_answers_nothing_is_noticed_within_two_seconds() {
    a_silent_database(PostgresServer::fall_silent).await;
}

#[tokio::test]
async fn a_database_that_cuts_connections_and_answers_nothing_is_noticed_within_two_seconds() {
    a_silent_database(PostgresServer::cut_and_fall_silent).await;
}

#[tokio::test]
async fn where_the_operator_says_so_looks_are_served_without_a_database() {
    let server = PostgresServer::start();
    let bank = Bank::open_on(server.backing(), &format!("{NO_HOLD}[ledger]\nreads_when_down = \"serve\"\n"));
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, "bank__balance", json!({})).await), "succeeded");
    server.go_away();
    for _ in 0..3 {
        let look = call(&agent, "bank__balance", json!({})).await;
        assert_eq!(status(&look), "succeeded", "{look}");
        refused(&call(&agent, TOOL, money(1)).await, "a transfer");
    }
    assert_eq!(transfers(&bank), Vec::<String>::new());
    server.come_back();
    recovers(&bank, 2).await;
    bank.verify();
}

#[tokio::test]
async fn what_was_approved_before_the_database_went_runs_once_when_it_is_back() {
    let server = PostgresServer::start();
    let bank = Bank::open_on(server.backing(), &format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let (approved, waiting) =
        (pending(&call(&agent, TOOL, money(1)).await), pending(&call(&agent, TOOL, money(2)).await));
    bank.approve(&approved);
    server.go_away();
    for amount in [1, 2, 3] {
        refused(&call(&agent, TOOL, money(amount)).await, "a gated transfer");
    }
    let undecided = bank.decide(&bank.gateway.admin, &waiting, json!({ "decision": "approve" })).await;
    assert_eq!(undecided.status, 503, "{undecided:?}");
    assert_eq!(transfers(&bank), Vec::<String>::new());
    server.come_back();
    recovers(&bank, 1).await;
    assert_eq!(pending(&call(&agent, TOOL, money(2)).await), waiting, "what waited still waits");
    bank.approve(&waiting);
    assert_eq!(status(&call(&agent, TOOL, money(2)).await), "succeeded");
    assert_eq!(transfers(&bank), [moved(1), moved(2)]);
    bank.verify();
}

#[tokio::test]
async fn a_call_that_runs_while_the_database_goes_is_not_lost() {
    let server = PostgresServer::start();
    let bank = Bank::open_on(server.backing(), NO_HOLD);
    let client = bank.agent();
    let held = tokio::spawn(async move { call(&client, "bank__hold", money(1)).await });
    let reached = until_async(WAIT, || async { (bank.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    server.go_away();
    bank.write("release", "");
    let result = held.await.expect("answered");
    assert_eq!(status(&result), "succeeded", "what ran is told: {result}");
    server.come_back();
    recovers(&bank, 2).await;
    let bank = bank.killed();
    let ended = until_async(WAIT, || async {
        let ends = bank.events(&["--kind", "tool.call.completed", "--tool", "bank:hold"]);
        ends.first().and_then(|end| end["outcome"].as_str()).map(str::to_owned)
    });
    let ended = ended.await.expect("the call has an end");
    assert!(matches!(ended.as_str(), "succeeded" | "unknown"), "{ended}");
    assert_eq!(bank.ran().iter().filter(|line| line.starts_with("hold")).count(), 1);
    bank.verify();
}

#[tokio::test]
async fn a_held_call_survives_a_short_absence_of_the_database() {
    let server = PostgresServer::start();
    let toml = format!("{}[approvals]\nhold_seconds = 20\n", gate("@approvers(\"finance\")"));
    let bank = Bank::open_on(server.backing(), &toml);
    let client = bank.agent();
    let held = tokio::spawn(async move { call(&client, TOOL, money(1)).await });
    let asked = until_async(WAIT, || async { bank.events(&["--kind", "approval.requested"]).pop() });
    let asked = asked.await.expect("people are asked");
    server.go_away();
    server.come_back();
    let id = asked["approval"].as_str().expect("an approval");
    let approved = until_async(WAIT, || async {
        let answer = bank.decide(&bank.gateway.admin, id, json!({ "decision": "approve" })).await;
        (answer.status == 200).then_some(())
    });
    approved.await.expect("it can be decided");
    let done = held.await.expect("answered");
    assert_eq!(status(&done), "succeeded", "{done}");
    assert_eq!(transfers(&bank), [moved(1)]);
}

/// A writer waits ten seconds for another's lock, and there may be two before a call.
const LOCKED_WAIT: Duration = Duration::from_secs(60);

/// A process that keeps the SQLite database locked while it lives.
struct Locker(std::process::Child);

impl Locker {
    fn lock(bank: &Bank) -> Self {
        let script = "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)\n\
            db.execute('BEGIN IMMEDIATE')\nprint('locked', flush=True)\nsys.stdin.read()";
        let mut child = std::process::Command::new("python3")
            .args(["-c", script])
            .arg(bank.gateway.data().join("toolgate.db"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("Python is there");
        let mut said = String::new();
        let stdout = child.stdout.take().expect("piped");
        std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut said).expect("it speaks");
        assert_eq!(said, "locked\n");
        Self(child)
    }
}

impl Drop for Locker {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn while_sqlite_cannot_be_written_nothing_with_effects_runs() {
    let bank = Bank::open(&format!("{NO_HOLD}[ledger]\nreads_when_down = \"serve\"\n"));
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    let locker = Locker::lock(&bank);
    refused(&call_within(LOCKED_WAIT, &agent, TOOL, money(2)).await, "a transfer");
    let balance = call_within(LOCKED_WAIT, &agent, "bank__balance", json!({})).await;
    assert_eq!(status(&balance), "succeeded");
    drop(locker);
    recovers(&bank, 3).await;
    assert_eq!(transfers(&bank), [moved(1), moved(3)]);
    bank.verify();
}
