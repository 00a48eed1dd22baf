//! Servers of the MCP registry: found by words, shown with what they would become, and added by their address. A command is added on
//! the command line, since nothing here can start a program.

use axum::extract::Query;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::tabs::{Side, for_others, head, refused};
use super::value::{SettingData, with};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::pages::filters::{self, PageFilters};
use crate::parts::{self, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const HERE: &str = "/console/settings/registry";
const KEY: &str = "mcp_servers";
const FILTERS: [&str; 2] = ["search", "name"];
const ABOUT_CHARS: usize = 240;

#[derive(Deserialize)]
struct PublishedServersData {
    registry: String,
    servers: Vec<PublishedServerData>,
    #[serde(default)]
    unread: u64,
    #[serde(default)]
    more: bool,
}

#[derive(Deserialize)]
struct PublishedServerData {
    name: String,
    version: String,
    description: String,
    publisher: String,
    #[serde(default)]
    repository: Option<String>,
    status: String,
    #[serde(default)]
    status_message: Option<String>,
    digest: String,
    #[serde(default)]
    kinds: Vec<String>,
}

#[derive(Deserialize)]
struct PublishedDetailData {
    #[serde(flatten)]
    server: PublishedServerData,
    registry: String,
    ways: Vec<PublishedWayData>,
}

#[derive(Deserialize)]
struct PublishedWayData {
    kind: String,
    target: String,
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    secrets: Vec<PublishedSecretData>,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    setting: Option<Value>,
    #[serde(default)]
    refused: Option<String>,
    #[serde(default)]
    hint: Option<String>,
}

#[derive(Deserialize)]
struct PublishedSecretData {
    name: String,
    description: String,
}

pub(super) async fn show(
    visit: PageVisit,
    Query(pairs): Query<Vec<(String, String)>>,
) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}, &PageFilters::of(pairs, &FILTERS)).await
}

pub(super) async fn add(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let published = fields.needed("published")?;
    match add_entry(&visit, published, &fields).await {
        Ok(()) => Ok(visit.go(PageAddress::of(["console", "settings"]), DoneNotice::Saved)),
        Err(problem) if problem.status().is_client_error() => {
            let pairs = vec![("name".to_owned(), published.to_owned())];
            page(&visit, problem.status(), refused(&problem), &PageFilters::of(pairs, &FILTERS)).await
        }
        Err(problem) => Err(problem),
    }
}

/// The entry is asked for again: the form names a server, and not what is added.
async fn add_entry(visit: &PageVisit, published: &str, fields: &FormFields) -> PageResult<()> {
    let own_name = fields.needed("name")?;
    let version = fields.needed("published_version")?;
    let address = PageAddress::of(["published-servers", published]).with("version", version);
    let detail: PublishedDetailData = visit.get(address).await?;
    if fields.get("digest") != Some(detail.server.digest.as_str()) {
        return Err(ApiProblem::bad_form(
            "the registry has another entry of this version than the one you saw",
        )
        .hint("look at it again before you add it"));
    }
    let Some(mut entry) = detail.ways.into_iter().find_map(|way| way.setting) else {
        return Err(ApiProblem::bad_form(format!("{published} has no address to add")));
    };
    entry["name"] = json!(own_name);
    SettingData::change(visit, KEY, fields, |value| Ok(with(value, entry))).await
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    above: Markup,
    wanted: &PageFilters,
) -> PageResult<Response> {
    let found = match (wanted.get("name"), wanted.get("search")) {
        _ if !visit.operates() => for_others("admin or operator", "search the registry"),
        (Some(name), _) => detail(visit, name).await?,
        (None, Some(words)) => results(visit, words).await,
        (None, None) => html! {},
    };
    let body = html! {
        (head(Side::Servers))
        (above)
        @if visit.operates() { (form(wanted)) }
        (found)
    };
    Ok(visit.page_with(status, "Servers of the registry", ConsolePage::Settings, body).await)
}

fn form(wanted: &PageFilters) -> Markup {
    html! {
        form.card method="get" action=(HERE) role="search" {
            div.row {
                div.field.grow {
                    label for="published-search" { "Find a server in the registry" }
                    input type="search" #published-search name="search" value=[wanted.get("search")] required maxlength="200" placeholder="weather";
                }
            }
            p.help { "Searches names, titles and descriptions. Searching adds nothing." }
            p { button.button.primary type="submit" { "Search" } }
        }
    }
}

