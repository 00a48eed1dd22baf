//! Deciding: a form becomes one request to the API. A refusal is shown on the page, and nothing that was
//! typed is lost.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::codes;

use super::approval::{find, page};
use super::data::ApprovalData;
use super::form::{self, DecisionAttempt, EditState};
use super::outcome::EditPermission;
use super::pins;
use super::ways::inbox;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::notice::DoneNotice;
use crate::problem::{ApiProblem, PageResult};
use crate::schema_form::{self, FieldErrors};
use crate::visit::PageVisit;

/// In the form of the API.
#[derive(Debug, Default, Serialize)]
pub(super) struct DecisionRequest {
    pub(super) decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grant: Option<pins::GrantRequest>,
    /// The digest of the shown arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effective: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct DecidedData {
    pub(super) approval: ApprovalData,
    #[serde(default)]
    grant: Option<Value>,
}

pub(super) async fn decide(
    visit: PageVisit,
    Path(id): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    let approval = find(&visit, &id).await?;
    let decision = match read(&approval, &fields) {
        Ok(decision) => decision,
        Err(attempt) => {
            let attempt = DecisionAttempt { typed: fields, ..*attempt };
            return Ok(page(&visit, &approval, &attempt).await);
        }
    };
    let decision = DecisionRequest { effective: fields.text(form::SHOWN).map(str::to_owned), ..decision };
    match send(&visit, &id, &decision).await {
        Ok(decided) => Ok(visit.go(inbox(), said(&decided)).into_response()),
        Err(problem) if problem.is(StatusCode::UNAUTHORIZED) => Err(problem),
        Err(problem) => refused(&visit, &id, fields, problem).await,
    }
}

pub(super) async fn send(visit: &PageVisit, id: &str, decision: &DecisionRequest) -> PageResult<DecidedData> {
    visit.post(PageAddress::of(["approvals", id, "decide"]), decision).await
}

pub(super) fn said(decided: &DecidedData) -> DoneNotice {
    match decided.approval.state.as_str() {
        "pending" => DoneNotice::Counted,
        "denied" => DoneNotice::Denied,
        "changes_requested" => DoneNotice::ChangesRequested,
        _ if decided.grant.is_some() => DoneNotice::Granted,
        _ => DoneNotice::Approved,
    }
}

/// The current page, with the problem and everything that was typed.
async fn refused(
    visit: &PageVisit,
    id: &str,
    typed: FormFields,
    problem: Box<ApiProblem>,
) -> PageResult<Response> {
    let approval = find(visit, id).await?;
    let edit = match edited(&approval, &typed) {
        Ok(Some(edited)) => EditState::Changed(edited),
        _ => EditState::NotLookedAt,
    };
    let attempt = DecisionAttempt {
        typed,
        edit,
        wrong: wrong_fields(&problem),
        problem: Some(problem),
        ..DecisionAttempt::default()
    };
    Ok(page(visit, &approval, &attempt).await)
}

/// The decision in a form, or the page to show first.
fn read(approval: &ApprovalData, fields: &FormFields) -> Result<DecisionRequest, Box<DecisionAttempt>> {
    let text = |name: &str| fields.text(name).map(str::to_owned);
    match fields.text(form::DECISION) {
        Some("deny") => {
            Ok(DecisionRequest { decision: "deny", reason: text(form::REASON), ..DecisionRequest::default() })
        }
        Some("changes") => match text(form::CHANGES) {
            Some(reason) => Ok(DecisionRequest {
                decision: "request_changes",
                reason: Some(reason),
                ..DecisionRequest::default()
            }),
            None => Err(Box::new(DecisionAttempt {
                wrong_changes: Some(
                    "Describe what should change: the caller reads it and can propose the call again.",
                ),
                problem: Some(invalid("the description of the changes is missing")),
                ..DecisionAttempt::default()
            })),
        },
        Some("approve") => approve(approval, fields, ApproveButton::AsAsked),
        Some(form::APPROVE_EDITED) => approve(approval, fields, ApproveButton::AsEdited),
        _ => Err(Box::new(preview(approval, fields))),
    }
}

