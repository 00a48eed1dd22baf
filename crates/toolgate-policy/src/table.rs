//! The decision table: who may do what under which level of care, to be read and compared by people.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::json;
use toolgate_core::decision::{Policy, Question, Template, Verdict};
use toolgate_core::{Principal, Tool};

use crate::engine::PolicyEngine;
use crate::explain::people;
use crate::problem::PolicyError;

/// Renders the decisions for every actor, tool and level of care, without arguments. Actors and tools come with the names
/// they have in the table.
pub fn table(
    engine: &PolicyEngine,
    actors: &[(&str, Principal)],
    tools: &[(&str, Arc<Tool>)],
    templates: &[Template],
) -> Result<String, PolicyError> {
    let engines = templates.iter().map(|template| engine.under(*template)).collect::<Result<Vec<_>, _>>()?;
    let levels = templates.iter().map(|template| template.as_str().to_owned());
    let mut rows: Vec<Vec<String>> =
        vec![["actor", "tool"].map(str::to_owned).into_iter().chain(levels).collect()];
    for (actor, principal) in actors {
        for (class, tool) in tools {
            let cells = engines.iter().map(|engine| cell(engine, principal, tool));
            rows.push([*actor, *class].map(str::to_owned).into_iter().chain(cells).collect());
        }
    }
    Ok(aligned(&rows))
}

fn cell(engine: &PolicyEngine, principal: &Principal, tool: &Tool) -> String {
    let arguments = json!({});
    let question = Question::alone(principal, tool, &arguments);
    match engine.decide(&question).verdict {
        Verdict::Permit => "permit".to_owned(),
        Verdict::Deny(denial) if denial.error.is_some() => "by its arguments".to_owned(),
        Verdict::Deny(_) => "deny".to_owned(),
        Verdict::Approve(requirement) => format!("approve by {}", people(&requirement)),
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
