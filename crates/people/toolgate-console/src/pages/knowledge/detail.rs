//! One knowledge base: its pointers with their indexes, its settings, and the form that asks it.

use axum::extract::Path;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};

use super::asking::{self, AskForm};
use super::data::{BaseIndexData, BaseSourceData, KnowledgeBaseData, KnowledgeBaseDetailData};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

pub(super) async fn find(visit: &PageVisit, id: &str) -> PageResult<KnowledgeBaseDetailData> {
    visit.get(PageAddress::of(["knowledge-bases", id])).await
}

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let found = find(&visit, &id).await?;
    Ok(page(&visit, StatusCode::OK, &found, &AskForm::default(), &html! {}).await)
}

/// The page, with an answer below its form.
pub(super) async fn page(
    visit: &PageVisit,
    status: StatusCode,
    found: &KnowledgeBaseDetailData,
    form: &AskForm,
    answer: &Markup,
) -> Response {
    let base = &found.base;
    let title = base.title.as_deref().unwrap_or(&base.name);
    let state = html! { @if base.deleted_at.is_some() { (parts::badge("deleted", BadgeTone::Bad)) } };
    let actions = html! { (state) a.button href="/console/knowledge" { "All knowledge bases" } };
    let body = html! {
        (parts::heading(text::short(title), actions))
        @if let Some(words) = &base.description { p { (text::long(words)) } }
        div.split {
            div {
                (asking::card(visit, base, form))
                (answer)
            }
            div {
                section.card #sources data-live="pointer index" aria-labelledby="sources-title" {
                    h2 #sources-title { "Answers from" }
                    @for source in &found.sources { (source_shown(visit, source)) }
                }
                section.card aria-labelledby="about-title" { h2 #about-title { "About" } (about(visit, base)) }
            }
        }
    };
    visit.page_with(status, &format!("Knowledge base {title}"), ConsolePage::Knowledge, body).await
}

fn about(visit: &PageVisit, base: &KnowledgeBaseData) -> Markup {
    parts::facts([
        ("Name", parts::copyable(&base.name)),
        ("Id", parts::copyable(&base.id)),
        ("Profile", text::short(&base.profile)),
        (
            "Manner",
            html! { (text::short(&base.manner)) div.help { (asking::manner_in_words(&base.manner)) } },
        ),
        ("Version", html! { (parts::number(base.version)) }),
        ("Created", html! { (ago(visit, &base.created_at)) ", " (links::principal(&base.created_by)) }),
        ("Changed", html! { (ago(visit, &base.changed_at)) ", " (links::principal(&base.changed_by)) }),
    ])
}

fn source_shown(visit: &PageVisit, source: &BaseSourceData) -> Markup {
    let (word, tone, what) = standing(&source.status);
    html! {
        article.source aria-label=(format!("{}:{}", source.namespace, source.name)) {
            h3 { (links::pointer(&source.namespace, &source.name)) " " (parts::badge(word, tone)) }
            @if !what.is_empty() { p.help { (what) } }
            @if let Some(manifest) = &source.manifest { p { "Leads to " (links::manifest(manifest)) } }
            @if let Some(index) = &source.index { (index_shown(visit, index)) }
        }
    }
}

fn standing(status: &str) -> (&str, BadgeTone, &'static str) {
    match status {
        "ready" => ("ready", BadgeTone::Good, ""),
        "behind" => (
            "behind",
            BadgeTone::Waiting,
            "The pointer has moved since its index was built. Answers still use the earlier manifest.",
        ),
        "none" => {
            ("no index", BadgeTone::Bad, "Search finds nothing here until index.ingest has built an index.")
        }
        "empty" => ("empty", BadgeTone::Waiting, "The pointer does not lead to a manifest yet."),
        "missing" => ("missing", BadgeTone::Bad, "This pointer no longer exists."),
        other => (other, BadgeTone::Plain, ""),
    }
}

fn index_shown(visit: &PageVisit, index: &BaseIndexData) -> Markup {
    html! {
        p {
            (parts::number(index.documents)) " documents, " (parts::number(index.chunks)) " passages, "
            (text::short(&index.profile)) ", built " (ago(visit, &index.built_at))
            @if let Some(run) = &index.run { " in " (links::brief(run)) }
        }
        @if index.problem_count > 0 {
            details {
                summary { (parts::number(index.problem_count)) " documents are not indexed" }
                ul { @for one in &index.problems { li { span.mono { (text::short(&one.path)) } ": " (text::long(&one.why)) } } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_of_an_index_has_its_words() {
        for status in ["behind", "none", "empty", "missing"] {
            assert!(!standing(status).2.is_empty(), "{status}");
        }
        assert_eq!(standing("ready").0, "ready");
    }
}