/// The pressed button. Only the one beside the difference approves changed arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ApproveButton {
    AsAsked,
    AsEdited,
}

fn approve(
    approval: &ApprovalData,
    fields: &FormFields,
    yes: ApproveButton,
) -> Result<DecisionRequest, Box<DecisionAttempt>> {
    if fields.text(form::SHOWN).is_some_and(|shown| shown != approval.effective) {
        return Err(Box::new(DecisionAttempt {
            problem: Some(changed_meanwhile()),
            ..DecisionAttempt::default()
        }));
    }
    let grant = pins::read(fields).map_err(|sentence| {
        let problem = Some(invalid(sentence));
        Box::new(DecisionAttempt { wrong_grant: Some(sentence), problem, ..DecisionAttempt::default() })
    })?;
    let reason = fields.text(form::NOTE).map(str::to_owned);
    match edited(approval, fields) {
        Ok(None) => Ok(DecisionRequest { decision: "approve", reason, grant, ..DecisionRequest::default() }),
        Ok(Some(edited))
            if yes == ApproveButton::AsEdited && fields.text(form::SEEN) == Some(&form::digest(&edited)) =>
        {
            Ok(DecisionRequest {
                decision: "edit",
                reason,
                grant,
                arguments: Some(edited),
                ..DecisionRequest::default()
            })
        }
        Ok(Some(edited)) => {
            let problem = Some(unseen());
            Err(Box::new(DecisionAttempt {
                edit: EditState::Changed(edited),
                problem,
                ..DecisionAttempt::default()
            }))
        }
        Err(wrong) => {
            let problem =
                Some(invalid("the edited arguments are not valid; see the messages beside the fields"));
            Err(Box::new(DecisionAttempt {
                edit: EditState::Unreadable,
                wrong,
                problem,
                ..DecisionAttempt::default()
            }))
        }
    }
}

/// Only checks what was typed.
fn preview(approval: &ApprovalData, fields: &FormFields) -> DecisionAttempt {
    match edited(approval, fields) {
        Ok(None) => DecisionAttempt { edit: EditState::Same, ..DecisionAttempt::default() },
        Ok(Some(edited)) => {
            DecisionAttempt { edit: EditState::Changed(edited), ..DecisionAttempt::default() }
        }
        Err(wrong) => DecisionAttempt { edit: EditState::Unreadable, wrong, ..DecisionAttempt::default() },
    }
}

/// The arguments of the form, where they are others than those that were asked for.
fn edited(approval: &ApprovalData, fields: &FormFields) -> Result<Option<Value>, FieldErrors> {
    let Some(schema) = approval.schema() else { return Ok(None) };
    if !fields.ticked(form::EDITS) || EditPermission::of(approval) != EditPermission::Fields {
        return Ok(None);
    }
    let read = schema_form::read(schema, fields)?;
    Ok((read != approval.arguments).then_some(read))
}

/// The API's errors about edited arguments, by position.
fn wrong_fields(problem: &ApiProblem) -> FieldErrors {
    let problems = problem.more.get("problems").and_then(Value::as_array);
    let sentence = |one: &Value| {
        let word = |name: &str| one.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let parts = [word("problem"), word("expected").map(|_| "expected"), word("expected"), word("hint")];
        let sentence: Vec<&str> = parts.into_iter().flatten().collect();
        Some((one.get("path")?.as_str()?.to_owned(), sentence.join(" ")))
    };
    problems.into_iter().flatten().filter_map(sentence).collect()
}

fn invalid(detail: &str) -> Box<ApiProblem> {
    ApiProblem::new(StatusCode::UNPROCESSABLE_ENTITY, &codes::FORM_INVALID, detail)
}

fn unseen() -> Box<ApiProblem> {
    invalid("you changed the arguments; nothing was sent yet")
        .hint("review your changes, then choose Approve as edited")
}

fn changed_meanwhile() -> Box<ApiProblem> {
    let detail = "someone else changed the arguments while you had the page open; nothing was sent";
    ApiProblem::new(StatusCode::CONFLICT, &codes::APPROVAL_CHANGED, detail)
        .hint("review them again; the page shows the current arguments")
}

#[cfg(test)]
mod tests;
