//! Promotions: people agree to a difference in words where care asks for it, and the promise of the name is kept.

use serde_json::{Value, json};

use super::{SchemaOffice, invoice};
use crate::files::archive::{data, text};
use crate::governed::bank::{pending, status};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::call;

on_both!(people_agree_to_a_difference_in_words, a_promotion_supersedes_and_a_deprecation_ends);

const PROMOTE: &str = "schema.promote";

fn version(number: u64) -> Value {
    json!({ "name": "invoice", "version": number })
}

async fn people_agree_to_a_difference_in_words(backing: Backing) {
    let office = SchemaOffice::open(backing, "regulated");
    let client = office.modeller();
    let register = |definition: Value| json!({ "name": "invoice", "definition": definition });
    let first = call(&client, "schema.register", register(invoice(json!({})))).await;
    assert_eq!(status(&first), "succeeded", "a draft concerns nobody: {first}");
    let id = pending(&call(&client, PROMOTE, version(1)).await);
    office.site.say(&["approvals", "approve", &id]);
    assert_eq!(data(&call(&client, PROMOTE, version(1)).await)["schema"]["status"], "active");

    let next =
        call(&client, "schema.register", register(invoice(json!({ "note": { "type": "string" } })))).await;
    let next = data(&next).clone();
    assert_eq!(next["difference"]["summary"], "only optional members were added: `note`", "{next}");
    assert_eq!(next["problem"], json!(null), "{next}");
    let id = pending(&call(&client, PROMOTE, version(2)).await);
    let approval = office.site.get(&format!("/approvals/{id}")).await;
    assert!(text(&approval["attachments"][0]["name"]).starts_with("schema-change-"), "{approval}");
    let path = format!("/approvals/{id}/attachments/0");
    let words = office.site.rest(office.admin(), "GET", &path, None).await.text;
    let active = office.done("get", json!({ "name": "invoice" })).await["schema"].clone();
    for part in [
        "what changed since version 1: only optional members were added: `note`",
        "\"note\": {",
        "compatibility: backward, proved towards version 1",
        text(&active["sha256"]),
        text(&next["schema"]["sha256"]),
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(office.status("invoice", 2).await, "draft", "not before people agree");
    office.site.say(&["approvals", "approve", &id]);
    let done = call(&client, PROMOTE, version(2)).await;
    assert_eq!(
        (&data(&done)["superseded"]["version"], &data(&done)["compared"]),
        (&json!(1), &json!([1])),
        "{done}"
    );
    office.site.say(&["ledger", "verify"]);
}

#[tokio::test]
async fn an_approval_is_for_one_old_and_one_new_version() {
    let office = SchemaOffice::open(Backing::Sqlite, "regulated");
    let client = office.modeller();
    for (place, more) in [json!({}), json!({ "a": {} }), json!({ "b": {} })].into_iter().enumerate() {
        let arguments = json!({ "name": "invoice", "definition": invoice(more), "compatibility": "none" });
        let said = call(&client, "schema.register", arguments).await;
        assert_eq!(data(&said)["schema"]["version"], place + 1, "{said}");
    }
    let promote = async |number: u64| {
        office.site.say(&["approvals", "approve", &pending(&call(&client, PROMOTE, version(number)).await)]);
        data(&call(&client, PROMOTE, version(number)).await)["schema"]["status"].clone()
    };
    assert_eq!(promote(1).await, "active");
    let asked = pending(&call(&client, PROMOTE, version(2)).await);
    office.site.say(&["approvals", "approve", &asked]);
    assert_eq!(promote(3).await, "active");
    // What people agreed to was a step from the first version.
    let again = pending(&call(&client, PROMOTE, version(2)).await);
    assert_ne!(again, asked);
    assert_eq!(office.status("invoice", 2).await, "draft");
}

#[tokio::test]
async fn care_decides_who_is_asked() {
    for (level, expected) in [
        ("exploratory", "succeeded"),
        ("standard", "succeeded"),
        ("regulated", "pending_approval"),
        ("audit_critical", "pending_approval"),
    ] {
        let office = SchemaOffice::open(Backing::Sqlite, level);
        let client = office.modeller();
        let arguments = json!({ "name": "invoice", "definition": invoice(json!({})) });
        let registered = call(&client, "schema.register", arguments.clone()).await;
        if level == "audit_critical" {
            office.site.say(&["approvals", "approve", &pending(&registered)]);
            call(&client, "schema.register", arguments).await;
        }
        assert_eq!(status(&call(&client, PROMOTE, version(1)).await), expected, "{level}");
    }
}

async fn a_promotion_supersedes_and_a_deprecation_ends(backing: Backing) {
    let office = SchemaOffice::open(backing, "standard");
    office.register("invoice", invoice(json!({}))).await;
    office.register("invoice", invoice(json!({ "note": {} }))).await;
    office.done("promote", version(1)).await;
    office.done("promote", json!({ "name": "invoice", "version": 2, "expected": 1 })).await;
    assert_eq!(
        (office.status("invoice", 1).await, office.status("invoice", 2).await),
        ("superseded".into(), "active".into())
    );
    let ended = office
        .done("deprecate", json!({ "name": "invoice", "version": 2, "reason": "replaced by receipts" }))
        .await;
    assert_eq!(ended["schema"]["status"], "deprecated");
    office.refused("get", json!({ "name": "invoice" }), 404, "unknown_schema").await;
    let still =
        office.done("validate", json!({ "name": "invoice", "version": 2, "value": { "total": 1 } })).await;
    assert_eq!(still["valid"], true);
    let told = office.site.told("schema.deprecated").await;
    assert_eq!(told[0]["detail"]["reason"], "replaced by receipts", "{told:?}");
    assert_eq!(office.site.told("schema.promoted").await[1]["detail"]["superseded"], 1);
}

#[tokio::test]
async fn the_promise_of_a_name_is_kept_or_nothing_is_promoted() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    let wider = invoice(json!({ "total": { "type": "number", "minimum": 0 } }));
    let coded = invoice(json!({ "code": { "type": "string", "pattern": "^[A-Z]+$" } }));
    for (mode, second, code) in [
        ("backward", invoice(json!({ "note": {} })), None),
        ("backward", wider.clone(), None),
        ("forward", wider.clone(), Some("incompatible_schema")),
        ("full", invoice(json!({ "note": {} })), Some("incompatible_schema")),
        ("none", json!({ "type": "string" }), None),
        ("backward", json!({ "type": "string" }), Some("incompatible_schema")),
        ("backward", coded.clone(), None),
    ] {
        let name = format!("{mode}-{}", office.site.told("schema.registered").await.len());
        let first = json!({ "name": name, "definition": invoice(json!({})), "compatibility": mode });
        office.done("register", first).await;
        office.done("promote", json!({ "name": name, "version": 1 })).await;
        office.register(&name, second.clone()).await;
        let promote = json!({ "name": name, "version": 2 });
        match code {
            None => drop(office.done("promote", promote).await),
            Some(code) => {
                let error = office.refused("promote", promote, 409, code).await;
                assert!(text(&error["message"]).contains("for example"), "{error}");
                assert_eq!(office.status(&name, 2).await, "draft");
            }
        }
    }
    // Nobody knows whether one pattern is within another.
    office.register("coded", coded).await;
    office.done("promote", json!({ "name": "coded", "version": 1 })).await;
    office.register("coded", invoice(json!({ "code": { "type": "string", "pattern": "^[A-Z]*$" } }))).await;
    let error =
        office.refused("promote", json!({ "name": "coded", "version": 2 }), 409, "unproven_schema").await;
    assert!(
        text(&error["message"]).contains("/code") && text(&error["hint"]).contains("another name"),
        "{error}"
    );
}

#[tokio::test]
async fn a_transitive_promise_is_about_every_earlier_version() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    let of = |values: Value| json!({ "enum": values });
    for (name, mode) in [("last", "forward"), ("all", "forward_transitive")] {
        let first = json!({ "name": name, "definition": of(json!(["a", "b"])), "compatibility": mode });
        office.done("register", first).await;
        office.register(name, of(json!(["a"]))).await;
        office.done("promote", json!({ "name": name, "version": 1 })).await;
        office.done("promote", json!({ "name": name, "version": 2 })).await;
        office.done("deprecate", json!({ "name": name, "version": 2 })).await;
        office.register(name, of(json!(["a", "b", "c"]))).await;
        let error = office
            .refused("promote", json!({ "name": name, "version": 3 }), 409, "incompatible_schema")
            .await;
        assert!(text(&error["message"]).contains("towards version 2"), "{error}");
    }
    office.register("all", json!({ "const": "a" })).await;
    let done = office.done("promote", json!({ "name": "all", "version": 4 })).await;
    assert_eq!(done["compared"], json!([2, 1]), "{done}");
}
