//! A model with one tool, and a history of two calls.

use serde_json::Value;
use toolgate_core::RawJson;
use toolgate_core::model::{
    CallArguments, MessagePart, MessageRole, ModelAnswer, ModelCall, ModelCallResult, ModelDefinition,
    ModelFault, ModelLimits, ModelMessage, ModelName, ModelPiece, ModelPrices, ModelProvider, ModelRequest,
    OfferedTool, ToolUse,
};

use crate::formats::{AnswerReader, WireRequest, request};

/// The schema of the tool as every provider is given it.
pub(super) const SCHEMA: &str = r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}"#;

pub(super) fn definition(provider: ModelProvider) -> ModelDefinition {
    ModelDefinition {
        name: ModelName::new("clever").unwrap(),
        provider,
        model: "m-1".to_owned(),
        url: provider.usual_url().to_owned(),
        key: None,
        context_tokens: 100_000,
        prices: ModelPrices::default(),
        limits: ModelLimits::default(),
    }
}

pub(super) fn tool(schema: &str) -> OfferedTool {
    OfferedTool {
        name: "read".to_owned(),
        description: "Reads a file.".to_owned(),
        schema: RawJson::from_composed(schema.to_owned()),
    }
}

pub(super) fn asked(messages: Vec<ModelMessage>) -> ModelRequest {
    let dialect = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","#;
    let schema = format!("{dialect}{}", &SCHEMA[1..]);
    ModelRequest {
        system: "Be brief.".into(),
        tools: [tool(&schema)].into(),
        messages,
        tool_use: ToolUse::Allowed,
        output_tokens_max: Some(100),
    }
}

pub(super) fn goal() -> ModelMessage {
    ModelMessage::user("Read both.")
}

pub(super) fn first(provider: ModelProvider) -> WireRequest {
    request(&definition(provider), &asked(vec![goal()]), Some("k-1"))
}

/// A member of the request's body, as it is sent.
pub(super) fn member(provider: ModelProvider, messages: Vec<ModelMessage>, name: &str) -> String {
    let wire = request(&definition(provider), &asked(messages), None);
    let body: Value = wire.body.decode().unwrap();
    body[name].to_string()
}

/// A request that names the tool and forbids calls.
pub(super) fn forbidden(provider: ModelProvider) -> Value {
    let asked = ModelRequest { tool_use: ToolUse::Forbidden, ..asked(vec![goal()]) };
    request(&definition(provider), &asked, None).body.decode().unwrap()
}

/// Reads a whole stream.
pub(super) fn read(provider: ModelProvider, events: &[&str]) -> Result<ModelAnswer, ModelFault> {
    hear(provider, events).map(|(_, answer)| answer)
}

/// Reads a whole stream with its pieces.
pub(super) fn hear(
    provider: ModelProvider,
    events: &[&str],
) -> Result<(Vec<ModelPiece>, ModelAnswer), ModelFault> {
    let mut reader = AnswerReader::new(provider);
    let mut pieces = Vec::new();
    for event in events {
        pieces.extend(reader.event(None, event)?);
    }
    Ok((pieces, reader.finish()?))
}

/// The goal, an answer with two calls under ids of ours, and their results in another order.
pub(super) fn answered(answer: ModelAnswer) -> Vec<ModelMessage> {
    let mut parts = answer.parts;
    let calls = parts.iter_mut().filter_map(|part| match part {
        MessagePart::Call(call) => Some(call),
        _ => None,
    });
    for (place, call) in calls.enumerate() {
        call.id = format!("1.{place}");
    }
    let results = vec![result("1.1", "B"), result("1.0", "A")];
    vec![
        goal(),
        ModelMessage { role: MessageRole::Assistant, parts },
        ModelMessage { role: MessageRole::Tool, parts: results },
    ]
}

pub(super) fn result(id: &str, text: &str) -> MessagePart {
    MessagePart::Result(ModelCallResult {
        id: id.to_owned(),
        name: "read".to_owned(),
        text: text.to_owned(),
        is_error: false,
    })
}

pub(super) fn text(text: &str) -> MessagePart {
    MessagePart::Text(text.to_owned())
}

pub(super) fn opaque(provider: ModelProvider, raw: &str) -> MessagePart {
    MessagePart::Opaque { provider, raw: RawJson::from_composed(raw.to_owned()) }
}

pub(super) fn call(id: &str, arguments: &str, raw: Option<&str>) -> MessagePart {
    MessagePart::Call(ModelCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: CallArguments::Object(RawJson::from_composed(arguments.to_owned())),
        raw: raw.map(|raw| RawJson::from_composed(raw.to_owned())),
    })
}

pub(super) fn broken(id: &str, arguments: &str) -> MessagePart {
    MessagePart::Call(ModelCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: CallArguments::Broken(arguments.to_owned()),
        raw: None,
    })
}

pub(super) fn assistant(parts: Vec<MessagePart>) -> ModelMessage {
    ModelMessage { role: MessageRole::Assistant, parts }
}
