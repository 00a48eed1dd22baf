//! Credentials for sites: which there are, who may use them, and when that was last done. Values are never shown; they come in
//! by the command line or the API.

use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tabs::{CREDENTIALS, Side, for_others, head, refused};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::moment::{ago, at};
use crate::parts::{self, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct CredentialsData {
    credentials: Vec<CredentialData>,
}

#[derive(Deserialize)]
struct CredentialData {
    id: String,
    name: String,
    origin: String,
    fields: Vec<CredentialFieldData>,
    users: Vec<String>,
    servers: Vec<String>,
    created_by: String,
    created_at: String,
    #[serde(default)]
    expires_at: Option<String>,
    #[serde(default)]
    last_used_at: Option<String>,
}

#[derive(Deserialize)]
struct CredentialFieldData {
    name: String,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}).await
}

pub(super) async fn remove(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let id = fields.needed("id")?;
    let removed: PageResult<Value> =
        visit.send(Method::DELETE, PageAddress::of(["credentials", id]), &json!({})).await;
    match removed {
        Ok(_) => Ok(visit.go(PageAddress::of(["console", "settings", "credentials"]), DoneNotice::Removed)),
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn page(visit: &PageVisit, status: StatusCode, above: Markup) -> PageResult<Response> {
    let found = visit.find::<CredentialsData>(PageAddress::of(["credentials"])).await?;
    let body = html! {
        (head(Side::Credentials))
        (above)
        @match &found {
            Some(found) => {
                section #credentials data-live="credential" aria-label="Credentials" { (list(visit, &found.credentials)) }
                (adding())
            }
            None => (for_others("admin, operator or auditor", "see credentials")),
        }
    };
    Ok(visit.page_with(status, "Credentials", ConsolePage::Settings, body).await)
}

fn list(visit: &PageVisit, credentials: &[CredentialData]) -> Markup {
    if credentials.is_empty() {
        let next = html! { p { "An agent names a credential by its handle and never sees its values." } };
        return parts::empty("There are no credentials for sites.", next);
    }
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Name" } th scope="col" { "Site" } th scope="col" { "Fields" } th scope="col" { "For" }
                th scope="col" { "Servers" } th scope="col" { "Created" } th scope="col" { "Last used" } th scope="col" { "Change" }
            } }
            tbody { @for one in credentials { (entry(visit, one)) } }
        }
    }
}

fn entry(visit: &PageVisit, one: &CredentialData) -> Markup {
    html! {
        tr data-entry=(one.id) {
            td data-name="Name" { span.strong { (text::short(&one.name)) } " " code.id { (text::short(&one.id)) } }
            td data-name="Site" { (text::short(&one.origin)) }
            td data-name="Fields" { @for field in &one.fields { code { (text::short(&field.name)) } " " } }
            td data-name="For" { (text::short(&one.users.join(", "))) }
            td data-name="Servers" { (text::short(&one.servers.join(", "))) }
            td data-name="Created" {
                (ago(visit, &one.created_at)) " by " (text::short(&one.created_by))
                @if let Some(end) = &one.expires_at { ", until " (at(visit, end)) }
            }
            td data-name="Last used" {
                @match &one.last_used_at { Some(used) => (ago(visit, used)), None => "never" }
            }
            td data-name="Change" { @if visit.operates() { (removing(visit, one)) } }
        }
    }
}

fn removing(visit: &PageVisit, one: &CredentialData) -> Markup {
    let confirm =
        format!("Remove the credential {}? This deletes its values, and calls that name it fail.", one.name);
    html! {
        form method="post" action=(CREDENTIALS) {
            (csrf(visit))
            input type="hidden" name="id" value=(one.id);
            button.button.small.danger type="submit" data-confirm=(confirm) { "Remove" span.unseen { " " (text::made_visible(&one.name)) } }
        }
    }
}

fn adding() -> Markup {
    html! {
        section.card aria-labelledby="adding-title" {
            h2 #adding-title { "Add a credential" }
            p { "On the gateway's machine, values come from standard input and are never shown again:" }
            pre.block tabindex="0" { "toolgate credentials add \"Example Jobs\" --origin https://jobs.example \\\n  --for agent:applicant --server browser --field username --field password" }
            p.help { a href="/docs/how-to/use-credentials" { "How to use credentials" } }
        }
    }
}
