//! `compare_texts`.

use std::sync::Arc;

use capability_kit::{Tool, Trouble, Work};
use capability_language::{Comparison, compare};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{AnswerNotes, RequestedMethod};
use crate::engine::AnalysisEngine;
use crate::input::GivenText;

const DESCRIPTION: &str = "Compares two texts: how similar they are, which key phrases they share, and which \
    sentences were changed, moved, added or removed from the first to the second.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareArguments {
    /// The first text, the older one.
    text_a: Option<String>,
    /// Instead of `text_a`: the text of a file, which a gateway fills in for its id.
    file_text_a: Option<String>,
    /// The second text.
    text_b: Option<String>,
    /// Instead of `text_b`: the text of a file, which a gateway fills in for its id.
    file_text_b: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CompareOutput {
    #[serde(flatten)]
    found: Comparison,
    #[serde(flatten)]
    notes: AnswerNotes,
}

pub(super) fn tool(engine: &Arc<AnalysisEngine>) -> Tool {
    let engine = Arc::clone(engine);
    let run = move |arguments: CompareArguments, _: &Work| look(&engine, arguments);
    Tool::new("compare_texts", "Compare texts", DESCRIPTION, run)
}

fn look(engine: &AnalysisEngine, arguments: CompareArguments) -> Result<CompareOutput, Trouble> {
    let a = GivenText::load("text_a", arguments.text_a, arguments.file_text_a)?;
    let b = GivenText::load("text_b", arguments.text_b, arguments.file_text_b)?;
    let mut notes = AnswerNotes::default();
    let (a, b) = (a.clipped(&mut notes), b.clipped(&mut notes));
    let found = notes.locally(engine, RequestedMethod::Auto, |encoder| compare(a, b, encoder))?;
    Ok(CompareOutput { found, notes })
}
