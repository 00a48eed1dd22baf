//! The tools: their descriptions for agents, and their functions.

mod compare;
mod entities;
mod keywords;
mod labels;
mod language;
mod summary;

use std::sync::Arc;

use capability_kit::{Capability, Effect, FileStrategy, Tool};
use serde::de::DeserializeOwned;

use crate::answer::Notes;
use crate::engine::Engine;
use crate::llm::{LlmError, Question, SENT_CHARS_MAX};
use crate::options::Options;

const INSTRUCTIONS: &str = "Analyses plain text: key phrases, summaries, classification with your own \
    labels, language, names and numbers, and the differences between two texts. Everything runs on this \
    machine unless you ask for `llm`. Convert documents to text first.";

/// The server as configured.
pub fn capability(options: &Options) -> Capability {
    let engine = Arc::new(Engine::new(options));
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

/// Asks the language model. Returns `None` and adds a warning if the model is unreachable or its answer is
/// invalid.
fn asked<A: DeserializeOwned, T>(
    engine: &Engine,
    question: &Question<'_>,
    notes: &mut Notes,
    check: impl FnOnce(A) -> Result<T, String>,
) -> Option<T> {
    let answer = engine.llm.as_ref().ok_or(LlmError::NotConfigured).and_then(|llm| llm.ask::<A>(question));
    match answer.and_then(|answer| check(answer).map_err(LlmError::WrongForm)) {
        Ok(answer) => {
            if question.text.chars().nth(SENT_CHARS_MAX).is_some() {
                notes.warn(format!("the language model saw only the first {SENT_CHARS_MAX} characters"));
            }
            Some(answer)
        }
        Err(error) => {
            notes.warn(format!("the language model was not used: {error}"));
            None
        }
    }
}
