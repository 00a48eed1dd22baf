//! Schemas over REST: versions, and what changed between them.

use http::StatusCode;
use serde_json::json;
use toolgate_core::id::SchemaId;
use toolgate_core::port::BoxFuture;
use toolgate_core::schema::SchemaRecord;
use toolgate_core::{Digest, PrincipalId, RawJson, Role};
use toolgate_store::{Actor, NewSchema};

use super::file_kit::{agent, operator};
use super::gate::{Gate, approver, somebody};
use super::run_kit::told;
use crate::{SchemaChangeView, SchemaChangesView, SchemaPort};

/// Says whether two versions are the same.
pub(super) struct ByDigest;

impl SchemaPort for ByDigest {
    fn changes(&self, old: SchemaRecord, new: SchemaRecord) -> BoxFuture<'static, SchemaChangesView> {
        let words = if old.digest == new.digest { "nothing changed" } else { "it changed" };
        let change = SchemaChangeView { path: "total".to_owned(), words: words.to_owned() };
        let view = SchemaChangesView { from: old.version, summary: words.to_owned(), changes: vec![change] };
        Box::pin(std::future::ready(view))
    }
}

async fn registered(gate: &Gate, name: &str, definition: &str, at_ms: i64) -> String {
    let new = NewSchema {
        id: SchemaId::new(format!("sch_{name}{at_ms}")),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        kind: None,
        mode: None,
        digest: Digest::of(definition),
        definition: RawJson::parse(definition.to_owned().into()).expect("JSON"),
        description: None,
        at_ms,
    };
    let by = Actor::person(&PrincipalId::new("ann"));
    gate.books.register_schema(&new, &by).await.expect("registered").schema.id.to_string()
}

#[tokio::test]
async fn a_version_says_what_changed_since_the_one_before() {
    let gate = Gate::open().await;
    let first = registered(&gate, "invoice", "{\"type\":\"object\"}", 1).await;
    let second = registered(&gate, "invoice", "{\"type\":\"array\"}", 2).await;
    registered(&gate, "colour", "{\"enum\":[\"red\"]}", 3).await;
    for role in [Role::Admin, Role::Operator, Role::Auditor] {
        let who = somebody("eve", role);
        let shown = gate.get(&who, &format!("/schemas/{second}")).await.json();
        assert_eq!(
            (&shown["schema"]["version"], &shown["changes"]["from"]),
            (&json!(2), &json!(1)),
            "{shown}"
        );
        assert_eq!(shown["changes"]["summary"], json!("it changed"), "{shown}");
        assert_eq!(shown["definition"]["type"], json!("array"), "{shown}");
        assert_eq!(shown["compared"]["type"], json!("object"), "{shown}");
    }
    let alone = gate.get(&operator(), &format!("/schemas/{first}")).await.json();
    assert_eq!((&alone["changes"], &alone["schema"]["status"]), (&json!(null), &json!("draft")), "{alone}");
    let back = gate.get(&operator(), &format!("/schemas/{first}?compare_to=2")).await.json();
    assert_eq!(back["changes"]["from"], json!(2), "{back}");
    let listed = gate.get(&operator(), "/schemas?name=invoice&limit=1").await.json();
    assert_eq!(listed["schemas"][0]["version"], json!(2), "{listed}");
    let cursor = listed["next_cursor"].as_str().expect("there are more");
    let rest = gate.get(&operator(), &format!("/schemas?name=invoice&cursor={cursor}")).await.json();
    assert_eq!((&rest["schemas"][0]["version"], &rest["next_cursor"]), (&json!(1), &json!(null)), "{rest}");
    let drafts = gate.get(&operator(), "/schemas?status=draft&type=structured_type").await.json();
    assert_eq!(drafts["schemas"].as_array().map(Vec::len), Some(3), "{drafts}");
}

#[tokio::test]
async fn what_is_no_schema_is_said_clearly_and_agents_have_tools() {
    let gate = Gate::open().await;
    let id = registered(&gate, "invoice", "{\"type\":\"object\"}", 1).await;
    for path in ["/schemas/sch_9".to_owned(), format!("/schemas/{id}?compare_to=7")] {
        assert_eq!(told(&gate.get(&operator(), &path).await), (404, "unknown_schema".into()), "{path}");
    }
    for bad in [
        "/schemas?status=old",
        "/schemas?type=x",
        "/schemas?cursor=x",
        &format!("/schemas/{id}?compare_to=x"),
    ] {
        assert_eq!(gate.get(&operator(), bad).await.status, StatusCode::BAD_REQUEST, "{bad}");
    }
    for who in [agent(), approver("ann")] {
        for path in ["/schemas".to_owned(), format!("/schemas/{id}")] {
            assert_eq!(gate.get(&who, &path).await.status, StatusCode::FORBIDDEN, "{path}");
        }
    }
}
