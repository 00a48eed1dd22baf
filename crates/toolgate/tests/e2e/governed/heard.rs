//! The messages to the caller of a call: a missed end, once; an approver's changes; the advice.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::bank::{Bank, GATED, NO_HOLD, envelope, gate, money, moved, pending, status};
use super::database::Backing;
use super::on_both;
use crate::doors::WAIT;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";

on_both!(
    what_is_approved_after_a_rest_client_left_waits_for_it_and_runs_once,
    a_no_that_came_too_late_is_told_once,
    whoever_left_while_the_call_ran_gets_its_result
);

fn holding(gates: &str) -> String {
    format!("{gates}[approvals]\nhold_seconds = 30\n")
}

/// The approval that waits.
async fn waiting(bank: &Bank) -> String {
    let found = until_async(WAIT, || async {
        let list = bank.get(&bank.gateway.admin, "/approvals?state=pending").await.json();
        list["approvals"][0]["id"].as_str().map(str::to_owned)
    });
    found.await.expect("people are asked")
}

/// A call over REST with this token.
fn rest_call(bank: &Bank, token: &str, tool: &str, arguments: &Value) -> reqwest::RequestBuilder {
    let body = json!({ "name": tool, "arguments": arguments }).to_string();
    let request = bank.agent().http.post(bank.gateway.url("/tools/call")).bearer_auth(token);
    request.header("content-type", "application/json").body(body)
}

/// A request on its own connection, which its client can close so that the gateway notices.
struct Connection(TcpStream);

impl Connection {
    async fn send(request: reqwest::RequestBuilder) -> Self {
        let request = request.build().expect("a request");
        let url = request.url();
        let place = format!("{}:{}", url.host_str().expect("a host"), url.port().expect("a port"));
        let body = request.body().and_then(reqwest::Body::as_bytes).unwrap_or_default();
        let mut head = format!("{} {} HTTP/1.1\r\nhost: {place}\r\n", request.method(), url.path());
        for (name, value) in request.headers() {
            head.push_str(&format!("{name}: {}\r\n", value.to_str().expect("text")));
        }
        head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
        let mut stream = TcpStream::connect(&place).await.expect("the gateway listens");
        stream.write_all(&[head.as_bytes(), body].concat()).await.expect("the request is sent");
        Self(stream)
    }

    /// Waits for the first of an answer that streams.
    async fn hears(&mut self) {
        assert_ne!(self.0.read(&mut [0; 1024]).await.expect("an answer begins"), 0);
    }

    /// Once the gateway has closed its side, it knows.
    async fn leave(mut self) {
        self.0.shutdown().await.expect("closed");
        drop(self.0.read_to_end(&mut Vec::new()).await);
    }
}

/// Makes a call by REST, and leaves once it waits for people.
async fn left(bank: &Bank) -> String {
    let held = Connection::send(rest_call(bank, &bank.gateway.agent, "bank:transfer", &money(1))).await;
    let id = waiting(bank).await;
    held.leave().await;
    id
}

/// Waits until calls have ended like this, as the ledger has it.
async fn ended(bank: &Bank, outcomes: &[&str]) {
    let found = until_async(WAIT, || async { (bank.outcomes() == outcomes).then_some(()) });
    found.await.unwrap_or_else(|| panic!("{outcomes:?} and not {:?}", bank.outcomes()));
}

async fn what_is_approved_after_a_rest_client_left_waits_for_it_and_runs_once(backing: Backing) {
    let bank = Bank::open_on(backing, &holding(GATED));
    let id = left(&bank).await;
    bank.approve_as(&bank.gateway.admin, &id).await;
    ended(&bank, &["pending_approval"]).await;
    assert_eq!(bank.ran(), Vec::<String>::new(), "nobody would hear of the result");
    let again = || rest_call(&bank, &bank.gateway.agent, "bank:transfer", &money(1));
    let done = HttpClient::finish(again()).await.json();
    assert_eq!((&done["status"], &done["approval_id"]), (&json!("succeeded"), &json!(id)), "{done}");
    assert_eq!(bank.ran(), [moved(1)]);
    let next = HttpClient::finish(again().header("prefer", "respond-async")).await.json();
    assert_eq!(next["status"], "pending_approval", "it was heard, so the same call is a new question");
    bank.verify();
}

