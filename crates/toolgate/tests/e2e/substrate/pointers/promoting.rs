//! People agree to a difference, and that very difference becomes the corpus, or nothing does.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::library::{Library, code, named};
use crate::files::archive::{data, text};
use crate::governed::bank::{pending, status};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::call;

on_both!(people_agree_to_a_difference_and_that_runs);

const PROMOTE: &str = "substrate.pointer.promote";

/// A corpus that leads to `one`, and a bundle that leads to `two`.
struct Shelf {
    library: Library,
    client: HttpClient,
    one: String,
    two: String,
}

impl Shelf {
    async fn open(backing: Backing) -> Self {
        let library = Library::open(backing, "standard", "");
        let one = library.manifest("one", None).await;
        let two = library.manifest("two, which is longer", Some(&one)).await;
        library.pointer("handbook", "corpus", None).await;
        library.pointer("draft", "bundle", Some(&two)).await;
        let client = library.librarian();
        let shelf = Self { library, client, one, two };
        shelf.promoted(json!({ "manifest_sha256": shelf.one })).await;
        shelf
    }

    /// Asks for a promotion to the handbook.
    async fn promote(&self, more: Value) -> Value {
        call(&self.client, PROMOTE, named("handbook", more)).await
    }

    /// The same with the word of a person.
    async fn promoted(&self, more: Value) -> Value {
        self.library.approve(&pending(&self.promote(more.clone()).await));
        let done = self.promote(more).await;
        assert_eq!(data(&done)["moved"], true, "{done}");
        done
    }

    fn promoted_draft(&self) -> Value {
        json!({ "source_name": "draft", "expected_sha256": self.one })
    }
}

async fn people_agree_to_a_difference_and_that_runs(backing: Backing) {
    let shelf = Shelf::open(backing).await;
    let library = &shelf.library;
    let id = pending(&shelf.promote(shelf.promoted_draft()).await);
    let approval = library.site.get(&format!("/approvals/{id}")).await;
    let shown = &approval["attachments"][0];
    assert!(text(&shown["name"]).starts_with("pointer-change-"), "{approval}");
    assert!(text(&shown["media_type"]).starts_with("text/plain"), "{approval}");
    let path = format!("/approvals/{id}/attachments/0");
    let words = library.site.rest(library.admin(), "GET", &path, None).await.text;
    let two = format!("to   {}", shelf.two);
    for part in ["project/a:handbook moves", "0 added, 0 removed, 1 changed", "a.md", &shelf.one, &two] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(library.head("handbook").await, Some(shelf.one.clone()), "not before");
    library.approve(&id);
    let done = shelf.promote(shelf.promoted_draft()).await;
    assert_eq!(
        (&data(&done)["old_sha256"], &data(&done)["new_sha256"]),
        (&json!(shelf.one), &json!(shelf.two))
    );
    let last = library.moves("handbook").await[0].clone();
    assert_eq!((&last["operation"], &last["approval"]), (&json!("promote"), &json!(id)), "{last}");
    let told = library.site.told_at_least("pointer.moved", 2).await;
    assert_eq!(told[1]["approval"], id.as_str(), "{told:?}");
    library.verify();
}

#[tokio::test]
async fn a_source_that_moves_on_is_another_question() {
    let shelf = Shelf::open(Backing::Sqlite).await;
    let library = &shelf.library;
    let id = pending(&shelf.promote(shelf.promoted_draft()).await);
    library.approve(&id);
    let three = library.manifest("three", Some(&shelf.two)).await;
    library.done("pointer.advance", named("draft", json!({ "manifest_sha256": three }))).await;
    assert_ne!(pending(&shelf.promote(shelf.promoted_draft()).await), id, "people agreed to something else");
    assert_eq!(library.head("handbook").await, Some(shelf.one.clone()));
}

#[tokio::test]
async fn a_corpus_that_moved_meanwhile_answers_with_both_manifests_and_their_ancestor() {
    let shelf = Shelf::open(Backing::Sqlite).await;
    let library = &shelf.library;
    let wanted = json!({ "manifest_sha256": shelf.two, "expected_sha256": shelf.one });
    library.approve(&pending(&shelf.promote(wanted.clone()).await));
    let other = library.manifest("other", Some(&shelf.one)).await;
    shelf.promoted(json!({ "manifest_sha256": other, "expected_sha256": shelf.one })).await;
    let late = shelf.promote(wanted).await;
    let error = &late["structuredContent"]["error"];
    assert_eq!(error["code"], "pointer_moved", "{late}");
    let details = &error["details"];
    assert_eq!((&details["current_sha256"], &details["expected_sha256"]), (&json!(other), &json!(shelf.one)));
    assert_eq!(details["ancestor_sha256"], shelf.one.as_str(), "{late}");
    assert_eq!(library.head("handbook").await, Some(other));
    library.verify();
}

#[tokio::test]
async fn a_promotion_must_name_what_it_replaces() {
    let shelf = Shelf::open(Backing::Sqlite).await;
    let answer = shelf.promote(json!({ "source_name": "draft" })).await;
    assert_eq!(answer["structuredContent"]["error"]["code"], "expected_required", "{answer}");
}

#[tokio::test]
async fn a_grant_does_not_promote() {
    let shelf = Shelf::open(Backing::Sqlite).await;
    let id = pending(&shelf.promote(shelf.promoted_draft()).await);
    shelf.library.site.say(&["approvals", "approve", &id, "--remember", "--uses", "5", "--pin", "/name"]);
    assert_eq!(data(&shelf.promote(shelf.promoted_draft()).await)["moved"], true);
    let back = json!({ "manifest_sha256": shelf.one, "expected_sha256": shelf.two });
    let answer = shelf.promote(back).await;
    assert_eq!(status(&answer), "tool_error", "{answer}");
    assert_eq!(answer["structuredContent"]["error"]["code"], "gate_required", "{answer}");
    assert_eq!(shelf.library.head("handbook").await, Some(shelf.two.clone()));
}

#[tokio::test]
async fn without_a_gate_a_corpus_neither_moves_nor_ends() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    let one = library.manifest("one", None).await;
    library.pointer("handbook", "corpus", None).await;
    let to_one = named("handbook", json!({ "manifest_sha256": one }));
    for (tool, arguments) in [
        ("pointer.promote", to_one.clone()),
        ("pointer.advance", to_one),
        ("pointer.delete", named("handbook", json!({}))),
        ("pointer.create", named("other", json!({ "pointer_type": "corpus", "manifest_sha256": one }))),
    ] {
        let said = library.said(tool, arguments).await;
        assert_eq!((said.status, code(&said).as_str()), (403, "gate_required"), "{tool}: {said:?}");
        assert!(text(&said.json()["error"]["hint"]).contains("promote"), "{tool}: {said:?}");
    }
    assert_eq!(library.head("handbook").await, None);
    assert_eq!(library.moves("handbook").await.len(), 1);
}
