//! Questions of a server of the newer era in the middle of a driven run's call. People answer them as questions of the run, one after
//! another; then the call goes on with the answers. All that it takes is kept with the call, so any gateway goes on with it.

mod slots;

use serde_json::{Map, Value, json};
use toolgate_core::codes::{self, Code};
use toolgate_core::id::InputId;
use toolgate_core::port::InputAnswers;
use toolgate_core::run::{InputRequest, InputSlot, InputState};
use toolgate_core::{Blame, RawJson, Refusal};

use slots::AskedField;

/// The member of a kept error that names the open question.
pub(super) const INPUT_ID: &str = "input_id";
const ROUND: &str = "round";
/// The member of a server's result that leads back to its call.
const STATE: &str = "requestState";
/// Rounds of questions in one call.
const ROUNDS_MAX: u64 = 10;

/// A round of questions, with the envelope that they came in.
pub(super) struct ServerRound {
    envelope: Value,
    number: u64,
    fields: Vec<AskedField>,
}

impl ServerRound {
    /// The questions of a result. `kept` is what may be stored of it. `None` if it asks nothing, or something that people are not
    /// asked, or too often.
    pub(super) fn asked(result: &RawJson, kept: &RawJson, number: u64) -> Option<Self> {
        let result: Value = result.decode().ok()?;
        if result["status"] != codes::INPUT_REQUIRED.name || number > ROUNDS_MAX {
            return None;
        }
        let mut envelope: Value = kept.decode().ok()?;
        // It is sealed, and of use as it is or not at all.
        let data = envelope.get_mut("data")?.as_object_mut()?;
        data.insert(STATE.to_owned(), result["data"][STATE].clone());
        Self::of(envelope, number)
    }

    /// The questions of a call that was put off for them.
    pub(super) fn kept(envelope: &RawJson) -> Option<Self> {
        let envelope: Value = envelope.decode().ok()?;
        let number = envelope["error"][ROUND].as_u64()?;
        Self::of(envelope, number)
    }

    fn of(envelope: Value, number: u64) -> Option<Self> {
        let fields = slots::fields(envelope["data"]["inputRequests"].as_object()?)?;
        Some(Self { envelope, number, fields })
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The id of the call in the ledger.
    pub(super) fn call(&self) -> Option<&str> {
        self.envelope["tool_call_id"].as_str()
    }

    /// Its questions, in an order that does not change. `call` is the id of the call in its run.
    pub(super) fn slots(&self, call: &str) -> Vec<InputSlot> {
        let start = format!("server.{call}.{}", self.number);
        self.fields.iter().map(|field| field.slot(&start)).collect()
    }

    /// The answers for the server, from the resolved questions in their order.
    pub(super) fn answers(&self, resolved: &[InputRequest]) -> InputAnswers {
        let mut responses = Map::new();
        for (field, asked) in self.fields.iter().zip(resolved) {
            match asked.state {
                InputState::Answered => field.answer(&mut responses, answer_of(asked)),
                InputState::Pending | InputState::Cancelled => field.decline(&mut responses),
            }
        }
        let state = &self.envelope["data"][STATE];
        let state = state.is_string().then(|| RawJson::from(state.clone()));
        InputAnswers { responses: Some(RawJson::from(Value::Object(responses))), state }
    }

    /// The result of the call while this question is open.
    pub(super) fn waiting(&self, question: &InputId) -> RawJson {
        let message = "the server asks something, and a person was asked for the answer";
        let mut error = self.error(&codes::INPUT_REQUIRED, message, "the call goes on with the answer");
        error[INPUT_ID] = json!(question);
        self.with(error)
    }

    /// The result of the call while the next question cannot be asked.
    pub(super) fn refused(&self, refusal: &Refusal) -> RawJson {
        self.with(self.error(refusal.code, &refusal.message, &refusal.hint))
    }

    /// The result of a call that could not go on with its answers now: the error is that of this envelope.
    pub(super) fn put_aside(&self, envelope: &RawJson) -> RawJson {
        let mut envelope: Value = envelope.decode().unwrap_or_default();
        let mut error = envelope["error"].take();
        error[ROUND] = json!(self.number);
        self.with(error)
    }

    /// The result of a call whose questions are answered already.
    pub(super) fn later(&self) -> RawJson {
        self.with(self.error(&codes::RUN_STATE, "the call goes on with its answers", "send it again"))
    }

    fn error(&self, code: &'static Code, message: &str, hint: &str) -> Value {
        json!({ "code": code, "fault": Blame::Caller, "retry": true, "message": message, "hint": hint,
            (ROUND): self.number })
    }

    fn with(&self, error: Value) -> RawJson {
        let mut envelope = self.envelope.clone();
        envelope["error"] = error;
        envelope.into()
    }
}

fn answer_of(asked: &InputRequest) -> Value {
    asked.answer.as_ref().and_then(|answer| answer.decode().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
