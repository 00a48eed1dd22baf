//! Files, refs and artifacts: their properties, a safe preview, and a download.

mod bytes;
mod preview;

use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toolgate_core::Role;

use crate::Context;
use crate::address::Address;
use crate::layout::Room;
use crate::parts::moment::ago;
use crate::parts::{self, links, text};
use crate::problem::Answered;
use crate::visit::Visit;
use preview::Content;

pub(crate) fn routes() -> Router<Context> {
    Router::new()
        .route("/console/files/{id}", get(file))
        .route("/console/files/{id}/content", get(bytes::of_file))
        .route("/console/refs/{id}", get(reference))
        .route("/console/refs/{id}/content", get(bytes::of_ref))
        .route("/console/artifacts/{id}", get(artifact))
        .route("/console/artifacts/{id}/content", get(bytes::of_artifact))
}

#[derive(Deserialize)]
struct File {
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

async fn file(visit: Visit, Path(id): Path<String>) -> Answered<Response> {
    let Some(file) = known::<File>(&visit, Address::of(["files", &id])).await? else {
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
    let content = Content { kind: "files", id: &id, media_type: &file.media_type, size: file.size };
    page(&visit, &format!("File {}", file.name), &facts, &content, &html! {}).await
}

#[derive(Deserialize)]
struct Ref {
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
    origin: Option<Origin>,
    created_at: String,
    expires_at: String,
}

#[derive(Deserialize)]
struct Origin {
    server: String,
    id: String,
}

async fn reference(visit: Visit, Path(id): Path<String>) -> Answered<Response> {
    let Some(one) = known::<Ref>(&visit, Address::of(["refs", &id])).await? else {
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
    let content = Content { kind: "refs", id: &id, media_type: &one.media_type, size: one.size };
    page(&visit, &format!("Ref {}", links::brief_text(&one.id)), &facts, &content, &html! {}).await
}

/// Auditors see files and refs in the record, and may not read them: `None` if the API refuses. Others get
/// the problem.
async fn known<T: DeserializeOwned>(visit: &Visit, address: Address) -> Answered<Option<T>> {
    match visit.role() {
        Role::Auditor => visit.find(address).await,
        _ => visit.get(address).await.map(Some),
    }
}

async fn withheld(visit: &Visit, what: &str, id: &str) -> Response {
    let title = format!("{what} {id}");
    let record = Address::of(["console", "ledger"]);
    let body = html! {
        (parts::heading(text::short(&title), html! {}))
        section.card {
            p.strong { "Auditors may see that it was used, but not its content." }
            p { "Who used it, in which call and when, is in the " a href=(record) { "ledger" } ". Its owner, an operator or an admin can open it, if it is still kept." }
        }
    };
    visit.page(&title, Room::None, body).await
}

#[derive(Deserialize)]
struct Artifact {
    digest: String,
    size: u64,
    media_type: String,
    names: Vec<String>,
    artifacts: Vec<Made>,
}

#[derive(Deserialize)]
struct Made {
    name: String,
    #[serde(default)]
    run: Option<String>,
    owner: String,
    created_at: String,
}

async fn artifact(visit: Visit, Path(id): Path<String>) -> Answered<Response> {
    let one: Artifact = visit.get(Address::of(["artifacts", &id])).await?;
    let facts = parts::facts([
        ("Name", text::short(&one.names.join(", "))),
        ("Type", text::short(&one.media_type)),
        ("Size", size(one.size)),
        ("Digest", parts::copyable(&one.digest)),
    ]);
    let made = made(&visit, &one.artifacts);
    let content = Content { kind: "artifacts", id: &id, media_type: &one.media_type, size: one.size };
    let name = one.names.first().map_or("artifact", String::as_str);
    page(&visit, &format!("Artifact {name}"), &facts, &content, &made).await
}

fn made(visit: &Visit, all: &[Made]) -> Markup {
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
    visit: &Visit,
    title: &str,
    facts: &Markup,
    content: &Content<'_>,
    more: &Markup,
) -> Answered<Response> {
    let seen = preview::look(visit, content).await;
    let save = content.address().with("download", "1");
    let body = html! {
        (parts::heading(text::short(title), html! { @if seen.may_save { a.button.primary href=(save) download { "Download" } } }))
        div.split {
            section.card aria-labelledby="look-title" { h2 #look-title { "Preview" } (seen.shown) }
            div { section.card aria-labelledby="about-title" { h2 #about-title { "About" } (facts) } (more) }
        }
    };
    Ok(visit.page(title, Room::None, body).await)
}