#[tokio::test]
async fn what_is_approved_after_a_client_of_the_older_era_left_waits_for_it_and_runs_once() {
    for streams in [false, true] {
        let bank = Bank::open(&holding(GATED));
        let mut older = bank.agent();
        older.initialize("2025-11-25").await;
        let mut params = json!({ "name": TOOL, "arguments": money(1) });
        if streams {
            // The first sign of life makes a stream of the answer.
            params["_meta"] = json!({ "progressToken": "p" });
        }
        let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }).to_string();
        let mut held = Connection::send(older.legacy_post().body(body)).await;
        let id = waiting(&bank).await;
        if streams {
            held.hears().await;
        }
        held.leave().await;
        bank.approve_as(&bank.gateway.admin, &id).await;
        ended(&bank, &["pending_approval"]).await;
        assert_eq!(bank.ran(), Vec::<String>::new(), "streams: {streams}");
        let done = call(&bank.agent(), TOOL, money(1)).await;
        assert_eq!((status(&done), &envelope(&done)["approval_id"]), ("succeeded", &json!(id)), "{done}");
        assert_eq!(bank.ran(), [moved(1)], "streams: {streams}");
    }
}

/// A client of `toolgate stdio` that has made the call.
fn stdio_call(bank: &Bank) -> (Child, ChildStdin) {
    let mut stdio = bank.gateway.cli_command(&["stdio"]);
    stdio.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut client = stdio.spawn().expect("it starts");
    let mut stdin = client.stdin.take().expect("stdin is piped");
    let about = json!({ "name": "client", "version": "1" });
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about });
    let transfer = json!({ "name": TOOL, "arguments": money(1) });
    for (id, method, params) in [(1, "initialize", hello), (2, "tools/call", transfer)] {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(stdin, "{request}").expect("it reads");
    }
    (client, stdin)
}

#[tokio::test]
async fn what_is_approved_after_a_stdio_client_left_waits_for_it_and_runs_once() {
    for killed in [false, true] {
        let bank = Bank::open(&holding(GATED));
        let (mut client, stdin) = stdio_call(&bank);
        let id = waiting(&bank).await;
        if killed {
            client.kill().expect("killed");
            client.wait().expect("ended");
        }
        drop(stdin);
        // Nothing shows from outside that the gateway has noticed.
        tokio::time::sleep(Duration::from_secs(1)).await;
        bank.approve_as(&bank.gateway.admin, &id).await;
        ended(&bank, &["pending_approval"]).await;
        assert_eq!(bank.ran(), Vec::<String>::new(), "killed: {killed}");
        if !killed {
            // A client that only closed its side learns that the call is approved, and may repeat it.
            let said = client.wait_with_output().expect("it ends once all is answered");
            let said = String::from_utf8_lossy(&said.stdout);
            assert!(said.contains("is approved and has not run yet"), "{said}");
        }
        let (mut again, _stdin) = stdio_call(&bank);
        let stdout = BufReader::new(again.stdout.take().expect("stdout is piped"));
        let answer = stdout.lines().map_while(Result::ok).find(|line| line.contains("transfer done"));
        assert!(answer.is_some(), "killed: {killed}");
        again.kill().expect("killed");
        again.wait().expect("ended");
        assert_eq!(bank.ran(), [moved(1)], "killed: {killed}");
    }
}

#[tokio::test]
async fn a_gate_may_let_a_call_run_whose_caller_has_left_and_the_same_call_gets_the_result() {
    let bank = Bank::open(&holding(&gate("@unattended(\"run\")")));
    let id = left(&bank).await;
    bank.approve_as(&bank.gateway.admin, &id).await;
    ended(&bank, &["succeeded"]).await;
    let told = call(&bank.agent(), TOOL, money(1)).await;
    assert_eq!(status(&told), "joined", "{told}");
    assert_eq!(text(&told), format!("transfer done: {}", money(1)));
    assert_eq!(bank.ran(), [moved(1)]);
}

