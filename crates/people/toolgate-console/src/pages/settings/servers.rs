//! Servers: added by their address, disabled, removed. Those of the file are changed there.

use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::server_list::{ConfiguredIn, ListedServerData, ServerLine, lines};
use super::tabs::{Side, for_others, head, refused};
use super::value::{SettingData, with, with_member, without};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::{self, links, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const KEY: &str = "mcp_servers";
/// The kind of a server that is an API, and the member of its entry with the address of its document.
const OPENAPI: &str = "openapi";
/// The kind of a server that is a connector that ships, and the member of its entry with the connector's name.
const CONNECTOR: &str = "connector";
const BASE_URL: &str = "base_url";
const QUERY: &str = "query";
const HERE: [&str; 2] = ["console", "settings"];

#[derive(Deserialize)]
struct ListedServersData {
    servers: Vec<ListedServerData>,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}, &ServerDraft::default()).await
}

/// The content of the form for a new one.
#[derive(Default)]
struct ServerDraft {
    name: String,
    url: String,
    authorization: String,
    kind: String,
    connector: String,
    base_url: String,
    query: String,
}

pub(super) async fn change(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let changed = match fields.needed("do")? {
        "add" => add(&visit, &fields).await.map(|()| DoneNotice::Saved),
        "disable" => set_enabled(&visit, &fields, &json!(false)).await.map(|()| DoneNotice::Saved),
        "enable" => set_enabled(&visit, &fields, &json!(true)).await.map(|()| DoneNotice::Saved),
        "remove" => remove(&visit, &fields).await.map(|()| DoneNotice::Removed),
        "forget" => forget(&visit, &fields).await.map(|()| DoneNotice::Removed),
        other => Err(ApiProblem::bad_form(format!("this page has no action {other:?}"))),
    };
    match changed {
        Ok(said) => Ok(visit.go(PageAddress::of(HERE), said)),
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem), &ServerDraft::of(&fields)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn add(visit: &PageVisit, fields: &FormFields) -> PageResult<()> {
    let (name, url) = (fields.needed("name")?, fields.needed("url")?);
    let key = match fields.get("kind") {
        Some(OPENAPI) => OPENAPI,
        Some(CONNECTOR) => BASE_URL,
        _ => "url",
    };
    let mut entry = json!({ "name": name });
    if let Some(base_url) = fields.text(BASE_URL) {
        entry[BASE_URL] = json!(base_url);
    }
    if let Some(connector) = fields.text(CONNECTOR) {
        entry[CONNECTOR] = json!(connector);
    }
    if let Some(query) = fields.text(QUERY) {
        entry[QUERY] = parameters(query);
    }
    entry[key] = json!(url);
    if let Some(authorization) = fields.text("authorization") {
        entry["headers"] = json!({ "Authorization": authorization });
    }
    SettingData::change(visit, KEY, fields, |value| Ok(with(value, entry))).await
}

/// `a=1&b=2` as an object. Nothing is decoded: a value is written as it is, with `${vault:NAME}` in it.
fn parameters(query: &str) -> Value {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs
        .map(|(name, value)| (name.trim().to_owned(), json!(value.trim())))
        .collect::<Map<String, Value>>()
        .into()
}

async fn set_enabled(visit: &PageVisit, fields: &FormFields, enabled: &Value) -> PageResult<()> {
    let name = fields.needed("name")?;
    SettingData::change(visit, KEY, fields, |value| Ok(with_member(value, name, "enabled", enabled))).await
}

async fn remove(visit: &PageVisit, fields: &FormFields) -> PageResult<()> {
    let name = fields.needed("name")?;
    SettingData::change(visit, KEY, fields, |value| Ok(without(value, name))).await
}

async fn forget(visit: &PageVisit, fields: &FormFields) -> PageResult<()> {
    let name = fields.needed("name")?;
    visit.send(Method::DELETE, PageAddress::of(["servers", name]), &json!({})).await
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    above: Markup,
    draft: &ServerDraft,
) -> PageResult<Response> {
    let setting = SettingData::read(visit, KEY).await?;
    let ListedServersData { servers } = visit.get(PageAddress::of(["servers"])).await?;
    let lines = lines(servers, &setting.entries());
    let body = html! {
        (head(Side::Servers))
        (above)
        @if !visit.operates() { (for_others("admin or operator", "change servers")) }
        section #servers data-live="server setting" aria-label="Servers" {
            @if !lines.is_empty() { (table(visit, &setting, &lines)) } @else { (nothing()) }
            (setting.last_change(visit))
        }
        @if visit.operates() { (adding(visit, &setting, draft)) }
    };
    Ok(visit.page_with(status, "Servers", ConsolePage::Settings, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "There is no server yet.",
        html! {
            p { "Add a server by its address below, or add one that runs as a command to the configuration file." }
            p { a href="/docs/how-to/add-a-server" { "How to add a server" } }
        },
    )
}

fn table(visit: &PageVisit, setting: &SettingData, lines: &[ServerLine]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Server" } th scope="col" { "State" } th scope="col" { "Address" }
                th.number scope="col" { "Tools" } th scope="col" { "Configured in" } th scope="col" { "Change" }
            } }
            tbody {
                @for line in lines {
                    tr data-entry=(line.name) {
                        td data-name="Server" { @if line.known.is_some() { (links::server(&line.name)) } @else { (text::short(&line.name)) } }
                        td data-name="State" { (state(line)) }
                        td data-name="Address" { @if let Some(url) = &line.url { (text::short(url)) } @else { span.soft { "started as a command" } } }
                        td.number data-name="Tools" { @if let Some(known) = &line.known { (parts::number(known.tools)) } }
                        td data-name="Set in" { (place(line.place)) }
                        td data-name="Change" { (actions(visit, setting, line)) }
                    }
                }
            }
        }
    }
}

