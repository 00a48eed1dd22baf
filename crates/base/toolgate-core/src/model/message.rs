//! Messages between an agent and its model, as they are stored.

use super::definition::ModelProvider;
use crate::RawJson;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// The goal, and lines that the gateway adds.
    User,
    Assistant,
    /// Results of calls.
    Tool,
}

impl MessageRole {
    pub const ALL: [MessageRole; 3] = [MessageRole::User, MessageRole::Assistant, MessageRole::Tool];

    pub fn as_str(self) -> &'static str {
        match self {
            MessageRole::User => "user",
            MessageRole::Assistant => "assistant",
            MessageRole::Tool => "tool",
        }
    }

    pub fn parse(text: &str) -> Option<MessageRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ModelMessage {
    pub role: MessageRole,
    pub parts: Vec<MessagePart>,
}

/// A part of a message.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessagePart {
    Text(String),
    /// A part that its provider wants back unchanged and in its place, such as signed thinking. Others are not shown it.
    Opaque {
        provider: ModelProvider,
        raw: RawJson,
    },
    Call(ModelCall),
    Result(ModelCallResult),
}

/// A call that a model wants to make.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ModelCall {
    /// Our own id, `{turn}.{place}`: those of providers repeat or are empty.
    pub id: String,
    /// The name as the model gave it.
    pub name: String,
    pub arguments: CallArguments,
    /// The member of the provider's own form that must go back with the call, such as a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawJson>,
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallArguments {
    /// An object.
    Object(RawJson),
    /// The text that is no JSON object, for instance because the answer was cut off. Such a call is not made.
    Broken(String),
}

/// The result of a call, as the model reads it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ModelCallResult {
    /// The id of the call.
    pub id: String,
    /// The name of the call.
    pub name: String,
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

impl ModelMessage {
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: MessageRole::User, parts: vec![MessagePart::Text(text.into())] }
    }

    /// The calls that it plans, in their order.
    pub fn calls(&self) -> impl Iterator<Item = &ModelCall> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::Call(call) => Some(call),
            MessagePart::Text(_) | MessagePart::Opaque { .. } | MessagePart::Result(_) => None,
        })
    }

    /// The results that it has, in their order.
    pub fn results(&self) -> impl Iterator<Item = &ModelCallResult> {
        self.parts.iter().filter_map(|part| match part {
            MessagePart::Result(result) => Some(result),
            MessagePart::Text(_) | MessagePart::Opaque { .. } | MessagePart::Call(_) => None,
        })
    }

    /// Its text, without calls and results.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            MessagePart::Text(text) => Some(text.as_str()),
            MessagePart::Opaque { .. } | MessagePart::Call(_) | MessagePart::Result(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}
