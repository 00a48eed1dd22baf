//! Moving a pointer: the very tool that agents call, so that policy, approvals and the ledger see the same call. The move names the manifest that
//! the page showed, and is refused if the pointer leads elsewhere by then.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Map, Value};

use super::data::{PointerData, manifest};
use super::detail;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout;
use crate::notice::DoneNotice;
use crate::pages::tools;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The values of the form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct MoveForm {
    pub(super) manifest: String,
    pub(super) source: String,
    pub(super) reason: String,
    /// The head that a move was filled in for. `None` for a new form.
    pub(super) expected: Option<String>,
}

impl MoveForm {
    fn of(fields: &FormFields) -> Self {
        let text = |name: &str| fields.text(name).unwrap_or_default().to_owned();
        let expected = fields.get("expected").map(str::to_owned);
        Self { manifest: text("manifest"), source: text("source"), reason: text("reason"), expected }
    }

    /// The arguments of the tool. Blank ones are left out, and the tool says what is missing.
    fn arguments(&self, pointer: &PointerData) -> Value {
        let mut arguments = Map::new();
        let mut put = |name: &str, value: &str| {
            if !value.is_empty() {
                arguments.insert(name.to_owned(), value.into());
            }
        };
        put("namespace", &pointer.namespace);
        put("name", &pointer.name);
        put("manifest_sha256", &self.manifest);
        put("expected_sha256", self.expected.as_deref().unwrap_or_default());
        put("reason", &self.reason);
        if pointer.is_corpus() {
            let (namespace, name) = self.source.rsplit_once(':').unwrap_or(("", &self.source));
            put("source_namespace", namespace);
            put("source_name", name);
        }
        Value::Object(arguments)
    }
}

pub(super) async fn send(
    visit: PageVisit,
    Path(id): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    let pointer: PointerData = visit.get(PageAddress::of(["pointers", &id])).await?;
    let form = MoveForm::of(&fields);
    let tool = if pointer.is_corpus() { "substrate.pointer.promote" } else { "substrate.pointer.advance" };
    let (status, envelope) = tools::call_own(&visit, tool, &form.arguments(&pointer)).await?;
    if envelope.is_done() {
        return Ok(visit.go(pointer.address(), DoneNotice::PointerMoved));
    }
    detail::page(&visit, status, &pointer, None, &form, &tools::of_call(&envelope)).await
}

/// The form, for those who may move a pointer, or the reason why there is none.
pub(super) fn card(visit: &PageVisit, pointer: &PointerData, form: &MoveForm) -> Markup {
    let title = if pointer.is_corpus() { "Promote" } else { "Move" };
    html! {
        section.card #move aria-labelledby="move-title" {
            h2 #move-title { (title) }
            @if !pointer.moves() { p.soft { (fixed(pointer)) } }
            @else if !visit.operates() { p.help { "Only admins and operators can move it here." } }
            @else { (fields(visit, pointer, form, title)) }
        }
    }
}

fn fixed(pointer: &PointerData) -> &'static str {
    match (&pointer.deleted_at, pointer.own) {
        (Some(_), _) => "This pointer was deleted. Its history remains.",
        (None, true) => "The gateway manages this pointer and moves it automatically.",
        (None, false) => "A snapshot never moves.",
    }
}

fn fields(visit: &PageVisit, pointer: &PointerData, form: &MoveForm, title: &str) -> Markup {
    // What was filled in for another head stays bound to that one: the approval is about it.
    let expected = form.expected.as_deref().or(pointer.manifest.as_deref()).filter(|head| !head.is_empty());
    html! {
        @if pointer.is_corpus() { p.help { "Each move of a corpus needs approval. Approvers see the difference." } }
        form method="post" action=(pointer.address()) {
            (layout::csrf(visit))
            input type="hidden" name="expected" value=(expected.unwrap_or_default());
            div.field {
                label for="manifest" { "Manifest to move to" }
                input type="text" #manifest name="manifest" value=(form.manifest) placeholder="sha256:…" autocomplete="off" spellcheck="false" required[!pointer.is_corpus()];
            }
            @if pointer.is_corpus() {
                div.field {
                    label for="source" { "Or the pointer to promote from" }
                    input type="text" #source name="source" value=(form.source) placeholder="project/a:draft" autocomplete="off" spellcheck="false";
                }
            }
            div.field {
                label for="reason" { "Reason" }
                input type="text" #reason name="reason" value=(form.reason) autocomplete="off" maxlength="500";
                p.help { "It stays in the history." }
            }
            p.help { "The move succeeds only if the pointer still leads to " (manifest(expected)) "." }
            button.button.primary type="submit" { (title) }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pointer(kind: &str) -> PointerData {
        let data = json!({ "id": "ptr_1", "namespace": "project/a", "name": "handbook", "type": kind, "version": 1,
            "own": false, "created_by": "ann", "created_at": "x", "moved_at": "x" });
        serde_json::from_value(data).expect("a pointer")
    }

    fn arguments(kind: &str, fields: &[(&str, &str)]) -> Value {
        MoveForm::of(&FormFields::of(fields)).arguments(&pointer(kind))
    }

    #[test]
    fn a_move_names_the_head_that_the_page_showed() {
        let fields = [("manifest", " sha256:b "), ("expected", "sha256:a"), ("reason", "")];
        let wanted = json!({ "namespace": "project/a", "name": "handbook", "manifest_sha256": "sha256:b",
            "expected_sha256": "sha256:a" });
        assert_eq!(arguments("bundle", &fields), wanted);
    }

    #[test]
    fn a_corpus_takes_the_manifest_of_another_pointer() {
        let from = |source| arguments("corpus", &[("source", source)]);
        let elsewhere = from("team/b:draft");
        assert_eq!(
            (&elsewhere["source_namespace"], &elsewhere["source_name"]),
            (&json!("team/b"), &json!("draft"))
        );
        assert_eq!(from("draft")["source_namespace"], json!(null), "usually its own namespace");
        let bundle = arguments("bundle", &[("source", "draft")]);
        assert_eq!(bundle["source_name"], json!(null), "only a corpus is promoted to");
    }
}
