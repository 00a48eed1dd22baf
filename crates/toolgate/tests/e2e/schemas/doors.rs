//! One definition behind every door: MCP of both eras, REST and the command line.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::{SchemaOffice, invoice};
use crate::files::archive::{data, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};

on_both!(a_schema_is_registered_once_through_every_door);

async fn a_schema_is_registered_once_through_every_door(backing: Backing) {
    let office = SchemaOffice::open(backing, "standard");
    let mut client = office.modeller();
    let arguments =
        json!({ "name": "invoice", "definition": invoice(json!({})), "description": "What a customer owes" });
    let first = call(&client, "schema__register", arguments.clone()).await;
    let envelope = &first["structuredContent"];
    let schema = envelope["data"]["schema"].clone();
    assert_eq!((&schema["version"], &schema["status"]), (&json!(1), &json!("draft")), "{first}");
    assert_eq!((&schema["namespace"], &schema["compatibility"]), (&json!("default"), &json!("backward")));
    assert_eq!(envelope["data"]["is_duplicate"], false);
    assert_eq!(envelope["refs"], json!([{ "type": "schema", "id": schema["id"] }]));
    let is_same = |data: &Value| {
        assert_eq!((&data["schema"]["id"], &data["is_duplicate"]), (&schema["id"], &json!(true)), "{data}");
    };
    is_same(data(&call(&client, "schema.register", arguments.clone()).await));
    client.initialize("2025-06-18").await;
    let params = json!({ "name": "schema__register", "arguments": arguments });
    is_same(data(&client.legacy(1, "tools/call", params).await.result()));
    // The order of members is no difference.
    let mut turned = arguments.clone();
    turned["definition"] = json!({ "properties": { "total": { "minimum": 0, "type": "integer" } },
        "additionalProperties": false, "required": ["total"], "type": "object" });
    is_same(&office.done("register", turned).await);
    let written = invoice(json!({})).to_string();
    let words = ["schema", "register", "--name", "invoice", "--definition", &written, "--json"];
    let told: Value = serde_json::from_str(&office.site.say(&words)).expect("JSON");
    is_same(&told["data"]);
    assert_eq!(office.site.told("schema.registered").await.len(), 1, "nothing happened the other times");
}

#[tokio::test]
async fn a_value_is_checked_wherever_it_comes_from() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    office.register("invoice", invoice(json!({}))).await;
    let none_active =
        office.refused("validate", json!({ "name": "invoice", "value": {} }), 404, "unknown_schema").await;
    assert!(text(&none_active["message"]).contains("active"), "{none_active}");
    office.done("promote", json!({ "name": "invoice", "version": 1, "expected": 0 })).await;
    let good = office.done("validate", json!({ "name": "invoice", "value": { "total": 5 } })).await;
    assert_eq!((&good["valid"], &good["problems"]), (&json!(true), &json!([])), "{good}");
    let bad =
        office.done("validate", json!({ "name": "invoice", "value": { "total": "ten", "note": 1 } })).await;
    assert_eq!(bad["valid"], false, "{bad}");
    let paths: Vec<&str> =
        bad["problems"].as_array().expect("a list").iter().map(|one| text(&one["path"])).collect();
    assert!(paths.contains(&"/total"), "{bad}");
    // null is a value like others.
    assert_eq!(office.done("validate", json!({ "name": "invoice", "value": null })).await["valid"], false);
    let request = office.site.request(office.admin(), "POST", "/files?name=invoice.json", None);
    let request = request.header("content-type", "application/octet-stream").body("{\"total\": 0.5}");
    let file = HttpClient::finish(request).await.json();
    let of_file = office.done("validate", json!({ "name": "invoice", "source_id": file["id"] })).await;
    assert_eq!(
        (&of_file["valid"], &of_file["problems"][0]["path"]),
        (&json!(false), &json!("/total")),
        "{of_file}"
    );
    let told = office.site.say(&["schema", "validate", "--name", "invoice", "--value", "{\"total\": 3}"]);
    assert!(told.contains("valid: true"), "{told}");
}

#[tokio::test]
async fn versions_are_shown_listed_and_compared() {
    let office = SchemaOffice::open(Backing::Sqlite, "standard");
    office.register("invoice", invoice(json!({}))).await;
    office.register("invoice", invoice(json!({ "note": { "type": "string" } }))).await;
    office.register("colour", json!({ "enum": ["red"] })).await;
    let shown = office.done("get", json!({ "name": "invoice", "version": 2, "compare_to": 1 })).await;
    assert_eq!(shown["definition"], invoice(json!({ "note": { "type": "string" } })), "{shown}");
    assert_eq!(shown["difference"]["summary"], "only optional members were added: `note`", "{shown}");
    let by_id = office.done("get", json!({ "schema_id": shown["schema"]["id"] })).await;
    assert_eq!(by_id["schema"], shown["schema"]);
    let listed = office.done("list", json!({ "name": "invoice", "limit": 1 })).await;
    assert_eq!(listed["schemas"][0]["version"], 2, "{listed}");
    let rest = office.done("list", json!({ "name": "invoice", "cursor": listed["next_cursor"] })).await;
    assert_eq!((&rest["schemas"][0]["version"], &rest["next_cursor"]), (&json!(1), &json!(null)), "{rest}");
    let told = office.site.say(&["schema", "list", "--status", "draft"]);
    assert!(told.contains("name: colour") && told.contains("name: invoice"), "{told}");
    assert_eq!(
        names(&office.modeller()).await,
        [
            "schema__deprecate",
            "schema__get",
            "schema__list",
            "schema__promote",
            "schema__register",
            "schema__validate"
        ]
    );
}
