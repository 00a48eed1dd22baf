//! The wire formats of providers, as pure translations: a request of ours becomes theirs, and their streams become answers of ours.

mod chat;
mod draft;
mod fault;
mod gemini;
mod history;
mod id;
mod json;
mod messages;
mod ollama;
mod responses;
mod schema;
mod wire;

#[cfg(test)]
mod tests;

use serde_json::Value;
use toolgate_core::model::{
    ModelAnswer, ModelDefinition, ModelFault, ModelFaultKind, ModelPiece, ModelProvider, ModelRequest,
};

pub(crate) use fault::{fault, wait};
pub(crate) use wire::{Framing, WireRequest};

/// The line with which some streams say that they are over.
const DONE: &str = "[DONE]";

/// The request of a model in its provider's form. `key` goes into a header, never into the path.
pub(crate) fn request(
    definition: &ModelDefinition,
    request: &ModelRequest,
    key: Option<&str>,
) -> WireRequest {
    match definition.provider {
        ModelProvider::Openai => chat::request(definition, request, key),
        ModelProvider::OpenaiResponses => responses::request(definition, request, key),
        ModelProvider::Anthropic => messages::request(definition, request, key),
        ModelProvider::Gemini => gemini::request(definition, request, key),
        ModelProvider::Ollama => ollama::request(definition, request, key),
    }
}

pub(crate) fn framing(provider: ModelProvider) -> Framing {
    match provider {
        ModelProvider::Openai
        | ModelProvider::OpenaiResponses
        | ModelProvider::Anthropic
        | ModelProvider::Gemini => Framing::Sse,
        ModelProvider::Ollama => Framing::Lines,
    }
}

/// Reads a stream, event by event.
#[derive(Debug)]
pub(crate) struct AnswerReader {
    provider: ModelProvider,
    format: FormatReader,
}

#[derive(Debug)]
enum FormatReader {
    Chat(chat::ChatReader),
    Responses(responses::ResponsesReader),
    Messages(messages::MessagesReader),
    Gemini(gemini::GeminiReader),
    Ollama(ollama::OllamaReader),
}

impl AnswerReader {
    pub(crate) fn new(provider: ModelProvider) -> Self {
        let format = match provider {
            ModelProvider::Openai => FormatReader::Chat(chat::ChatReader::default()),
            ModelProvider::OpenaiResponses => FormatReader::Responses(responses::ResponsesReader::default()),
            ModelProvider::Anthropic => FormatReader::Messages(messages::MessagesReader::default()),
            ModelProvider::Gemini => FormatReader::Gemini(gemini::GeminiReader::default()),
            ModelProvider::Ollama => FormatReader::Ollama(ollama::OllamaReader::default()),
        };
        Self { provider, format }
    }

    /// Takes one event, or one line. An event without data is a heartbeat.
    pub(crate) fn event(&mut self, name: Option<&str>, data: &str) -> Result<Vec<ModelPiece>, ModelFault> {
        match data.trim() {
            "" => Ok(Vec::new()),
            DONE => {
                self.end();
                Ok(Vec::new())
            }
            data if data.len() > draft::ANSWER_BYTES_MAX => Err(draft::too_large()),
            data => {
                let event = self.parse(name, data)?;
                self.read(name, &event)
            }
        }
    }

    /// The whole answer; a fault if the stream ended before its end, or says nothing that makes sense.
    pub(crate) fn finish(self) -> Result<ModelAnswer, ModelFault> {
        let draft = match self.format {
            FormatReader::Chat(reader) => reader.draft(),
            FormatReader::Responses(reader) => reader.draft(),
            FormatReader::Messages(reader) => reader.draft(),
            FormatReader::Gemini(reader) => reader.draft(),
            FormatReader::Ollama(reader) => reader.draft(),
        };
        draft.finish(self.provider)
    }

    /// The other formats have an event of their own for their end.
    fn end(&mut self) {
        if let FormatReader::Chat(reader) = &mut self.format {
            reader.end();
        }
    }

    fn parse(&self, name: Option<&str>, data: &str) -> Result<Value, ModelFault> {
        let value: Value = serde_json::from_str(data).map_err(|_| match name {
            Some("error") => ModelFault::new(
                ModelFaultKind::Busy,
                format!("The model's server broke off: {}", shown(data)),
            ),
            _ => fault::nonsense(format!("The model's answer is no JSON: {}", shown(data))),
        })?;
        fault::told(self.provider, name, &value).map_or(Ok(value), Err)
    }

    fn read(&mut self, name: Option<&str>, event: &Value) -> Result<Vec<ModelPiece>, ModelFault> {
        let kind = json::text(event, "/type").or(name).unwrap_or_default();
        match &mut self.format {
            FormatReader::Chat(reader) => reader.event(event),
            FormatReader::Responses(reader) => reader.event(kind, event),
            FormatReader::Messages(reader) => reader.event(kind, event),
            FormatReader::Gemini(reader) => reader.event(event),
            FormatReader::Ollama(reader) => reader.event(event),
        }
    }
}

/// The beginning of what a server said.
fn shown(data: &str) -> String {
    /// The longest beginning that is shown.
    const CHARS_MAX: usize = 200;
    toolgate_outbound::excerpt(data.as_bytes(), CHARS_MAX)
}
