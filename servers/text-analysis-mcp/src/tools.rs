//! The tools: their descriptions for agents, and their functions.

mod asked;
mod compare;
mod entities;
mod keywords;
mod labels;
mod language;
mod summary;

use std::sync::Arc;

use capability_kit::{Capability, Effect, FileStrategy, Tool};

use crate::engine::AnalysisEngine;
use crate::options::TextAnalysisOptions;

const INSTRUCTIONS: &str = "Analyses plain text: key phrases, summaries, classification with your own \
    labels, language, names and numbers, and the differences between two texts. Everything runs on this \
    machine unless you ask for `llm`. Convert documents to text first.";

/// The server as configured.
pub fn capability(options: &TextAnalysisOptions) -> Capability {
    let engine = Arc::new(AnalysisEngine::new(options));
    // If a language model may be asked, text leaves this machine.
    let effect = if engine.llm.is_some() { Effect::External } else { Effect::Read };
    let with = |tool: Tool| tool.capabilities(&["text"]);
    let on_text = |tool: Tool| with(tool).file_at(FileStrategy::PlainTextText, "file_id", "file_text", None);
    Capability::new("text-analysis-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
        .tool(on_text(keywords::tool(&engine)).effect(effect))
        .tool(on_text(summary::tool(&engine)).effect(effect))
        .tool(on_text(labels::tool(&engine)).effect(effect))
        .tool(on_text(language::tool()))
        .tool(on_text(entities::tool()))
        .tool(
            with(compare::tool(&engine))
                .file_at(FileStrategy::PlainTextText, "file_id_a", "file_text_a", None)
                .file_at(FileStrategy::PlainTextText, "file_id_b", "file_text_b", None),
        )
}
