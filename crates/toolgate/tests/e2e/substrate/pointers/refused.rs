//! Everything that cannot be done says why, what would help, and changes nothing.

use serde_json::{Value, json};

use super::library::{Library, code, named};
use crate::files::archive::text;
use crate::governed::database::Backing;

#[tokio::test]
async fn bad_input_is_told_with_a_code_and_a_hint() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    let one = library.manifest("one", None).await;
    let two = library.manifest("two", Some(&one)).await;
    let unknown = format!("sha256:{}", "0".repeat(64));
    library.pointer("draft", "bundle", Some(&one)).await;
    library.pointer("v1", "snapshot", Some(&one)).await;
    library.pointer("handbook", "corpus", None).await;
    let (draft, snapshot) = (|more: Value| named("draft", more), |more: Value| named("v1", more));
    let own = |mut more: Value| {
        (more["namespace"], more["name"]) = (json!("toolgate.index"), json!("x"));
        more
    };
    let both = json!({ "manifest_sha256": one, "source_name": "draft" });
    for (tool, arguments, status, expected) in [
        ("create", json!({ "namespace": "a b", "name": "x" }), 422, "bad_pointer"),
        ("create", json!({ "namespace": "a", "name": "x".repeat(201) }), 422, "bad_pointer"),
        ("create", json!({ "namespace": "a", "name": "*" }), 422, "bad_pointer"),
        ("create", named("x", json!({ "description": "x".repeat(2_001) })), 422, "bad_pointer"),
        ("create", named("x", json!({ "pointer_type": "snapshot" })), 422, "bad_pointer"),
        ("create", own(json!({})), 422, "bad_pointer"),
        ("advance", own(json!({ "manifest_sha256": two })), 422, "bad_pointer"),
        ("promote", own(json!({ "manifest_sha256": two })), 422, "bad_pointer"),
        ("revert", own(json!({})), 422, "bad_pointer"),
        ("delete", own(json!({})), 422, "bad_pointer"),
        ("create", draft(json!({})), 409, "pointer_exists"),
        ("create", named("x", json!({ "manifest_sha256": unknown })), 404, "unknown_manifest"),
        ("create", named("x", json!({ "manifest_sha256": "abc" })), 422, "invalid_arguments"),
        ("advance", snapshot(json!({ "manifest_sha256": two })), 409, "pointer_fixed"),
        ("advance", draft(json!({ "manifest_sha256": unknown })), 404, "unknown_manifest"),
        ("advance", draft(json!({ "manifest_sha256": two, "expected_sha256": two })), 409, "pointer_moved"),
        ("advance", draft(json!({ "manifest_sha256": two, "reason": "x".repeat(501) })), 422, "bad_pointer"),
        ("advance", named("gone", json!({ "manifest_sha256": two })), 404, "unknown_pointer"),
        ("promote", draft(json!({ "manifest_sha256": two })), 409, "not_a_corpus"),
        ("promote", named("handbook", both), 422, "invalid_arguments"),
        ("promote", named("handbook", json!({})), 422, "invalid_arguments"),
        ("promote", snapshot(json!({ "manifest_sha256": two })), 409, "pointer_fixed"),
        ("revert", draft(json!({ "manifest_sha256": two })), 409, "not_in_history"),
        ("revert", draft(json!({})), 409, "not_in_history"),
        ("delete", draft(json!({ "expected_sha256": two })), 409, "pointer_moved"),
        ("history", draft(json!({ "cursor": "x" })), 422, "invalid_cursor"),
        ("history", draft(json!({ "pointer_id": "ptr_0" })), 404, "unknown_pointer"),
        ("resolve", named("gone", json!({})), 404, "unknown_pointer"),
    ] {
        let said = library.said(&format!("pointer.{tool}"), arguments.clone()).await;
        assert_eq!((said.status, code(&said).as_str()), (status, expected), "{tool} {arguments}: {said:?}");
        assert!(!text(&said.json()["error"]["hint"]).is_empty(), "{tool} {arguments}: {said:?}");
    }
    for name in ["draft", "v1"] {
        assert_eq!(
            (library.head(name).await, library.moves(name).await.len()),
            (Some(one.clone()), 1),
            "{name}"
        );
    }
    library.verify();
}

#[tokio::test]
async fn a_stale_move_names_both_manifests_and_their_ancestor() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    let base = library.manifest("base", None).await;
    let (ours, theirs) =
        (library.manifest("ours", Some(&base)).await, library.manifest("theirs", Some(&base)).await);
    let next = library.manifest("next", Some(&ours)).await;
    library.pointer("draft", "bundle", Some(&theirs)).await;
    let late = named("draft", json!({ "manifest_sha256": next, "expected_sha256": ours }));
    let said = library.said("pointer.advance", late).await;
    let error = said.json()["error"].clone();
    assert_eq!((said.status, &error["code"]), (409, &json!("pointer_moved")), "{said:?}");
    let details = json!({ "expected_sha256": ours, "current_sha256": theirs, "ancestor_sha256": base });
    for (member, value) in details.as_object().expect("an object") {
        assert_eq!(error["details"][member], *value, "{member}: {error}");
        assert!(text(&error["message"]).contains(text(value)), "{member}: {error}");
    }
}

#[tokio::test]
async fn a_manifest_that_was_left_too_long_ago_is_not_gone_back_to() {
    let library = Library::open(Backing::Sqlite, "exploratory", "[substrate]\nmoves_kept_seconds = 0\n");
    let one = library.manifest("one", None).await;
    let two = library.manifest("two", Some(&one)).await;
    library.pointer("draft", "bundle", Some(&one)).await;
    library.done("pointer.advance", named("draft", json!({ "manifest_sha256": two }))).await;
    // The clock has moved on by a millisecond at least.
    let left = library.moves("draft").await[0]["at"].clone();
    let moved_on = toolgate_testkit::gateway::until_async(crate::doors::WAIT, || async {
        library.pointer(&format!("clock-{}", next_number()), "bundle", None).await;
        let page = library.done("pointer.list", json!({ "namespace": "project/a" })).await;
        let all = page["pointers"].as_array().expect("a list").clone();
        all.iter().any(|one| text(&one["created_at"]) > text(&left)).then_some(())
    });
    moved_on.await.expect("time goes by");
    let said = library.said("pointer.revert", named("draft", json!({ "manifest_sha256": one }))).await;
    assert_eq!((said.status, code(&said).as_str()), (410, "beyond_retention"), "{said:?}");
    assert!(text(&said.json()["error"]["hint"]).contains("substrate.pointer.advance"), "{said:?}");
    library.done("pointer.advance", named("draft", json!({ "manifest_sha256": one }))).await;
    assert_eq!(library.head("draft").await, Some(one));
}

/// Another number each time.
fn next_number() -> usize {
    static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