async fn results(visit: &PageVisit, words: &str) -> Markup {
    let address = PageAddress::of(["published-servers"]).with("search", words);
    let found: PublishedServersData = match visit.get(address).await {
        Ok(found) => found,
        Err(problem) => return filters::refused(Some(&problem)),
    };
    html! {
        section #published aria-label="Servers of the registry" {
            @if found.servers.is_empty() {
                (parts::empty("Nothing matches these words.", html! { p { "The registry is " (text::short(&found.registry)) "." } }))
            } @else {
                (table(&found.servers))
            }
            @if found.more { p.help { "There may be more results. Add a word to narrow the search." } }
            @if found.unread > 0 { p.help { (parts::number(found.unread)) " entries could not be read." } }
        }
    }
}

fn table(servers: &[PublishedServerData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Server" } th scope="col" { "Version" } th scope="col" { "Runs as" } th scope="col" { "About" }
            } }
            tbody {
                @for server in servers {
                    tr data-entry=(server.name) {
                        td data-name="Server" { a href=(PageAddress::of(["console", "settings", "registry"]).with("name", &server.name)) { (text::short(&server.name)) } }
                        td data-name="Version" { (text::short(&server.version)) }
                        td data-name="Runs as" { (text::short(&server.kinds.join(", "))) }
                        td data-name="About" { (text::cut(&server.description, ABOUT_CHARS)) @if server.status != "active" { " " (parts::badge(&server.status, parts::BadgeTone::Bad)) } }
                    }
                }
            }
        }
    }
}

async fn detail(visit: &PageVisit, name: &str) -> PageResult<Markup> {
    let detail: PublishedDetailData = match visit.get(PageAddress::of(["published-servers", name])).await {
        Ok(detail) => detail,
        Err(problem) => return Ok(filters::refused(Some(&problem))),
    };
    let setting = SettingData::read(visit, KEY).await?;
    let server = &detail.server;
    let status = [Some(server.status.as_str()), server.status_message.as_deref()];
    let status: Vec<&str> = status.into_iter().flatten().collect();
    let facts = [
        ("Server", html! { (text::short(&server.name)) " " (text::short(&server.version)) }),
        ("About", text::long(&server.description)),
        ("Publisher", text::short(&server.publisher)),
        ("Repository", text::short(server.repository.as_deref().unwrap_or("not named"))),
        ("Status", text::long(&status.join(": "))),
        ("Registry", text::short(&detail.registry)),
        ("Entry", text::short(&server.digest)),
    ];
    Ok(html! {
        section.card #published aria-label="Server of the registry" {
            (parts::facts(facts))
            @for way in &detail.ways { (of_way(way, &server.name)) }
            @if server.status != "deleted" && detail.ways.iter().any(|way| way.setting.is_some()) { (adding(visit, &setting, &detail)) }
        }
    })
}

fn of_way(way: &PublishedWayData, name: &str) -> Markup {
    html! {
        h2 { (text::short(&way.kind)) " " (text::short(&way.target)) }
        @if let Some(refused) = &way.refused { p { (text::long(refused)) } }
        @if let Some(hint) = &way.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
        @if !way.command.is_empty() {
            p { "It would run as " code { (text::made_visible(&way.command.join(" "))) } ". Add a command on the gateway's machine:" }
            p { (parts::copyable(&format!("toolgate servers add {name} --way {}", way.kind))) }
        }
        @for note in &way.notes { p.help { (text::long(note)) } }
        @for secret in &way.secrets { p { "It needs the secret " code { (text::made_visible(&secret.name)) } @if !secret.description.is_empty() { ": " (text::long(&secret.description)) } } }
    }
}

fn adding(visit: &PageVisit, setting: &SettingData, detail: &PublishedDetailData) -> Markup {
    let server = &detail.server;
    let own_name = detail.ways.iter().find_map(|way| way.setting.as_ref()?.get("name")?.as_str());
    html! {
        form method="post" action=(HERE) aria-labelledby="add-published-title" {
            h2 #add-published-title { "Add it by its address" }
            (csrf(visit)) (setting.version_field())
            input type="hidden" name="published" value=(server.name);
            input type="hidden" name="published_version" value=(server.version);
            input type="hidden" name="digest" value=(server.digest);
            div.field {
                label for="name" { "Name" }
                input #name type="text" name="name" value=[own_name] required maxlength="64" autocomplete="off";
            }
            p.help {
                "Its tools wait under " a href="/console/reviews" { "Reviews" } " until someone reviews them. Store its secrets under "
                a href="/console/settings/secrets" { "Secrets" } "."
            }
            p { button.button.primary type="submit" { "Add server" } }
        }
    }
}
