//! The page of one approval: everything an approver needs to know, and the form to decide.

use axum::extract::Path;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};

use super::attachments::{self, Previews};
use super::data::ApprovalData;
use super::form::{self, DecisionAttempt};
use super::outcome::{self, EditPermission};
use super::{asker, past, risk};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::text;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const WHY_CHARS: usize = 300;

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let approval = find(&visit, &id).await?;
    Ok(page(&visit, &approval, &DecisionAttempt::default()).await)
}

pub(super) async fn find(visit: &PageVisit, id: &str) -> PageResult<ApprovalData> {
    visit.get(PageAddress::of(["approvals", id])).await
}

pub(super) async fn page(visit: &PageVisit, approval: &ApprovalData, attempt: &DecisionAttempt) -> Response {
    let previews = Previews::of(visit, approval).await;
    let files = attachments::section(visit, approval, &previews);
    let files = html! { (attachments::credentials(approval)) (files) };
    let body = html! {
        div #standing data-live="approval" {
            (outcome::heading(visit, approval))
            (lead(approval))
        }
        @if let Some(problem) = &attempt.problem { (refused(approval, attempt, problem)) }
        div.split {
            (deciding(visit, approval, attempt, &files))
            div {
                (asker::who(visit, approval))
                (asker::tool(approval))
                (asker::policy(approval))
                div #voted data-live="approval" { (outcome::votes(visit, approval)) }
                (past::calls(visit, &approval.before, approval.run.as_deref(), approval.session.as_deref()))
            }
        }
    };
    let status = attempt.problem.as_ref().map_or(StatusCode::OK, |problem| problem.status());
    let title = format!("{} · Approval", approval.tool);
    visit.page_with(status, &title, ConsolePage::Inbox, body).await
}

/// The caller and the tool, in one line.
fn lead(approval: &ApprovalData) -> Markup {
    let for_whom = approval.opened_by.as_deref().filter(|person| *person != approval.principal);
    html! {
        div.lead {
            p {
                span.strong { (text::short(&approval.principal)) } " asks"
                @if let Some(person) = for_whom { " for " span.strong { (text::short(person)) } }
                @if let Some(why) = approval.why() { " · " (text::cut(why, WHY_CHARS)) }
            }
            (risk::effects(approval.effects))
        }
    }
}

/// Replaced by the decision, even while the user types: `data-state` tells the script so.
fn deciding(visit: &PageVisit, approval: &ApprovalData, attempt: &DecisionAttempt, files: &Markup) -> Markup {
    let barred = approval.barred(visit);
    html! {
        section #deciding data-live="approval" data-state=(approval.state) {
            @if approval.is_pending() && barred.is_none() {
                (outcome::edited(approval))
                (form::form(visit, approval, attempt, files))
            } @else {
                @match barred {
                    Some(why) if approval.is_pending() => (outcome::barred(visit, approval, why)),
                    _ => (outcome::decided(visit, approval)),
                }
                (outcome::edited(approval))
                section.card aria-labelledby="arguments" {
                    h2 #arguments { "Arguments" }
                    (outcome::arguments(approval, EditPermission::ReadOnly))
                }
                (files)
            }
        }
    }
}

/// The reason why the decision was not recorded, with the typed text if the form is gone.
fn refused(approval: &ApprovalData, attempt: &DecisionAttempt, problem: &ApiProblem) -> Markup {
    let settled = !approval.is_pending();
    let typed = [form::NOTE, form::REASON, form::CHANGES].map(|name| attempt.typed.text(name));
    let typed: Vec<&str> = typed.into_iter().flatten().collect();
    html! {
        section.card.problem role="alert" {
            h2 { @if settled { "Someone else decided first" } @else { "Your decision was not recorded" } }
            @if settled { p { (text::long(&outcome::by_whom(approval))) } } @else { p { (text::long(&problem.detail)) } }
            @if let Some(hint) = &problem.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
            @if settled && !typed.is_empty() {
                p { "Your text:" }
                @for written in typed { (text::block(written)) }
            }
        }
    }
}
