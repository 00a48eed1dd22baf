//! An answer in the making, and what makes it whole.

use serde_json::{Map, Value};
use toolgate_core::RawJson;
use toolgate_core::model::{
    CallArguments, MessagePart, ModelAnswer, ModelCall, ModelFault, ModelProvider, ModelUsage, StopReason,
};

use super::fault::{broken_off, nonsense};

/// The most that is kept of one answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The largest number of parts of one answer.
const PARTS_MAX: usize = 1_024;
/// The largest number of calls of one answer.
const CALLS_MAX: usize = 128;

/// The parts of an answer in their order, once its stream has ended.
#[derive(Debug)]
pub(crate) struct AnswerDraft {
    pub(crate) parts: Vec<DraftPart>,
    /// `None` if the stream ended before the answer did.
    pub(crate) stop: Option<StopReason>,
    pub(crate) usage: ModelUsage,
}

#[derive(Debug)]
pub(crate) enum DraftPart {
    Text(String),
    Opaque(Value),
    Call(DraftCall),
}

#[derive(Debug, Default)]
pub(crate) struct DraftCall {
    pub(crate) name: String,
    /// As far as they arrived.
    pub(crate) arguments: String,
    /// The member of the provider's form that goes back with the call.
    pub(crate) own: Option<Value>,
}

impl AnswerDraft {
    pub(crate) fn finish(self, provider: ModelProvider) -> Result<ModelAnswer, ModelFault> {
        let stop = self.stop.ok_or_else(broken_off)?;
        let cut_at = (stop == StopReason::Length).then(|| self.parts.len().saturating_sub(1));
        let parts: Vec<MessagePart> = self
            .parts
            .into_iter()
            .enumerate()
            .filter_map(|(place, part)| part.finish(provider, cut_at == Some(place)))
            .collect();
        let calls = parts.iter().filter(|part| matches!(part, MessagePart::Call(_))).count();
        if calls > CALLS_MAX {
            return Err(nonsense(format!(
                "The model made {calls} calls at once; at most {CALLS_MAX} are possible."
            )));
        }
        let stop = settled(stop, calls > 0);
        if stop == StopReason::Finished && !parts.iter().any(says_something) {
            return Err(nonsense("The model answered nothing."));
        }
        Ok(ModelAnswer { parts, stop, usage: self.usage })
    }
}

impl DraftPart {
    fn finish(self, provider: ModelProvider, is_cut: bool) -> Option<MessagePart> {
        match self {
            DraftPart::Text(text) => (!text.is_empty()).then_some(MessagePart::Text(text)),
            DraftPart::Opaque(raw) => Some(MessagePart::Opaque { provider, raw: raw.into() }),
            DraftPart::Call(call) => Some(MessagePart::Call(ModelCall {
                id: String::new(),
                name: call.name,
                arguments: arguments(call.arguments, is_cut),
                raw: call.own.map(RawJson::from),
            })),
        }
    }
}

/// Providers disagree on the reason when there are calls, so calls decide unless the answer is incomplete.
fn settled(stop: StopReason, has_calls: bool) -> StopReason {
    match stop {
        StopReason::Length | StopReason::Refused => stop,
        StopReason::Finished | StopReason::Calls | StopReason::Other if has_calls => StopReason::Calls,
        StopReason::Finished | StopReason::Calls => StopReason::Finished,
        StopReason::Other => StopReason::Other,
    }
}

fn says_something(part: &MessagePart) -> bool {
    match part {
        MessagePart::Text(text) => !text.trim().is_empty(),
        MessagePart::Call(_) => true,
        MessagePart::Opaque { .. } | MessagePart::Result(_) => false,
    }
}

/// No arguments at all are an empty object, unless the answer was cut off there.
fn arguments(text: String, is_cut: bool) -> CallArguments {
    let plain = text.trim();
    if !is_cut && matches!(plain, "" | "null") {
        return CallArguments::Object(RawJson::EMPTY);
    }
    if is_object(plain) {
        return CallArguments::Object(RawJson::from_composed(plain.to_owned()));
    }
    CallArguments::Broken(text)
}

pub(crate) fn is_object(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok()
}

/// The count of what is kept of an answer, against its limits.
#[derive(Debug, Default)]
pub(crate) struct KeptBytes {
    bytes: usize,
    parts: usize,
}

impl KeptBytes {
    /// Appends text that arrived.
    pub(crate) fn push(&mut self, kept: &mut String, text: &str) -> Result<(), ModelFault> {
        self.add(text.len())?;
        kept.push_str(text);
        Ok(())
    }

    pub(crate) fn add(&mut self, bytes: usize) -> Result<(), ModelFault> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > ANSWER_BYTES_MAX { Err(too_large()) } else { Ok(()) }
    }

    /// Counts one more part.
    pub(crate) fn add_part(&mut self) -> Result<(), ModelFault> {
        self.parts += 1;
        if self.parts > PARTS_MAX {
            return Err(nonsense(format!("The model's answer has more than {PARTS_MAX} parts.")));
        }
        Ok(())
    }
}

pub(crate) fn too_large() -> ModelFault {
    nonsense(format!("The model's answer is larger than {ANSWER_BYTES_MAX} bytes."))
}
