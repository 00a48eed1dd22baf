//! One path: a call that policy denies cannot run through any door, and the ledger records the refusal. An
//! agent is not told so: it sees such a tool as unknown.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient, until_async};

use super::bank::{Bank, FORBIDDEN, NO_HOLD, envelope, money, pending, status};
use super::database::Backing;
use crate::doors::{Pair, Stdio, WAIT, modern_meta};
use crate::kit::call;

const TOOL: &str = "bank__transfer";

/// Counts the ledger's denied calls, and checks each door against it.
struct Watch {
    bank: Bank,
    denied: usize,
}

impl Watch {
    fn new() -> Self {
        Self { bank: Bank::open(&format!("{FORBIDDEN}{NO_HOLD}")), denied: 0 }
    }

    /// One more call was denied: recorded as a decision and as an end, and nothing has run.
    fn one_more(&mut self, door: &str) {
        self.more(door, 1);
    }

    fn more(&mut self, door: &str, count: usize) {
        self.denied += count;
        let ended =
            self.bank.events_of(&["--kind", "tool.call.completed", "--outcome", "denied"], self.denied);
        let decided = self.bank.events(&["--kind", "policy.decided", "--decision", "deny"]);
        assert_eq!((decided.len(), ended.len()), (self.denied, self.denied), "{door}");
        for (decided, ended) in decided.iter().zip(&ended) {
            assert_eq!(decided["call"], ended["call"], "{door}: a decision and the end of the same call");
            assert_eq!(decided["tool"], "bank:transfer", "{door}");
            let named = decided["detail"]["denial"]["policies"].as_array().map_or(0, Vec::len);
            assert_eq!(named, 1, "{door}: the policy that forbids it is named: {decided}");
        }
        assert_eq!(self.bank.events(&["--kind", "tool.call.started"]), Vec::<Value>::new(), "{door}");
        assert_eq!(self.bank.ran(), Vec::<String>::new(), "{door}");
    }
}

/// The result that tells a caller that its call was denied.
fn refused(result: &Value, door: &str) {
    assert_eq!(result["isError"], true, "{door}: {result}");
    assert_eq!(status(result), "denied", "{door}: {result}");
    let fault = &result["_meta"]["dev.toolgate/fault"];
    assert_eq!(
        (fault["code"].as_str(), fault["retry"].as_bool()),
        (Some("denied"), Some(false)),
        "{door}: {result}"
    );
    assert!(
        envelope(result)["tool_call_id"].as_str().is_some_and(|id| id.starts_with("tc_")),
        "{door}: {result}"
    );
}

/// Checks the response for an unknown tool, which reveals nothing about an existing one.
fn unknown(response: &Value, name: &str, door: &str) {
    assert_eq!(response.get("result"), None, "{door}: {response}");
    let error = &response["error"];
    let said = (&error["code"], &error["message"]);
    assert_eq!(said, (&json!(-32602), &json!(format!("unknown tool: {name}"))), "{door}");
    // Other names may be suggested, of tools that are seen.
    assert!(error["data"]["hint"].as_str().is_none_or(|hint| !hint.contains("transfer")), "{door}: {error}");
}

/// Neither name of the tool is on the list that this is.
fn unlisted(list: &Value, door: &str) {
    let names: Vec<&str> =
        list["tools"].as_array().expect("a list").iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.contains(&"bank__balance"), "{door}: {names:?}");
    assert!(!list.to_string().contains("transfer"), "{door}: {list}");
}

fn params() -> Value {
    params_of(TOOL)
}

fn params_of(name: &str) -> Value {
    json!({ "name": name, "arguments": money(1) })
}

#[tokio::test]
async fn a_denied_tool_runs_through_no_http_door() {
    let mut watch = Watch::new();
    let newer = watch.bank.agent();
    newer.tool_names(1).await;
    unlisted(&newer.modern("tools/list", json!({})).await.result(), "newer era");
    for name in ["bank__nothing", "bank:nothing"] {
        unknown(&newer.modern("tools/call", params_of(name)).await.response(), name, "nobody's tool");
        watch.more("nobody's tool", 0);
    }
    for name in [TOOL, "bank:transfer"] {
        unknown(&newer.modern("tools/call", params_of(name)).await.response(), name, "newer era");
        watch.one_more("newer era");
    }
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut older = watch.bank.agent();
        older.initialize(version).await;
        unlisted(&older.legacy(1, "tools/list", json!({})).await.result(), version);
        unknown(&older.legacy(2, "tools/call", params()).await.response(), TOOL, version);
        watch.one_more(version);
    }
    let mut pair = Pair::initialized(&watch.bank.gateway, &json!({})).await;
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params() });
    assert_eq!(pair.post(body.to_string()).await, 202);
    unknown(&pair.events.answer(1).await, TOOL, "/sse");
    watch.one_more("/sse");
}

