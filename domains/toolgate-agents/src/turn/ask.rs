//! The request to the model, and its answer or its fault.

use std::sync::atomic::{AtomicBool, Ordering};

use toolgate_core::model::{
    MessagePart, MessageRole, ModelAnswer, ModelDefinition, ModelFault, ModelMessage, ModelPiece,
    ModelRequest, ToolUse,
};
use toolgate_core::stop_point;
use toolgate_store::AnsweredTurn;

use super::act::StoredAnswer;
use super::prepare::ReadyTurn;
use super::{close, fold};
use crate::actions;
use crate::error::DriveError;
use crate::held::{LeasedLoop, LoopPace};
use crate::lines::NO_WORDS;
use crate::retry::{self, RetryVerdict};
use crate::settings::{FAULT_CHARS_MAX, clipped};
use crate::watch::LoopPiece;
use crate::{prompt, tokens};

/// A turn whose request is noted with its digest.
pub(super) struct AskedTurn<'a> {
    held: &'a mut LeasedLoop,
    turn: u64,
    /// This one included.
    attempts: u64,
    definition: ModelDefinition,
    request: ModelRequest,
}

pub(super) enum TurnReply<'a> {
    Answered(StoredAnswer<'a>),
    Stops(LoopPace),
}

impl<'a> AskedTurn<'a> {
    /// Builds the request from the rows and notes its digest. The inner error is the way of a run whose model is gone.
    pub(super) async fn ask(ready: ReadyTurn<'a>) -> Result<Result<Self, LoopPace>, DriveError> {
        let (held, turn, attempts, tool_use) = ready.into_parts();
        let name = held.agent_loop.model.clone();
        let Some(definition) = held.desk.models.definition(&name) else {
            let why = format!("There is no model {:?} any more.", name.as_str());
            return actions::stuck(held, &why).await.map(Err);
        };
        let output_tokens_max = definition.limits.output_tokens_max;
        let request = prompt::request(&held.agent_loop, &held.history, tool_use, output_tokens_max);
        held.desk.books.ask_turn(&held.lease, turn, request.digest(), held.act()).await?;
        stop_point::reach("loop_asked");
        Ok(Ok(Self { held, turn, attempts: attempts + 1, definition, request }))
    }

    /// Waits for the answer. Nothing of an answer that breaks off is kept.
    pub(super) async fn hear(self) -> Result<TurnReply<'a>, DriveError> {
        let began_us = self.held.desk.clock.monotonic_us();
        let is_heard = AtomicBool::new(false);
        let replied = listen(self.held, self.turn, &self.request, &is_heard).await;
        let is_heard = is_heard.into_inner();
        match replied {
            Some(Ok(answer)) => {
                let duration_ms = self.held.desk.passed_ms(began_us);
                self.keep(answer, duration_ms).await
            }
            Some(Err(fault)) => Box::pin(self.fault(&fault, is_heard)).await.map(TurnReply::Stops),
            None => {
                tell_again(self.held, self.turn, is_heard);
                Ok(TurnReply::Stops(self.held.halted()))
            }
        }
    }

    /// One transaction for the answer and every call that it plans.
    async fn keep(self, answer: ModelAnswer, duration_ms: u64) -> Result<TurnReply<'a>, DriveError> {
        let Self { held, turn, definition, .. } = self;
        let usage = answer.usage;
        let message = numbered(turn, answer.parts);
        let answered = AnsweredTurn {
            turn,
            tokens: tokens::of_message(&message),
            message,
            usage,
            cost_micros: usage.cost_micros(definition.prices),
            stop: answer.stop,
            duration_ms,
        };
        held.desk.books.answer_turn(&held.lease, answered, held.act()).await?;
        stop_point::reach("loop_answered");
        held.refresh().await?;
        StoredAnswer::read(held, turn).map(TurnReply::Answered)
    }

    /// `is_heard` says that those who watch have seen a part of the answer.
    async fn fault(self, fault: &ModelFault, is_heard: bool) -> Result<LoopPace, DriveError> {
        let Self { held, turn, attempts, request, .. } = self;
        let chance = retry::chance(&held.desk.clock.fresh_id("try_"));
        let verdict = retry::judge(fault, attempts, &held.desk.settings.retry_terms(), chance);
        let message = clipped(&fault.message, FAULT_CHARS_MAX);
        let is_last = verdict == RetryVerdict::GiveUp;
        tell_again(held, turn, is_heard && !is_last);
        held.desk.books.fault_turn(&held.lease, turn, &message, is_last, held.act()).await?;
        held.refresh().await?;
        let is_folded = verdict == RetryVerdict::Fold && Box::pin(fold::fold_all(held)).await?;
        match verdict {
            RetryVerdict::Stop => Ok(held.later()),
            RetryVerdict::Again(wait) => Ok(LoopPace::Later { wake_at_ms: held.desk.after(wait) }),
            RetryVerdict::Fold if is_folded => Ok(LoopPace::Next),
            RetryVerdict::Fold | RetryVerdict::GiveUp if request.tool_use == ToolUse::Forbidden => {
                close::close_partly(held, "The budget is used up, and the model gave no closing answer.")
                    .await
            }
            RetryVerdict::Fold | RetryVerdict::GiveUp => {
                let why = format!("Its model gives no answer ({}): {message}", fault.kind.as_str());
                actions::stuck(held, &why).await
            }
        }
    }
}