#[tokio::test]
async fn a_result_that_is_read_from_the_ledger_says_that_secrets_are_missing() {
    let gates = "[policy]\ngates = 'forbid (principal, action == Action::\"bank:hold\", resource);'\n";
    let bank = Bank::open(&holding(gates));
    let secret = json!({ "account": "DE1", "amount": 1, "password": "Zuckerhut-4711" });
    let held = Connection::send(rest_call(&bank, &bank.gateway.agent, "bank:hold", &secret)).await;
    let id = waiting(&bank).await;
    bank.approve_as(&bank.gateway.admin, &id).await;
    let reached = until_async(WAIT, || async { (bank.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    held.leave().await;
    bank.write("release", "");
    ended(&bank, &["succeeded"]).await;
    let token = bank.gateway.agent.clone();
    let bank = bank.killed();
    let told = call(&bank.agent_with(&token), "bank__hold", secret).await;
    assert_eq!(status(&told), "joined", "{told}");
    assert!(text(&told).contains("secrets were left out"), "the model reads it first: {told}");
    let codes = envelope(&told)["warnings"].as_array().expect("a list").iter().map(|one| &one["code"]);
    assert_eq!(codes.collect::<Vec<_>>(), [&json!("redacted")], "{told}");
    assert!(told.to_string().contains("[redacted]") && !told.to_string().contains("Zuckerhut"), "{told}");
}

async fn whoever_left_while_the_call_ran_gets_its_result(backing: Backing) {
    let gates = "[policy]\ngates = 'forbid (principal, action == Action::\"bank:hold\", resource);'\n";
    let bank = Bank::open_on(backing, &holding(gates));
    let held = Connection::send(rest_call(&bank, &bank.gateway.agent, "bank:hold", &money(1))).await;
    let id = waiting(&bank).await;
    bank.approve_as(&bank.gateway.admin, &id).await;
    let reached = until_async(WAIT, || async { (bank.ran().len() == 1).then_some(()) });
    reached.await.expect("the call reaches the bank");
    held.leave().await;
    bank.write("release", "");
    ended(&bank, &["succeeded"]).await;
    let token = bank.gateway.agent.clone();
    // After a restart only the ledger has the result.
    let bank = bank.killed();
    let told = call(&bank.agent_with(&token), "bank__hold", money(1)).await;
    assert_eq!(status(&told), "joined", "{told}");
    assert!(text(&told).contains("hold done"), "{told}");
    assert_eq!(bank.ran().len(), 1, "it ran once");
    let next = rest_call(&bank, &token, "bank:hold", &money(1)).header("prefer", "respond-async");
    let next = HttpClient::finish(next).await.json();
    assert_eq!(next["status"], "pending_approval", "{next}");
    assert_ne!(next["approval_id"], json!(id));
}

async fn a_no_that_came_too_late_is_told_once(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.say(&["approvals", "deny", &id, "--reason", "not before Monday"]);
    let told = call(&agent, TOOL, money(1)).await;
    assert_eq!((status(&told), &envelope(&told)["approval_id"]), ("denied", &json!(id)), "{told}");
    let said = text(&told);
    assert!(said.contains("not before Monday") && said.contains("do not make the same call again"), "{said}");
    assert_ne!(pending(&call(&agent, TOOL, money(1)).await), id, "after that it is a new question");
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn what_nobody_decided_in_time_is_told_once() {
    let bank = Bank::open(&format!("{}{NO_HOLD}", gate("@timeout(\"1s\")")));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.wait_state(&id, "expired");
    let told = call(&agent, TOOL, money(1)).await;
    assert_eq!((status(&told), &envelope(&told)["approval_id"]), ("expired", &json!(id)), "{told}");
    assert!(text(&told).contains("do not ask again unchanged"), "{told}");
    assert_ne!(pending(&call(&agent, TOOL, money(1)).await), id);
}

#[tokio::test]
async fn wishes_for_changes_that_came_too_late_are_told_once() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.say(&["approvals", "request-changes", &id, "--reason", "half of it"]);
    let told = call(&agent, TOOL, money(1)).await;
    assert_eq!(status(&told), "changes_requested", "{told}");
    assert!(text(&told).contains("half of it"), "{told}");
    pending(&call(&agent, TOOL, money(1)).await);
}

fn with_password(amount: u64) -> Value {
    json!({ "account": "DE1", "amount": amount, "password": "Zuckerhut-4711" })
}

/// Approves with another amount, and leaves the secret as shown.
async fn edit(bank: &Bank, token: &str, id: &str) {
    let mut arguments = bank.approval(id)["arguments"].clone();
    arguments["amount"] = json!(150);
    let answer = bank.decide(token, id, json!({ "decision": "edit", "arguments": arguments })).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[tokio::test]
async fn an_agent_hears_what_an_approver_changed() {
    let bank = Bank::open(&format!("{}{NO_HOLD}", gate("@editable(\"true\")")));
    let ann = bank.token("--role approver --principal ann");
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, with_password(900)).await);
    edit(&bank, &ann, &id).await;
    let done = call(&agent, TOOL, with_password(900)).await;
    assert_eq!(status(&done), "succeeded", "{done}");
    let warning = &envelope(&done)["warnings"][0];
    assert_eq!(warning["code"], "edited", "{done}");
    for said in [text(&done), warning["message"].as_str().expect("a text")] {
        assert!(said.contains("ann changed the arguments") && said.contains("/amount 900 → 150"), "{said}");
        assert!(!said.contains("Zuckerhut") && !said.contains("/password"), "{said}");
    }
    let post = || async {
        let call = rest_call(&bank, &bank.gateway.agent, "bank:transfer", &with_password(901));
        HttpClient::finish(call).await.json()
    };
    let asked = post().await;
    edit(&bank, &ann, asked["approval_id"].as_str().expect("an approval")).await;
    let done = post().await;
    assert_eq!(
        (&done["status"], &done["warnings"][0]["code"]),
        (&json!("succeeded"), &json!("edited")),
        "{done}"
    );
    let said = done["data"]["content"][0]["text"].as_str().expect("a text");
    assert!(said.contains("ann changed the arguments") && said.contains("/amount 901 → 150"), "{done}");
}

#[tokio::test]
async fn whoever_waits_or_is_refused_reads_what_happened_and_what_to_do() {
    let policy = "[policy]\ngates = '''@id(\"large\") @reason(\"more than 100 leaves the house\") @approvers(\"finance\") \
        @quorum(\"2\") @timeout(\"2h\") forbid (principal, action == Action::\"bank:transfer\", resource);'''\n\
        guard = '''permit (principal, action, resource);\n@id(\"sundays\") @reason(\"closed on Sundays\") \
        forbid (principal, action == Action::\"bank:refund\", resource) when { context.input.amount > 5 };'''\n";
    let bank = Bank::open(&format!("{policy}{NO_HOLD}"));
    let agent = bank.agent();
    let waits = call(&agent, TOOL, money(1)).await;
    let id = pending(&waits);
    let lines = [
        format!("not run yet: this call of {TOOL} waits for approval {id}"),
        "why: more than 100 leaves the house (gate large)".into(),
        "decides: 2 people, including one of finance".into(),
        "until: 20".into(),
        "hint: do not look for another way to the same end; repeat exactly the same call".into(),
        format!("tell the user: {TOOL} has not run: it waits for 2 people"),
        format!("link for people: {}", bank.gateway.url(&format!("/console/inbox/approvals/{id}"))),
    ];
    reads(&waits, &lines);
    assert!(text(&waits).contains("UTC (in "), "a time that people can read: {}", text(&waits));
    assert_eq!(waits["isError"], true, "{waits}");
    let said = &waits["structuredContent"]["error"];
    assert_eq!(said["why"], "more than 100 leaves the house (gate large)", "{said}");
    assert_eq!(said["decides"], "2 people, including one of finance", "{said}");
    assert_eq!(waits["_meta"]["dev.toolgate/fault"]["why"], said["why"], "{waits}");

    let denied = call(&agent, "bank__refund", money(9)).await;
    let lines = [
        "not run: policy does not allow this call of bank__refund".to_owned(),
        "why: closed on Sundays (policy sundays)".into(),
        "hint: do not repeat it as it is".into(),
        "tell the user: policy forbids this call of bank__refund: closed on Sundays".into(),
    ];
    reads(&denied, &lines);
    assert_eq!(denied["_meta"]["dev.toolgate/fault"]["fault"], "caller", "{denied}");
}

fn reads(result: &Value, lines: &[String]) {
    let said: Vec<&str> = text(result).lines().collect();
    assert_eq!(said.len(), lines.len(), "{said:#?}");
    for (said, line) in said.iter().zip(lines) {
        assert!(said.starts_with(line.as_str()), "{line:?} and not {said:?}");
    }
}

#[tokio::test]
async fn the_gateway_explains_itself_in_five_lines_to_clients_of_both_eras() {
    let bank = Bank::open("");
    let newer = bank.agent().modern("server/discover", json!({})).await.result();
    let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
    let older = bank.agent().raw(opening.to_string()).await.result();
    for said in [newer, older] {
        let instructions = said["instructions"].as_str().unwrap_or_else(|| panic!("no instructions: {said}"));
        let own = instructions.split("\n\n").next().expect("a first part");
        assert_eq!(own.lines().count(), 5, "{own}");
        for word in ["`server__tool`", "`search_tools`", "`pending_approval`", "`denied`", "report what ran"]
        {
            assert!(own.contains(word), "{word} in {own}");
        }
    }
}
