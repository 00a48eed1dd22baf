//! The decisions on a claim, the last one first. Stale ones stay.

use maud::{Markup, html};

use super::data::ClaimDecisionData;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, links, text};
use crate::visit::PageVisit;

pub(super) fn all(visit: &PageVisit, decisions: &[ClaimDecisionData]) -> Markup {
    html! {
        @if decisions.is_empty() { p.soft { "Nobody has decided on it yet." } }
        @for one in decisions.iter().rev() { (entry(visit, one)) }
    }
}

fn entry(visit: &PageVisit, one: &ClaimDecisionData) -> Markup {
    let tone = if one.state == "current" { BadgeTone::Good } else { BadgeTone::Waiting };
    html! {
        article aria-label=(format!("Decision {}", one.number)) {
            h3 { (text::short(&one.option)) " " (parts::badge(&one.state, tone)) }
            p { (text::long(&one.rationale)) }
            (lines("Conditions", &one.conditions))
            (lines("To follow", &one.follow_ups))
            div.help {
                "Decided by " (links::principal(&one.by)) " " (ago(visit, &one.at))
                @if !one.approvers.is_empty() { ", agreed by " (text::short(&one.approvers.join(", "))) }
                @if let Some(approval) = &one.approval { ", " (links::id(approval)) }
            }
        }
    }
}

fn lines(title: &str, texts: &[String]) -> Markup {
    html! {
        @if !texts.is_empty() {
            h4 { (title) }
            ul { @for one in texts { li { (text::long(one)) } } }
        }
    }
}