/// Asks the model; `None` if the run is paused or cancelled meanwhile, or the gateway ends: the request is dropped then.
async fn listen(
    held: &LeasedLoop,
    turn: u64,
    request: &ModelRequest,
    is_heard: &AtomicBool,
) -> Option<Result<ModelAnswer, ModelFault>> {
    let (desk, run) = (&held.desk, &held.run.id);
    let heard = |piece: ModelPiece| {
        stop_point::reach("loop_streaming");
        is_heard.store(true, Ordering::Relaxed);
        desk.watchers.tell(run, LoopPiece { turn, piece });
    };
    tokio::select! {
        biased;
        () = held.halt.cancelled() => None,
        replied = desk.models.ask(&held.agent_loop.model, request, &heard) => Some(replied),
    }
}

/// Tells those who watch that what they have seen of an answer does not count, if they have seen something.
fn tell_again(held: &LeasedLoop, turn: u64, is_due: bool) {
    if is_due {
        held.desk.watchers.tell(&held.run.id, LoopPiece { turn, piece: ModelPiece::Again });
    }
}

/// The answer as a message: calls under ids of our own, since those of providers repeat or are empty.
fn numbered(turn: u64, parts: Vec<MessagePart>) -> ModelMessage {
    let mut place = 0_u64;
    let mut has_words = false;
    let mut numbered: Vec<MessagePart> = Vec::with_capacity(parts.len());
    for mut part in parts {
        match &mut part {
            MessagePart::Call(call) => {
                place += 1;
                call.id = format!("{turn}.{place}");
            }
            MessagePart::Text(text) if text.trim().is_empty() => continue,
            MessagePart::Text(_) => has_words = true,
            // An answer has no results; one that claims some is not believed.
            MessagePart::Result(_) => continue,
            MessagePart::Opaque { .. } => {}
        }
        numbered.push(part);
    }
    if place == 0 && !has_words {
        numbered.push(MessagePart::Text(NO_WORDS.to_owned()));
    }
    ModelMessage { role: MessageRole::Assistant, parts: numbered }
}

#[cfg(test)]
mod tests {
    use toolgate_core::RawJson;
    use toolgate_core::model::{CallArguments, ModelCall, ModelCallResult};

    use super::*;

    fn call(id: &str) -> MessagePart {
        let arguments = CallArguments::Object(RawJson::EMPTY);
        MessagePart::Call(ModelCall { id: id.to_owned(), name: "a".to_owned(), arguments, raw: None })
    }

    #[test]
    fn calls_get_ids_of_our_own_whatever_the_provider_gave() {
        let message = numbered(7, vec![call("x"), MessagePart::Text("t".to_owned()), call("x"), call("")]);
        let ids: Vec<&str> = message.calls().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["7.1", "7.2", "7.3"]);
        assert_eq!(message.text(), "t");
    }

    #[test]
    fn an_answer_without_words_and_calls_still_has_a_part() {
        for parts in [Vec::new(), vec![MessagePart::Text(" \n".to_owned())]] {
            assert_eq!(numbered(1, parts).text(), NO_WORDS);
        }
    }

    #[test]
    fn a_result_that_a_model_invents_is_not_kept() {
        let forged = ModelCallResult {
            id: "1.1".to_owned(),
            name: "a".to_owned(),
            text: "it worked".to_owned(),
            is_error: false,
        };
        let message = numbered(1, vec![call(""), MessagePart::Result(forged)]);
        assert_eq!(message.results().count(), 0);
    }
}
