//! Files, refs and artifacts: their properties, a safe preview, and a download.

mod bytes;
mod paged;

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolgate_core::Role;

use super::preview::{self, PreviewContent, PreviewMarkup};
use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/files/{id}", get(file))
        .route("/console/files/{id}/content", get(bytes::of_file))
        .route("/console/files/{id}/pages/{page}", get(paged::of_file))
        .route("/console/refs/{id}", get(reference))
        .route("/console/refs/{id}/content", get(bytes::of_ref))
        .route("/console/refs/{id}/pages/{page}", get(paged::of_ref))
        .route("/console/artifacts/{id}", get(artifact))
        .route("/console/artifacts/{id}/content", get(bytes::of_artifact))
        .route("/console/artifacts/{id}/pages/{page}", get(paged::of_artifact))
}

/// The page of a document with pages, from 1.
#[derive(Default, Deserialize)]
struct ContentPageQuery {
    #[serde(default)]
    page: Option<String>,
}

impl ContentPageQuery {
    fn page(&self) -> u32 {
        self.page.as_deref().and_then(|page| page.parse().ok()).unwrap_or(1).max(1)
    }
}

#[derive(Deserialize)]
struct FileData {
    id: String,
    name: String,
    media_type: String,
    size: u64,
    digest: String,
    owner: String,
    created_at: String,
    #[serde(default)]
    expires_at: Option<String>,
}

async fn file(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(at): Query<ContentPageQuery>,
) -> PageResult<Response> {
    let Some(file) = known::<FileData>(&visit, PageAddress::of(["files", &id])).await? else {
        return Ok(withheld(&visit, "File", &id).await);
    };
    let expires = match &file.expires_at {
        Some(at) => html! { "deleted " (ago(&visit, at)) },
        None => html! { "forever" },
    };
    let facts = parts::facts([
        ("File", parts::copyable(&file.id)),
        ("Name", text::short(&file.name)),
        ("Type", text::short(&file.media_type)),
        ("Size", size(file.size)),
        ("Digest", parts::copyable(&file.digest)),
        ("Owner", links::principal(&file.owner)),
        ("Uploaded", ago(&visit, &file.created_at)),
        ("Kept", expires),
    ]);
    let content = PreviewContent { kind: "files", id: &id, media_type: &file.media_type, size: file.size };
    let seen = preview::look(&visit, &content, at.page()).await;
    page(&visit, &format!("File {}", file.name), &facts, &content, &seen, &html! {}).await
}

#[derive(Deserialize)]
struct RefData {
    id: String,
    media_type: String,
    size: u64,
    #[serde(default)]
    digest: Option<String>,
    principal: String,
    session: String,
    #[serde(default)]
    run: Option<String>,
    #[serde(default)]
    call: Option<String>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    origin: Option<OriginData>,
    created_at: String,
    expires_at: String,
}

#[derive(Deserialize)]
struct OriginData {
    server: String,
    id: String,
}

