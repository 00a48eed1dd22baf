//! The words for where a call stands, as people read them.

use maud::{Markup, html};

use crate::parts::{self, Tone};

pub(super) fn badge(state: &str) -> Markup {
    parts::badge(word(state), tone(state))
}

fn word(state: &str) -> &str {
    match state {
        "dispatched" => "running",
        "awaiting_approval" | "pending_approval" => "waits for approval",
        "input_required" => "waits for its client",
        "pending_input" => "waits for an answer",
        "tool_error" => "tool failed",
        "invalid" => "arguments refused",
        "accepted" => "taken on as a task",
        "joined" => "shared a result",
        "unknown" => "outcome unknown",
        other => other,
    }
}

pub(super) fn tone(state: &str) -> Tone {
    match state {
        "accepted" | "joined" => Tone::Good,
        "pending_approval" | "input_required" | "pending_input" => Tone::Waiting,
        "invalid" | "refused" | "abandoned" => Tone::Bad,
        other => Tone::of(other),
    }
}

/// What policy said.
pub(super) fn decision(decision: &str) -> Markup {
    let said = match decision {
        "permit" => "permitted",
        "approve" => "ask a person",
        "deny" => "denied",
        other => other,
    };
    html! { (parts::badge(said, Tone::of(decision))) }
}

/// What became of the call, in a sentence.
pub(super) fn sentence(state: &str) -> &'static str {
    match state {
        "succeeded" => "The tool ran and answered.",
        "tool_error" => "The tool ran and said that it failed.",
        "failed" => "The call got no answer, or none that is one.",
        "cancelled" => "Its caller cancelled it.",
        "unknown" => {
            "It was sent, and the gateway ended before the answer: nobody knows whether it took effect."
        }
        "invalid" => "The arguments do not fit the tool's schema; nothing was sent.",
        "denied" => "Policy, a filter or a person said no; nothing was sent.",
        "rejected" => "A person said no; nothing was sent.",
        "changes_requested" => "A person wants something else proposed; nothing was sent.",
        "expired" => "Nobody decided in time, which means no.",
        "pending_approval" => {
            "Its caller was told that a person must agree first. Repeating the call goes on with it."
        }
        "pending_input" => "A person was asked something, and the caller was told so.",
        "accepted" => "The server took it on as a task of its own.",
        "joined" => "An identical call that was approved together with it ran; it got that one's result.",
        "refused" => "The gateway did not send it.",
        "awaiting_approval" => "It waits for a person; nothing was sent yet.",
        "dispatched" => "It was sent to its server, which has not answered yet.",
        "input_required" => "The server asked its client something and waits.",
        "abandoned" => "Its gateway ended before it was sent. Nothing has run.",
        _ => "",
    }
}
