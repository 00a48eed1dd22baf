//! Arguments and results in the ledger: an export does not give them away, a change is noticed, and a person's can be
//! erased.

use serde_json::{Value, json};
use toolgate_core::Digest;

use super::bank::{Bank, NO_HOLD, money, status, stderr};
use super::database::Backing;
use super::on_both;
use super::tampering::tamper;
use crate::kit::call;

on_both!(a_pin_is_not_found_by_trying, a_changed_body_is_told_and_not_shown, a_persons_data_is_erased,);

/// A bank, after one call of Ann and one of Ben with the same arguments.
async fn visited(backing: Backing) -> Bank {
    let bank = Bank::open_on(backing, NO_HOLD);
    for person in ["ann", "ben"] {
        let token = bank.token(&format!("--role agent --principal {person}"));
        let agent = bank.agent_with(&token);
        assert_eq!(status(&call(&agent, "bank__transfer", money(4711)).await), "succeeded");
    }
    bank
}

/// The end of a person's call.
fn end(bank: &Bank, person: &str) -> Value {
    let ends = bank.events(&["--principal", person, "--kind", "tool.call.completed"]);
    ends.last().cloned().unwrap_or_else(|| panic!("{person} made a call"))
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The status and the answer for the arguments of a call.
async fn arguments(bank: &Bank, end: &Value) -> (u16, Value) {
    let answer = bank.get(&bank.gateway.admin, &format!("/ledger/bodies/{}", text(&end["input"]))).await;
    (answer.status, answer.json())
}

async fn a_pin_is_not_found_by_trying(backing: Backing) {
    let bank = visited(backing).await;
    let (ann, ben) = (end(&bank, "ann"), end(&bank, "ben"));
    assert_ne!(ann["input"], ben["input"], "equal arguments of two people look different");
    let path = format!("/ledger/bodies/{}", text(&ann["input"]));
    let stored = bank.get(&bank.gateway.admin, &path).await.text;
    assert_eq!(serde_json::from_str::<Value>(&stored).expect("JSON"), money(4711));
    let exported = bank.say(&["ledger", "export"]);
    assert!(exported.contains(text(&ann["input"])));
    assert!(!exported.contains(&Digest::of(&stored).to_string()), "a plain digest can be guessed");
}

async fn a_changed_body_is_told_and_not_shown(backing: Backing) {
    let bank = visited(backing).await;
    let ann = end(&bank, "ann");
    tamper(&bank, "UPDATE ledger_bodies SET body = replace(body, '4711', '4712') WHERE body LIKE '%4711%'");
    let (status, problem) = arguments(&bank, &ann).await;
    assert_eq!((status, text(&problem["code"])), (500, "ledger_body_changed"), "{problem}");
    let whole = bank.get(&bank.gateway.admin, &format!("/ledger/{}", text(&ann["call"]))).await.json();
    assert!(whole["bodies"].get(text(&ann["input"])).is_none(), "{whole}");
    assert!(whole["changed"].as_array().is_some_and(|changed| changed.contains(&ann["input"])), "{whole}");
    let shown = bank.gateway.cli(&["ledger", "show", text(&ann["call"])]);
    let told = String::from_utf8_lossy(&shown.stdout);
    assert!(!shown.status.success() && told.contains("changed after") && !told.contains("4712"), "{told}");
    let verified = bank.gateway.cli(&["--json", "ledger", "verify"]);
    assert!(!verified.status.success(), "{verified:?}");
    let fault = &serde_json::from_slice::<Value>(&verified.stdout).expect("JSON")["fault"];
    assert_eq!((&fault["what"], &fault["body"]["call"]), (&json!("body_edited"), &ann["call"]), "{fault}");
    bank.say(&["ledger", "verify", "--no-bodies"]);
}

async fn a_persons_data_is_erased(backing: Backing) {
    let bank = visited(backing).await;
    let (ann, ben) = (end(&bank, "ann"), end(&bank, "ben"));
    let of_ann = ["ledger", "erase", "--principal", "ann"];
    let found = bank.say_json(&[&of_ann[..], &["--dry-run"]].concat());
    assert_eq!((&found["erased"], &found["bodies"]), (&json!(false), &json!(2)), "{found}");
    let unasked = bank.gateway.cli(&of_ann);
    assert!(!unasked.status.success() && stderr(&unasked).contains("--yes"), "{unasked:?}");
    assert_eq!(arguments(&bank, &ann).await, (200, money(4711)), "nothing is erased yet");

    let erased = bank.say_json(&[&of_ann[..], &["--yes", "--reason", "request 1"]].concat());
    assert_eq!((&erased["erased"], &erased["bodies"]), (&json!(true), &json!(2)), "{erased}");
    assert_eq!(arguments(&bank, &ann).await.0, 404);
    assert_eq!(arguments(&bank, &ben).await, (200, money(4711)), "Ben's are his own");
    let told = bank.events(&["--kind", "ledger.erased"]);
    assert_eq!(told.len(), 1);
    let mut detail = told[0]["detail"].clone();
    let ends = detail.as_object_mut().and_then(|detail| detail.remove("ends")).expect("ends");
    assert!(ends["gateway"].as_i64().is_some_and(|number| number > 0), "{ends}");
    let expected = json!({ "principal": "ann", "bodies": 2, "refs": 0, "results": 0, "approvals": 0,
        "grants": 0, "reason": "request 1" });
    assert_eq!(detail, expected);
    assert!(bank.say(&["ledger", "verify"]).contains("2 bodies erased on request"));
    assert_eq!(end(&bank, "ann")["hash"], ann["hash"], "the events stay");

    let again = bank.say_json(&[&of_ann[..], &["--yes"]].concat());
    assert_eq!((&again["erased"], &again["bodies"]), (&json!(false), &json!(0)), "{again}");
    let unknown = bank.gateway.cli(&["ledger", "erase", "--principal", "nobody", "--yes"]);
    assert!(!unknown.status.success() && stderr(&unknown).contains("no such calls"), "{unknown:?}");
    assert_eq!(bank.events(&["--kind", "ledger.erased"]).len(), 1);

    // She goes on, and what she does from now on is kept.
    let token = bank.token("--role agent --principal ann");
    call(&bank.agent_with(&token), "bank__transfer", money(4711)).await;
    assert_eq!(arguments(&bank, &end(&bank, "ann")).await, (200, money(4711)));
    assert_eq!(arguments(&bank, &ann).await.0, 404, "what was erased does not come back");
    bank.verify();
}

#[tokio::test]
async fn only_an_admin_erases_over_the_api() {
    let bank = visited(Backing::Sqlite).await;
    let ann = end(&bank, "ann");
    let erase = async |token: &str, body: Value| bank.rest(token, "POST", "/ledger/erase", Some(body)).await;
    let operator = bank.token("--role operator --principal olga");
    let refused = erase(&operator, json!({ "principal": "ann" })).await;
    assert_eq!((refused.status, text(&refused.json()["code"])), (403, "wrong_role"));
    let admin = bank.gateway.admin.clone();
    let found = erase(&admin, json!({ "principal": "ann", "dry_run": true })).await.json();
    assert_eq!((&found["dry_run"], &found["bodies"], &found["calls"]), (&json!(true), &json!(2), &json!(1)));
    assert_eq!(arguments(&bank, &ann).await.0, 200);
    let erased = erase(&admin, json!({ "principal": "ann", "call": ann["call"], "reason": "asked" })).await;
    assert_eq!((erased.status, &erased.json()["bodies"]), (200, &json!(2)));
    assert_eq!(arguments(&bank, &ann).await.0, 404);
    assert_eq!(erase(&admin, json!({ "principal": "nobody" })).await.status, 404);
    assert_eq!(erase(&admin, json!({ "principal": 1 })).await.json()["code"], "field_invalid");
    bank.verify();
}
