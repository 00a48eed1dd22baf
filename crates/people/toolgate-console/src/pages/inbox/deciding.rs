//! Deciding: a form becomes one request to the API. A refusal is shown on the page, and nothing that was
//! typed is lost.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::codes;

use super::approval::{find, page};
use super::form::{self, Attempt, Edit};
use super::outcome::Editing;
use super::pins;
use super::told::Approval;
use super::ways::inbox;
use crate::address::Address;
use crate::fields::Fields;
use crate::problem::{Answered, Problem};
use crate::said::Said;
use crate::schema_form::{self, Wrong};
use crate::visit::Visit;

/// In the form of the API.
#[derive(Debug, Default, Serialize)]
pub(super) struct Decision {
    pub(super) decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grant: Option<pins::Grant>,
    /// The digest of the shown arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effective: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Decided {
    pub(super) approval: Approval,
    #[serde(default)]
    grant: Option<Value>,
}

pub(super) async fn decide(visit: Visit, Path(id): Path<String>, fields: Fields) -> Answered<Response> {
    let approval = find(&visit, &id).await?;
    let decision = match read(&approval, &fields) {
        Ok(decision) => decision,
        Err(attempt) => {
            let attempt = Attempt { typed: fields, ..*attempt };
            return Ok(page(&visit, &approval, &attempt).await);
        }
    };
    let decision = Decision { effective: fields.text(form::SHOWN).map(str::to_owned), ..decision };
    match send(&visit, &id, &decision).await {
        Ok(decided) => Ok(visit.go(inbox(), said(&decided)).into_response()),
        Err(problem) if problem.is(StatusCode::UNAUTHORIZED) => Err(problem),
        Err(problem) => refused(&visit, &id, fields, problem).await,
    }
}

pub(super) async fn send(visit: &Visit, id: &str, decision: &Decision) -> Answered<Decided> {
    visit.post(Address::of(["approvals", id, "decide"]), decision).await
}

fn said(decided: &Decided) -> Said {
    match decided.approval.state.as_str() {
        "pending" => Said::Counted,
        "denied" => Said::Denied,
        "changes_requested" => Said::ChangesRequested,
        _ if decided.grant.is_some() => Said::Granted,
        _ => Said::Approved,
    }
}

/// The current page, with the problem and everything that was typed.
async fn refused(visit: &Visit, id: &str, typed: Fields, problem: Box<Problem>) -> Answered<Response> {
    let approval = find(visit, id).await?;
    let edit = match edited(&approval, &typed) {
        Ok(Some(edited)) => Edit::Changed(edited),
        _ => Edit::NotLookedAt,
    };
    let attempt =
        Attempt { typed, edit, wrong: wrong_fields(&problem), problem: Some(problem), ..Attempt::default() };
    Ok(page(visit, &approval, &attempt).await)
}

/// The decision in a form, or the page to show first.
fn read(approval: &Approval, fields: &Fields) -> Result<Decision, Box<Attempt>> {
    let text = |name: &str| fields.text(name).map(str::to_owned);
    match fields.text(form::DECISION) {
        Some("deny") => Ok(Decision { decision: "deny", reason: text(form::REASON), ..Decision::default() }),
        Some("changes") => match text(form::CHANGES) {
            Some(reason) => {
                Ok(Decision { decision: "request_changes", reason: Some(reason), ..Decision::default() })
            }
            None => Err(Box::new(Attempt {
                wrong_changes: Some(
                    "Describe what should change: the caller reads it and can propose the call again.",
                ),
                problem: Some(invalid("the description of the changes is missing")),
                ..Attempt::default()
            })),
        },
        Some("approve") => approve(approval, fields, Yes::AsAsked),
        Some(form::APPROVE_EDITED) => approve(approval, fields, Yes::AsEdited),
        _ => Err(Box::new(preview(approval, fields))),
    }
}

/// The pressed button. Only the one beside the difference approves changed arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Yes {
    AsAsked,
    AsEdited,
}

fn approve(approval: &Approval, fields: &Fields, yes: Yes) -> Result<Decision, Box<Attempt>> {
    if fields.text(form::SHOWN).is_some_and(|shown| shown != approval.effective) {
        return Err(Box::new(Attempt { problem: Some(changed_meanwhile()), ..Attempt::default() }));
    }
    let grant = pins::read(fields).map_err(|sentence| {
        let problem = Some(invalid(sentence));
        Box::new(Attempt { wrong_grant: Some(sentence), problem, ..Attempt::default() })
    })?;
    let reason = fields.text(form::NOTE).map(str::to_owned);
    match edited(approval, fields) {
        Ok(None) => Ok(Decision { decision: "approve", reason, grant, ..Decision::default() }),
        Ok(Some(edited))
            if yes == Yes::AsEdited && fields.text(form::SEEN) == Some(&form::digest(&edited)) =>
        {
            Ok(Decision { decision: "edit", reason, grant, arguments: Some(edited), ..Decision::default() })
        }
        Ok(Some(edited)) => {
            let problem = Some(unseen());
            Err(Box::new(Attempt { edit: Edit::Changed(edited), problem, ..Attempt::default() }))
        }
        Err(wrong) => {
            let problem =
                Some(invalid("the edited arguments are not valid; see the messages beside the fields"));
            Err(Box::new(Attempt { edit: Edit::Unreadable, wrong, problem, ..Attempt::default() }))
        }
    }
}

/// Only checks what was typed.
fn preview(approval: &Approval, fields: &Fields) -> Attempt {
    match edited(approval, fields) {
        Ok(None) => Attempt { edit: Edit::Same, ..Attempt::default() },
        Ok(Some(edited)) => Attempt { edit: Edit::Changed(edited), ..Attempt::default() },
        Err(wrong) => Attempt { edit: Edit::Unreadable, wrong, ..Attempt::default() },
    }
}

/// The arguments of the form, where they are others than those that were asked for.
fn edited(approval: &Approval, fields: &Fields) -> Result<Option<Value>, Wrong> {
    let Some(schema) = approval.schema() else { return Ok(None) };
    if !fields.ticked(form::EDITS) || Editing::of(approval) != Editing::Fields {
        return Ok(None);
    }
    let read = schema_form::read(schema, fields)?;
    Ok((read != approval.arguments).then_some(read))
}

/// The API's errors about edited arguments, by position.
fn wrong_fields(problem: &Problem) -> Wrong {
    let problems = problem.more.get("problems").and_then(Value::as_array);
    let sentence = |one: &Value| {
        let word = |name: &str| one.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let parts = [word("problem"), word("expected").map(|_| "expected"), word("expected"), word("hint")];
        let sentence: Vec<&str> = parts.into_iter().flatten().collect();
        Some((one.get("path")?.as_str()?.to_owned(), sentence.join(" ")))
    };
    problems.into_iter().flatten().filter_map(sentence).collect()
}

fn invalid(detail: &str) -> Box<Problem> {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, &codes::FORM_INVALID, detail)
}

fn unseen() -> Box<Problem> {
    invalid("you changed the arguments; nothing was sent yet")
        .hint("review your changes, then choose Approve as edited")
}

fn changed_meanwhile() -> Box<Problem> {
    let detail = "someone else changed the arguments while you had the page open; nothing was sent";
    Problem::new(StatusCode::CONFLICT, &codes::APPROVAL_CHANGED, detail)
        .hint("review them again; the page shows the current arguments")
}

#[cfg(test)]
mod tests;
