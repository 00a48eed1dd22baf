//! Streamed chat completions. Compatible servers deviate: calls without ids or places, an empty reason, no last line.

use serde_json::{Map, Value, json};
use toolgate_core::model::{ModelFault, ModelPiece, ModelUsage, StopReason};

use crate::formats::draft::{AnswerDraft, DraftCall, DraftPart, KeptBytes, is_object};
use crate::formats::json::{count, list, number, text};

/// Members of thinking that compatible servers have, and want back with the answer.
const THINKING: [&str; 2] = ["reasoning_content", "reasoning"];
/// A list of parts of thinking.
const DETAILS: &str = "reasoning_details";

#[derive(Debug, Default)]
pub(crate) struct ChatReader {
    said: String,
    thinking: [String; 2],
    details: Vec<Value>,
    calls: Vec<ChatCall>,
    stop: Option<StopReason>,
    has_refused: bool,
    usage: ModelUsage,
    kept: KeptBytes,
}

#[derive(Debug)]
struct ChatCall {
    place: u64,
    id: String,
    draft: DraftCall,
}

impl ChatReader {
    /// The stream says that it is over.
    pub(crate) fn end(&mut self) {
        self.stop.get_or_insert(StopReason::Finished);
    }

    pub(crate) fn event(&mut self, chunk: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        if chunk.get("usage").is_some_and(Value::is_object) {
            self.usage = usage(chunk);
        }
        let Some(choice) = list(chunk, "/choices").first() else { return Ok(Vec::new()) };
        let mut pieces = Vec::new();
        self.take_thinking(choice, &mut pieces)?;
        self.take_text(choice, &mut pieces)?;
        for delta in list(choice, "/delta/tool_calls") {
            pieces.extend(self.take_call(delta)?);
        }
        if let Some(reason) = text(choice, "/finish_reason") {
            self.stop = Some(stop(reason));
        }
        Ok(pieces)
    }

    pub(crate) fn draft(mut self) -> AnswerDraft {
        let mut parts = Vec::new();
        parts.extend(self.own_members().map(DraftPart::Opaque));
        parts.push(DraftPart::Text(self.said));
        self.calls.sort_by_key(|call| call.place);
        parts.extend(self.calls.into_iter().map(|call| DraftPart::Call(call.draft)));
        let stop = if self.has_refused { self.stop.and(Some(StopReason::Refused)) } else { self.stop };
        AnswerDraft { parts, stop, usage: self.usage }
    }

    fn own_members(&mut self) -> Option<Value> {
        let mut own = Map::new();
        for (name, thinking) in THINKING.into_iter().zip(&mut self.thinking) {
            if !thinking.is_empty() {
                own.insert(name.to_owned(), std::mem::take(thinking).into());
            }
        }
        if !self.details.is_empty() {
            own.insert(DETAILS.to_owned(), std::mem::take(&mut self.details).into());
        }
        (!own.is_empty()).then_some(Value::Object(own))
    }

    fn take_thinking(&mut self, choice: &Value, pieces: &mut Vec<ModelPiece>) -> Result<(), ModelFault> {
        let mut heard = None;
        for (name, kept) in THINKING.into_iter().zip(&mut self.thinking) {
            if let Some(thinking) = text(choice, &format!("/delta/{name}")) {
                self.kept.push(kept, thinking)?;
                heard = heard.or(Some(thinking));
            }
        }
        pieces.extend(heard.map(|thinking| ModelPiece::Thinking(thinking.to_owned())));
        for detail in list(choice, &format!("/delta/{DETAILS}")) {
            self.kept.add(detail.to_string().len())?;
            self.details.push(detail.clone());
        }
        Ok(())
    }

    /// Text comes as a string, or as a list of parts of which some are thinking.
    fn take_text(&mut self, choice: &Value, pieces: &mut Vec<ModelPiece>) -> Result<(), ModelFault> {
        let refusal = text(choice, "/delta/refusal");
        self.has_refused |= refusal.is_some();
        let parts = list(choice, "/delta/content");
        let in_parts = parts.iter().filter_map(|part| text(part, "/text"));
        for said in text(choice, "/delta/content").into_iter().chain(refusal).chain(in_parts) {
            self.kept.push(&mut self.said, said)?;
            pieces.push(ModelPiece::Text(said.to_owned()));
        }
        let thinking = parts.iter().flat_map(|part| list(part, "/thinking"));
        let thinking = thinking.filter_map(|part| text(part, "/text"));
        pieces.extend(thinking.map(|thinking| ModelPiece::Thinking(thinking.to_owned())));
        Ok(())
    }

    fn take_call(&mut self, delta: &Value) -> Result<Option<ModelPiece>, ModelFault> {
        let at = match self.continued(delta) {
            Some(at) => at,
            None => {
                self.kept.add_part()?;
                let last = self.calls.last().map_or(0, |call| call.place);
                let place = number(delta, "/index").unwrap_or(last);
                self.calls.push(ChatCall { place, id: String::new(), draft: DraftCall::default() });
                self.calls.len() - 1
            }
        };
        let call = &mut self.calls[at];
        if let Some(id) = text(delta, "/id") {
            id.clone_into(&mut call.id);
        }
        if let Some(own) = delta.get("extra_content").filter(|own| !own.is_null()) {
            self.kept.add(own.to_string().len())?;
            call.draft.own = Some(json!({"extra_content": own}));
        }
        match delta.pointer("/function/arguments") {
            Some(Value::String(arguments)) => self.kept.push(&mut call.draft.arguments, arguments)?,
            Some(Value::Null) | None => {}
            Some(whole) => self.kept.push(&mut call.draft.arguments, &whole.to_string())?,
        }
        let name = text(delta, "/function/name").filter(|_| call.draft.name.is_empty());
        Ok(name.map(|name| {
            name.clone_into(&mut call.draft.name);
            ModelPiece::Call(name.to_owned())
        }))
    }

    /// The call that a piece belongs to; `None` if it begins another one. Some servers give all calls the same place, or none.
    fn continued(&self, delta: &Value) -> Option<usize> {
        let place = number(delta, "/index");
        let at = match place {
            Some(place) => self.calls.iter().rposition(|call| call.place == place)?,
            None => self.calls.len().checked_sub(1)?,
        };
        let call = &self.calls[at];
        let is_named_again = text(delta, "/function/name").is_some() && !call.draft.name.is_empty();
        let has_other_id = text(delta, "/id").is_some_and(|id| !call.id.is_empty() && id != call.id);
        let goes_past_its_end =
            || text(delta, "/function/arguments").is_some() && is_object(&call.draft.arguments);
        let begins = is_named_again && (has_other_id || place.is_none() || goes_past_its_end());
        (!begins).then_some(at)
    }
}

fn stop(reason: &str) -> StopReason {
    match reason {
        "stop" | "eos" | "end_turn" => StopReason::Finished,
        "tool_calls" | "function_call" => StopReason::Calls,
        "length" => StopReason::Length,
        "content_filter" => StopReason::Refused,
        _ => StopReason::Other,
    }
}

fn usage(chunk: &Value) -> ModelUsage {
    let cached = number(chunk, "/usage/prompt_tokens_details/cached_tokens")
        .unwrap_or_else(|| count(chunk, "/usage/prompt_cache_hit_tokens"));
    ModelUsage {
        input: count(chunk, "/usage/prompt_tokens"),
        cached,
        written: count(chunk, "/usage/prompt_tokens_details/cache_write_tokens"),
        output: count(chunk, "/usage/completion_tokens"),
    }
}
