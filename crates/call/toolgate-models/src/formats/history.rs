//! The history of a run in an order that every provider takes: each answer is followed by the results of its calls, one for each
//! call and in their order, and then by what was said meanwhile.

use serde_json::Value;
use toolgate_core::model::{
    CallArguments, MessagePart, MessageRole, ModelCall, ModelMessage, ModelProvider, ModelRequest,
};

use super::json;
use super::wire::members;

/// Said in front of a history that does not begin with a person, since providers refuse one.
const BEGINNING: &str = "The earlier part of this conversation is left out.";
/// The result of a call that has none.
const NO_RESULT: &str = "No result of this call is recorded.";
/// The member that holds arguments which are no JSON object.
const INVALID_ARGUMENTS: &str = "invalid_arguments";

pub(super) enum HistoryStep<'a> {
    /// Texts that are not empty.
    Said(Vec<&'a str>),
    Answer(&'a [MessagePart]),
    Results(Vec<CallOutcome<'a>>),
}

/// A call with its result.
pub(super) struct CallOutcome<'a> {
    pub(super) call: &'a ModelCall,
    pub(super) text: &'a str,
    pub(super) is_error: bool,
}

pub(super) fn steps(messages: &[ModelMessage]) -> Vec<HistoryStep<'_>> {
    let mut steps = Vec::new();
    let mut rest = messages;
    while let Some((message, after)) = rest.split_first() {
        match message.role {
            MessageRole::Assistant => {
                let is_answer = |one: &ModelMessage| one.role == MessageRole::Assistant;
                let until = after.iter().position(is_answer).unwrap_or(after.len());
                steps.push(HistoryStep::Answer(&message.parts));
                let outcomes = outcomes(message, &after[..until]);
                steps.extend((!outcomes.is_empty()).then_some(HistoryStep::Results(outcomes)));
            }
            MessageRole::User | MessageRole::Tool => say(&mut steps, texts(&message.parts)),
        }
        rest = after;
    }
    if !matches!(steps.first(), Some(HistoryStep::Said(_))) {
        steps.insert(0, HistoryStep::Said(vec![BEGINNING]));
    }
    steps
}

/// A message of each role in turn, as chat formats have them: the instructions first, one message for each result.
pub(super) fn in_roles(
    request: &ModelRequest,
    answer: impl Fn(&[MessagePart]) -> Option<Value>,
    result: impl Fn(&CallOutcome<'_>) -> Value,
) -> Vec<Value> {
    let said =
        |role: &str, text: String| Value::from(members([("role", role.into()), ("content", text.into())]));
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(said("system", request.system.to_string()));
    }
    for step in steps(&request.messages) {
        match step {
            HistoryStep::Said(texts) => messages.push(said("user", texts.join("\n\n"))),
            HistoryStep::Answer(parts) => messages.extend(answer(parts)),
            HistoryStep::Results(outcomes) => messages.extend(outcomes.iter().map(&result)),
        }
    }
    messages
}

/// The texts of a message that say something.
pub(super) fn texts(parts: &[MessagePart]) -> Vec<&str> {
    let texts = parts.iter().filter_map(|part| match part {
        MessagePart::Text(text) => Some(text.as_str()),
        MessagePart::Opaque { .. } | MessagePart::Call(_) | MessagePart::Result(_) => None,
    });
    texts.filter(|text| !text.trim().is_empty()).collect()
}

/// The parts of an answer that its provider, and no other, wants back.
pub(super) fn opaque(parts: &[MessagePart], of: ModelProvider) -> impl Iterator<Item = Value> {
    parts.iter().filter_map(move |part| match part {
        MessagePart::Opaque { provider, raw } if *provider == of => Some(json::value(raw)),
        MessagePart::Opaque { .. } | MessagePart::Text(_) | MessagePart::Call(_) | MessagePart::Result(_) => {
            None
        }
    })
}

pub(super) fn calls(parts: &[MessagePart]) -> impl Iterator<Item = &ModelCall> {
    parts.iter().filter_map(|part| match part {
        MessagePart::Call(call) => Some(call),
        MessagePart::Opaque { .. } | MessagePart::Text(_) | MessagePart::Result(_) => None,
    })
}

/// The arguments of a call as an object.
pub(super) fn arguments(call: &ModelCall) -> Value {
    let broken = |text: &str| Value::Object(members([(INVALID_ARGUMENTS, text.into())]));
    match &call.arguments {
        CallArguments::Object(raw) => {
            raw.decode().ok().filter(Value::is_object).unwrap_or_else(|| broken(raw.as_str()))
        }
        CallArguments::Broken(text) => broken(text),
    }
}

/// The member of the provider's form that goes back with a call. Each provider has its own name for it.
pub(super) fn own_member(call: &ModelCall, name: &str) -> Option<Value> {
    json::value(call.raw.as_ref()?).get(name).filter(|value| !value.is_null()).cloned()
}

fn say<'a>(steps: &mut Vec<HistoryStep<'a>>, texts: Vec<&'a str>) {
    if let Some(HistoryStep::Said(said)) = steps.last_mut() {
        said.extend(texts);
    } else if !texts.is_empty() {
        steps.push(HistoryStep::Said(texts));
    }
}

/// The calls of an answer with their results among the messages before the next answer.
fn outcomes<'a>(answer: &'a ModelMessage, after: &'a [ModelMessage]) -> Vec<CallOutcome<'a>> {
    let outcome = |call: &'a ModelCall| {
        let result = after.iter().flat_map(ModelMessage::results).find(|result| result.id == call.id);
        let (text, is_error) =
            result.map_or((NO_RESULT, true), |result| (result.text.as_str(), result.is_error));
        CallOutcome { call, text, is_error }
    };
    answer.calls().map(outcome).collect()
}
