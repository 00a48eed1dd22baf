//! Streamed content of Gemini. Parts arrive whole, except for text; the reason to stop is the end.

use serde_json::{Value, json};
use toolgate_core::model::{ModelFault, ModelFaultKind, ModelPiece, ModelUsage, StopReason};

use crate::formats::draft::{AnswerDraft, DraftCall, DraftPart, KeptBytes};
use crate::formats::fault::nonsense;
use crate::formats::json::{count, list, text};

/// The signature of a call or a text.
const SIGNATURE: &str = "thoughtSignature";

#[derive(Debug, Default)]
pub(crate) struct GeminiReader {
    parts: Vec<DraftPart>,
    stop: Option<StopReason>,
    usage: ModelUsage,
    kept: KeptBytes,
}

impl GeminiReader {
    pub(crate) fn event(&mut self, chunk: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        if let Some(usage) = chunk.get("usageMetadata").filter(|usage| usage.is_object()) {
            self.usage = tokens(usage);
        }
        if text(chunk, "/promptFeedback/blockReason").is_some() {
            self.stop = Some(StopReason::Refused);
        }
        let mut pieces = Vec::new();
        for part in list(chunk, "/candidates/0/content/parts") {
            pieces.extend(self.take(part)?);
        }
        if let Some(reason) = text(chunk, "/candidates/0/finishReason") {
            self.stop = Some(stop(reason, chunk)?);
        }
        Ok(pieces)
    }

    pub(crate) fn draft(self) -> AnswerDraft {
        AnswerDraft { parts: self.parts, stop: self.stop, usage: self.usage }
    }

    fn take(&mut self, part: &Value) -> Result<Option<ModelPiece>, ModelFault> {
        let signature = part.get(SIGNATURE).filter(|signature| signature.is_string());
        let said = text(part, "/text");
        if let Some(function) = part.get("functionCall") {
            return self.take_call(function, signature).map(Some);
        }
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            if signature.is_some() {
                self.add(DraftPart::Opaque(part.clone()), part.to_string().len())?;
            }
            return Ok(said.map(|thinking| ModelPiece::Thinking(thinking.to_owned())));
        }
        match (said, signature) {
            (Some(said), signature) => {
                self.take_text(said)?;
                if let Some(signature) = signature {
                    // Without a text of its own it belongs to the text before it.
                    self.add(DraftPart::Opaque(json!({ SIGNATURE: signature })), part.to_string().len())?;
                }
                Ok(Some(ModelPiece::Text(said.to_owned())))
            }
            (None, Some(signature)) => {
                let own = json!({"text": "", SIGNATURE: signature});
                self.add(DraftPart::Opaque(own), part.to_string().len())?;
                Ok(None)
            }
            (None, None) => Ok(None),
        }
    }

    fn take_text(&mut self, said: &str) -> Result<(), ModelFault> {
        if let Some(DraftPart::Text(kept)) = self.parts.last_mut() {
            return self.kept.push(kept, said);
        }
        self.add(DraftPart::Text(said.to_owned()), said.len())
    }

    /// A call without a signature is marked as one of Gemini all the same, since calls of others need a stand-in.
    fn take_call(&mut self, function: &Value, signature: Option<&Value>) -> Result<ModelPiece, ModelFault> {
        let name = text(function, "/name").unwrap_or_default().to_owned();
        let arguments = function.get("args").map(Value::to_string).unwrap_or_default();
        let own = json!({ SIGNATURE: signature });
        let bytes = arguments.len() + own.to_string().len();
        self.add(DraftPart::Call(DraftCall { name: name.clone(), arguments, own: Some(own) }), bytes)?;
        Ok(ModelPiece::Call(name))
    }

    fn add(&mut self, part: DraftPart, bytes: usize) -> Result<(), ModelFault> {
        self.kept.add_part()?;
        self.kept.add(bytes)?;
        self.parts.push(part);
        Ok(())
    }
}

/// Calls that the model got wrong are worth another try; a history that is refused is not.
fn stop(reason: &str, chunk: &Value) -> Result<StopReason, ModelFault> {
    let why = text(chunk, "/candidates/0/finishMessage").unwrap_or(reason);
    match reason {
        "STOP" => Ok(StopReason::Finished),
        "MAX_TOKENS" => Ok(StopReason::Length),
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
            Ok(StopReason::Refused)
        }
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "MALFORMED_RESPONSE" => {
            Err(nonsense(format!("The model's call makes no sense: {why}")))
        }
        "MISSING_THOUGHT_SIGNATURE" => {
            Err(ModelFault::new(ModelFaultKind::Refused, format!("The model refused its history: {why}")))
        }
        _ => Ok(StopReason::Other),
    }
}

/// Thinking is told apart from the other output.
fn tokens(usage: &Value) -> ModelUsage {
    ModelUsage {
        input: count(usage, "/promptTokenCount").saturating_add(count(usage, "/toolUsePromptTokenCount")),
        cached: count(usage, "/cachedContentTokenCount"),
        written: 0,
        output: count(usage, "/candidatesTokenCount").saturating_add(count(usage, "/thoughtsTokenCount")),
    }
}
