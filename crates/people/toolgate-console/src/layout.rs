//! The frame of all pages: head, navigation, waiting items, and the confirmation of the last action.

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use maud::{DOCTYPE, Markup, html};
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::Role;
use toolgate_core::event::EventKind;

use crate::address::PageAddress;
use crate::assets;
use crate::csrf::CSRF;
use crate::docs::error_page;
use crate::notice::DoneNotice;
use crate::parts::text;
use crate::problem::ApiProblem;
use crate::visit::PageVisit;

/// A place in the console, as the navigation shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConsolePage {
    Overview,
    Search,
    Metrics,
    Inbox,
    Calls,
    Ledger,
    Claims,
    Pointers,
    Schemas,
    Knowledge,
    Runs,
    Servers,
    Tools,
    Reviews,
    Agents,
    Sessions,
    Policy,
    Settings,
    Docs,
    /// A page outside the navigation: an error.
    None,
}

const EVERYONE: &[Role] = &[Role::Admin, Role::Operator, Role::Approver, Role::Auditor];
const AUDITING: &[Role] = &[Role::Admin, Role::Operator, Role::Auditor];

struct NavEntry {
    room: ConsolePage,
    name: &'static str,
    address: &'static str,
    /// Pressed after `g`.
    key: &'static str,
    roles: &'static [Role],
}

const fn door(
    room: ConsolePage,
    name: &'static str,
    address: &'static str,
    key: &'static str,
    roles: &'static [Role],
) -> NavEntry {
    NavEntry { room, name, address, key, roles }
}

static GROUPS: [(&str, &[NavEntry]); 5] = [
    (
        "Now",
        &[
            door(ConsolePage::Overview, "Overview", "/", "o", EVERYONE),
            door(ConsolePage::Search, "Search", "/console/search", "q", EVERYONE),
            door(ConsolePage::Inbox, "Inbox", "/console/inbox", "i", EVERYONE),
            door(ConsolePage::Metrics, "Metrics", "/console/metrics", "n", AUDITING),
            door(ConsolePage::Runs, "Runs", "/console/runs", "r", AUDITING),
        ],
    ),
    (
        "Record",
        &[
            door(ConsolePage::Calls, "Calls", "/console/calls", "c", AUDITING),
            door(ConsolePage::Ledger, "Ledger", "/console/ledger", "l", AUDITING),
            door(ConsolePage::Claims, "Claims", "/console/claims", "m", EVERYONE),
        ],
    ),
    (
        "Catalogue",
        &[
            door(ConsolePage::Tools, "Tools", "/console/tools", "t", EVERYONE),
            door(ConsolePage::Servers, "Servers", "/console/servers", "s", AUDITING),
            door(ConsolePage::Reviews, "Reviews", "/console/reviews", "v", EVERYONE),
            door(ConsolePage::Agents, "Agents", "/console/agents", "a", AUDITING),
            door(ConsolePage::Sessions, "Sessions", "/console/sessions", "e", AUDITING),
        ],
    ),
    (
        "Data",
        &[
            door(ConsolePage::Pointers, "Pointers", "/console/pointers", "f", AUDITING),
            door(ConsolePage::Knowledge, "Knowledge", "/console/knowledge", "b", AUDITING),
            door(ConsolePage::Schemas, "Schemas", "/console/schemas", "h", AUDITING),
        ],
    ),
    (
        "Rules",
        &[
            door(ConsolePage::Policy, "Policy", "/console/policy", "p", AUDITING),
            door(ConsolePage::Settings, "Settings", "/console/settings", "x", AUDITING),
            door(ConsolePage::Docs, "Documentation", "/docs", "d", EVERYONE),
        ],
    ),
];

impl PageVisit {
    /// A whole page.
    pub(crate) async fn page(&self, title: &str, room: ConsolePage, body: Markup) -> Response {
        page(self, StatusCode::OK, title, room, body).await
    }

    /// The same, for a form that must be filled in again.
    pub(crate) async fn page_with(
        &self,
        status: StatusCode,
        title: &str,
        room: ConsolePage,
        body: Markup,
    ) -> Response {
        page(self, status, title, room, body).await
    }
}

/// A whole page for a logged-in user.
pub(crate) async fn page(
    visit: &PageVisit,
    status: StatusCode,
    title: &str,
    room: ConsolePage,
    body: Markup,
) -> Response {
    let waiting = waiting(visit).await;
    let shell = html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            button.menu type="button" aria-expanded="false" aria-controls="rooms" data-menu { "Menu" }
            a.brand href="/" { img src=(assets::address("icon.svg")) alt="" width="24" height="24"; span { "Toolgate" } }
            span.live #live role="status" data-state="off" { span { "connecting" } }
            form.find method="get" action="/console/search" role="search" aria-label="Search" {
                label.unseen for="find" { "Search everything" }
                input #find type="search" name="q" placeholder="Search" autocomplete="off" data-find;
            }
            div.me {
                span.who { span.name { (text::short(visit.credential.principal.id.as_str())) } span.badge { (visit.role().as_str()) } }
                button.plain.zone type="button" data-zone-toggle hidden { "UTC" }
                button.plain type="button" data-theme-toggle aria-label="Light or dark" { "◐" }
                form method="post" action="/console/logout" { (csrf(visit)) button.plain type="submit" { "Log out" } }
            }
        }
        nav.rooms #rooms aria-label="Main menu" { (navigation(visit, room, waiting.as_ref())) }
        main #main tabindex="-1" {
            @if let Some(places) = waiting.as_ref().and_then(|waiting| waiting.config_refused.as_deref()) { (not_loaded(places)) }
            @if let Some(sentence) = DoneNotice::told_in(&visit.place) { p.said role="status" { (sentence) } }
            (body)
        }
        (keyboard_help(visit))
    };
    document(status, title, &shell, Some(visit))
}

