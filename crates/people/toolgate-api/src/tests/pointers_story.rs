//! Pointers over REST: those who audit see them with every move, and agents have tools.

use http::StatusCode;
use serde_json::json;
use toolgate_core::id::PointerId;
use toolgate_core::pointer::{Pointer, PointerKind, PointerPath};
use toolgate_core::{PrincipalId, Role};
use toolgate_store::{Actor, MoveStamp};

use super::file_kit::{agent, operator};
use super::gate::{Gate, approver, somebody};
use super::run_kit::told;

const NOW_MS: i64 = 1_790_000_000_000;

/// An empty pointer with one move, its creation.
pub(super) async fn created(gate: &Gate, namespace: &str, name: &str, kind: PointerKind) -> String {
    let pointer = Pointer {
        id: PointerId::new(format!("ptr_{name}")),
        path: PointerPath::new(namespace, name).expect("a path"),
        kind,
        manifest: None,
        description: "for <b>everybody</b>".to_owned(),
        version: 1,
        created_by: PrincipalId::new("ann"),
        created_at_ms: NOW_MS,
        moved_at_ms: NOW_MS,
        deleted_at_ms: None,
    };
    let by = Actor::person(&PrincipalId::new("ann"));
    let stamp = MoveStamp { by, approval: None, reason: "it begins".to_owned(), at_ms: NOW_MS };
    gate.books.create_pointer(pointer, &stamp).await.expect("created").id.to_string()
}

#[tokio::test]
async fn those_who_audit_see_pointers_with_their_moves() {
    let gate = Gate::open().await;
    let id = created(&gate, "project/a", "handbook", PointerKind::Corpus).await;
    created(&gate, "project/b", "draft", PointerKind::Bundle).await;
    created(&gate, "toolgate.index", "own", PointerKind::Bundle).await;
    for role in [Role::Admin, Role::Operator, Role::Auditor] {
        let who = somebody("eve", role);
        let shown = gate.get(&who, &format!("/pointers/{id}")).await.json();
        assert_eq!((&shown["type"], &shown["own"]), (&json!("corpus"), &json!(false)), "{shown}");
        assert_eq!(shown["manifest"], json!(null), "{shown}");
        let history = gate.get(&who, &format!("/pointers/{id}/moves")).await.json();
        let first = &history["moves"][0];
        assert_eq!((&first["operation"], &first["by"]), (&json!("create"), &json!("ann")), "{history}");
        assert_eq!((&first["reason"], &history["next_cursor"]), (&json!("it begins"), &json!(null)));
    }
    for who in [agent(), approver("ann")] {
        for path in ["/pointers".to_owned(), format!("/pointers/{id}"), format!("/pointers/{id}/moves")] {
            assert_eq!(gate.get(&who, &path).await.status, StatusCode::FORBIDDEN, "{path}");
        }
    }
}

#[tokio::test]
async fn pointers_are_listed_by_page_namespace_type_and_name() {
    let gate = Gate::open().await;
    for (namespace, name, kind) in [
        ("project/a", "draft", PointerKind::Bundle),
        ("project/a", "handbook", PointerKind::Corpus),
        ("team", "notes", PointerKind::Bundle),
    ] {
        created(&gate, namespace, name, kind).await;
    }
    let names = async |query: &str| -> Vec<String> {
        let page = gate.get(&operator(), &format!("/pointers{query}")).await.json();
        let pointers = page["pointers"].as_array().unwrap_or_else(|| panic!("no list: {page}")).clone();
        pointers.iter().map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names("").await, ["draft", "handbook", "notes"]);
    assert_eq!(names("?namespace=project").await, ["draft", "handbook"]);
    assert_eq!(names("?type=corpus").await, ["handbook"]);
    assert_eq!(names("?namespace=project/a&name=draft").await, ["draft"]);
    assert!(names("?namespace=project&name=draft").await.is_empty(), "a name stands in one namespace");
    let first = gate.get(&operator(), "/pointers?limit=2").await.json();
    let cursor = first["next_cursor"].as_str().expect("there are more").to_owned();
    assert_eq!(names(&format!("?limit=2&cursor={cursor}")).await, ["notes"]);
}

#[tokio::test]
async fn what_is_no_pointer_is_said_clearly() {
    let gate = Gate::open().await;
    for path in ["/pointers/ptr_9", "/pointers/ptr_9/moves"] {
        assert_eq!(told(&gate.get(&operator(), path).await), (404, "unknown_pointer".into()), "{path}");
    }
    for bad in [
        "/pointers?type=arrow",
        "/pointers?cursor=x",
        "/pointers?limit=0",
        "/pointers?namespace=a&name=..",
        "/pointers/ptr_9/moves?cursor=x",
    ] {
        assert_eq!(gate.get(&operator(), bad).await.status, StatusCode::BAD_REQUEST, "{bad}");
    }
}
