//! One waiting item in the list: the risk first, everything that would run, why a person is asked and what happens if nobody
//! answers; and two buttons that decide it at once.

use maud::{Markup, html};

use super::data::{ApprovalData, InboxEntryData, InputData};
use super::list::{WHY_CHARS, plain};
use super::risk::{self, Risk};
use super::ways::{approval_page, question_page};
use super::{outcome, several};
use crate::parts::{self, allowed, moment, size, text};
use crate::visit::PageVisit;

/// Arguments that a list shows are shown whole: an unseen part would not be approved.
const WHOLE_CHARS_MAX: usize = 16 << 10;

pub(super) fn card(visit: &PageVisit, entry: &InboxEntryData) -> Markup {
    match entry {
        InboxEntryData::Approval(approval) => approval_card(visit, approval),
        InboxEntryData::Input(input) => question_card(visit, input),
    }
}

fn approval_card(visit: &PageVisit, approval: &ApprovalData) -> Markup {
    let for_whom = approval.opened_by.as_deref().filter(|person| *person != approval.principal);
    let may_decide = approval.barred(visit).is_none();
    let risk = Risk::of(approval.effects);
    html! {
        li.card data-entry=(approval.id) data-risk=(risk.as_str()) {
            div.first {
                @if may_decide {
                    input type="checkbox" name="approval" value=(approval.id) data-keep aria-label={ "Select " (text::made_visible(&approval.tool)) " of " (text::made_visible(&approval.principal)) };
                    input type="hidden" name=(several::shown(&approval.id)) value=(approval.effective);
                }
                span.risk { (risk.said()) }
                h2 { a href=(approval_page(&approval.id)) { (text::short(&approval.tool)) } }
                (risk::effects(approval.effects))
                span.left { (moment::left(visit, &approval.expires_at)) }
            }
            (arguments(approval))
            @if let Some(why) = approval.why() { p { span.soft { "Why you are asked: " } (text::cut(why, WHY_CHARS)) } }
            p.soft { "If nobody answers: " (approval.requirement.at_the_end(approval.escalated_to.is_some())) }
            p.soft {
                (text::short(&approval.principal)) " asks"
                @if let Some(person) = for_whom { " for " (text::short(person)) }
                " " (moment::ago(visit, &approval.created_at)) " · " (outcome::quorum(approval))
                " · call " (parts::links::brief(&approval.call))
                @if let Some(run) = &approval.run { " · " (allowed::id(visit, run)) }
            }
            @if may_decide { (answers(approval)) }
        }
    }
}

/// What has not been seen is decided on its own page.
fn answers(approval: &ApprovalData) -> Markup {
    html! {
        div.row.answers-here {
            @if approval.arguments_bytes.is_some() {
                a.button href=(approval_page(&approval.id)) { "Open to read the arguments" }
            } @else {
                button.button.good.small type="submit" name=(several::ONE) value={ "approve " (approval.id) } data-decide="a" data-saying="Approve" { "Approve" }
            }
            button.button.danger.small type="submit" name=(several::ONE) value={ "deny " (approval.id) } data-decide="d" data-saying="Deny" { "Deny" }
            a href=(approval_page(&approval.id)) { "More" }
        }
    }
}

fn arguments(approval: &ApprovalData) -> Markup {
    if let Some(bytes) = approval.arguments_bytes {
        return html! { p.soft { (size(bytes)) " of arguments" } };
    }
    let members = approval.arguments.as_object().filter(|members| !members.is_empty());
    html! {
        @match members {
            None => p.soft { "No arguments" },
            Some(members) => div.glance.whole {
                @for (name, value) in members {
                    div { span.soft { (text::short(name)) ": " } (text::cut(&plain(value), WHOLE_CHARS_MAX)) }
                }
            },
        }
    }
}

fn question_card(visit: &PageVisit, input: &InputData) -> Markup {
    html! {
        li.card data-entry=(input.id) data-risk="asks" {
            div.first {
                h2 { a href=(question_page(&input.id)) { (text::cut(&input.prompt_key, WHY_CHARS)) } }
                (parts::badge(input.word(), parts::BadgeTone::Waiting))
            }
            p.soft {
                (text::short(&input.principal)) " asks in " (allowed::id(visit, &input.run)) " "
                (moment::ago(visit, &input.created_at)) " · the run waits for the answer"
            }
        }
    }
}
