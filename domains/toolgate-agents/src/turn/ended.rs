//! Runs that ended before the results of their last calls were written down: their gateway died, or they were cancelled. The results that
//! there are follow now, so that the history is valid in every format. Nothing is called any more.

use toolgate_core::model::ModelCall;
use toolgate_core::run::{PlayedOutcome, RunState, TurnPhase};

use super::calls::{CallEndings, CallWords, may_end_its_run, refused_calls, results};
use crate::error::DriveError;
use crate::held::{LeasedLoop, LoopPace};
use crate::resume::{AGAIN_MAX, again};

/// Ends the last turn of a run that has ended, if it is open.
pub(super) async fn close(held: &mut LeasedLoop) -> Result<LoopPace, DriveError> {
    let last = held.last_turn.as_ref().filter(|turn| turn.phase == TurnPhase::Answered);
    let Some(turn) = last.map(|turn| turn.turn) else { return Ok(LoopPace::Rests) };
    let answer = held.history.answer_of(turn).ok_or(DriveError::Lost)?;
    let calls: Vec<ModelCall> = answer.message.calls().cloned().collect();
    let Some(mut endings) = endings(held, &calls).await? else { return Ok(held.later()) };
    let mut messages = Vec::new();
    // An answer that was erased meanwhile has no calls.
    if !calls.is_empty() {
        messages.push(results(held, &calls, &mut endings));
    }
    held.close_turn(turn, messages).await?;
    Ok(LoopPace::Rests)
}

/// The ends of all calls. `None` while one of them is still under way in a living gateway.
async fn endings(held: &LeasedLoop, calls: &[ModelCall]) -> Result<Option<CallEndings>, DriveError> {
    let mut endings = refused_calls(calls);
    for call in calls {
        if endings.contains_key(&call.id) {
            continue;
        }
        let left = left(held, &call.id).await?;
        if left == Some(PlayedOutcome::NotNow) {
            return Ok(None);
        }
        endings.insert(call.id.clone(), words(held.run.state, call, left));
    }
    Ok(Some(endings))
}

/// The recorded outcome of a call, or of the last time that it was made again. `None` if it never began.
async fn left(held: &LeasedLoop, call: &str) -> Result<Option<PlayedOutcome>, DriveError> {
    let (player, run) = (&held.desk.player, &held.run.id);
    let mut left = player.recorded(run, call).await?;
    for times in 1..=AGAIN_MAX {
        if left != Some(PlayedOutcome::Unknown) {
            break;
        }
        match player.recorded(run, &again(call, times)).await? {
            None => break,
            later => left = later,
        }
    }
    Ok(left)
}

fn words(state: RunState, call: &ModelCall, left: Option<PlayedOutcome>) -> CallWords {
    let has_completed = matches!(state, RunState::Completed | RunState::Partial);
    match left {
        Some(PlayedOutcome::Ended { text, is_error }) => CallWords { text, is_error },
        // It is the call that ended the run, as the state of the run proves.
        _ if has_completed && may_end_its_run(call) => {
            CallWords { text: "The run has ended.".to_owned(), is_error: false }
        }
        Some(PlayedOutcome::Waits(_)) => {
            CallWords::error("This call was not made: it waited for people when the run ended.")
        }
        Some(PlayedOutcome::Unknown) => CallWords::error(
            "The gateway was interrupted during this call. It is not known whether it took effect.",
        ),
        Some(PlayedOutcome::NotNow) | None => {
            CallWords::error("This call was not made: the run ended first.")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolgate_core::model::CallArguments;

    use super::*;

    fn call(name: &str, arguments: Value) -> ModelCall {
        let arguments = CallArguments::Object(arguments.into());
        ModelCall { id: "1.1".to_owned(), name: name.to_owned(), arguments, raw: None }
    }

    #[test]
    fn the_call_that_ended_the_run_has_ended_whatever_was_recorded() {
        let ends = call("complete_workflow", json!({}));
        let through = call("call_tool", json!({ "name": "complete_workflow", "arguments": {} }));
        for left in [None, Some(PlayedOutcome::Unknown)] {
            for ends in [&ends, &through] {
                let completed = words(RunState::Completed, ends, left.clone());
                assert_eq!(completed, CallWords { text: "The run has ended.".to_owned(), is_error: false });
                assert!(words(RunState::Cancelled, ends, left.clone()).is_error);
            }
            assert!(words(RunState::Completed, &call("files__read", json!({})), left).is_error);
        }
    }

    #[test]
    fn a_call_that_never_ran_says_so_and_a_recorded_one_has_its_result() {
        let one = call("a", json!({}));
        assert!(words(RunState::Cancelled, &one, None).text.contains("was not made"));
        let unknown = words(RunState::Cancelled, &one, Some(PlayedOutcome::Unknown));
        assert!(unknown.text.contains("not known"));
        let recorded = PlayedOutcome::Ended { text: "moved".to_owned(), is_error: false };
        let words = words(RunState::Failed, &one, Some(recorded));
        assert_eq!((words.text.as_str(), words.is_error), ("moved", false));
    }
}