#[tokio::test]
async fn a_call_that_leads_nowhere_is_recorded_as_refused() {
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    agent.tool_names(1).await;
    assert_eq!(agent.modern("tools/call", params_of("bank__nothing")).await.error_code(), -32602);
    let rest = bank.rest(&bank.gateway.agent, "POST", "/tools/call", Some(params_of("bank:nothing"))).await;
    assert_eq!(rest.status, 404, "{rest:?}");
    let mut told: Vec<(String, String)> = Vec::new();
    for end in bank.events_of(&["--kind", "tool.call.completed"], 2) {
        assert_eq!((&end["outcome"], &end["tool"]), (&json!("refused"), &Value::Null), "{end}");
        told.push((end["detail"]["code"].to_string(), end["detail"]["asked"].to_string()));
    }
    told.sort();
    let expected = ["bank:nothing", "bank__nothing"]
        .map(|asked| (json!("unknown_tool").to_string(), json!(asked).to_string()));
    assert_eq!(told, expected);
    assert_eq!(bank.ran(), Vec::<String>::new());
    bank.verify();
}

#[tokio::test]
async fn a_flood_of_calls_that_lead_nowhere_does_not_fill_the_ledger() {
    /// Of one principal, in a minute.
    const RECORDED_MAX: usize = 60;
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    for _ in 0..RECORDED_MAX + 20 {
        assert_eq!(agent.modern("tools/call", params_of("bank__nothing")).await.error_code(), -32602);
    }
    bank.events_of(&["--outcome", "refused"], RECORDED_MAX);
    assert_eq!(status(&agent.modern("tools/call", params()).await.result()), "succeeded");
    assert_eq!(bank.events(&["--outcome", "refused"]).len(), RECORDED_MAX);
    assert_eq!(bank.outcomes().len(), RECORDED_MAX + 1);
}

#[tokio::test]
async fn a_denied_tool_runs_in_no_batch() {
    let mut watch = Watch::new();
    let mut older = watch.bank.agent();
    older.initialize("2025-03-26").await;
    let request = |id: u64, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": money(id) } });
    let batch = json!([request(1, TOOL), request(2, "bank__balance"), request(3, TOOL)]);
    let answer = HttpClient::finish(older.legacy_post().body(batch.to_string())).await;
    let answers: Vec<Value> = answer.messages().into_iter().flat_map(flattened).collect();
    let of =
        |id: u64| answers.iter().find(|one| one["id"] == id).unwrap_or_else(|| panic!("{id}: {answer:?}"));
    unknown(of(1), TOOL, "first of a batch");
    unknown(of(3), TOOL, "last of a batch");
    assert_eq!(status(&of(2)["result"]), "succeeded");
    let ran = watch.bank.ran();
    assert_eq!(ran.len(), 1, "the one between them runs: {ran:?}");
    assert!(ran[0].starts_with("balance "), "{ran:?}");
    watch.denied = 2;
    let denied = watch.bank.events_of(&["--outcome", "denied"], watch.denied);
    assert_eq!(denied.len(), watch.denied);
}

/// A batch may be answered as one array or one by one.
fn flattened(message: Value) -> Vec<Value> {
    match message {
        Value::Array(all) => all,
        one => vec![one],
    }
}

#[tokio::test]
async fn a_denied_tool_runs_through_no_pipe() {
    let mut watch = Watch::new();
    let mut older = Stdio::initialized(&watch.bank.gateway, "2025-11-25", &json!({})).await;
    unlisted(&older.request(1, "tools/list", json!({})).await["result"], "stdio, older era");
    unknown(&older.request(2, "tools/call", params()).await, TOOL, "stdio, older era");
    watch.one_more("stdio, older era");
    let mut newer = Stdio::open(&watch.bank.gateway);
    let mut with_meta = params();
    with_meta["_meta"] = modern_meta(&json!({}));
    unknown(&newer.request(1, "tools/call", with_meta.clone()).await, TOOL, "stdio, newer era");
    watch.one_more("stdio, newer era");
    for stdio in [older, newer] {
        assert!(stdio.end().await.1.success());
    }
    watch.bank.gateway.end(false);
    let mut alone = Stdio::open(&watch.bank.gateway);
    unknown(&alone.request(1, "tools/call", with_meta).await, TOOL, "stdio without a gateway");
    assert!(alone.end().await.1.success());
    watch.one_more("stdio without a gateway");
    watch.bank.verify();
}

