//! Links to the things that an entry names, for users who may open them; a name for the others. And the addresses of the inbox
//! itself.

use maud::{Markup, html};

use crate::address::PageAddress;
use crate::parts::{links, text};
use crate::visit::PageVisit;

/// A run, a session, a call.
pub(super) fn id(visit: &PageVisit, id: &str) -> Markup {
    html! { @if visit.audits() { (links::id(id)) } @else { code.id { (text::short(id)) } } }
}

pub(super) fn principal(visit: &PageVisit, name: &str) -> Markup {
    html! { @if visit.audits() { (links::principal(name)) } @else { (text::short(name)) } }
}

pub(super) fn agent(visit: &PageVisit, name: &str) -> Markup {
    html! {
        @if visit.audits() { a href=(PageAddress::of(["console", "agents", name])) { (text::short(name)) } }
        @else { (text::short(name)) }
    }
}

pub(super) fn inbox() -> PageAddress {
    PageAddress::of(["console", "inbox"])
}

pub(super) fn approval_page(id: &str) -> PageAddress {
    PageAddress::of(["console", "inbox", "approvals", id])
}

pub(super) fn question_page(id: &str) -> PageAddress {
    PageAddress::of(["console", "inbox", "inputs", id])
}
