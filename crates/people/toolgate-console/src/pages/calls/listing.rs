//! The list of calls, with the chosen columns.

use maud::{Markup, html};

use super::columns::CallColumn;
use super::data::CallData;
use super::outcome;
use crate::address::PageAddress;
use crate::pages::filters::PageFilters;
use crate::parts::moment::{at, span};
use crate::parts::{links, text};
use crate::visit::PageVisit;

/// The beginning of an error message in a list.
const MESSAGE_CHARS: usize = 160;

pub(super) fn table(visit: &PageVisit, wanted: &PageFilters, calls: &[CallData]) -> Markup {
    let columns = CallColumn::chosen(wanted);
    html! {
        div.scroll tabindex="0" role="region" aria-label="List of calls" {
            table.list.calls {
                thead { tr {
                    th scope="col" { "Tool" }
                    @for column in &columns { th.number[column.is_number()] scope="col" { (column.name()) } }
                } }
                tbody { @for call in calls { (row(visit, call, &columns)) } }
            }
        }
    }
}

fn row(visit: &PageVisit, call: &CallData, columns: &[CallColumn]) -> Markup {
    html! {
        tr data-entry=(call.id) {
            td data-name="Tool" {
                a.tool href=(PageAddress::of(["console", "calls", &call.id])) { (text::short(call.tool.as_deref().unwrap_or("no tool"))) }
                div.help.id title=(call.id) { (links::brief_text(&call.id)) }
            }
            @for column in columns {
                td.number[column.is_number()] data-name=(column.name()) { (cell(visit, call, *column)) }
            }
        }
    }
}

fn cell(visit: &PageVisit, call: &CallData, column: CallColumn) -> Markup {
    let link = |id: &Option<String>, shown: fn(&str) -> Markup| id.as_deref().map(shown).unwrap_or_default();
    match column {
        CallColumn::State => html! {
            (outcome::badge(call))
            @if let Some(ran) = &call.used_by { div.help { "as " (links::brief(ran)) } }
        },
        CallColumn::Policy => match &call.decision {
            Some(decision) => outcome::decision(decision),
            None => html! { span.soft { "not asked" } },
        },
        CallColumn::Principal => links::principal(&call.principal),
        CallColumn::Server => link(&call.server, links::server),
        CallColumn::Where => link(if call.run.is_some() { &call.run } else { &call.session }, links::brief),
        CallColumn::Approval => link(&call.approval, links::brief),
        CallColumn::Error => {
            html! { @if let Some(message) = &call.message { (text::cut(message, MESSAGE_CHARS)) } }
        }
        CallColumn::Started => at(visit, &call.started_at),
        CallColumn::Ended => call.ended_at.as_deref().map(|ended| at(visit, ended)).unwrap_or_default(),
        CallColumn::Duration => match call.duration_ms {
            Some(ms) => html! { (span(ms.round() as i64)) },
            None => html! { span.soft { "–" } },
        },
    }
}
