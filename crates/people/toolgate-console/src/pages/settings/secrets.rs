//! Secrets towards servers: set, replaced, removed. Only their names are ever shown.

use axum::extract::Query;
use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tabs::{Side, for_others, head, refused};
use crate::address::Address;
use crate::fields::Fields;
use crate::layout::{Room, csrf};
use crate::parts::moment::ago;
use crate::parts::{self, text};
use crate::problem::{Answered, Problem};
use crate::said::Said;
use crate::visit::Visit;

#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    server: Option<String>,
}

#[derive(Deserialize)]
struct Servers {
    servers: Vec<Server>,
}

#[derive(Deserialize)]
struct Server {
    name: String,
}

#[derive(Deserialize)]
struct Secrets {
    secrets: Vec<Secret>,
}

#[derive(Deserialize)]
struct Secret {
    name: String,
    #[serde(default)]
    principal: Option<String>,
    /// Absent if the operator's file names the place of the secret.
    #[serde(default)]
    updated_at: Option<String>,
}

pub(super) async fn show(visit: Visit, Query(wanted): Query<Wanted>) -> Answered<Response> {
    page(&visit, StatusCode::OK, html! {}, wanted.server.as_deref()).await
}

pub(super) async fn change(visit: Visit, fields: Fields) -> Answered<Response> {
    let server = fields.needed("server")?;
    let changed = match fields.needed("do")? {
        "set" => set(&visit, server, &fields).await.map(|()| Said::Saved),
        "remove" => remove(&visit, server, &fields).await.map(|()| Said::Removed),
        other => Err(Problem::bad_form(format!("this page has no action {other:?}"))),
    };
    match changed {
        Ok(said) => {
            Ok(visit.go(Address::of(["console", "settings", "secrets"]).with("server", server), said))
        }
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem), Some(server)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn set(visit: &Visit, server: &str, fields: &Fields) -> Answered<()> {
    // A secret may begin or end with blanks.
    let value = fields.get("value").unwrap_or_default();
    let place = place(server, fields)?;
    let _: Value = visit.send(Method::PUT, place, &json!({ "value": value })).await?;
    Ok(())
}

async fn remove(visit: &Visit, server: &str, fields: &Fields) -> Answered<()> {
    let _: Value = visit.send(Method::DELETE, place(server, fields)?, &json!({})).await?;
    Ok(())
}

fn place(server: &str, fields: &Fields) -> Answered<Address> {
    let address = Address::of(["secrets", server, fields.needed("name")?]);
    Ok(address.maybe("principal", fields.text("principal")))
}

async fn page(visit: &Visit, status: StatusCode, above: Markup, server: Option<&str>) -> Answered<Response> {
    let secrets = match visit.operates() {
        true => {
            let Servers { servers } = visit.get(Address::of(["servers"])).await?;
            inside(visit, &servers, server).await?
        }
        false => for_others("admin or operator", "see or set secrets"),
    };
    let body = html! { (head(Side::Secrets)) (above) (secrets) };
    Ok(visit.page_with(status, "Secrets", Room::Settings, body).await)
}

async fn inside(visit: &Visit, servers: &[Server], server: Option<&str>) -> Answered<Markup> {
    let chosen = server.map(str::trim).filter(|server| !server.is_empty());
    let chosen = chosen.or(servers.first().map(|server| server.name.as_str()));
    let Some(chosen) = chosen else {
        return Ok(parts::empty(
            "There is no server yet, so there are no secrets.",
            html! { p { a href="/console/settings" { "Add a server" } " first." } },
        ));
    };
    let Secrets { secrets } = visit.get(Address::of(["secrets", chosen])).await?;
    Ok(html! {
        (choosing(servers, chosen))
        section #secrets data-live="credential" aria-labelledby="secrets-title" {
            h2 #secrets-title { "Secrets of " (text::short(chosen)) }
            (list(visit, chosen, &secrets))
        }
        (setting(visit, chosen))
    })
}

fn choosing(servers: &[Server], chosen: &str) -> Markup {
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

fn list(visit: &Visit, server: &str, secrets: &[Secret]) -> Markup {
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

fn removing(visit: &Visit, server: &str, secret: &Secret) -> Markup {
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

fn setting(visit: &Visit, server: &str) -> Markup {
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
