//! The calls of an answer, on the one path. Recorded results are read, not made again.

use std::collections::BTreeMap;

use toolgate_core::id::ApprovalId;
use toolgate_core::model::{
    CallArguments, MessagePart, MessageRole, ModelCall, ModelCallResult, ModelMessage,
};
use toolgate_core::run::{ActionKind, CallTarget, PlannedCall, PlayedCall, PlayedOutcome, RequiredAction};
use toolgate_core::{Refusal, stop_point};

use super::close;
use super::unknown::{self, UnknownEnd};
use crate::actions;
use crate::error::DriveError;
use crate::framing::framed;
use crate::held::{LeasedLoop, LoopPace};
use crate::outcome;
use crate::settings::CALLS_MAX;

/// The end of a call, in words for the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CallWords {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl CallWords {
    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }
}

/// The ends of calls by their ids.
pub(super) type CallEndings = BTreeMap<String, CallWords>;

/// Makes all calls of an answer and stores their results in one transaction, or stops with what they wait for.
pub(super) async fn play(
    held: &mut LeasedLoop,
    turn: u64,
    calls: Vec<ModelCall>,
) -> Result<LoopPace, DriveError> {
    let mut endings = refused_calls(&calls);
    let planned: Vec<PlannedCall> =
        calls.iter().filter(|call| !endings.contains_key(&call.id)).filter_map(planned).collect();
    let (completing, others): (Vec<PlannedCall>, Vec<PlannedCall>) =
        planned.into_iter().partition(|call| target_of(call).may_end_its_run());
    if let Some(pace) = Box::pin(settle(held, others, &mut endings)).await? {
        return Ok(pace);
    }
    if let Some(pace) = Box::pin(complete(held, completing, &mut endings)).await? {
        return Ok(pace);
    }
    stop_point::reach("loop_resulted");
    let results = results(held, &calls, &mut endings);
    held.close_turn(turn, vec![results]).await?;
    stop_point::reach("loop_closed");
    Ok(LoopPace::Next)
}

/// Calls that are not made: their arguments are broken, or there are too many of them.
pub(super) fn refused_calls(calls: &[ModelCall]) -> CallEndings {
    let mut refused = CallEndings::new();
    for (place, call) in calls.iter().enumerate() {
        let words = match &call.arguments {
            _ if place >= CALLS_MAX => {
                format!("This call was not made: an answer may have at most {CALLS_MAX} calls.")
            }
            CallArguments::Broken(_) => {
                "This call was not made: its arguments are no JSON object. They may have been cut off; \
                 send shorter ones."
                    .to_owned()
            }
            CallArguments::Object(_) => continue,
        };
        refused.insert(call.id.clone(), CallWords::error(words));
    }
    refused
}

fn planned(call: &ModelCall) -> Option<PlannedCall> {
    match &call.arguments {
        CallArguments::Object(arguments) => {
            Some(PlannedCall { id: call.id.clone(), name: call.name.clone(), arguments: arguments.clone() })
        }
        CallArguments::Broken(_) => None,
    }
}

/// The tool that a call is about: `call_tool` is no way around the order of calls, nor around the schema of a result.
fn target_of(call: &PlannedCall) -> CallTarget {
    CallTarget::of(&call.name, &call.arguments)
}

/// True for a call that ends its run.
pub(super) fn may_end_its_run(call: &ModelCall) -> bool {
    planned(call).is_some_and(|call| target_of(&call).may_end_its_run())
}

/// Plays calls until each has ended. The way of the loop, if one of them waits or cannot be made now.
async fn settle(
    held: &mut LeasedLoop,
    calls: Vec<PlannedCall>,
    endings: &mut CallEndings,
) -> Result<Option<LoopPace>, DriveError> {
    if calls.is_empty() {
        return Ok(None);
    }
    let played = match send(held, calls.clone()).await {
        SentCalls::Played(played) => played,
        SentCalls::Halted => return Ok(Some(held.halted())),
        SentCalls::Refused(refusal) => return actions::not_played(held, &refusal).await.map(Some),
    };
    let mut outcomes: BTreeMap<String, PlayedOutcome> =
        played.into_iter().map(|played| (played.id, played.outcome)).collect();
    let mut stops = Stops::default();
    for call in &calls {
        let outcome = outcomes.remove(&call.id).unwrap_or(PlayedOutcome::NotNow);
        let end = match outcome {
            PlayedOutcome::Unknown => Box::pin(unknown::resolve(held, call)).await?,
            outcome => UnknownEnd::Outcome(outcome),
        };
        match end {
            UnknownEnd::Outcome(PlayedOutcome::Ended { text, is_error }) => {
                endings.insert(call.id.clone(), CallWords { text, is_error });
            }
            UnknownEnd::Outcome(PlayedOutcome::Waits(action)) => stops.waits(action),
            UnknownEnd::Outcome(PlayedOutcome::Unknown | PlayedOutcome::NotNow) => stops.not_now = true,
            UnknownEnd::Stops(pace) => return Ok(Some(pace)),
        }
    }
    stops.pace(held).await
}

/// The reasons why a turn does not come to its end.
#[derive(Default)]
struct Stops {
    action: Option<RequiredAction>,
    /// The approvals of other calls.
    besides: Vec<ApprovalId>,
    not_now: bool,
}

