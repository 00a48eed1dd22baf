//! Links to the things that an entry names, for users who may open them; a name for the others.

use maud::{Markup, html};

use super::{links, text};
use crate::address::PageAddress;
use crate::visit::PageVisit;

/// A run, a session, a file.
pub(crate) fn id(visit: &PageVisit, id: &str) -> Markup {
    html! { @if visit.audits() { (links::id(id)) } @else { code.id { (text::short(id)) } } }
}

pub(crate) fn principal(visit: &PageVisit, name: &str) -> Markup {
    html! { @if visit.audits() { (links::principal(name)) } @else { (text::short(name)) } }
}

pub(crate) fn server(visit: &PageVisit, name: &str) -> Markup {
    html! { @if visit.audits() { (links::server(name)) } @else { (text::short(name)) } }
}

pub(crate) fn agent(visit: &PageVisit, name: &str) -> Markup {
    html! {
        @if visit.audits() { a href=(PageAddress::of(["console", "agents", name])) { (text::short(name)) } }
        @else { (text::short(name)) }
    }
}
