//! One session.

use axum::extract::{Path, Query};
use axum::response::Response;
use http::Method;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use super::data::SessionData;
use super::explain::{self, SessionExplanationData, ToolSelection};
use super::listing::{self, SessionPreviewData};
use super::price::{self, Price};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{self, ConsolePage};
use crate::notice::DoneNotice;
use crate::pages::agents::mounted;
use crate::pages::catalogue::{budget, digest};
use crate::parts::{self, json, links, moment, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Tools that are explained on one page.
const EXPLAINED: usize = 50;

#[derive(Deserialize)]
pub(super) struct WhyQuery {
    #[serde(rename = "in")]
    is_in: Option<String>,
    server: Option<String>,
    cursor: Option<String>,
}

pub(super) async fn show(
    visit: PageVisit,
    Path(id): Path<String>,
    Query(query): Query<WhyQuery>,
) -> PageResult<Response> {
    let session: SessionData = visit.get(PageAddress::of(["sessions", &id])).await?;
    let which = ToolSelection::of(query.is_in.as_deref());
    let why = PageAddress::of(["sessions", &id, "explain"]).maybe("in", which.as_parameter());
    let why = why
        .maybe("server", query.server.as_deref())
        .maybe("cursor", query.cursor.as_deref())
        .with("limit", EXPLAINED);
    let explanation: SessionExplanationData = visit.get(why).await?;
    let price: Price = visit.get(PageAddress::of(["sessions", &id, "cost"])).await?;
    let preview: SessionPreviewData = visit.get(PageAddress::of(["sessions", &id, "preview"])).await?;
    let title =
        html! { "Session " span.id { (text::short(&session.id)) } " " (parts::state(&session.state)) };
    let body = html! {
        (parts::heading(title, actions(&visit, &session)))
        div.grid {
            section.card #session data-live="session" { h2 { "About this session" } (facts(&visit, &session)) }
            section.card { h2 { "Cost" } (price::summary(&price)) }
        }
        (explain::show(&session.id, &explanation, which, query.server.as_deref()))
        (listing::show(&preview, "What the agent reads when it lists its tools."))
        details #prices { summary { "Where the tokens go" } (price::table(&visit, &price)) }
        @if let Some(scope) = &session.scope { details #scope { summary { "The rules fixed at its start" } (json::tree(scope)) } }
    };
    Ok(visit.page("Session", ConsolePage::Sessions, body).await)
}

pub(super) async fn close(visit: PageVisit, Path(id): Path<String>, _: FormFields) -> PageResult<Response> {
    let _: Value = visit.send(Method::DELETE, PageAddress::of(["sessions", &id]), &Value::Null).await?;
    Ok(visit.go(PageAddress::of(["console", "sessions", &id]), DoneNotice::SessionClosed))
}

fn actions(visit: &PageVisit, session: &SessionData) -> Markup {
    let may_close = session.state != "closed" && session.kind != "default";
    html! {
        a.button href="#listing" { "The exact list" }
        a.button href=(PageAddress::of(["console", "calls"]).with("session", &session.id)) { "Its calls" }
        @if may_close && visit.operates() {
            form method="post" action=(PageAddress::of(["console", "sessions", &session.id, "close"])) data-confirm="Close this session? Its token will stop working." {
                (layout::csrf(visit)) button.button.danger type="submit" { "Close" }
            }
        } @else if may_close { span.help { "Only admins and operators can close it." } }
    }
}

fn facts(visit: &PageVisit, session: &SessionData) -> Markup {
    html! {
        dl.facts {
            div { dt { "Agent" } dd { a href=(PageAddress::of(["console", "agents", &session.agent])) { (text::short(&session.agent)) } " " (digest(&session.agent_version)) } }
            div { dt { "Principal" } dd { (links::principal(&session.principal)) } }
            @if session.opened_by != session.principal { div { dt { "Opened by" } dd { (links::principal(&session.opened_by)) } } }
            div { dt { "Kind" } dd { @if session.kind == "default" { "default session of its token" } @else { "opened explicitly" } } }
            div { dt { "Opened" } dd { (moment::ago(visit, &session.created_at)) } }
            div { dt { "Last used" } dd { (moment::ago(visit, &session.last_used_at)) } }
            @if let Some(closed) = &session.closed_at {
                div { dt { "Closed" } dd { (moment::ago(visit, closed)) @if let Some(why) = &session.closed_because { " (" (text::short(why)) ")" } } }
            }
            @if session.closed_at.is_none() && session.kind != "default" {
                div { dt { "Ends" } dd { "after " (moment::span(session.idle_seconds * 1_000)) " unused" @if let Some(seconds) = session.lifetime_seconds { ", and at the latest after " (moment::span(seconds * 1_000)) } } }
            }
            (mounted(&session.mounts))
            div { dt { "Policy" } dd { @if let Some(template) = &session.policy_template { (text::short(template)) } @else { "the gateway's" } } }
            div { dt { "List budget" } dd { (budget(&session.token_budget)) } }
            @if let Some(run) = &session.run { div { dt { "Run" } dd { (links::id(run)) } } }
            @if let Some(task) = &session.task { div { dt { "Task" } dd { code { (text::short(task)) } } } }
        }
    }
}
