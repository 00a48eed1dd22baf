//! Streamed chats of Ollama: lines of JSON, of which the last says that it is done.

use serde_json::{Value, json};
use toolgate_core::model::{ModelFault, ModelPiece, ModelUsage, StopReason};

use crate::formats::draft::{AnswerDraft, DraftCall, DraftPart, KeptBytes};
use crate::formats::json::{count, list, text};

#[derive(Debug, Default)]
pub(crate) struct OllamaReader {
    thinking: String,
    said: String,
    calls: Vec<DraftCall>,
    stop: Option<StopReason>,
    usage: ModelUsage,
    kept: KeptBytes,
}

impl OllamaReader {
    pub(crate) fn event(&mut self, line: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        let mut pieces = Vec::new();
        if let Some(thinking) = text(line, "/message/thinking") {
            self.kept.push(&mut self.thinking, thinking)?;
            pieces.push(ModelPiece::Thinking(thinking.to_owned()));
        }
        if let Some(said) = text(line, "/message/content") {
            self.kept.push(&mut self.said, said)?;
            pieces.push(ModelPiece::Text(said.to_owned()));
        }
        for call in list(line, "/message/tool_calls") {
            pieces.push(self.take_call(call)?);
        }
        if line.get("done").and_then(Value::as_bool) == Some(true) {
            self.stop = Some(stop(text(line, "/done_reason")));
            self.usage = usage(line);
        }
        Ok(pieces)
    }

    pub(crate) fn draft(self) -> AnswerDraft {
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(DraftPart::Opaque(json!({"thinking": self.thinking})));
        }
        parts.push(DraftPart::Text(self.said));
        parts.extend(self.calls.into_iter().map(DraftPart::Call));
        AnswerDraft { parts, stop: self.stop, usage: self.usage }
    }

    /// Calls arrive whole. Arguments are an object, and with some models a text of one.
    fn take_call(&mut self, call: &Value) -> Result<ModelPiece, ModelFault> {
        let name = text(call, "/function/name").unwrap_or_default().to_owned();
        let arguments = match call.pointer("/function/arguments") {
            Some(Value::String(arguments)) => arguments.clone(),
            Some(arguments) => arguments.to_string(),
            None => String::new(),
        };
        self.kept.add_part()?;
        self.kept.add(arguments.len())?;
        self.calls.push(DraftCall { name: name.clone(), arguments, own: None });
        Ok(ModelPiece::Call(name))
    }
}

fn stop(reason: Option<&str>) -> StopReason {
    match reason {
        Some("stop") | None => StopReason::Finished,
        Some("length") => StopReason::Length,
        Some(_) => StopReason::Other,
    }
}

fn usage(line: &Value) -> ModelUsage {
    ModelUsage {
        input: count(line, "/prompt_eval_count"),
        cached: count(line, "/prompt_eval_cached_count"),
        written: 0,
        output: count(line, "/eval_count"),
    }
}
