//! Grants: calls that need no further approval, and revoking grants.

use axum::Router;
use axum::extract::{Path, Query};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use http::Method;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::Role;

use crate::PageContext;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::{self, links, moment, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The roles that may revoke one; every user of the inbox may read them.
const GRANTING: [Role; 3] = [Role::Admin, Role::Operator, Role::Approver];
/// Rows of the page. There are few that can be used; of those that ended, the newest are shown.
const SHOWN_MAX: usize = 200;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/grants", get(list)).route(
        "/console/grants/{id}/revoke",
        post(revoke).get(async || axum::response::Redirect::to("/console/grants")),
    )
}

#[derive(Deserialize)]
struct ListQuery {
    /// all; otherwise those that can be used
    #[serde(default)]
    which: Option<String>,
}

#[derive(Deserialize)]
struct GrantsData {
    grants: Vec<GrantData>,
}

#[derive(Deserialize)]
struct GrantData {
    id: String,
    principal: String,
    tool: String,
    pins: Vec<PinData>,
    uses_left: Option<u32>,
    created_at: String,
    created_by: String,
    expires_at: String,
    approval: String,
    #[serde(default)]
    revoked_at: Option<String>,
}

#[derive(Deserialize)]
struct PinData {
    path: String,
}

impl GrantData {
    /// The reason why it can no longer be used.
    fn ended(&self, now_ms: i64) -> Option<&'static str> {
        let is_over =
            toolgate_core::moment::parse_rfc3339(&self.expires_at).is_some_and(|at_ms| at_ms <= now_ms);
        match self {
            one if one.revoked_at.is_some() => Some("revoked"),
            one if one.uses_left == Some(0) => Some("used up"),
            _ if is_over => Some("expired"),
            _ => None,
        }
    }
}

async fn list(visit: PageVisit, Query(query): Query<ListQuery>) -> PageResult<Response> {
    let which = if query.which.as_deref() == Some("all") { "all" } else { "live" };
    let GrantsData { grants } = visit.get(PageAddress::of(["grants"]).with("which", which)).await?;
    let actions = html! { a.button href="/console/inbox" { "Inbox" } };
    let body = html! {
        (parts::heading(html! { "Grants" }, actions))
        p { "Calls that match a grant need no further approval. Each of them still goes through policy and into the ledger." }
        (tabs(which))
        section #grants data-live="grant approval" {
            @if grants.is_empty() { (nothing(which)) } @else { (table(&visit, &grants)) }
        }
    };
    Ok(visit.page("Grants", ConsolePage::Inbox, body).await)
}

fn tabs(here: &str) -> Markup {
    let all = PageAddress::of(["console", "grants"]).with("which", "all");
    html! {
        nav aria-label="Views" {
            ul.tabs {
                li { a href="/console/grants" aria-current=[(here == "live").then_some("page")] { "In use" } }
                li { a href=(all) aria-current=[(here == "all").then_some("page")] { "All, including past ones" } }
            }
        }
    }
}

fn nothing(which: &str) -> Markup {
    let title = if which == "all" { "There are no grants yet." } else { "No grant is active." };
    parts::empty(
        title,
        html! { p { "Every call that a policy sends for approval waits for a person. When you approve one, “Don't ask again for this” creates a grant." }
        p { a href="/console/inbox" { "See the inbox" } } },
    )
}

fn table(visit: &PageVisit, grants: &[GrantData]) -> Markup {
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Tool" } th scope="col" { "For" } th scope="col" { "Fixed arguments" }
                th scope="col" { "Uses left" } th scope="col" { "Holds" } th scope="col" { "Given by" }
                th scope="col" { span.unseen { "Revoke" } }
            } }
            tbody { @for grant in grants.iter().take(SHOWN_MAX) { (row(visit, grant)) } }
        }
        @if grants.len() > SHOWN_MAX {
            p.cut { (number((grants.len() - SHOWN_MAX) as u64)) " older ones are not shown; " code { "toolgate approvals grants --all" } " lists them." }
        }
    }
}

fn row(visit: &PageVisit, grant: &GrantData) -> Markup {
    let ended = grant.ended(visit.now_ms);
    html! {
        tr data-entry=(grant.id) {
            td data-name="Tool" { div { (links::tool(&grant.tool)) " " @if let Some(why) = ended { (parts::badge(why, parts::BadgeTone::Bad)) } } }
            td data-name="For" { span { (text::short(&grant.principal)) } }
            td data-name="Fixed arguments" { div { (pins(grant)) } }
            td data-name="Uses left" { span { @match grant.uses_left { Some(uses) => (number(uses.into())), None => "unlimited" } } }
            td data-name="Holds" { span { (moment::left(visit, &grant.expires_at)) } }
            td data-name="Given by" {
                span { (text::short(&grant.created_by)) " " (moment::ago(visit, &grant.created_at)) " with " a href=(PageAddress::of(["console", "inbox", "approvals", &grant.approval])) { "its approval" } }
            }
            td { @if ended.is_none() && visit.is_one_of(&GRANTING) { (revoking(visit, grant)) } }
        }
    }
}

fn pins(grant: &GrantData) -> Markup {
    html! {
        @if grant.pins.iter().any(|pin| pin.path.is_empty()) { "all arguments" } @else {
            ul.chips { @for pin in &grant.pins { li { code { (text::short(&pin.path)) } } } }
        }
    }
}

fn revoking(visit: &PageVisit, grant: &GrantData) -> Markup {
    html! {
        form method="post" action=(PageAddress::of(["console", "grants", &grant.id, "revoke"])) {
            (csrf(visit))
            button.button.small.danger type="submit" data-confirm="Revoke this grant? The next such call needs approval again."
                aria-label={ "Revoke the grant for " (text::made_visible(&grant.tool)) } { "Revoke" }
        }
    }
}

async fn revoke(visit: PageVisit, Path(id): Path<String>, _checked: FormFields) -> PageResult<Response> {
    visit.send::<Value>(Method::DELETE, PageAddress::of(["grants", &id]), &Value::Null).await?;
    Ok(visit.go(PageAddress::of(["console", "grants"]), DoneNotice::GrantRevoked).into_response())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn grant(more: Value) -> GrantData {
        let mut grant = json!({ "id": "grt_1", "principal": "a", "tool": "b:c", "pins": [], "uses_left": null,
            "created_at": "2026-01-01T00:00:00Z", "created_by": "ann", "expires_at": "2026-01-02T00:00:00Z", "approval": "apr_1" });
        let own = grant.as_object_mut().expect("an object");
        own.extend(more.as_object().cloned().unwrap_or_default());
        serde_json::from_value(grant).expect("a grant")
    }

    #[test]
    fn a_grant_that_ended_says_why() {
        let then = toolgate_core::moment::parse_rfc3339("2026-01-01T12:00:00Z").expect("a moment");
        assert_eq!(grant(json!({})).ended(then), None);
        assert_eq!(grant(json!({ "uses_left": 0 })).ended(then), Some("used up"));
        assert_eq!(grant(json!({ "revoked_at": "2026-01-01T06:00:00Z" })).ended(then), Some("revoked"));
        assert_eq!(grant(json!({})).ended(i64::MAX), Some("expired"));
    }
}
