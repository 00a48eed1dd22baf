//! One review: the changes, the findings, and the decision.

use axum::extract::{Path, Query};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{addresses, versions};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{self, ConsolePage};
use crate::notice::DoneNotice;
use crate::pages::catalogue::{self, RegistryTool};
use crate::parts::{self, diff, links, moment, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct ReviewData {
    #[serde(flatten)]
    tool: RegistryTool,
    pinned: String,
    offered: String,
    #[serde(default)]
    change_summary: String,
    #[serde(default)]
    changes: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct ReviewQuery {
    /// The version to compare the current one with.
    #[serde(default)]
    from: Option<String>,
    /// `lines`, or side by side.
    #[serde(default)]
    view: Option<String>,
}

const LINES: &str = "lines";

pub(super) async fn show(
    visit: PageVisit,
    Path(name): Path<String>,
    Query(query): Query<ReviewQuery>,
) -> PageResult<Response> {
    let all = versions::show(&visit, &name, query.from.as_deref()).await?;
    let unified = query.view.as_deref() == Some(LINES);
    let review: ReviewData = visit.get(PageAddress::of(["registry", "tools", &name, "diff"])).await?;
    let tool = &review.tool;
    let title = html! { "Review " (text::short(&tool.name)) " " (parts::state(&tool.status)) };
    let actions =
        html! { a.button href=(PageAddress::of(["console", "tools", &tool.name])) { "About this tool" } };
    let body = html! {
        (parts::heading(title, actions))
        section #review data-live="registry" {
            (catalogue::findings(&tool.findings))
            section.card { h2 { "Status" } (standing(&visit, tool)) }
            (verdict(&visit, tool))
            section.card {
                h2 { (heading(&review)) }
                (in_words(&review))
                @if review.pinned == review.offered {
                    p.soft { "The server offers the pinned definition." }
                    (text::block(&review.offered))
                } @else if review.pinned.is_empty() {
                    p.soft { "It has not been accepted yet, so there is no pinned definition to compare it with." }
                    (text::block(&review.offered))
                } @else {
                    (views(&tool.name, unified))
                    div.scroll tabindex="0" {
                        @if unified { (diff::lines(&review.pinned, &review.offered)) } @else {
                            (diff::side_by_side(("Pinned", &review.pinned), ("Offered now", &review.offered)))
                        }
                    }
                }
            }
            (all)
        }
    };
    Ok(visit.page(&format!("Review {}", tool.name), ConsolePage::Reviews, body).await)
}

pub(super) async fn decide(
    visit: PageVisit,
    Path(name): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    let said = match fields.needed("verdict")? {
        "accept" => DoneNotice::Accepted,
        "reject" => DoneNotice::Rejected,
        _ => return Err(ApiProblem::bad_form("a review accepts or rejects")),
    };
    // A reviewer of another version than the current one gets a notice, and nothing happens.
    let body = json!({ "verdict": fields.needed("verdict")?, "version": fields.needed("version")? });
    let _: Value = visit.post(PageAddress::of(["registry", "tools", &name, "review"]), &body).await?;
    Ok(visit.go(PageAddress::of(["console", "reviews"]), said))
}

/// The changes in words, before the definitions themselves.
fn in_words(review: &ReviewData) -> Markup {
    html! {
        @if !review.change_summary.is_empty() && review.pinned != review.offered { p #summary { (text::made_visible(&review.change_summary)) "." } }
        @let named = addresses::named_anew(&review.pinned, &review.offered);
        @if !review.pinned.is_empty() && !named.is_empty() {
            p.notice {
                "It now names addresses that it did not name before: "
                @for (index, address) in named.iter().enumerate() { @if index > 0 { ", " } code { (text::short(address)) } }
                ". A model that reads this may send something there."
            }
        }
        @if review.changes.len() > 1 {
            details {
                summary { "Each change" }
                ul { @for change in &review.changes { li { (text::made_visible(change)) } } }
            }
        }
    }
}

fn views(tool: &str, unified: bool) -> Markup {
    let page = || PageAddress::of(["console", "reviews", tool]);
    html! {
        p {
            @if unified { a href=(page()) { "Side by side" } " · Line by line" } @else {
                "Side by side · " a href=(page().with("view", LINES)) { "Line by line" }
            }
        }
    }
}

fn heading(review: &ReviewData) -> &'static str {
    if review.pinned.is_empty() { "It is new" } else { "What changed" }
}

fn standing(visit: &PageVisit, tool: &RegistryTool) -> Markup {
    html! {
        dl.facts {
            div { dt { "Server" } dd { (catalogue::server(visit, &tool.server)) } }
            @if let Some(reason) = &tool.reason { div { dt { "Reason" } dd { (catalogue::reason(reason)) } } }
            div { dt { "A call may" } dd { (catalogue::effects(tool.effects())) } }
            div { dt { "First seen" } dd { (moment::ago(visit, &tool.first_seen)) } }
            div { dt { "Last seen" } dd { (moment::ago(visit, &tool.last_seen)) } }
            div { dt { "Pinned" } dd { (catalogue::digest(&tool.version)) } }
            @if let Some(candidate) = &tool.candidate_version { div { dt { "Offered" } dd { (catalogue::digest(candidate)) } } }
            @if let Some(by) = &tool.reviewed_by {
                div { dt { "Last reviewed by" } dd { (links::principal(by)) @if let Some(at) = &tool.reviewed_at { " " (moment::ago(visit, at)) } } }
            }
            @if tool.rejected_version.is_some() && tool.rejected_version == tool.candidate_version {
                div { dt { "Rejected" } dd { "This definition was rejected before. You can still accept it." } }
            }
        }
    }
}

fn verdict(visit: &PageVisit, tool: &RegistryTool) -> Markup {
    let version = tool.candidate_version.as_ref().unwrap_or(&tool.version);
    let action = PageAddress::of(["console", "reviews", &tool.name]);
    html! {
        @if !tool.waits() {
            p.said { "This tool is not waiting for review." }
        } @else if visit.operates() {
            section.card {
                h2 { "Your decision" }
                div.row {
                    form method="post" action=(action) data-confirm="Offer this tool to agents with its current definition?" {
                        (layout::csrf(visit)) input type="hidden" name="version" value=(version);
                        button.button.good type="submit" name="verdict" value="accept" data-press="a" { "Accept" }
                    }
                    form method="post" action=(action) data-confirm="Keep this tool withheld?" {
                        (layout::csrf(visit)) input type="hidden" name="version" value=(version);
                        button.button.danger type="submit" name="verdict" value="reject" data-press="r" { "Reject" }
                    }
                }
                p.help { "If you accept, agents see the current definition from now on. If you reject, the tool stays withheld, and no further review of this definition is asked for, until the server returns to the pinned definition or offers another one." }
            }
        } @else {
            p.notice { "Only admins and operators can accept or reject." }
        }
    }
}