/// A public page, without navigation.
pub(crate) fn bare(status: StatusCode, title: &str, body: Markup) -> Response {
    document(status, title, &html! { main #main.bare { (body) } }, None)
}

/// A public page of the documentation.
pub(crate) fn open(title: &str, aside: &Markup, body: &Markup) -> Response {
    let shell = html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            button.menu type="button" aria-expanded="false" aria-controls="rooms" data-menu { "Menu" }
            a.brand href="/" { img src=(assets::address("icon.svg")) alt="" width="24" height="24"; span { "Toolgate" } }
            div.me {
                button.plain type="button" data-theme-toggle aria-label="Light or dark" { "◐" }
                a.plain href="/" { "Console" }
            }
        }
        nav.rooms #rooms aria-label="Documentation" { (aside) }
        main #main.doc tabindex="-1" { (body) }
    };
    document(StatusCode::OK, title, &shell, None)
}

fn document(status: StatusCode, title: &str, body: &Markup, visit: Option<&PageVisit>) -> Response {
    let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (text::made_visible(title)) " · Toolgate" }
                link rel="icon" href=(assets::address("icon.svg")) type="image/svg+xml";
                link rel="stylesheet" href=(assets::address("console.css"));
                script src=(assets::address("theme.js")) {}
                script src=(assets::address("console.js")) defer {}
            }
            @if visit.is_some() {
                body data-events="/console/events" data-kinds=(kinds.join(" ")) { (body) }
            } @else {
                body { (body) }
            }
        }
    };
    (status, page).into_response()
}

fn navigation(visit: &PageVisit, here: ConsolePage, waiting: Option<&InboxPreview>) -> Markup {
    html! {
        @for (group, doors) in &GROUPS {
            @let doors: Vec<&NavEntry> = doors.iter().filter(|door| visit.is_one_of(door.roles)).collect();
            @if !doors.is_empty() {
                h2 { (group) }
                ul {
                    @for door in doors {
                        li {
                            a href=(door.address) data-key=(door.key) aria-current=[(door.room == here).then_some("page")] {
                                (door.name)
                                @if door.room == ConsolePage::Inbox { (count(waiting)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The number of waiting items, beside the link to them.
fn count(waiting: Option<&InboxPreview>) -> Markup {
    let number = waiting.map_or(0, |waiting| waiting.entries.len());
    html! {
        span #waiting.count data-live="approval input" data-count=(number) hidden[number == 0] {
            (number) @if waiting.is_some_and(|waiting| waiting.more) { "+" } span.unseen { " waiting" }
        }
    }
}

#[derive(Deserialize)]
struct InboxPreview {
    entries: Vec<Value>,
    #[serde(default)]
    more: bool,
    #[serde(default)]
    config_refused: Option<String>,
}

/// On every page: what is shown may not be what the operator has written.
fn not_loaded(places: &str) -> Markup {
    html! {
        section.card.error #config-refused role="alert" {
            p { strong { "The gateway cannot load the configuration file." } }
            p { "The previous configuration stays in effect until you fix the file: " code { (text::short(places)) } }
            p.help { code { "toolgate doctor" } " on the gateway's machine shows the problem." }
        }
    }
}

/// A page is worth showing without this number.
async fn waiting(visit: &PageVisit) -> Option<InboxPreview> {
    visit.find(PageAddress::of(["inbox"]).with("arguments_bytes_max", 0)).await.ok().flatten()
}

fn keyboard_help(visit: &PageVisit) -> Markup {
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl.keys {
                @for (_, doors) in &GROUPS {
                    @for door in doors.iter().filter(|door| visit.is_one_of(door.roles)) {
                        dt { kbd { "g" } " " kbd { (door.key) } } dd { (door.name) }
                    }
                }
                dt { kbd { "j" } " " kbd { "k" } } dd { "Next and previous entry in a list; Enter opens it" }
                dt { kbd { "x" } } dd { "Select the entry" }
                dt { kbd { "/" } } dd { "Go to the search or filter of this page" }
                dt { kbd { "Ctrl" } " " kbd { "K" } } dd { "Search everything" }
                dt { kbd { "?" } } dd { "This help" }
            }
            form method="dialog" { button.button type="submit" { "Close" } }
        }
    }
}

/// The hidden field that every form has.
pub(crate) fn csrf(visit: &PageVisit) -> Markup {
    html! { input type="hidden" name=(CSRF) value=(visit.csrf); }
}

/// A problem, as a page.
pub(crate) fn problem(problem: &ApiProblem) -> Markup {
    html! {
        section.card.problem role="alert" {
            h1 { (heading(problem.status())) }
            p { (text::long(if problem.detail.is_empty() { "The gateway did not answer." } else { &problem.detail })) }
            @if let Some(hint) = &problem.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
            @if !problem.code.is_empty() { p.help { "Code " (code(&problem.code)) } }
            p { a.button href="/" { "Go to the overview" } }
        }
    }
}

/// With the way to its page, where the documentation has one.
fn code(code: &str) -> Markup {
    match error_page(code) {
        Some(page) => html! { a href=(page) { code { (code) } } },
        None => html! { code { (text::short(code)) } },
    }
}

fn heading(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => "Nothing found here",
        StatusCode::FORBIDDEN => "Your role does not allow this",
        StatusCode::CONFLICT | StatusCode::PRECONDITION_FAILED => "Changed by someone else",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        status if status.is_server_error() => "Temporarily unavailable",
        _ => "That did not work",
    }
}
