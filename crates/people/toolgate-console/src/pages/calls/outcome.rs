//! The words for the state of a call.

use maud::{Markup, html};

use super::data::CallData;
use crate::parts::{self, BadgeTone};

/// The state of a call. Of one whose caller was told to wait, what became of the approval.
pub(super) fn badge(call: &CallData) -> Markup {
    match (&*call.state, call.approval_state.as_deref()) {
        ("pending_approval", Some(asked)) => {
            let (word, tone) = after_asking(asked);
            parts::badge(word, tone)
        }
        (state, _) => badge_of(state),
    }
}

pub(super) fn badge_of(state: &str) -> Markup {
    parts::badge(word(state), tone(state))
}

fn after_asking(asked: &str) -> (&'static str, BadgeTone) {
    match asked {
        "pending" => ("waits for approval", BadgeTone::Waiting),
        "approved" => ("approved, not sent yet", BadgeTone::Waiting),
        "used" => ("approved, then ran", BadgeTone::Good),
        "denied" => ("denied", BadgeTone::Bad),
        "changes_requested" => ("changes requested", BadgeTone::Waiting),
        "expired" => ("nobody decided in time", BadgeTone::Bad),
        "lapsed" => ("approved, never sent", BadgeTone::Bad),
        _ => ("withdrawn", BadgeTone::Plain),
    }
}

fn word(state: &str) -> &str {
    match state {
        "dispatched" => "running",
        "awaiting_approval" | "pending_approval" => "waits for approval",
        "input_required" => "waits for its client",
        "pending_input" => "waits for an answer",
        "tool_error" => "tool failed",
        "invalid" => "arguments refused",
        "accepted" => "running as a task",
        "joined" => "shared a result",
        "unknown" => "outcome unknown",
        other => other,
    }
}

pub(super) fn tone(state: &str) -> BadgeTone {
    match state {
        "accepted" | "joined" => BadgeTone::Good,
        "pending_approval" | "input_required" | "pending_input" => BadgeTone::Waiting,
        "invalid" | "refused" | "abandoned" => BadgeTone::Bad,
        other => BadgeTone::of(other),
    }
}

/// The policy decision.
pub(super) fn decision(decision: &str) -> Markup {
    let said = match decision {
        "permit" => "permitted",
        "approve" => "ask a person",
        "deny" => "denied",
        other => other,
    };
    html! { (parts::badge(said, BadgeTone::of(decision))) }
}

/// The outcome of the call, in a sentence.
pub(super) fn sentence(call: &CallData) -> &'static str {
    match (&*call.state, call.approval_state.as_deref()) {
        ("pending_approval", Some("used")) => "A person approved it, and a later call ran with the approval.",
        ("pending_approval", Some("denied")) => "A person denied it; nothing was sent.",
        ("pending_approval", Some("expired")) => "Nobody decided in time, so nothing was sent.",
        ("pending_approval", Some("lapsed")) => {
            "A person approved it, but the caller did not send it again in time."
        }
        (state, _) => sentence_of(state),
    }
}

pub(super) fn sentence_of(state: &str) -> &'static str {
    match state {
        "succeeded" => "The tool ran and answered.",
        "tool_error" => "The tool ran and reported an error.",
        "failed" => "The server did not answer, or its answer was invalid.",
        "cancelled" => "The caller cancelled it.",
        "unknown" => {
            "It was sent, but the gateway stopped before the answer arrived. It may or may not have taken effect."
        }
        "invalid" => "The arguments do not match the tool's schema; nothing was sent.",
        "denied" => "Policy, a filter or a person denied it; nothing was sent.",
        "rejected" => "A person denied it; nothing was sent.",
        "changes_requested" => "A person asked for changes; nothing was sent.",
        "expired" => "No one decided in time, so it was denied.",
        "pending_approval" => {
            "The caller was told that a person must approve first. Sending the call again continues it."
        }
        "pending_input" => "A person was asked a question, and the caller was told so.",
        "accepted" => "The server runs it as a task.",
        "joined" => "An identical call, approved together with this one, ran. This call got its result.",
        "refused" => "The gateway did not send it.",
        "awaiting_approval" => "It waits for a person; nothing was sent yet.",
        "dispatched" => "It was sent to the server, which has not answered yet.",
        "input_required" => "The server asked its client a question and is waiting.",
        "abandoned" => "The gateway stopped before it was sent. Nothing ran.",
        _ => "",
    }
}