impl Stops {
    /// The first one is shown. Whichever approval is decided first, the turn is played again: calls that may go on do so, before their
    /// approvals lapse, and the others wait on.
    fn waits(&mut self, action: RequiredAction) {
        if self.action.is_none() {
            self.action = Some(action);
        } else if action.kind == ActionKind::Approval {
            self.besides.push(ApprovalId::new(action.id));
        }
    }

    async fn pace(self, held: &mut LeasedLoop) -> Result<Option<LoopPace>, DriveError> {
        match self.action {
            Some(action) if action.kind == ActionKind::Approval => {
                actions::wait(held, action, &self.besides).await.map(Some)
            }
            // A question pauses the run until it is answered.
            Some(action) => actions::wait(held, action, &[]).await.map(Some),
            None => Ok(self.not_now.then(|| held.later())),
        }
    }
}

pub(super) enum SentCalls {
    Played(Vec<PlayedCall>),
    /// The run was cancelled, or the gateway ends.
    Halted,
    Refused(Refusal),
}

/// Sends calls on their way. Calls of a paused run go on; those of a run that has ended are cancelled, down to the servers.
pub(super) async fn send(held: &LeasedLoop, calls: Vec<PlannedCall>) -> SentCalls {
    let mut playing = held.desk.player.play(&held.run, calls);
    let played = tokio::select! {
        biased;
        played = &mut playing => Some(played),
        () = dispatched(held) => None,
    };
    let played = match played {
        Some(played) => played,
        None => tokio::select! {
            played = playing => played,
            () = given_up(held) => return SentCalls::Halted,
        },
    };
    match played {
        Ok(played) => SentCalls::Played(played),
        Err(refusal) => SentCalls::Refused(refusal),
    }
}

/// The calls are under way. It ends when the work on the run should end.
async fn dispatched(held: &LeasedLoop) {
    stop_point::reach("loop_dispatched");
    held.halt.cancelled().await;
}

/// Ends when calls in progress are no longer waited for. Until then their results are worth the wait.
async fn given_up(held: &LeasedLoop) {
    let desk = &held.desk;
    loop {
        let run = desk.runs.get(&held.run.id).await;
        if run.is_ok_and(|run| run.state.is_final()) {
            desk.player.cancel(&held.run.id).await;
            break;
        }
        tokio::select! {
            () = desk.shutdown.cancelled() => break,
            () = desk.clock.sleep(desk.settings.poll) => {}
        }
    }
    desk.clock.sleep(desk.settings.drain).await;
}

/// The call that ends the run, on the path of the others. In a run with an outcome schema, the result must fit first: a call with
/// another one is not made, as one with broken arguments is not.
async fn complete(
    held: &mut LeasedLoop,
    completing: Vec<PlannedCall>,
    endings: &mut CallEndings,
) -> Result<Option<LoopPace>, DriveError> {
    let Some(schema) = held.agent_loop.outcome_schema.clone() else {
        return settle(held, completing, endings).await;
    };
    let mut fitting = Vec::new();
    for call in completing {
        let target = target_of(&call);
        // It may be about another run; if it is not, its result is checked where the run ends.
        if !target.completes() {
            fitting.push(call);
            continue;
        }
        match close::fitting(held, &schema, outcome::value_of_call(&target.arguments)) {
            Ok(value) => {
                let arguments = target.with(outcome::completion_with(&target.arguments, value));
                fitting.push(PlannedCall { arguments, ..call });
            }
            Err(why) => {
                let words = format!(
                    "The run is not completed: its result is missing or does not fit the schema of the task ({why}). Answer with the \
                     JSON of the result alone."
                );
                endings.insert(call.id, CallWords::error(words));
            }
        }
    }
    settle(held, fitting, endings).await
}

/// The results of all calls, in the order of the calls, as data.
pub(super) fn results(held: &LeasedLoop, calls: &[ModelCall], endings: &mut CallEndings) -> ModelMessage {
    let result = |call: &ModelCall| {
        let words = endings.remove(&call.id);
        let CallWords { text, is_error } =
            words.unwrap_or_else(|| CallWords::error("This call was not made."));
        let text = framed(&held.run.id, &call.id, &call.name, &text);
        MessagePart::Result(ModelCallResult { id: call.id.clone(), name: call.name.clone(), text, is_error })
    };
    ModelMessage { role: MessageRole::Tool, parts: calls.iter().map(result).collect() }
}

#[cfg(test)]
mod tests {
    use toolgate_core::RawJson;

    use super::*;

    fn call(id: &str, arguments: CallArguments) -> ModelCall {
        ModelCall { id: id.to_owned(), name: "a".to_owned(), arguments, raw: None }
    }

    #[test]
    fn a_call_that_was_cut_off_is_not_made() {
        let calls = [
            call("1.1", CallArguments::Object(RawJson::EMPTY)),
            call("1.2", CallArguments::Broken("{\"a\":".to_owned())),
        ];
        let refused = refused_calls(&calls);
        assert_eq!(refused.keys().collect::<Vec<_>>(), ["1.2"]);
        assert!(refused["1.2"].is_error && refused["1.2"].text.contains("no JSON object"));
    }

    #[test]
    fn a_flood_of_calls_is_cut() {
        let calls: Vec<ModelCall> = (0..CALLS_MAX + 2)
            .map(|place| call(&format!("1.{place:04}"), CallArguments::Object(RawJson::EMPTY)))
            .collect();
        assert_eq!(refused_calls(&calls).len(), 2);
    }
}
