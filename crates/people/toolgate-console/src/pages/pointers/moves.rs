//! The moves of a pointer, the last first: from where to where, who, when and why.

use maud::{Markup, html};

use super::data::{PointerData, PointerMoveData, PointerMovesData, manifest};
use crate::address::PageAddress;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, links, text};
use crate::visit::PageVisit;

pub(super) fn table(visit: &PageVisit, pointer: &PointerData, history: &PointerMovesData) -> Markup {
    let next = history.next_cursor.as_ref().map(|cursor| pointer.address().with("cursor", cursor));
    html! {
        table.list {
            thead { tr {
                th.number scope="col" { "Move" } th scope="col" { "From, to" } th scope="col" { "Who" }
                th scope="col" { "Why" } th scope="col" { "When" }
            } }
            tbody { @for one in &history.moves { (row(visit, pointer, one)) } }
        }
        (parts::next_page(next))
    }
}

fn row(visit: &PageVisit, pointer: &PointerData, one: &PointerMoveData) -> Markup {
    html! {
        tr data-entry=(one.version) {
            td.number data-name="Move" { (parts::number(one.version)) " " (operation(&one.operation)) }
            td data-name="From, to" { div { (ends(one)) (links_of(visit, pointer, one)) } }
            td data-name="Who" {
                (links::principal(&one.by))
                @if let Some(approval) = &one.approval { div.help { "agreed in " (links::brief(approval)) } }
            }
            td data-name="Why" { @if one.reason.is_empty() { span.soft { "no reason given" } } @else { (text::long(&one.reason)) } }
            td data-name="When" {
                (ago(visit, &one.at))
                @if let Some(call) = &one.call { div.help { (links::brief(call)) } }
            }
        }
    }
}

fn operation(word: &str) -> Markup {
    let tone = match word {
        "promote" => BadgeTone::Good,
        "revert" => BadgeTone::Waiting,
        "delete" => BadgeTone::Bad,
        _ => BadgeTone::Plain,
    };
    parts::badge(word, tone)
}

fn ends(one: &PointerMoveData) -> Markup {
    html! { (manifest(one.old.as_deref())) " → " (manifest(one.new.as_deref())) }
}

/// Links to the changes of a move, and back to where it began.
fn links_of(visit: &PageVisit, pointer: &PointerData, one: &PointerMoveData) -> Markup {
    let back = one.old.as_deref().filter(|old| pointer.manifest.as_deref() != Some(*old));
    let changed = one.new.as_ref().map(|new| {
        let place = PageAddress::of(["console", "manifests", new, "changes"]);
        place.maybe("since", one.old.as_deref())
    });
    html! {
        div.row {
            @if let Some(changed) = changed { a href=(changed) { "What changed" } }
            @if let (Some(back), true) = (back, visit.operates() && pointer.moves()) {
                a href={ (pointer.address().with("to", back)) "#move" } { "Move back" }
            }
        }
    }
}
