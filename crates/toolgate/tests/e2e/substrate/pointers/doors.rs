//! One definition behind every door: MCP of both eras, REST, the command line, and the names of the origin.

use serde_json::{Value, json};

use super::library::{Library, named};
use crate::files::archive::{data, text};
use crate::governed::database::Backing;
use crate::kit::{call, names};

#[tokio::test]
async fn a_pointer_is_the_same_through_every_door() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    let manifest = library.manifest("one", None).await;
    let id = library.pointer("draft", "bundle", Some(&manifest)).await;
    let mut client = library.librarian();
    let which = named("draft", json!({}));
    let is_it = |envelope: &Value| {
        assert_eq!(envelope["data"]["id"], id.as_str(), "{envelope}");
        let refs = json!([{ "type": "pointer", "id": id }, { "type": "manifest", "sha256": manifest }]);
        assert_eq!(envelope["refs"], refs, "{envelope}");
    };
    for name in ["substrate__pointer__resolve", "substrate.pointer.resolve"] {
        is_it(&call(&client, name, which.clone()).await["structuredContent"]);
    }
    let old = call(&client, "resolve_pointer", which.clone()).await;
    is_it(&old["structuredContent"]);
    let warning = &old["structuredContent"]["warnings"][0];
    assert_eq!(warning["code"], "alias", "{old}");
    assert!(text(&warning["message"]).contains("2027-12-01"), "{old}");
    client.initialize("2025-06-18").await;
    let params = json!({ "name": "substrate__pointer__resolve", "arguments": which });
    is_it(&client.legacy(1, "tools/call", params).await.result()["structuredContent"]);
    let words = ["substrate", "pointer", "resolve", "--namespace", "project/a", "--name", "draft", "--json"];
    is_it(&serde_json::from_str(&library.site.say(&words)).expect("JSON"));
    library.verify();
}

#[tokio::test]
async fn an_agent_with_the_capability_has_every_tool_over_pointers() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    let listed = names(&library.librarian()).await;
    for action in ["list", "resolve", "create", "advance", "promote", "revert", "history", "delete"] {
        let name = format!("substrate__pointer__{action}");
        assert!(listed.contains(&name), "{name}: {listed:?}");
    }
}

#[tokio::test]
async fn a_bundle_moves_goes_back_and_is_deleted_and_its_history_stays() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    let one = library.manifest("one", None).await;
    let two = library.manifest("two", Some(&one)).await;
    let client = library.librarian();
    for (old, arguments) in [
        ("create_pointer", named("draft", json!({ "manifest_sha256": one }))),
        ("advance_pointer", named("draft", json!({ "manifest_sha256": two, "expected_sha256": one }))),
    ] {
        data(&call(&client, old, arguments).await);
    }
    let listed = call(&client, "list_pointers", json!({ "namespace": "project/*" })).await;
    assert_eq!(data(&listed)["pointers"][0]["manifest_sha256"], two.as_str(), "{listed}");
    let back =
        call(&client, "substrate.pointer.revert", named("draft", json!({ "reason": "too early" }))).await;
    assert_eq!(
        (&data(&back)["old_sha256"], &data(&back)["new_sha256"]),
        (&json!(two), &json!(one)),
        "{back}"
    );
    let again = named("draft", json!({ "manifest_sha256": one }));
    assert_eq!(data(&call(&client, "substrate.pointer.advance", again).await)["moved"], false);
    data(&call(&client, "substrate.pointer.delete", named("draft", json!({}))).await);
    let told: Vec<Value> = library.moves("draft").await;
    let operations: Vec<&str> = told.iter().map(|one| text(&one["operation"])).collect();
    assert_eq!(operations, ["delete", "revert", "advance", "create"]);
    assert_eq!((&told[1]["reason"], &told[1]["principal"]), (&json!("too early"), &json!("librarian-bot")));
    assert!(text(&told[1]["call"]).starts_with("tc_"), "{told:?}");
    let first = library.done("pointer.history", named("draft", json!({}))).await["pointer"]["id"].clone();
    library.pointer("draft", "bundle", None).await;
    assert_eq!(library.moves("draft").await.len(), 1, "the name is free, and has another history");
    let earlier = named("draft", json!({ "pointer_id": first, "limit": 3 }));
    let earlier = library.done("pointer.history", earlier).await;
    assert_eq!((earlier["moves"].as_array().map(Vec::len), &earlier["next_cursor"]), (Some(3), &json!("2")));
    for (kind, count) in [("pointer.created", 2), ("pointer.moved", 2), ("pointer.deleted", 1)] {
        assert_eq!(library.site.told_at_least(kind, count).await.len(), count, "{kind}");
    }
    library.verify();
}
