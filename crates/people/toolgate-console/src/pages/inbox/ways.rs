//! Links to the things that an entry names, for users who may open them; a name for the others. And the addresses of the inbox
//! itself.

use maud::{Markup, html};

use crate::address::Address;
use crate::parts::{links, text};
use crate::visit::Visit;

/// A run, a session, a call.
pub(super) fn id(visit: &Visit, id: &str) -> Markup {
    html! { @if visit.audits() { (links::id(id)) } @else { code.id { (text::short(id)) } } }
}

pub(super) fn principal(visit: &Visit, name: &str) -> Markup {
    html! { @if visit.audits() { (links::principal(name)) } @else { (text::short(name)) } }
}

pub(super) fn agent(visit: &Visit, name: &str) -> Markup {
    html! {
        @if visit.audits() { a href=(Address::of(["console", "agents", name])) { (text::short(name)) } }
        @else { (text::short(name)) }
    }
}

pub(super) fn inbox() -> Address {
    Address::of(["console", "inbox"])
}

pub(super) fn approval_page(id: &str) -> Address {
    Address::of(["console", "inbox", "approvals", id])
}

pub(super) fn question_page(id: &str) -> Address {
    Address::of(["console", "inbox", "inputs", id])
}
