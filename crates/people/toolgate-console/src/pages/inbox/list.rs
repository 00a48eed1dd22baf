//! The list of waiting items, greatest risk first.

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::card::card;
use super::data::{ApprovalData, InboxEntryData};
use super::tabs::{Tab, head};
use super::ways::inbox;
use super::{history, risk};
use crate::address::PageAddress;
use crate::layout::{ConsolePage, csrf};
use crate::parts::{self, number, size, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The number of entries that the API returns at once.
const FETCHED: usize = 200;
/// Beyond this number, only the newest are sorted.
const WAITING_MAX: usize = 1_000;
pub(super) const PAGE: usize = 50;
/// Longer arguments are only measured in a list.
pub(super) const ARGUMENTS_BYTES_MAX: usize = 4 << 10;
pub(super) const GLANCE_CHARS: usize = 200;
pub(super) const WHY_CHARS: usize = 240;
const REASON_CHARS_MAX: usize = 4_000;

#[derive(Default, Deserialize)]
pub(super) struct ListQuery {
    /// decided or answered; otherwise what waits
    #[serde(default)]
    show: Option<String>,
    #[serde(default)]
    pub(super) state: Option<String>,
    #[serde(default)]
    pub(super) cursor: Option<String>,
    #[serde(default)]
    page: Option<String>,
}

#[derive(Deserialize)]
struct InboxPage {
    entries: Vec<InboxEntryData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

pub(super) async fn show(visit: PageVisit, Query(query): Query<ListQuery>) -> PageResult<Response> {
    let (tab, entries) = match query.show.as_deref() {
        Some("decided") => (Tab::Decided, history::decided(&visit, &query).await?),
        Some("answered") => (Tab::Answered, history::answered(&visit, &query).await?),
        _ => (Tab::Waiting, waiting(&visit, &query).await?),
    };
    let body = html! { (head(&visit, tab)) (entries) };
    Ok(visit.page("Inbox", ConsolePage::Inbox, body).await)
}

/// All waiting items, as far as they can be sorted.
struct WaitingItems {
    entries: Vec<InboxEntryData>,
    has_more: bool,
}

async fn all_waiting(visit: &PageVisit) -> PageResult<WaitingItems> {
    let (mut entries, mut cursor): (Vec<InboxEntryData>, Option<String>) = (Vec::new(), None);
    loop {
        let address = PageAddress::of(["inbox"]).with("limit", FETCHED);
        let address =
            address.with("arguments_bytes_max", ARGUMENTS_BYTES_MAX).maybe("cursor", cursor.as_deref());
        let page: InboxPage = visit.get(address).await?;
        entries.extend(page.entries);
        cursor = page.next_cursor;
        if cursor.is_none() || entries.len() >= WAITING_MAX {
            break;
        }
    }
    risk::order(&mut entries);
    Ok(WaitingItems { entries, has_more: cursor.is_some() })
}

async fn waiting(visit: &PageVisit, query: &ListQuery) -> PageResult<Markup> {
    let WaitingItems { entries, has_more } = all_waiting(visit).await?;
    let pages = entries.len().div_ceil(PAGE).max(1);
    let wanted: usize = query.page.as_deref().and_then(|page| page.parse().ok()).unwrap_or(1);
    let page = wanted.clamp(1, pages);
    let shown = entries.iter().skip((page - 1) * PAGE).take(PAGE);
    Ok(html! {
        @if !visit.decides() {
            p.notice { "You are logged in as " (visit.role().as_str()) " and can see what is waiting. The roles approver and admin decide on approvals." }
        }
        form #deciding-here method="post" action=(inbox()) data-takes-back {
            (csrf(visit))
            // Enter in a field presses the first button, which must not be one that decides.
            button.unseen type="submit" name="decision" value="none" tabindex="-1" { "Nothing" }
            div #entries data-live="approval input" {
                @if entries.is_empty() { (nothing_waits(visit)) } @else {
                    p.soft { (counted(entries.len())) " The riskiest items come first, then the newest." }
                    @if visit.decides() {
                        p.help.keyed { "Keys: " kbd { "j" } " and " kbd { "k" } " move, " kbd { "a" } " approves, " kbd { "d" } " denies, " kbd { "u" } " undoes a decision within five seconds." }
                    }
                    @if has_more { p.notice { "More than " (number(WAITING_MAX as u64)) " items are waiting. This page shows and sorts the newest of them." } }
                    ol.waiting { @for entry in shown { (card(visit, entry)) } }
                }
            }
            div #several data-live="approval" { @if visit.decides() && entries.iter().any(|one| one.is_for(visit)) { (together()) } }
        }
        (turned(page, pages))
    })
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 item is waiting.".to_owned(),
        more => format!("{} items are waiting.", number(more as u64)),
    }
}

fn nothing_waits(visit: &PageVisit) -> Markup {
    parts::empty(
        "Nothing is waiting for a decision.",
        html! {
            p { "Calls that need approval, and questions from runs, appear here automatically." }
            p {
                a href="/docs/how-to/write-a-policy.md" { "How policies ask people" }
                @if visit.decides() || visit.operates() { " · " a href="/console/grants" { "See the grants" } }
            }
        },
    )
}

/// The form that decides several approvals at once.
fn together() -> Markup {
    html! {
        section.card.together aria-labelledby="together" {
            h2 #together { "Decide several at once" }
            p.help.before-choice { "Select approvals and decide them together. Each decision applies to the call as proposed." }
            div.field.after-choice {
                label for="several-reason" { "Reason for all of them " span.soft { "(optional)" } }
                input #several-reason type="text" name="reason" maxlength=(REASON_CHARS_MAX);
            }
            div.row {
                label.check { input type="checkbox" data-tick-all="approval"; span { "Select all on this page" } }
                button.button.good.after-choice type="submit" name="decision" value="approve" data-confirm="Approve all selected calls?" { "Approve selected" }
                button.button.danger.after-choice type="submit" name="decision" value="deny" data-confirm="Deny all selected calls?" { "Deny selected" }
            }
        }
    }
}

fn turned(page: usize, pages: usize) -> Markup {
    let link = |page: usize| inbox().with("page", page);
    html! {
        @if pages > 1 {
            nav.pages.row aria-label="Pages" {
                @if page > 1 { a.button href=(link(page - 1)) rel="prev" { "Before" } }
                span { "Page " (page) " of " (pages) }
                @if page < pages { a.button href=(link(page + 1)) rel="next" { "Next" } }
            }
        }
    }
}

/// The arguments on one line.
pub(super) fn glance(approval: &ApprovalData) -> Markup {
    if let Some(bytes) = approval.arguments_bytes {
        return html! { span.soft { (size(bytes)) " of arguments" } };
    }
    let members = approval.arguments.as_object().into_iter().flatten();
    let words: Vec<String> = members.map(|(name, value)| format!("{name}: {}", plain(value))).collect();
    if words.is_empty() {
        return html! { span.soft { "without arguments" } };
    }
    text::cut(&words.join(", ").replace('\n', " "), GLANCE_CHARS)
}

pub(super) fn plain(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
