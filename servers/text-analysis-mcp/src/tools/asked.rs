//! Asking the language model, for every tool that can use one.

use capability_kit::{LlmError, LlmQuestion};
use serde::de::DeserializeOwned;

use crate::answer::AnswerNotes;
use crate::engine::AnalysisEngine;

/// Asks the language model. Returns `None` and adds a warning if the model is unreachable or its answer is
/// invalid.
pub(super) fn asked<A: DeserializeOwned, T>(
    engine: &AnalysisEngine,
    question: &LlmQuestion<'_>,
    notes: &mut AnswerNotes,
    check: impl FnOnce(A) -> Result<T, String>,
) -> Option<T> {
    let answer = engine.llm.as_ref().ok_or(LlmError::NotConfigured).and_then(|llm| llm.ask::<A>(question));
    match answer.and_then(|answer| check(answer).map_err(LlmError::WrongForm)) {
        Ok(answer) => {
            let most = LlmQuestion::TEXT_CHARS_MAX;
            if question.text.chars().nth(most).is_some() {
                notes.warn(format!("the language model saw only the first {most} characters"));
            }
            Some(answer)
        }
        Err(error) => {
            notes.warn(format!("the language model was not used: {error}"));
            None
        }
    }
}
