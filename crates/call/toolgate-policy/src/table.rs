//! The decision table: the permissions under each level of care, for people to read and compare.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::json;
use toolgate_core::decision::{Policy, PolicyRequest, PolicyTemplate, Verdict};
use toolgate_core::{Principal, Tool};

use crate::engine::PolicyEngine;
use crate::explain::{VerdictKind, people, summary};
use crate::problem::PolicyError;

/// The permissions of one actor for one tool.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct TableRow {
    pub actor: String,
    pub tool: String,
    /// One for each requested level of care, in that order.
    pub cells: Vec<TableCell>,
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct TableCell {
    pub template: PolicyTemplate,
    pub verdict: VerdictKind,
    /// The text in the table: `permit`, `deny`, `approve by finance`, `by its arguments`.
    pub told: String,
    /// In a sentence.
    pub summary: String,
}

/// The same policies under several levels of care. Compiling them takes longer than a table does.
pub struct TableLevels(Vec<PolicyEngine>);

impl TableLevels {
    pub fn of(engine: &PolicyEngine, templates: &[PolicyTemplate]) -> Result<Self, PolicyError> {
        let engines = templates.iter().map(|template| engine.under(*template));
        engines.collect::<Result<Vec<_>, _>>().map(Self)
    }

    /// The decisions for every actor, tool and level of care, without arguments. Actors and tools come with their
    /// names in the table.
    pub fn decisions(&self, actors: &[(&str, Principal)], tools: &[(&str, Arc<Tool>)]) -> Vec<TableRow> {
        let row = |(actor, principal): &(&str, Principal), (class, tool): &(&str, Arc<Tool>)| TableRow {
            actor: (*actor).to_owned(),
            tool: (*class).to_owned(),
            cells: self.0.iter().map(|engine| cell(engine, principal, tool)).collect(),
        };
        let rows = actors.iter().flat_map(|actor| tools.iter().map(move |tool| (actor, tool)));
        rows.map(|(actor, tool)| row(actor, tool)).collect()
    }
}

/// The same as lines of text.
pub fn table(
    engine: &PolicyEngine,
    actors: &[(&str, Principal)],
    tools: &[(&str, Arc<Tool>)],
    templates: &[PolicyTemplate],
) -> Result<String, PolicyError> {
    let levels = templates.iter().map(|template| template.as_str().to_owned());
    let mut rows: Vec<Vec<String>> =
        vec![["actor", "tool"].map(str::to_owned).into_iter().chain(levels).collect()];
    for TableRow { actor, tool, cells } in TableLevels::of(engine, templates)?.decisions(actors, tools) {
        rows.push([actor, tool].into_iter().chain(cells.into_iter().map(|cell| cell.told)).collect());
    }
    Ok(aligned(&rows))
}

fn cell(engine: &PolicyEngine, principal: &Principal, tool: &Tool) -> TableCell {
    let arguments = json!({});
    let question = PolicyRequest::alone(principal, tool, &arguments);
    let verdict = engine.decide(&question).verdict;
    TableCell {
        template: engine.template(),
        verdict: VerdictKind::of(&verdict),
        told: told(&verdict),
        summary: summary(&verdict),
    }
}

fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Permit => "permit".to_owned(),
        Verdict::Deny(denial) if denial.error.is_some() => "by its arguments".to_owned(),
        Verdict::Deny(_) => "deny".to_owned(),
        Verdict::Approve(requirement) => format!("approve by {}", people(requirement)),
    }
}

fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        writeln!(text, "{}", cells.join("  ").trim_end()).expect("a string takes all text");
    }
    text
}

#[cfg(test)]
mod tests;
