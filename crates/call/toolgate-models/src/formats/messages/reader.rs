//! Streamed Messages: blocks by their places, each with a start and pieces.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate_core::model::{ModelFault, ModelPiece, ModelUsage, StopReason};

use crate::formats::draft::{AnswerDraft, DraftCall, DraftPart, KeptBytes};
use crate::formats::fault::nonsense;
use crate::formats::json::{count, number, text};

#[derive(Debug, Default)]
pub(crate) struct MessagesReader {
    /// By their places in the message.
    blocks: BTreeMap<u64, ContentBlock>,
    stop: Option<StopReason>,
    tokens: AnthropicTokens,
    kept: KeptBytes,
}

#[derive(Debug)]
enum ContentBlock {
    Text(String),
    Thinking {
        thinking: String,
        signature: String,
    },
    /// Thinking that is encrypted as a whole.
    Redacted(Value),
    ToolUse(DraftCall),
    /// A kind that a request of ours does not lead to.
    Unknown,
}

/// Input that was neither cached nor written is told apart from both.
#[derive(Debug, Default)]
struct AnthropicTokens {
    input: u64,
    cached: u64,
    written: u64,
    output: u64,
}

impl MessagesReader {
    pub(crate) fn event(&mut self, kind: &str, event: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        match kind {
            "message_start" => self.tokens.take(event.pointer("/message/usage")),
            "content_block_start" => return self.begin(event),
            "content_block_delta" => return Ok(self.delta(event)?.into_iter().collect()),
            "message_delta" => {
                self.tokens.take(event.get("usage"));
                if let Some(reason) = text(event, "/delta/stop_reason") {
                    self.stop = Some(stop(reason));
                }
            }
            "message_stop" => {
                self.stop.get_or_insert(StopReason::Finished);
            }
            // Heartbeats, ends of blocks, and what may be added later.
            _ => {}
        }
        Ok(Vec::new())
    }

    pub(crate) fn draft(self) -> AnswerDraft {
        let parts = self.blocks.into_values().filter_map(ContentBlock::part).collect();
        AnswerDraft { parts, stop: self.stop, usage: self.tokens.usage() }
    }

    fn begin(&mut self, event: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        self.kept.add_part()?;
        let start = event.get("content_block").unwrap_or(&Value::Null);
        self.kept.add(start.to_string().len())?;
        let said = |at: &str| text(start, at).unwrap_or_default().to_owned();
        let mut pieces = Vec::new();
        let block = match text(start, "/type") {
            Some("text") => ContentBlock::Text(said("/text")),
            Some("thinking") => {
                ContentBlock::Thinking { thinking: said("/thinking"), signature: said("/signature") }
            }
            Some("redacted_thinking") => ContentBlock::Redacted(start.clone()),
            Some("tool_use") => {
                pieces.push(ModelPiece::Call(said("/name")));
                ContentBlock::ToolUse(DraftCall {
                    name: said("/name"),
                    arguments: whole_input(start),
                    own: None,
                })
            }
            _ => ContentBlock::Unknown,
        };
        if let ContentBlock::Text(text) = &block
            && !text.is_empty()
        {
            pieces.push(ModelPiece::Text(text.clone()));
        }
        self.blocks.insert(place(event), block);
        Ok(pieces)
    }

    fn delta(&mut self, event: &Value) -> Result<Option<ModelPiece>, ModelFault> {
        let Some(block) = self.blocks.get_mut(&place(event)) else {
            return Err(nonsense("The model's answer has a piece of a block that never began."));
        };
        let said = |at: &str| text(event, at).unwrap_or_default();
        let piece = match block {
            ContentBlock::Text(kept) => {
                self.kept.push(kept, said("/delta/text"))?;
                ModelPiece::Text(said("/delta/text").to_owned())
            }
            ContentBlock::Thinking { thinking, signature } => {
                self.kept.push(signature, said("/delta/signature"))?;
                self.kept.push(thinking, said("/delta/thinking"))?;
                ModelPiece::Thinking(said("/delta/thinking").to_owned())
            }
            ContentBlock::ToolUse(call) => {
                self.kept.push(&mut call.arguments, said("/delta/partial_json"))?;
                return Ok(None);
            }
            ContentBlock::Redacted(_) | ContentBlock::Unknown => return Ok(None),
        };
        let is_empty =
            matches!(&piece, ModelPiece::Text(text) | ModelPiece::Thinking(text) if text.is_empty());
        Ok((!is_empty).then_some(piece))
    }
}

impl ContentBlock {
    fn part(self) -> Option<DraftPart> {
        match self {
            ContentBlock::Text(text) => Some(DraftPart::Text(text)),
            // Thinking that was cut off has no signature, and is refused without one.
            ContentBlock::Thinking { thinking, signature } => (!signature.is_empty()).then(|| {
                DraftPart::Opaque(json!({"type": "thinking", "thinking": thinking, "signature": signature}))
            }),
            ContentBlock::Redacted(block) => Some(DraftPart::Opaque(block)),
            ContentBlock::ToolUse(call) => Some(DraftPart::Call(call)),
            ContentBlock::Unknown => None,
        }
    }
}

impl AnthropicTokens {
    /// Counts are of the whole answer so far; those that are missing stay.
    fn take(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let newest = |member: &str, before: u64| number(usage, member).unwrap_or(before);
        self.input = newest("/input_tokens", self.input);
        self.cached = newest("/cache_read_input_tokens", self.cached);
        self.written = newest("/cache_creation_input_tokens", self.written);
        self.output = newest("/output_tokens", self.output);
    }

    fn usage(&self) -> ModelUsage {
        let input = self.input.saturating_add(self.cached).saturating_add(self.written);
        ModelUsage { input, cached: self.cached, written: self.written, output: self.output }
    }
}

fn place(event: &Value) -> u64 {
    count(event, "/index")
}

/// Input that came with the start of a block. Usually it is empty, and comes in pieces.
fn whole_input(start: &Value) -> String {
    let input = start.get("input").and_then(Value::as_object).filter(|input| !input.is_empty());
    input.map(|input| Value::Object(input.clone()).to_string()).unwrap_or_default()
}

fn stop(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::Finished,
        "tool_use" => StopReason::Calls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => StopReason::Refused,
        _ => StopReason::Other,
    }
}
