//! The decision table: the permissions under each level of care.

use axum::extract::Query;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::care::care;
use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, BadgeTone, links, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

const TOOLS: usize = 100;

#[derive(Deserialize)]
pub(super) struct TablePageQuery {
    #[serde(default)]
    q: Option<String>,
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Deserialize)]
struct PolicyTableData {
    templates: Vec<String>,
    in_force: String,
    rows: Vec<PolicyTableRow>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Clone, Deserialize)]
struct PolicyTableRow {
    actor: String,
    tool: String,
    cells: Vec<PolicyTableCell>,
}

#[derive(Clone, PartialEq, Deserialize)]
struct PolicyTableCell {
    verdict: String,
    told: String,
    summary: String,
}

/// Actors with the same decisions.
struct PolicyTableLine {
    actors: Vec<String>,
    cells: Vec<PolicyTableCell>,
}

pub(super) async fn show(visit: PageVisit, Query(wanted): Query<TablePageQuery>) -> PageResult<Response> {
    let asked = PageAddress::of(["policy", "table"]).maybe("q", wanted.q.as_deref());
    let asked = asked.maybe("cursor", wanted.cursor.as_deref()).with("limit", TOOLS);
    let table: PolicyTableData = visit.get(asked).await?;
    let here = || PageAddress::of(["console", "policy", "table"]).maybe("q", wanted.q.as_deref());
    let next = table.next_cursor.as_deref().map(|cursor| here().with("cursor", cursor));
    let body = html! {
        (head(Side::Table))
        p { "The decision on a call without arguments, for every role that calls tools. Policies that look at arguments may decide differently: "
            a href="/console/policy/explain" { "explain a call" } " with them." }
        (search(&wanted))
        section #table data-live="policy.loaded registry server" aria-label="Decision table" {
            @if table.rows.is_empty() { (nothing(&wanted)) } @else { (rendered(&table)) }
            @if let Some(next) = next { p.pages { a.button rel="next" href=(next) { "More tools" } } }
        }
    };
    Ok(visit.page("Decision table", ConsolePage::Policy, body).await)
}

fn search(wanted: &TablePageQuery) -> Markup {
    html! {
        form.card method="get" action="/console/policy/table" role="search" {
            div.filters.wide {
                div.field {
                    label for="q" { "Filter by tool name" }
                    input #q type="search" name="q" value=[wanted.q.as_deref()] data-search;
                }
                div { button.button type="submit" { "Filter" } }
            }
        }
    }
}

fn nothing(wanted: &TablePageQuery) -> Markup {
    match wanted.q.as_deref().is_some_and(|q| !q.trim().is_empty()) || wanted.cursor.is_some() {
        true => parts::empty(
            "No tool matches.",
            html! { p { a href="/console/policy/table" { "Show all tools" } } },
        ),
        false => parts::empty(
            "No tools are known yet.",
            html! { p { a href="/console/settings" { "Add a server" } ", and its tools appear here." } },
        ),
    }
}

fn rendered(table: &PolicyTableData) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Decisions by tool and level of care" {
            table.list.decisions {
                thead {
                    tr {
                        th scope="col" { "Tool" }
                        th scope="col" { "Caller" }
                        @for template in &table.templates {
                            th scope="col" data-force[*template == table.in_force] title=(care(template)) {
                                (text::short(&template.replace('_', " ")))
                                @if *template == table.in_force { " (in force)" }
                            }
                        }
                    }
                }
                tbody { @for (tool, rows) in by_tool(&table.rows) { (of_tool(table, tool, rows)) } }
            }
        }
    }
}

fn of_tool(table: &PolicyTableData, tool: &str, rows: &[PolicyTableRow]) -> Markup {
    let lines = same(rows);
    html! {
        @for (place, line) in lines.iter().enumerate() {
            tr data-entry=[(place == 0).then_some(tool)] {
                td data-name="Tool" { (links::tool(tool)) }
                td data-name="Caller" {
                    @if line.actors.len() == rows.len() { "everyone" } @else { (text::short(&line.actors.join(", "))) }
                }
                @for (cell, template) in line.cells.iter().zip(&table.templates) {
                    td data-name=(template.replace('_', " ")) data-force[*template == table.in_force] {
                        span title=(cell.summary) { (said(cell)) }
                    }
                }
            }
        }
    }
}

fn said(cell: &PolicyTableCell) -> Markup {
    let (mark, tone) = match (cell.verdict.as_str(), cell.told.as_str()) {
        (_, "by its arguments") => ("depends on its arguments", BadgeTone::Plain),
        ("permit", _) => ("permit", BadgeTone::Good),
        ("approve", told) => (told, BadgeTone::Waiting),
        (_, told) => (told, BadgeTone::Bad),
    };
    parts::badge(mark, tone)
}

/// Rows come sorted by tool.
fn by_tool(rows: &[PolicyTableRow]) -> impl Iterator<Item = (&str, &[PolicyTableRow])> {
    rows.chunk_by(|one, other| one.tool == other.tool).map(|rows| (rows[0].tool.as_str(), rows))
}

fn same(rows: &[PolicyTableRow]) -> Vec<PolicyTableLine> {
    let mut lines: Vec<PolicyTableLine> = Vec::new();
    for row in rows {
        match lines.iter_mut().find(|line| line.cells == row.cells) {
            Some(line) => line.actors.push(row.actor.clone()),
            None => lines.push(PolicyTableLine { actors: vec![row.actor.clone()], cells: row.cells.clone() }),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(actor: &str, told: &str) -> PolicyTableRow {
        let cell = PolicyTableCell { verdict: "approve".into(), told: told.into(), summary: String::new() };
        PolicyTableRow { actor: actor.into(), tool: "bank:transfer".into(), cells: vec![cell] }
    }

    #[test]
    fn those_for_whom_the_same_holds_share_a_line() {
        let rows =
            [row("admin", "approve by a"), row("operator", "approve by b"), row("agent", "approve by a")];
        let lines: Vec<String> = same(&rows).iter().map(|line| line.actors.join("+")).collect();
        assert_eq!(lines, ["admin+agent", "operator"]);
    }

    #[test]
    fn a_cell_says_in_words_what_its_colour_says() {
        let shown = said(&row("agent", "approve by finance").cells[0]).into_string();
        assert!(shown.contains("approve by finance") && shown.contains("waiting"), "{shown}");
    }
}
