//! Streamed Responses. An item counts as it is when it is done; its pieces count only if it never is.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use toolgate_core::model::{ModelFault, ModelPiece, ModelProvider, ModelUsage, StopReason};

use crate::formats::draft::{AnswerDraft, DraftCall, DraftPart, KeptBytes};
use crate::formats::fault::within_stream;
use crate::formats::json::{count, list, number, text};

/// Members of a message that go back with it.
const OWN_OF_MESSAGE: [&str; 2] = ["id", "phase"];

#[derive(Debug, Default)]
pub(crate) struct ResponsesReader {
    /// By their places in the output.
    items: BTreeMap<u64, OutputItem>,
    has_refused: bool,
    stop: Option<StopReason>,
    usage: ModelUsage,
    kept: KeptBytes,
}

#[derive(Debug, Default)]
struct OutputItem {
    /// The item as it began, or as it is when it is done.
    item: Value,
    is_done: bool,
    said: String,
    arguments: String,
}

impl ResponsesReader {
    pub(crate) fn event(&mut self, kind: &str, event: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        let delta = text(event, "/delta").unwrap_or_default();
        match kind {
            "response.output_item.added" => return self.begin(event),
            "response.output_item.done" => self.end_item(event)?,
            "response.output_text.delta" => return self.say(event, delta),
            "response.refusal.delta" => {
                self.has_refused = true;
                return self.say(event, delta);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                return Ok(vec![ModelPiece::Thinking(delta.to_owned())]);
            }
            "response.function_call_arguments.delta" => {
                let item = item_at(&mut self.items, &mut self.kept, event)?;
                self.kept.push(&mut item.arguments, delta)?;
            }
            "response.completed" => self.end(event, StopReason::Finished)?,
            "response.incomplete" => self.end(event, incomplete(event))?,
            "response.failed" => {
                let response = event.get("response").unwrap_or(event);
                return Err(within_stream(ModelProvider::OpenaiResponses, response));
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    pub(crate) fn draft(self) -> AnswerDraft {
        let parts = self.items.into_values().flat_map(OutputItem::parts).collect();
        let stop = if self.has_refused { self.stop.and(Some(StopReason::Refused)) } else { self.stop };
        AnswerDraft { parts, stop, usage: self.usage }
    }

    fn begin(&mut self, event: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        let item = item_at(&mut self.items, &mut self.kept, event)?;
        item.item = event.get("item").cloned().unwrap_or_default();
        let name = text(&item.item, "/name").filter(|_| text(&item.item, "/type") == Some("function_call"));
        Ok(name.map(|name| ModelPiece::Call(name.to_owned())).into_iter().collect())
    }

    fn end_item(&mut self, event: &Value) -> Result<(), ModelFault> {
        let Some(done) = event.get("item") else { return Ok(()) };
        let item = item_at(&mut self.items, &mut self.kept, event)?;
        if text(done, "/type") == Some("reasoning") {
            self.kept.add(done.to_string().len())?;
        }
        item.end(done, &mut self.kept)
    }

    fn say(&mut self, event: &Value, delta: &str) -> Result<Vec<ModelPiece>, ModelFault> {
        let item = item_at(&mut self.items, &mut self.kept, event)?;
        self.kept.push(&mut item.said, delta)?;
        Ok(vec![ModelPiece::Text(delta.to_owned())])
    }

    /// The last event has the whole output again. It counts if nothing came before it.
    fn end(&mut self, event: &Value, stop: StopReason) -> Result<(), ModelFault> {
        self.usage = usage(event);
        self.stop = Some(stop);
        if self.items.is_empty() {
            for (place, item) in list(event, "/response/output").iter().enumerate() {
                self.end_item(&json!({"output_index": place, "item": item}))?;
            }
        }
        Ok(())
    }
}

impl OutputItem {
    fn end(&mut self, done: &Value, kept: &mut KeptBytes) -> Result<(), ModelFault> {
        let said: String = list(done, "/content").iter().filter_map(content_text).collect();
        if !said.is_empty() {
            kept.add(said.len().saturating_sub(self.said.len()))?;
            self.said = said;
        }
        if let Some(arguments) = text(done, "/arguments") {
            kept.add(arguments.len().saturating_sub(self.arguments.len()))?;
            arguments.clone_into(&mut self.arguments);
        }
        self.item = done.clone();
        self.is_done = true;
        Ok(())
    }

    fn parts(self) -> Vec<DraftPart> {
        match text(&self.item, "/type") {
            Some("function_call") => vec![DraftPart::Call(DraftCall {
                name: text(&self.item, "/name").unwrap_or_default().to_owned(),
                arguments: self.arguments,
                own: self.item.get("id").map(|id| json!({"item_id": id})),
            })],
            // Reasoning that is not encrypted cannot go back where nothing is stored.
            Some("reasoning") => match text(&self.item, "/encrypted_content") {
                Some(_) if self.is_done => vec![DraftPart::Opaque(self.item)],
                Some(_) | None => Vec::new(),
            },
            _ if self.said.is_empty() => Vec::new(),
            _ => {
                let own = OWN_OF_MESSAGE.into_iter().filter_map(|name| {
                    let value = self.item.get(name).filter(|value| !value.is_null())?;
                    Some((name.to_owned(), value.clone()))
                });
                let own: Map<String, Value> = own.collect();
                let own = (!own.is_empty()).then_some(DraftPart::Opaque(own.into()));
                [DraftPart::Text(self.said)].into_iter().chain(own).collect()
            }
        }
    }
}

/// The item that an event is about.
fn item_at<'a>(
    items: &'a mut BTreeMap<u64, OutputItem>,
    kept: &mut KeptBytes,
    event: &Value,
) -> Result<&'a mut OutputItem, ModelFault> {
    let last = items.last_key_value().map_or(0, |(place, _)| *place);
    let place = number(event, "/output_index").unwrap_or(last);
    if !items.contains_key(&place) {
        kept.add_part()?;
    }
    Ok(items.entry(place).or_default())
}

fn content_text(content: &Value) -> Option<&str> {
    text(content, "/text").or_else(|| text(content, "/refusal"))
}

fn incomplete(event: &Value) -> StopReason {
    match text(event, "/response/incomplete_details/reason") {
        Some("max_output_tokens") => StopReason::Length,
        Some("content_filter") => StopReason::Refused,
        _ => StopReason::Other,
    }
}

fn usage(event: &Value) -> ModelUsage {
    ModelUsage {
        input: count(event, "/response/usage/input_tokens"),
        cached: count(event, "/response/usage/input_tokens_details/cached_tokens"),
        written: count(event, "/response/usage/input_tokens_details/cache_write_tokens"),
        output: count(event, "/response/usage/output_tokens"),
    }
}
