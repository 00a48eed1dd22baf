//! Several at once: each is decided by itself, and each has its own result.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};

use super::approval::find;
use super::data::ApprovalData;
use super::deciding::{DecisionRequest, said, send};
use super::outcome;
use super::tabs::{Tab, head};
use super::ways::{approval_page, inbox};
use crate::fields::FormFields;
use crate::layout::ConsolePage;
use crate::parts::{self, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// The number on one page.
const SEVERAL_MAX: usize = 50;

/// The result of one of them.
struct DecisionResult {
    id: String,
    /// Its current state, if known.
    approval: Option<Box<ApprovalData>>,
    refused: Option<Box<ApiProblem>>,
}

/// The button beside one entry: the decision, and the id.
pub(super) const ONE: &str = "one";

pub(super) async fn decide(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    if let Some((decision, id)) = fields.text(ONE).and_then(|one| one.split_once(' ')) {
        return one_alone(&visit, &fields, decision, id).await;
    }
    let decision = match fields.text("decision") {
        Some("approve") => "approve",
        Some("deny") => "deny",
        _ => {
            return Ok(
                nothing(&visit, "Nothing was decided: choose Approve selected or Deny selected.").await
            );
        }
    };
    let ids: Vec<&str> = fields.all("approval").collect();
    if ids.is_empty() {
        return Ok(nothing(&visit, "Nothing was selected, so nothing was decided.").await);
    }
    let mut results = Vec::new();
    for id in ids.iter().take(SEVERAL_MAX) {
        let text = |name: &str| fields.text(name).map(str::to_owned);
        let (reason, effective) = (text("reason"), text(&shown(id)));
        let decision = DecisionRequest { decision, reason, effective, ..DecisionRequest::default() };
        results.push(one(&visit, id, &decision).await?);
    }
    let body = html! { (head(&visit, Tab::Waiting)) (told(&results)) @if ids.len() > SEVERAL_MAX { (too_many()) } (back()) };
    Ok(visit.page("Results", ConsolePage::Inbox, body).await)
}

/// One entry of the list, without the others that are selected.
async fn one_alone(visit: &PageVisit, fields: &FormFields, decision: &str, id: &str) -> PageResult<Response> {
    let decision = match decision {
        "approve" => "approve",
        "deny" => "deny",
        _ => return Ok(nothing(visit, "Nothing was decided: choose Approve or Deny.").await),
    };
    let Some(effective) = fields.text(&shown(id)).map(str::to_owned) else {
        return Ok(
            nothing(visit, "Nothing was decided: the form does not say which arguments you saw.").await
        );
    };
    let decision = DecisionRequest { decision, effective: Some(effective), ..DecisionRequest::default() };
    match send(visit, id, &decision).await {
        Ok(decided) => Ok(visit.go(inbox(), said(&decided))),
        Err(problem) if problem.is(StatusCode::UNAUTHORIZED) => Err(problem),
        Err(problem) => {
            let approval = find(visit, id).await.ok().map(Box::new);
            let refused = [DecisionResult { id: id.to_owned(), approval, refused: Some(problem) }];
            let body = html! { (head(visit, Tab::Waiting)) (told(&refused)) (back()) };
            Ok(visit.page_with(StatusCode::CONFLICT, "Result", ConsolePage::Inbox, body).await)
        }
    }
}

/// The field with the digest of the listed arguments of an approval.
pub(super) fn shown(id: &str) -> String {
    format!("shown:{id}")
}

async fn one(visit: &PageVisit, id: &str, decision: &DecisionRequest) -> PageResult<DecisionResult> {
    let id = id.to_owned();
    match send(visit, &id, decision).await {
        Ok(decided) => Ok(DecisionResult { id, approval: Some(Box::new(decided.approval)), refused: None }),
        Err(problem) if problem.is(StatusCode::UNAUTHORIZED) => Err(problem),
        Err(problem) => {
            let approval = find(visit, &id).await.ok().map(Box::new);
            Ok(DecisionResult { id, approval, refused: Some(problem) })
        }
    }
}

async fn nothing(visit: &PageVisit, sentence: &str) -> Response {
    let body = html! { (head(visit, Tab::Waiting)) p.notice role="alert" { (sentence) } (back()) };
    visit.page_with(StatusCode::UNPROCESSABLE_ENTITY, "Nothing was decided", ConsolePage::Inbox, body).await
}

fn told(results: &[DecisionResult]) -> Markup {
    let through = results.iter().filter(|one| one.refused.is_none()).count();
    html! {
        p role="status" class=(if through == results.len() { "said" } else { "notice" }) { (through) " of " (results.len()) " succeeded." }
        table.list {
            caption { "Result for each approval" }
            thead { tr { th scope="col" { "Tool" } th scope="col" { "Caller" } th scope="col" { "State" } th scope="col" { "Result" } } }
            tbody { @for one in results { (row(one)) } }
        }
    }
}

fn row(result: &DecisionResult) -> Markup {
    let approval = result.approval.as_deref();
    html! {
        tr data-entry=(result.id) {
            td data-name="Tool" { a href=(approval_page(&result.id)) { (text::short(approval.map_or(&*result.id, |one| &one.tool))) } }
            td data-name="Caller" { span { @if let Some(one) = approval { (text::short(&one.principal)) } } }
            td data-name="State" { span { @if let Some(one) = approval { (parts::state(&one.state)) } } }
            td data-name="Result" { span { (happened(result)) } }
        }
    }
}

fn happened(result: &DecisionResult) -> Markup {
    html! {
        @match (&result.refused, result.approval.as_deref()) {
            (None, Some(approval)) if approval.is_pending() => { "Your approval is recorded: " (outcome::quorum(approval)) ". Others must approve too." },
            (None, _) => "Recorded.",
            (Some(_), Some(approval)) if !approval.is_pending() => { "Someone else decided first: " (text::long(&outcome::by_whom(approval))) },
            (Some(problem), _) => { (text::long(&problem.detail)) @if let Some(hint) = &problem.hint { " " span.soft { (text::long(hint)) } } },
        }
    }
}

fn too_many() -> Markup {
    html! { p.notice { "Only the first " (SEVERAL_MAX) " were decided. The others still wait." } }
}

fn back() -> Markup {
    html! { p { a.button.primary href=(inbox()) { "Back to the inbox" } } }
}
