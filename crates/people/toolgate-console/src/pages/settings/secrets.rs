//! Secrets towards servers: set, replaced, removed. Only their names are ever shown.

use axum::extract::Query;
use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tabs::{Side, for_others, head, refused};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::moment::ago;
use crate::parts::{self, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct SecretsPageQuery {
    #[serde(default)]
    server: Option<String>,
}

#[derive(Deserialize)]
struct SecretServersData {
    servers: Vec<SecretServerData>,
}

#[derive(Deserialize)]
struct SecretServerData {
    name: String,
}

#[derive(Deserialize)]
struct SecretsData {
    secrets: Vec<SecretData>,
}

#[derive(Deserialize)]
struct SecretData {
    name: String,
    #[serde(default)]
    principal: Option<String>,
    /// Absent if the operator's file names the place of the secret.
    #[serde(default)]
    updated_at: Option<String>,
}

pub(super) async fn show(visit: PageVisit, Query(wanted): Query<SecretsPageQuery>) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}, wanted.server.as_deref()).await
}

pub(super) async fn change(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let server = fields.needed("server")?;
    let changed = match fields.needed("do")? {
        "set" => set(&visit, server, &fields).await.map(|()| DoneNotice::Saved),
        "remove" => remove(&visit, server, &fields).await.map(|()| DoneNotice::Removed),
        other => Err(ApiProblem::bad_form(format!("this page has no action {other:?}"))),
    };
    match changed {
        Ok(said) => {
            Ok(visit.go(PageAddress::of(["console", "settings", "secrets"]).with("server", server), said))
        }
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem), Some(server)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn set(visit: &PageVisit, server: &str, fields: &FormFields) -> PageResult<()> {
    // A secret may begin or end with blanks.
    let value = fields.get("value").unwrap_or_default();
    let place = place(server, fields)?;
    let _: Value = visit.send(Method::PUT, place, &json!({ "value": value })).await?;
    Ok(())
}

async fn remove(visit: &PageVisit, server: &str, fields: &FormFields) -> PageResult<()> {
    let _: Value = visit.send(Method::DELETE, place(server, fields)?, &json!({})).await?;
    Ok(())
}

fn place(server: &str, fields: &FormFields) -> PageResult<PageAddress> {
    let address = PageAddress::of(["secrets", server, fields.needed("name")?]);
    Ok(address.maybe("principal", fields.text("principal")))
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    above: Markup,
    server: Option<&str>,
) -> PageResult<Response> {
    let secrets = match visit.operates() {
        true => {
            let SecretServersData { servers } = visit.get(PageAddress::of(["servers"])).await?;
            inside(visit, &servers, server).await?
        }
        false => for_others("admin or operator", "see or set secrets"),
    };
    let body = html! { (head(Side::Secrets)) (above) (secrets) };
    Ok(visit.page_with(status, "Secrets", ConsolePage::Settings, body).await)
}

async fn inside(visit: &PageVisit, servers: &[SecretServerData], server: Option<&str>) -> PageResult<Markup> {
    let chosen = server.map(str::trim).filter(|server| !server.is_empty());
    let chosen = chosen.or(servers.first().map(|server| server.name.as_str()));
    let Some(chosen) = chosen else {
        return Ok(parts::empty(
            "There is no server yet, so there are no secrets.",
            html! { p { a href="/console/settings" { "Add a server" } " first." } },
        ));
    };
    let SecretsData { secrets } = visit.get(PageAddress::of(["secrets", chosen])).await?;
    Ok(html! {
        (choosing(servers, chosen))
        section #secrets data-live="credential" aria-labelledby="secrets-title" {
            h2 #secrets-title { "Secrets of " (text::short(chosen)) }
            (list(visit, chosen, &secrets))
        }
        (setting(visit, chosen))
    })
}

fn choosing(servers: &[SecretServerData], chosen: &str) -> Markup {
    html! {
        form.card method="get" action="/console/settings/secrets" {
            div.filters.wide {
                div.field {
                    label for="server" { "Server" }
                    select #server name="server" {
                        @for server in servers { option value=(server.name) selected[server.name == chosen] { (text::made_visible(&server.name)) } }
                    }
                }
                div { button.button type="submit" { "Show" } }
            }
        }
    }
}

fn list(visit: &PageVisit, server: &str, secrets: &[SecretData]) -> Markup {
    if secrets.is_empty() {
        let next = html! { p { "A server's headers and environment refer to a secret as " code { "${vault:NAME}" } ". Set one below." } };
        return parts::empty("This server has no secrets.", next);
    }
    html! {
        table.list {
            thead { tr { th scope="col" { "Name" } th scope="col" { "Principal" } th scope="col" { "Set" } th scope="col" { "Change" } } }
            tbody {
                @for secret in secrets {
                    tr data-entry=(secret.name) {
                        td data-name="Name" { code { (text::short(&secret.name)) } }
                        td data-name="Principal" { @match &secret.principal { Some(whose) => (text::short(whose)), None => "everyone" } }
                        td data-name="Set" {
                            @match &secret.updated_at {
                                Some(at) => (ago(visit, at)),
                                None => "kept elsewhere",
                            }
                        }
                        td data-name="Change" { (removing(visit, server, secret)) }
                    }
                }
            }
        }
    }
}

fn removing(visit: &PageVisit, server: &str, secret: &SecretData) -> Markup {
    let confirm = format!("Remove the secret {}? Calls to {server} that need it will fail.", secret.name);
    html! {
        form method="post" action="/console/settings/secrets" {
            (csrf(visit))
            input type="hidden" name="do" value="remove";
            input type="hidden" name="server" value=(server);
            input type="hidden" name="name" value=(secret.name);
            @if let Some(principal) = &secret.principal { input type="hidden" name="principal" value=(principal); }
            button.button.small.danger type="submit" data-confirm=(confirm) { "Remove" span.unseen { " " (text::made_visible(&secret.name)) } }
        }
    }
}

fn setting(visit: &PageVisit, server: &str) -> Markup {
    html! {
        form.card method="post" action="/console/settings/secrets" aria-labelledby="set-title" {
            h2 #set-title { "Set a secret for " (text::short(server)) }
            (csrf(visit))
            input type="hidden" name="do" value="set";
            input type="hidden" name="server" value=(server);
            div.filters {
                div.field {
                    label for="secret-name" { "Name" }
                    input #secret-name type="text" name="name" required maxlength="128" autocomplete="off" placeholder="api_key";
                }
                div.field {
                    label for="secret-value" { "Value" }
                    input #secret-value type="password" name="value" required autocomplete="new-password";
                }
                div.field {
                    label for="secret-principal" { "Only for (optional)" }
                    input #secret-principal type="text" name="principal" maxlength="256" autocomplete="off" placeholder="ann";
                }
            }
            p.help { "It is stored encrypted, replaces any secret of the same name, and is never shown again." }
            p { button.button.primary type="submit" { "Set secret" } }
        }
    }
}
