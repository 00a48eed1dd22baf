//! The form in which somebody decides: the arguments, what was changed in them, and the three ways to answer.

use maud::{Markup, html};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::outcome::{self, Editing};
use super::told::Approval;
use super::{approval_page, difference, pins};
use crate::fields::Fields;
use crate::layout::csrf;
use crate::parts::json;
use crate::problem::Problem;
use crate::schema_form::{self, Wrong};
use crate::visit::Visit;

pub(super) const DECISION: &str = "decision";
pub(super) const NOTE: &str = "note";
pub(super) const REASON: &str = "reason";
pub(super) const CHANGES: &str = "changes";
/// The digest of what the form was made of.
pub(super) const SHOWN: &str = "shown";
/// The digest of edited arguments whose difference was seen.
pub(super) const SEEN: &str = "seen";
/// The yes to edited arguments, which stands beside their difference.
pub(super) const APPROVE_EDITED: &str = "approve_edited";
/// Whether the form holds arguments.
pub(super) const EDITS: &str = "edits";
const REASON_CHARS_MAX: usize = 4_000;

/// What somebody tried, and what came of it. Nothing of it, when the page is opened.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) typed: Fields,
    pub(super) edit: Edit,
    pub(super) wrong: Wrong,
    /// What is wrong with the grant.
    pub(super) wrong_grant: Option<&'static str>,
    /// What is wrong with the text that asks for changes.
    pub(super) wrong_changes: Option<&'static str>,
    pub(super) problem: Option<Box<Problem>>,
}

/// What was made of the arguments.
#[derive(Default)]
pub(super) enum Edit {
    #[default]
    NotLookedAt,
    Same,
    Changed(Value),
    /// The fields do not make arguments yet.
    Unreadable,
}

impl Attempt {
    fn is_made(&self) -> bool {
        self.typed.pairs().next().is_some()
    }
}

pub(super) fn digest(arguments: &Value) -> String {
    let written = serde_json::to_string(arguments).unwrap_or_default();
    Sha256::digest(written.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What is decided on, and the answers.
pub(super) fn form(visit: &Visit, approval: &Approval, attempt: &Attempt, attachments: &Markup) -> Markup {
    let editing = Editing::of(approval);
    html! {
        form method="post" action=(approval_page(&approval.id)) data-preview=[(editing == Editing::Fields).then_some("#difference")]
            data-typed[attempt.is_made()] {
            (csrf(visit))
            // Enter in a field presses the first button of a form: it must not be one that decides.
            button.unseen type="submit" name=(DECISION) value="preview" tabindex="-1" { "Show the difference" }
            input type="hidden" name=(SHOWN) value=(approval.effective);
            section.card aria-labelledby="arguments" {
                h2 #arguments { "Arguments" }
                @if editing == Editing::Fields { (fields(approval, attempt)) } @else { (outcome::arguments(approval, editing)) }
            }
            (changed(approval, attempt))
            (attachments)
            (answers(approval, attempt))
        }
    }
}

fn fields(approval: &Approval, attempt: &Attempt) -> Markup {
    let nothing = Value::Null;
    let schema = approval.schema().unwrap_or(&nothing);
    html! {
        input type="hidden" name=(EDITS) value="1";
        p.help { "You may change them. What you change is checked like any call, and shown before it is sent." }
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

/// The script fills this in as somebody types.
fn changed(approval: &Approval, attempt: &Attempt) -> Markup {
    html! {
        div #difference aria-live="polite" {
            @match &attempt.edit {
                Edit::NotLookedAt => {},
                Edit::Same => p.notice { "Nothing is changed: the call would run as it was asked for." },
                Edit::Unreadable => p.notice { "What is typed makes no arguments yet; the fields say why." },
                Edit::Changed(edited) => section.card aria-labelledby="changed" {
                    h2 #changed { "What you changed" }
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

fn answers(approval: &Approval, attempt: &Attempt) -> Markup {
    html! {
        section.card.answers aria-labelledby="answers" {
            h2 #answers { "Your answer" }
            (yes(approval, attempt))
            (no(attempt))
            (not_like_this(attempt))
            p.help.keyed {
                "Keys: " kbd { "a" } " to approve, " kbd { "d" } " to deny, " kbd { "r" } " to ask for changes"
                @if Editing::of(approval) == Editing::Fields { ", " kbd { "e" } " to the arguments" } "."
            }
        }
    }
}

fn yes(approval: &Approval, attempt: &Attempt) -> Markup {
    let alone = approval.requirement.quorum <= 1 && approval.votes.is_empty();
    html! {
        div.answer {
            div.field {
                label for="note" { "A note with your yes " span.soft { "(optional)" } }
                textarea #note name=(NOTE) rows="2" maxlength=(REASON_CHARS_MAX) { "\n" (attempt.typed.get(NOTE).unwrap_or_default()) }
            }
            @if alone {
                (pins::fields(&approval.arguments, &attempt.typed, attempt.wrong_grant))
            } @else {
                p.help { "Several people must agree here, so nobody can say alone that it need not be asked again." }
            }
            button.button.good type="submit" name=(DECISION) value="approve" data-press="a" data-goes { "Approve" }
        }
    }
}

fn no(attempt: &Attempt) -> Markup {
    html! {
        div.answer {
            div.field {
                label for="reason" { "Why not " span.soft { "(the caller is told)" } }
                textarea #reason name=(REASON) rows="2" maxlength=(REASON_CHARS_MAX) data-press="d" { "\n" (attempt.typed.get(REASON).unwrap_or_default()) }
            }
            button.button.danger type="submit" name=(DECISION) value="deny" { "Deny" }
        }
    }
}

fn not_like_this(attempt: &Attempt) -> Markup {
    let wrong = attempt.wrong_changes;
    html! {
        div.answer {
            div.field {
                label for="changes" { "What should be different " span.soft { "(the caller may propose again)" } }
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
