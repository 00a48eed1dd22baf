//! The form of a decision: the arguments, the changes in them, and the three ways to answer.

use maud::{Markup, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::data::ApprovalData;
use super::outcome::{self, EditPermission};
use super::ways::approval_page;
use super::{difference, pins};
use crate::fields::FormFields;
use crate::layout::csrf;
use crate::parts::json;
use crate::problem::ApiProblem;
use crate::schema_form::{self, FieldErrors};
use crate::visit::PageVisit;

pub(super) const DECISION: &str = "decision";
pub(super) const NOTE: &str = "note";
pub(super) const REASON: &str = "reason";
pub(super) const CHANGES: &str = "changes";
/// The digest of the form's arguments.
pub(super) const SHOWN: &str = "shown";
/// The digest of edited arguments whose difference was shown.
pub(super) const SEEN: &str = "seen";
/// The approval of edited arguments, which is beside their difference.
pub(super) const APPROVE_EDITED: &str = "approve_edited";
/// The field that marks a form with arguments.
pub(super) const EDITS: &str = "edits";
const REASON_CHARS_MAX: usize = 4_000;

/// An attempt of the user, and its result. Empty when the page is opened.
#[derive(Default)]
pub(super) struct DecisionAttempt {
    pub(super) typed: FormFields,
    pub(super) edit: EditState,
    pub(super) wrong: FieldErrors,
    /// The error in the grant.
    pub(super) wrong_grant: Option<&'static str>,
    /// The error in the text that asks for changes.
    pub(super) wrong_changes: Option<&'static str>,
    pub(super) problem: Option<Box<ApiProblem>>,
}

/// The state of the edited arguments.
#[derive(Default)]
pub(super) enum EditState {
    #[default]
    NotLookedAt,
    Same,
    Changed(Value),
    /// The fields do not make arguments yet.
    Unreadable,
}

impl DecisionAttempt {
    fn is_made(&self) -> bool {
        self.typed.pairs().next().is_some()
    }
}

pub(super) fn digest(arguments: &Value) -> String {
    let written = serde_json::to_string(arguments).unwrap_or_default();
    Sha256::digest(written.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The content to decide on, and the answers.
pub(super) fn form(
    visit: &PageVisit,
    approval: &ApprovalData,
    attempt: &DecisionAttempt,
    attachments: &Markup,
) -> Markup {
    let editing = EditPermission::of(approval);
    html! {
        form method="post" action=(approval_page(&approval.id)) data-preview=[(editing == EditPermission::Fields).then_some("#difference")]
            data-typed[attempt.is_made()] {
            (csrf(visit))
            // Enter in a field presses the first button of a form: it must not be one that decides.
            button.unseen type="submit" name=(DECISION) value="preview" tabindex="-1" { "Show the difference" }
            input type="hidden" name=(SHOWN) value=(approval.effective);
            section.card aria-labelledby="arguments" {
                h2 #arguments { "Arguments" }
                @if editing == EditPermission::Fields { (fields(approval, attempt)) } @else { (outcome::arguments(approval, editing)) }
            }
            (changed(approval, attempt))
            (attachments)
            (answers(approval, attempt))
        }
    }
}

fn fields(approval: &ApprovalData, attempt: &DecisionAttempt) -> Markup {
    let nothing = Value::Null;
    let schema = approval.schema().unwrap_or(&nothing);
    html! {
        input type="hidden" name=(EDITS) value="1";
        p.help { "You may edit them. The edited arguments are validated like any call and shown before anything is sent." }
        fieldset.arguments data-press="e" {
            legend.unseen { "Arguments" }
            @match attempt.typed.ticked(EDITS) {
                true => (schema_form::refilled(schema, &attempt.typed, &attempt.wrong)),
                false => (schema_form::fields(schema, &approval.arguments, &attempt.wrong)),
            }
        }
        p { button.button type="submit" name=(DECISION) value="preview" { "Show the difference" } }
        (json::raw(&approval.arguments))
    }
}

/// The script fills this in while the user types.
fn changed(approval: &ApprovalData, attempt: &DecisionAttempt) -> Markup {
    html! {
        div #difference aria-live="polite" {
            @match &attempt.edit {
                EditState::NotLookedAt => {},
                EditState::Same => p.notice { "You changed nothing: the call would run as proposed." },
                EditState::Unreadable => p.notice { "The edited arguments are not valid yet; see the messages beside the fields." },
                EditState::Changed(edited) => section.card aria-labelledby="changed" {
                    h2 #changed { "Your changes" }
                    input type="hidden" name=(SEEN) value=(digest(edited));
                    (difference::shown(&difference::changes(&approval.arguments, edited)))
                    p { "If you approve, the call runs with what is marked +." }
                    p.row {
                        button.button.good type="submit" name=(DECISION) value=(APPROVE_EDITED) { "Approve as edited" }
                        a.button href=(approval_page(&approval.id)) { "Undo my changes" }
                    }
                },
            }
        }
    }
}

fn answers(approval: &ApprovalData, attempt: &DecisionAttempt) -> Markup {
    html! {
        section.card.answers aria-labelledby="answers" {
            h2 #answers { "Your answer" }
            (yes(approval, attempt))
            (no(attempt))
            (not_like_this(attempt))
            p.help.keyed {
                "Keys: " kbd { "a" } " to approve, " kbd { "d" } " to deny, " kbd { "r" } " to ask for changes"
                @if EditPermission::of(approval) == EditPermission::Fields { ", " kbd { "e" } " to the arguments" } "."
            }
        }
    }
}

fn yes(approval: &ApprovalData, attempt: &DecisionAttempt) -> Markup {
    let alone = approval.requirement.quorum <= 1 && approval.votes.is_empty();
    html! {
        div.answer {
            div.field {
                label for="note" { "Note " span.soft { "(optional)" } }
                textarea #note name=(NOTE) rows="2" maxlength=(REASON_CHARS_MAX) { "\n" (attempt.typed.get(NOTE).unwrap_or_default()) }
            }
            @if alone {
                (pins::fields(&approval.arguments, &attempt.typed, attempt.wrong_grant))
            } @else {
                p.help { "This call needs several approvals, so no single person can create a grant for it." }
            }
            button.button.good type="submit" name=(DECISION) value="approve" data-press="a" data-goes { "Approve" }
        }
    }
}

fn no(attempt: &DecisionAttempt) -> Markup {
    html! {
        div.answer {
            div.field {
                label for="reason" { "Reason " span.soft { "(the caller sees it)" } }
                textarea #reason name=(REASON) rows="2" maxlength=(REASON_CHARS_MAX) data-press="d" { "\n" (attempt.typed.get(REASON).unwrap_or_default()) }
            }
            button.button.danger type="submit" name=(DECISION) value="deny" { "Deny" }
        }
    }
}

fn not_like_this(attempt: &DecisionAttempt) -> Markup {
    let wrong = attempt.wrong_changes;
    html! {
        div.answer {
            div.field {
                label for="changes" { "Requested changes " span.soft { "(the caller may propose again)" } }
                textarea #changes name=(CHANGES) rows="2" maxlength=(REASON_CHARS_MAX) data-press="r"
                    aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "changes-wrong")] {
                    "\n" (attempt.typed.get(CHANGES).unwrap_or_default())
                }
                @if let Some(sentence) = wrong { p.wrong #changes-wrong role="alert" { (sentence) } }
            }
            button.button type="submit" name=(DECISION) value="changes" { "Ask for changes" }
        }
    }
}