#[tokio::test]
async fn a_denied_tool_runs_from_no_command_line() {
    let mut watch = Watch::new();
    for door in ["with a gateway", "without a gateway"] {
        let output = watch.bank.gateway.cli(&["--json", "tools", "call", TOOL, "amount:=1", "account=DE1"]);
        assert!(!output.status.success(), "{door}: {output:?}");
        let result: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{door}: {output:?}"));
        refused(&result, door);
        watch.one_more(door);
        watch.bank.gateway.end(false);
    }
    watch.bank.verify();
}

#[tokio::test]
async fn a_denied_tool_runs_through_no_rest_call() {
    let mut watch = Watch::new();
    let (agent, admin) = (watch.bank.gateway.agent.clone(), watch.bank.gateway.admin.clone());
    // The suggestions in the hint are visible tools.
    let told = |answer: &HttpAnswer, name: &str| {
        let mut problem = answer.json();
        let hint = problem["hint"].take().to_string();
        assert!(hint.contains("did you mean") && !hint.contains("transfer"), "{hint}");
        (answer.status, problem.to_string().replace(name, "NAME"))
    };
    let nobodys = watch.bank.rest(&agent, "POST", "/tools/call", Some(params_of("bank__nothing"))).await;
    assert_eq!((nobodys.status, nobodys.json()["code"].as_str()), (404, Some("unknown_tool")), "{nobodys:?}");
    for name in ["bank:transfer", TOOL] {
        let answer = watch.bank.rest(&agent, "POST", "/tools/call", Some(params_of(name))).await;
        assert_eq!(told(&answer, name), told(&nobodys, "bank__nothing"), "it tells nothing else");
        watch.one_more(name);
    }
    for name in ["bank:transfer", TOOL] {
        let answer = watch.bank.rest(&admin, "POST", "/tools/call", Some(params_of(name))).await;
        assert_eq!(answer.status, 403, "{answer:?}");
        let said = answer.json();
        assert_eq!((&said["status"], &said["data"]), (&json!("denied"), &Value::Null), "{said}");
        assert_eq!(said["error"]["code"], "denied", "{said}");
        watch.one_more(name);
    }
}

#[tokio::test]
async fn a_denied_tool_gets_no_task() {
    let mut watch = Watch::new();
    let mut newer = watch.bank.agent();
    newer.capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    unknown(&newer.modern("tools/call", params()).await.response(), TOOL, "tasks extension");
    watch.one_more("tasks extension");
    let mut older = watch.bank.agent();
    older.capabilities = json!({ "tasks": {} });
    older.initialize("2025-11-25").await;
    let mut augmented = params();
    augmented["task"] = json!({ "ttl": 60000 });
    let answer = older.legacy(1, "tools/call", augmented).await.response();
    // The older tasks are not offered: the call is answered like any other.
    unknown(&answer, TOOL, "task of the older era");
    watch.one_more("task of the older era");
}

#[tokio::test]
async fn a_tool_that_is_forbidden_while_its_call_waits_does_not_run() {
    let gates = "forbid (principal, action == Action::\"bank:transfer\", resource);";
    let toml = format!("[policy]\nfolder = \"policy\"\n{NO_HOLD}");
    let bank = Bank::open_with(Backing::Sqlite, &toml, &[("policy/gates.cedar", gates)]);
    let mut handles = bank.agent();
    handles.capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let task = call(&handles, TOOL, money(1)).await;
    assert_eq!(task["resultType"], "task", "{task}");
    let id = pending(&task);
    let forbidden = "permit (principal, action, resource);\nforbid (principal, action == Action::\"bank:transfer\", resource);";
    std::fs::write(bank.gateway.folder().join("policy/guard.cedar"), forbidden).expect("written");
    let taken_up =
        until_async(WAIT, || async { (bank.events(&["--kind", "policy.loaded"]).len() > 1).then_some(()) });
    taken_up.await.expect("the new policies are taken up");
    // The request may have been withdrawn before the approval; neither lets the call run.
    drop(bank.gateway.cli(&["approvals", "approve", &id]));
    let ended = until_async(WAIT, || async {
        let task = handles.modern("tasks/get", json!({ "taskId": task["taskId"] })).await.result();
        (task["status"] != "working").then_some(task)
    });
    let ended = ended.await.expect("the task ends");
    refused(&ended["result"], "a task that waited");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.events(&["--kind", "policy.decided", "--decision", "deny"]).len(), 1);
}
