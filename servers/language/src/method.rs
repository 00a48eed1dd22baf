//! The way in which an answer was found.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The method of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By counting words.
    Statistical,
    /// By a sentence encoder on this machine.
    Embeddings,
    /// By a language model.
    Llm,
}
