//! One version of a schema: what changed since another one, in words and line by line, and the definition.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::data::{SchemaChangesData, SchemaData, SchemaDetailData, SchemasData};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, diff, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const VERSIONS: usize = 50;
const CHANGES_MAX: usize = 200;

#[derive(Default, Deserialize)]
pub(super) struct SchemaPageQuery {
    /// The version to compare with; usually the one before.
    #[serde(default)]
    compare_to: Option<String>,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(wanted): Query<SchemaPageQuery>,
) -> PageResult<Response> {
    let asked = PageAddress::of(["schemas", &id]).maybe("compare_to", wanted.compare_to.as_deref());
    let found: SchemaDetailData = visit.get(asked).await?;
    let schema = &found.schema;
    let others = PageAddress::of(["schemas"]).with("namespace", &schema.namespace).with("name", &schema.name);
    let others: SchemasData = visit.get(others.with("limit", VERSIONS)).await?;
    let title = format!("{} version {}", schema.path(), schema.version);
    let actions = html! { (schema.badge()) a.button href="/console/schemas" { "All schemas" } };
    let body = html! {
        (parts::heading(text::short(&title), actions))
        @if let Some(words) = &schema.description { p { (text::long(words)) } }
        div.split {
            div {
                @if let Some(changes) = &found.changes { (changed(&found, changes)) }
                section.card aria-labelledby="definition-title" {
                    h2 #definition-title { "Definition" }
                    (text::block(&pretty(&found.definition)))
                }
            }
            div {
                section.card #about data-live="schema" aria-labelledby="about-title" { h2 #about-title { "About" } (about(&visit, schema)) }
                section.card #versions data-live="schema" aria-labelledby="versions-title" { h2 #versions-title { "Versions" } (versions(schema, &others)) }
            }
        }
    };
    Ok(visit.page(&format!("Schema {title}"), ConsolePage::Schemas, body).await)
}

fn changed(found: &SchemaDetailData, changes: &SchemaChangesData) -> Markup {
    let (before, after) = (format!("Version {}", changes.from), format!("Version {}", found.schema.version));
    html! {
        section.card aria-labelledby="changed-title" {
            h2 #changed-title { "What changed since version " (parts::number(changes.from)) }
            p #summary { (text::long(&changes.summary)) "." }
            @if changes.changes.len() > 1 {
                ul { @for one in changes.changes.iter().take(CHANGES_MAX) { li { (text::long(&one.words)) } } }
            }
            @if let Some(compared) = &found.compared {
                details {
                    summary { "Line by line" }
                    div.scroll tabindex="0" { (diff::side_by_side((&before, &pretty(compared)), (&after, &pretty(&found.definition)))) }
                }
            }
        }
    }
}

fn about(visit: &PageVisit, schema: &SchemaData) -> Markup {
    parts::facts([
        ("Id", parts::copyable(&schema.id)),
        ("Namespace", text::short(&schema.namespace)),
        ("Type", text::short(&schema.kind.replace('_', " "))),
        ("Promise", text::short(&schema.compatibility.replace('_', " "))),
        ("Digest", parts::copyable(&schema.digest)),
        ("Author", links::principal(&schema.created_by)),
        ("Registered", ago(visit, &schema.created_at)),
        (
            "Status",
            html! { (schema.badge()) " " (ago(visit, &schema.status_since)) ", " (links::principal(&schema.status_by)) },
        ),
    ])
}

/// All versions of the name, and the comparison of this one with each.
fn versions(schema: &SchemaData, others: &SchemasData) -> Markup {
    html! {
        ul {
            @for one in &others.schemas {
                li {
                    @if one.id == schema.id { span aria-current="page" { "Version " (parts::number(one.version)) } }
                    @else { a href=(one.address()) { "Version " (parts::number(one.version)) } }
                    " " (one.badge())
                    @if one.id != schema.id { " " a href=(schema.address().with("compare_to", one.version)) { "compare with version " (parts::number(one.version)) } }
                }
            }
        }
        @if others.next_cursor.is_some() {
            p { a href=(PageAddress::of(["console", "schemas"]).with("namespace", &schema.namespace).with("name", &schema.name)) { "All versions" } }
        }
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn version(number: u64) -> Value {
        json!({ "id": format!("sch_{number}"), "namespace": "default", "name": "invoice", "version": number,
            "type": "structured_type", "compatibility": "backward", "status": "draft", "digest": "sha256:0",
            "created_by": "ann", "created_at": "x", "status_by": "ann", "status_since": "x" })
    }

    #[test]
    fn a_change_is_said_in_words_before_the_lines_and_nothing_in_it_acts() {
        let found: SchemaDetailData = serde_json::from_value(json!({ "schema": version(2),
            "definition": { "title": "<script>x()</script>" }, "compared": { "title": "a" },
            "changes": { "from": 1, "summary": "the title was changed: `<img>`",
                "changes": [{ "path": "", "words": "one" }, { "path": "", "words": "<b>two</b>" }] } }))
        .expect("a version");
        let shown = changed(&found, found.changes.as_ref().expect("changes")).into_string();
        assert!(shown.find("the title was changed") < shown.find("Line by line"), "{shown}");
        for evil in ["<script", "<img", "<b>"] {
            assert!(!shown.contains(evil), "{evil}: {shown}");
        }
    }

    #[test]
    fn each_version_leads_to_itself_and_to_the_comparison_with_it() {
        let others: SchemasData =
            serde_json::from_value(json!({ "schemas": [version(2), version(1)] })).expect("versions");
        let shown = versions(&others.schemas[0], &others).into_string();
        assert!(shown.contains("href=\"/console/schemas/sch_1\""), "{shown}");
        assert!(
            shown.contains("/console/schemas/sch_2?compare_to=1") && !shown.contains("compare_to=2"),
            "{shown}"
        );
    }
}
