//! A request to a model. Equal requests have equal bytes in every provider's form, so that caches of prompts hold.

use std::sync::Arc;

use super::message::ModelMessage;
use crate::{Digest, RawJson};

/// A tool that a model is offered.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct OfferedTool {
    /// The wire name.
    pub name: String,
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: RawJson,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolUse {
    Allowed,
    /// The tools are named, so that earlier calls make sense, and none may be called.
    Forbidden,
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct ModelRequest {
    /// The instructions in front of all messages.
    pub system: Arc<str>,
    /// Sorted by name, and the same for the whole run.
    pub tools: Arc<[OfferedTool]>,
    pub messages: Vec<ModelMessage>,
    pub tool_use: ToolUse,
    /// The maximum number of tokens of the answer; never more than the model's own limit.
    pub output_tokens_max: Option<u64>,
}

impl ModelRequest {
    /// The same for equal requests.
    pub fn digest(&self) -> Digest {
        Digest::of(serde_json::to_vec(self).expect("a request is text and numbers"))
    }
}
