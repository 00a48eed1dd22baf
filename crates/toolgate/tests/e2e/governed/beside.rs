//! A server's offers besides tools take the path of a call, and a call's content besides its arguments is not
//! sent if people approved only these.

use serde_json::{Value, json};

use super::bank::{Bank, GATED, NO_HOLD, envelope, money, status};
use crate::kit::call;

const HOURS: &str = "bank://lobby/hours";
const VAULT: &str = "bank://vault/contents";
/// The newer era has one code for everything that is missing.
const NOT_FOUND: i64 = -32002;
const INVALID_PARAMS: i64 = -32602;

fn guard(rules: &str) -> String {
    format!("[policy]\nguard = '''{rules}'''\n{NO_HOLD}")
}

async fn uris(bank: &Bank) -> Vec<String> {
    let listed = bank.agent().modern("resources/list", json!({})).await.result();
    let resources = listed["resources"].as_array().expect("a list").iter();
    resources.map(|one| one["uri"].as_str().expect("a URI").to_owned()).collect()
}

#[tokio::test]
async fn what_policy_forbids_of_a_server_is_neither_listed_nor_read_and_the_attempt_is_recorded() {
    let bank = Bank::open(&guard(
        "permit (principal, action, resource);
         forbid (principal, action in [Action::\"bank:resources/read\", Action::\"bank:prompts/get\"], resource);",
    ));
    call(&bank.agent(), "bank__balance", json!({})).await;
    assert_eq!(uris(&bank).await, [""; 0]);
    let prompts = bank.agent().modern("prompts/list", json!({})).await.result();
    assert_eq!(prompts["prompts"], json!([]));
    let mut older = bank.agent();
    older.initialize("2025-11-25").await;
    let read = older.legacy(1, "resources/read", json!({ "uri": VAULT })).await;
    assert_eq!(read.error_code(), NOT_FOUND, "{read:?}");
    let prompt = bank.agent().modern("prompts/get", json!({ "name": "bank__letter" })).await;
    assert_eq!(prompt.error_code(), INVALID_PARAMS, "{prompt:?}");
    for tool in ["bank:resources/read", "bank:prompts/get"] {
        let ended = bank.events_of(&["--tool", tool, "--kind", "tool.call.completed"], 1);
        assert_eq!(ended[0]["outcome"], "denied", "{ended:?}");
    }
    assert_eq!(bank.ran(), ["balance {}"], "nothing else has reached the bank");
    bank.verify();
}

#[tokio::test]
async fn a_guard_that_names_tools_alone_closes_everything_else() {
    let bank = Bank::open(&guard("permit (principal, action == Action::\"bank:balance\", resource);"));
    call(&bank.agent(), "bank__balance", json!({})).await;
    assert_eq!(uris(&bank).await, [""; 0]);
    let read = bank.agent().modern("resources/read", json!({ "uri": HOURS })).await;
    assert_eq!(read.error_code(), INVALID_PARAMS, "{read:?}");
    assert!(read.text.contains("resource not found"), "{read:?}");
    bank.events_of(&["--tool", "bank:resources/read", "--outcome", "denied"], 1);
    assert_eq!(bank.ran(), ["balance {}"]);
}

#[tokio::test]
async fn policy_judges_the_uri_and_the_ledger_has_it() {
    let bank = Bank::open(&guard(
        "permit (principal, action, resource);
         @reason(\"the vault is private\")
         forbid (principal, action == Action::\"bank:resources/read\", resource)
         when { context.input.uri like \"bank://vault/*\" };",
    ));
    assert_eq!(uris(&bank).await, [HOURS, VAULT]);
    let read = bank.agent().modern("resources/read", json!({ "uri": HOURS })).await.result();
    assert_eq!(read["contents"][0]["text"], "12 bars of gold", "{read}");
    let refused = bank.agent().modern("resources/read", json!({ "uri": VAULT })).await;
    assert_eq!(refused.error_code(), INVALID_PARAMS, "{refused:?}");
    let error = &refused.json()["error"];
    assert_eq!(
        (&error["data"]["code"], &error["data"]["fault"]),
        (&json!("denied"), &json!("caller")),
        "{error}"
    );
    assert!(error["message"].as_str().is_some_and(|said| said.contains("the vault is private")), "{error}");
    assert_eq!(bank.ran(), [format!("resources/read {HOURS:?}")]);
    assert_eq!(bank.outcomes(), ["succeeded", "denied"]);
    let ended = bank.events(&["--tool", "bank:resources/read", "--outcome", "denied"]);
    let call = ended.iter().find_map(|one| one["call"].as_str()).expect("a call");
    let shown = bank.say(&["ledger", "show", call]);
    assert!(shown.contains(VAULT), "{shown}");
    let explained = bank.say(&[
        "policy",
        "explain",
        "--tool",
        "bank:resources/read",
        "--args",
        &json!({ "uri": VAULT }).to_string(),
    ]);
    assert!(explained.contains("the vault is private"), "{explained}");
    let checked = bank.gateway.cli(&["policy", "check"]);
    assert!(checked.status.success(), "{checked:?}");
}

#[tokio::test]
async fn people_agree_to_reading_a_resource_once() {
    let gates = "forbid (principal, action == Action::\"bank:resources/read\", resource);";
    let bank = Bank::open(&format!("[policy]\ngates = '{gates}'\n{NO_HOLD}"));
    let read = async || bank.agent().modern("resources/read", json!({ "uri": VAULT })).await;
    let pending = read().await;
    let data = pending.json()["error"]["data"].clone();
    assert_eq!(data["code"], "pending_approval", "{pending:?}");
    let approval = data["approval_id"].as_str().expect("an id").to_owned();
    assert_eq!(bank.approval(&approval)["arguments"], json!({ "uri": VAULT }));
    assert_eq!(bank.ran(), [""; 0]);
    bank.approve(&approval);
    let result = read().await.result();
    assert_eq!(result["contents"][0]["text"], "12 bars of gold", "{result}");
    assert_eq!(envelope(&result)["approval_id"], json!(approval), "{result}");
    assert_eq!(read().await.json()["error"]["data"]["code"], "pending_approval", "a yes is used once");
    assert_eq!(bank.ran(), [format!("resources/read {VAULT:?}")]);
    bank.verify();
}

#[tokio::test]
async fn what_was_not_shown_to_people_is_not_sent_under_their_yes() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let transfer = |beside: Value| json!({ "name": "bank__transfer", "arguments": money(5), "priority": "high", "_meta": beside });
    let asked = bank.agent().modern("tools/call", transfer(json!({}))).await.result();
    let approval = envelope(&asked)["approval_id"].as_str().expect("an id").to_owned();
    bank.approve(&approval);
    let added = json!({ "bank/override": { "account": "DE2" }, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" });
    let done = bank.agent().modern("tools/call", transfer(added)).await.result();
    assert_eq!(status(&done), "succeeded", "{done}");
    let warning = &envelope(&done)["warnings"][0];
    assert_eq!(warning["code"], "meta_withheld", "{done}");
    assert!(warning["message"].as_str().is_some_and(|said| said.contains("bank/override")), "{warning}");
    assert_eq!(bank.ran(), [format!("transfer {}", money(5))]);
    let started = bank.events(&["--kind", "tool.call.started"]);
    assert_eq!(started[0]["detail"]["meta_withheld"], json!(["bank/override"]), "{started:?}");
}

#[tokio::test]
async fn what_comes_with_a_call_that_asks_nobody_is_recorded_and_unknown_members_go_nowhere() {
    let bank = Bank::open(NO_HOLD);
    let meta = json!({ "bank/desk": 4, "bank/password": "hunter2", "dev.toolgate/note": "for the gateway" });
    let params = json!({ "name": "bank__refund", "arguments": money(5), "priority": "high", "_meta": meta });
    let done = bank.agent().modern("tools/call", params).await.result();
    assert_eq!(envelope(&done)["warnings"], json!([]), "{done}");
    let sent = json!({ "_meta": { "bank/desk": 4, "bank/password": "hunter2" } });
    assert_eq!(bank.ran(), [format!("refund {} beside {sent}", money(5))]);
    let started = bank.events(&["--kind", "tool.call.started"]);
    assert!(!started[0].to_string().contains("bank/desk"), "it could not be erased: {started:?}");
    let (call, meta) = (started[0]["call"].as_str(), started[0]["meta"].as_str());
    let (call, meta) = (call.expect("a call"), meta.expect("a commitment"));
    let kept = async || bank.get(&bank.gateway.admin, &format!("/ledger/bodies/{meta}")).await;
    assert_eq!(kept().await.json()["bank/desk"], 4);
    let shown = bank.say(&["ledger", "show", call]);
    assert!(shown.contains("bank/desk") && !shown.contains("hunter2"), "{shown}");
    bank.say(&["ledger", "erase", "--principal", started[0]["principal"].as_str().expect("a name"), "--yes"]);
    assert_eq!(kept().await.status, 404);
    assert!(!bank.say(&["ledger", "show", call]).contains("bank/desk"));
    bank.verify();
}
