//! Policies that are written while the gateway runs: checked, tried on the calls that were made, put in force with a reason, and
//! taken back.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpAnswer;

use super::bank::{Bank, NO_HOLD, money, moved, status, stderr};
use super::database::Backing;
use super::on_both;
use crate::kit::{call, text};

on_both!(policies_are_tried_and_put_in_force_and_taken_back, what_does_not_compile_is_not_put_in_force);

const TOOL: &str = "bank__transfer";
const LARGE: &str = "permit (principal, action, resource);\n@id(\"large\") @reason(\"an audit\")\n\
    forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 100 };";
const GATE: &str = "@id(\"small\") forbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 10 };";

async fn put(bank: &Bank, value: Value, reason: &str) -> HttpAnswer {
    let body = json!({ "value": value, "reason": reason });
    bank.rest(&bank.gateway.admin, "PATCH", "/settings/policy", Some(body)).await
}

async fn ask(bank: &Bank, path: &str, body: Value) -> HttpAnswer {
    bank.rest(&bank.gateway.admin, "POST", path, Some(body)).await
}

async fn policies_are_tried_and_put_in_force_and_taken_back(backing: Backing) {
    let bank = Bank::open_on(backing, NO_HOLD);
    let agent = bank.agent();
    for amount in [1, 50, 500] {
        assert_eq!(status(&call(&agent, TOOL, money(amount)).await), "succeeded");
    }
    let trial = ask(&bank, "/policy/trial", json!({ "guard": LARGE, "gates": GATE })).await.json();
    assert_eq!(trial["summary"], "This change would have refused 1 call and asked a person about 1 call.");
    assert_eq!((&trial["judged"], &trial["supposed_callers"]), (&json!(3), &json!(0)), "{trial}");
    let changes = trial["changes"].as_array().expect("a list");
    let told: Vec<_> = changes.iter().map(|one| (&one["now"], &one["then"], &one["because"])).collect();
    let (permit, deny, approve) = (json!("permit"), json!("deny"), json!("approve"));
    let (large, small) = (json!(["large"]), json!(["small"]));
    assert_eq!(told, [(&permit, &deny, &large), (&permit, &approve, &small)]);
    assert_eq!(status(&call(&agent, TOOL, money(501)).await), "succeeded", "a trial changes nothing");

    let set = put(&bank, json!({ "guard": LARGE }), "the audit of spring").await;
    assert_eq!((set.status, &set.json()["version"]), (200, &json!(1)), "{set:?}");
    let denied = call(&agent, TOOL, money(502)).await;
    assert_eq!(status(&denied), "denied", "the next call is refused: {denied}");
    assert!(text(&denied).contains("an audit"), "{denied}");
    assert_eq!(status(&call(&agent, TOOL, money(2)).await), "succeeded");
    let changed = bank.events(&["--kind", "setting.changed"]);
    let expected =
        json!({ "key": "policy", "version": 1, "reason": "the audit of spring", "changed": ["guard"] });
    assert_eq!(changed[0]["detail"], expected);
    assert_eq!(bank.events(&["--kind", "policy.loaded"]).len(), 2);
    assert!(bank.gateway.cli(&["policy", "check"]).status.success(), "commands know the setting");

    let bank = bank.killed();
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, money(503)).await), "denied", "it lasts");
    assert_eq!(put(&bank, json!({}), "the audit is over").await.status, 200);
    assert_eq!(status(&call(&agent, TOOL, money(504)).await), "succeeded");
    let versions = bank.get(&bank.gateway.admin, "/settings/policy/versions").await.json();
    let first = &versions["versions"][1];
    assert_eq!((&first["version"], &first["reason"]), (&json!(1), &json!("the audit of spring")));
    assert_eq!(put(&bank, first["value"].clone(), "once more").await.status, 200);
    assert_eq!(
        status(&call(&agent, TOOL, money(505)).await),
        "denied",
        "an earlier version is in force again"
    );
    assert_eq!(bank.ran(), [1, 50, 500, 501, 2, 504].map(moved));
    bank.verify();
}

async fn what_does_not_compile_is_not_put_in_force(backing: Backing) {
    let bank = Bank::open_on(backing, NO_HOLD);
    let misspelt = LARGE.replace("input.amount", "input.amont");
    let checked = ask(&bank, "/policy/check", json!({ "guard": misspelt })).await.json();
    let error = &checked["errors"][0];
    assert_eq!((&error["file"], &error["line"]), (&json!("setting policy.guard"), &json!(3)), "{checked}");
    assert_eq!(error["hint"], "did you mean `amount`?");
    let trial = ask(&bank, "/policy/trial", json!({ "guard": misspelt })).await;
    assert_eq!((trial.status, &trial.json()["errors"][0]), (422, error), "{trial:?}");
    let refused = put(&bank, json!({ "guard": misspelt }), "why not").await;
    assert_eq!(refused.status, 422, "{refused:?}");
    assert_eq!(
        (&refused.json()["code"], &refused.json()["field"]),
        (&json!("invalid_setting"), &json!("value.guard"))
    );
    assert!(refused.text.contains("did you mean"), "{refused:?}");
    let silent = put(&bank, json!({ "guard": LARGE }), " ").await;
    assert_eq!((silent.status, &silent.json()["field"]), (422, &json!("reason")), "{silent:?}");
    let written = json!({ "guard": misspelt }).to_string();
    let told = bank.gateway.cli(&["settings", "set", "policy", &written, "--reason", "why not"]);
    assert!(!told.status.success() && stderr(&told).contains("did you mean"), "{told:?}");
    assert_eq!(status(&call(&bank.agent(), TOOL, money(500)).await), "succeeded");
    assert_eq!(bank.get(&bank.gateway.admin, "/settings/policy").await.json()["version"], 0);
}