async fn reference(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(at): Query<ContentPageQuery>,
) -> PageResult<Response> {
    let Some(one) = known::<RefData>(&visit, PageAddress::of(["refs", &id])).await? else {
        return Ok(withheld(&visit, "Ref", &id).await);
    };
    let origin = one.origin.as_ref();
    let origin = origin.map(
        |origin| html! { (links::server(&origin.server)) " keeps it as " code { (text::short(&origin.id)) } },
    );
    let rows = [
        ("Ref", Some(parts::copyable(&one.id))),
        ("Type", Some(text::short(&one.media_type))),
        ("Size", Some(size(one.size))),
        ("Digest", one.digest.as_deref().map(parts::copyable)),
        ("Made by", one.call.as_deref().map(links::id)),
        ("Tool", one.tool.as_deref().map(links::tool)),
        ("Where", origin),
        ("For", Some(links::principal(&one.principal))),
        ("Session", Some(links::id(&one.session))),
        ("Run", one.run.as_deref().map(links::id)),
        ("Made", Some(ago(&visit, &one.created_at))),
        ("Kept until", Some(ago(&visit, &one.expires_at))),
    ];
    let facts = parts::facts(rows.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let content = PreviewContent { kind: "refs", id: &id, media_type: &one.media_type, size: one.size };
    let seen = preview::look(&visit, &content, at.page()).await;
    page(&visit, &format!("Ref {}", links::brief_text(&one.id)), &facts, &content, &seen, &html! {}).await
}

/// Auditors see files and refs in the record, and may not read them: `None` if the API refuses. Others get
/// the problem.
async fn known<T: DeserializeOwned>(visit: &PageVisit, address: PageAddress) -> PageResult<Option<T>> {
    match visit.role() {
        Role::Auditor => visit.find(address).await,
        _ => visit.get(address).await.map(Some),
    }
}

async fn withheld(visit: &PageVisit, what: &str, id: &str) -> Response {
    let title = format!("{what} {id}");
    let record = PageAddress::of(["console", "ledger"]);
    let body = html! {
        (parts::heading(text::short(&title), html! {}))
        section.card {
            p.strong { "Auditors may see that it was used, but not its content." }
            p { "Who used it, in which call and when, is in the " a href=(record) { "ledger" } ". Its owner, an operator or an admin can open it, if it is still kept." }
        }
    };
    visit.page(&title, ConsolePage::None, body).await
}

#[derive(Deserialize)]
struct ArtifactData {
    digest: String,
    size: u64,
    media_type: String,
    names: Vec<String>,
    artifacts: Vec<MadeData>,
}

#[derive(Deserialize)]
struct MadeData {
    name: String,
    #[serde(default)]
    run: Option<String>,
    owner: String,
    created_at: String,
}

async fn artifact(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(at): Query<ContentPageQuery>,
) -> PageResult<Response> {
    let one: ArtifactData = visit.get(PageAddress::of(["artifacts", &id])).await?;
    let facts = parts::facts([
        ("Name", text::short(&one.names.join(", "))),
        ("Type", text::short(&one.media_type)),
        ("Size", size(one.size)),
        ("Digest", parts::copyable(&one.digest)),
    ]);
    let made = made(&visit, &one.artifacts);
    let content = PreviewContent { kind: "artifacts", id: &id, media_type: &one.media_type, size: one.size };
    let name = one.names.first().map_or("artifact", String::as_str);
    let seen = preview::look(&visit, &content, at.page()).await;
    page(&visit, &format!("Artifact {name}"), &facts, &content, &seen, &made).await
}

fn made(visit: &PageVisit, all: &[MadeData]) -> Markup {
    html! {
        section.card aria-labelledby="made-title" {
            h2 #made-title { "Made by" }
            table.list {
                thead { tr { th scope="col" { "Run" } th scope="col" { "Name" } th scope="col" { "Principal" } th scope="col" { "When" } } }
                tbody {
                    @for one in all {
                        tr {
                            td data-name="Run" { @if let Some(run) = &one.run { (links::id(run)) } @else { span.soft { "no run" } } }
                            td data-name="Name" { (text::short(&one.name)) }
                            td data-name="Principal" { (links::principal(&one.owner)) }
                            td data-name="When" { (ago(visit, &one.created_at)) }
                        }
                    }
                }
            }
        }
    }
}

fn size(bytes: u64) -> Markup {
    let said = parts::size(bytes);
    html! { (said) @if bytes >= 1024 { span.soft { " (" (parts::number(bytes)) " bytes)" } } }
}

async fn page(
    visit: &PageVisit,
    title: &str,
    facts: &Markup,
    content: &PreviewContent<'_>,
    seen: &PreviewMarkup,
    more: &Markup,
) -> PageResult<Response> {
    let save = content.address().with("download", "1");
    let body = html! {
        (parts::heading(text::short(title), html! { @if seen.may_save { a.button.primary href=(save) download { "Download" } } }))
        div.split {
            section.card aria-labelledby="look-title" { h2 #look-title { "Preview" } (seen.shown) }
            div { section.card aria-labelledby="about-title" { h2 #about-title { "About" } (facts) } (more) }
        }
    };
    Ok(visit.page(title, ConsolePage::None, body).await)
}
