//! Aliases: other names of tools.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::tabs::{Side, head, refused};
use super::value::{Setting, with, without};
use crate::address::Address;
use crate::fields::Fields;
use crate::layout::{Room, csrf};
use crate::parts::moment::ago;
use crate::parts::{self, Tone, links, text};
use crate::problem::{Answered, Problem};
use crate::said::Said;
use crate::visit::Visit;

const KEY: &str = "aliases";

#[derive(Deserialize)]
struct Aliases {
    aliases: Vec<Alias>,
}

#[derive(Deserialize)]
struct Alias {
    name: String,
    tool: String,
    #[serde(default)]
    until: Option<String>,
    in_use: bool,
    primary: bool,
    owner: String,
}

pub(super) async fn show(visit: Visit) -> Answered<Response> {
    page(&visit, StatusCode::OK, html! {}, &Fields::default()).await
}

pub(super) async fn change(visit: Visit, fields: Fields) -> Answered<Response> {
    let changed = match fields.needed("do")? {
        "add" => add(&visit, &fields).await.map(|()| Said::Saved),
        "remove" => remove(&visit, &fields).await.map(|()| Said::Removed),
        other => Err(Problem::bad_form(format!("this page has no action {other:?}"))),
    };
    match changed {
        Ok(said) => Ok(visit.go(Address::of(["console", "settings", "aliases"]), said)),
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem), &fields).await
        }
        Err(problem) => Err(problem),
    }
}

async fn add(visit: &Visit, fields: &Fields) -> Answered<()> {
    let mut entry = json!({ "name": fields.needed("name")?, "tool": fields.needed("tool")? });
    if let Some(until) = fields.text("until") {
        entry["until"] = json!(until);
    }
    Setting::change(visit, KEY, fields, |value| Ok(with(value, entry))).await
}

async fn remove(visit: &Visit, fields: &Fields) -> Answered<()> {
    let name = fields.needed("name")?;
    Setting::change(visit, KEY, fields, |value| Ok(without(value, name))).await
}

async fn page(visit: &Visit, status: StatusCode, above: Markup, draft: &Fields) -> Answered<Response> {
    let setting = Setting::read(visit, KEY).await?;
    let Aliases { aliases } = visit.get(Address::of(["aliases"])).await?;
    let own: Vec<String> =
        setting.entries().iter().filter_map(|entry| Some(entry["name"].as_str()?.to_owned())).collect();
    let body = html! {
        (head(Side::Aliases))
        (above)
        p { "An alias is a second name for a tool, for example an old or a short one. An alias with an end date works until then and warns its callers." }
        section #aliases data-live="registry setting" aria-label="Aliases" {
            @if aliases.is_empty() {
                (parts::empty("There are no aliases.", html! { p { "Tools have only their own names: " a href="/console/tools" { "see them" } "." } }))
            } @else {
                table.list {
                    thead { tr {
                        th scope="col" { "Alias" } th scope="col" { "Tool" } th scope="col" { "Until" }
                        th scope="col" { "Given by" } th scope="col" { "Change" }
                    } }
                    tbody { @for alias in &aliases { (row(visit, &setting, alias, &own)) } }
                }
            }
            (setting.last_change(visit))
        }
        @if visit.operates() { (adding(visit, &setting, draft)) }
        @else { p.help { "Changing them needs the role admin or operator." } }
    };
    Ok(visit.page_with(status, "Aliases", Room::Settings, body).await)
}

fn row(visit: &Visit, setting: &Setting, alias: &Alias, own: &[String]) -> Markup {
    html! {
        tr data-entry=(alias.name) {
            td data-name="Alias" {
                code { (text::short(&alias.name)) }
                @if alias.primary { " " (parts::badge("agents see this name", Tone::Plain)) }
            }
            td data-name="Tool" { (links::tool(&alias.tool)) }
            td data-name="Until" {
                @match &alias.until {
                    Some(until) => { (ago(visit, until)) @if !alias.in_use { " " (parts::badge("over", Tone::Bad)) } }
                    None => span.soft { "forever" },
                }
            }
            td data-name="Given by" { (text::short(&alias.owner)) }
            td data-name="Change" {
                @if !own.contains(&alias.name) { span.soft { "not set here" } }
                @else if visit.operates() { (removing(visit, setting, alias)) }
                @else { span.soft { "needs admin or operator" } }
            }
        }
    }
}

fn removing(visit: &Visit, setting: &Setting, alias: &Alias) -> Markup {
    let confirm = format!("Remove the alias {}? Calls by that name will be refused.", alias.name);
    html! {
        form method="post" action="/console/settings/aliases" {
            (csrf(visit)) (setting.version_field())
            input type="hidden" name="do" value="remove";
            input type="hidden" name="name" value=(alias.name);
            button.button.small.danger type="submit" data-confirm=(confirm) { "Remove" span.unseen { " " (text::made_visible(&alias.name)) } }
        }
    }
}

fn adding(visit: &Visit, setting: &Setting, draft: &Fields) -> Markup {
    let text = |name: &str| draft.text(name).unwrap_or_default();
    html! {
        form.card method="post" action="/console/settings/aliases" aria-labelledby="add-title" {
            h2 #add-title { "Add an alias" }
            (csrf(visit)) (setting.version_field())
            input type="hidden" name="do" value="add";
            div.filters.wide {
                div.field {
                    label for="name" { "Alias" }
                    input #name type="text" name="name" value=(text("name")) required maxlength="128" autocomplete="off" placeholder="documents.text.extract";
                }
                div.field {
                    label for="tool" { "Name of the tool" }
                    input #tool type="text" name="tool" value=(text("tool")) required autocomplete="off" placeholder="server:tool";
                }
                div.field {
                    label for="until" { "Until (optional)" }
                    input #until type="text" name="until" value=(text("until")) autocomplete="off" placeholder="2027-01-31";
                }
            }
            p { button.button.primary type="submit" { "Add alias" } }
        }
    }
}
