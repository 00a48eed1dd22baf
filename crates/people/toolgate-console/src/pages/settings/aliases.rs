//! Aliases: other names of tools.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::tabs::{Side, head, refused};
use super::value::{SettingData, with, without};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const KEY: &str = "aliases";

#[derive(Deserialize)]
struct AliasesData {
    aliases: Vec<AliasData>,
}

#[derive(Deserialize)]
struct AliasData {
    name: String,
    tool: String,
    #[serde(default)]
    until: Option<String>,
    in_use: bool,
    primary: bool,
    owner: String,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}, &FormFields::default()).await
}

pub(super) async fn change(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let changed = match fields.needed("do")? {
        "add" => add(&visit, &fields).await.map(|()| DoneNotice::Saved),
        "remove" => remove(&visit, &fields).await.map(|()| DoneNotice::Removed),
        other => Err(ApiProblem::bad_form(format!("this page has no action {other:?}"))),
    };
    match changed {
        Ok(said) => Ok(visit.go(PageAddress::of(["console", "settings", "aliases"]), said)),
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem), &fields).await
        }
        Err(problem) => Err(problem),
    }
}

async fn add(visit: &PageVisit, fields: &FormFields) -> PageResult<()> {
    let mut entry = json!({ "name": fields.needed("name")?, "tool": fields.needed("tool")? });
    if let Some(until) = fields.text("until") {
        entry["until"] = json!(until);
    }
    SettingData::change(visit, KEY, fields, |value| Ok(with(value, entry))).await
}

async fn remove(visit: &PageVisit, fields: &FormFields) -> PageResult<()> {
    let name = fields.needed("name")?;
    SettingData::change(visit, KEY, fields, |value| Ok(without(value, name))).await
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    above: Markup,
    draft: &FormFields,
) -> PageResult<Response> {
    let setting = SettingData::read(visit, KEY).await?;
    let AliasesData { aliases } = visit.get(PageAddress::of(["aliases"])).await?;
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
    Ok(visit.page_with(status, "Aliases", ConsolePage::Settings, body).await)
}

fn row(visit: &PageVisit, setting: &SettingData, alias: &AliasData, own: &[String]) -> Markup {
    html! {
        tr data-entry=(alias.name) {
            td data-name="Alias" {
                code { (text::short(&alias.name)) }
                @if alias.primary { " " (parts::badge("agents see this name", BadgeTone::Plain)) }
            }
            td data-name="Tool" { (links::tool(&alias.tool)) }
            td data-name="Until" {
                @match &alias.until {
                    Some(until) => { (ago(visit, until)) @if !alias.in_use { " " (parts::badge("over", BadgeTone::Bad)) } }
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

fn removing(visit: &PageVisit, setting: &SettingData, alias: &AliasData) -> Markup {
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

fn adding(visit: &PageVisit, setting: &SettingData, draft: &FormFields) -> Markup {
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