fn state(line: &ServerLine) -> Markup {
    html! {
        @match (&line.known, line.place) {
            (Some(known), _) => {
                (parts::state(&known.health))
                @if let Some(reason) = &known.reason { div.help { (text::long(reason)) } }
            }
            (None, ConfiguredIn::Settings { enabled: false }) => (parts::state("disabled")),
            (None, _) => span.soft { "unknown" },
        }
    }
}

fn place(place: ConfiguredIn) -> &'static str {
    match place {
        ConfiguredIn::Settings { .. } => "here",
        ConfiguredIn::File => "the configuration file",
        ConfiguredIn::Registered => "its own registration",
    }
}

fn actions(visit: &PageVisit, setting: &SettingData, line: &ServerLine) -> Markup {
    if !visit.operates() {
        return html! { span.soft { "needs admin or operator" } };
    }
    let removing = format!("Remove the server {}? Every agent loses its tools.", line.name);
    html! {
        @match line.place {
            ConfiguredIn::File => span.soft { "Change it in the configuration file. The gateway reads the file again when you save it." },
            ConfiguredIn::Registered => (button(visit, setting, line, ("forget", "Forget"), Some(&removing))),
            ConfiguredIn::Settings { enabled } => {
                div.row {
                    @if enabled { (button(visit, setting, line, ("disable", "Disable"), None)) }
                    @else { (button(visit, setting, line, ("enable", "Enable"), None)) }
                    (button(visit, setting, line, ("remove", "Remove"), Some(&removing)))
                }
            }
        }
    }
}

fn button(
    visit: &PageVisit,
    setting: &SettingData,
    line: &ServerLine,
    (word, label): (&str, &str),
    confirm: Option<&str>,
) -> Markup {
    html! {
        form method="post" action="/console/settings" {
            (csrf(visit)) (setting.version_field())
            input type="hidden" name="do" value=(word);
            input type="hidden" name="name" value=(line.name);
            button.button.small.danger[confirm.is_some()] type="submit" data-confirm=[confirm] {
                (label) span.unseen { " " (text::made_visible(&line.name)) }
            }
        }
    }
}

fn adding(visit: &PageVisit, setting: &SettingData, draft: &ServerDraft) -> Markup {
    html! {
        form.card method="post" action="/console/settings" aria-labelledby="add-title" {
            h2 #add-title { "Add a server by its address" }
            (csrf(visit)) (setting.version_field())
            input type="hidden" name="do" value="add";
            div.filters.wide {
                div.field {
                    label for="name" { "Name" }
                    input #name type="text" name="name" value=(draft.name) required maxlength="64" autocomplete="off" placeholder="job-app";
                }
                div.field {
                    label for="kind" { "Kind" }
                    select #kind name="kind" {
                        option value="mcp" { "MCP server" }
                        option value=(OPENAPI) selected[draft.kind == OPENAPI] { "HTTP API, by its OpenAPI document" }
                        option value=(CONNECTOR) selected[draft.kind == CONNECTOR] { "Built-in connector, by its provider's address" }
                    }
                }
                div.field {
                    label for="url" { "Address" }
                    input #url type="url" name="url" value=(draft.url) required autocomplete="off" placeholder="https://tools.example.com/mcp";
                }
                div.field {
                    label for="authorization" { "Authorization header (optional)" }
                    input #authorization type="text" name="authorization" value=(draft.authorization) autocomplete="off" placeholder="Bearer ${vault:api_key}";
                }
                (of_api("connector", "Connector (for a connector)", &draft.connector, "slack"))
                (of_api("base_url", "Address of the API, if its document does not say it (optional)", &draft.base_url, "https://api.example.com/v1"))
                (of_api("query", "Query of each request to an API (optional)", &draft.query, "api_key=${vault:api_key}"))
            }
            p { a href="/console/settings/registry" { "Find a server in the registry" } }
            p.help {
                "Store a secret under " a href="/console/settings/secrets" { "Secrets" } " and refer to it here as " code { "${vault:NAME}" } ". "
                "Add a server that runs as a command to the configuration file; this page cannot start programs."
            }
            p { button.button.primary type="submit" { "Add server" } }
        }
    }
}

/// A field that only an API has.
fn of_api(name: &str, label: &str, value: &str, example: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input id=(name) type="text" name=(name) value=(value) autocomplete="off" placeholder=(example);
        }
    }
}

impl ServerDraft {
    fn of(fields: &FormFields) -> Self {
        let text = |name: &str| fields.text(name).unwrap_or_default().to_owned();
        match fields.get("do") {
            Some("add") => Self {
                name: text("name"),
                url: text("url"),
                authorization: text("authorization"),
                kind: text("kind"),
                connector: text(CONNECTOR),
                base_url: text(BASE_URL),
                query: text(QUERY),
            },
            _ => Self::default(),
        }
    }
}
