//! Answers without calls: the end of the run, or a word why it is none.

use serde_json::Value;
use toolgate_core::model::{ModelMessage, StopReason};
use toolgate_core::run::Run;
use toolgate_core::{RawJson, Refusal, RefusalKind, codes};
use toolgate_runs::AskedCompletion;

use crate::actions;
use crate::error::{DriveError, is_usual};
use crate::held::{LeasedLoop, LoopPace};
use crate::lines::{self, LineKind, NO_WORDS};
use crate::outcome;
use crate::settings::{FAULT_CHARS_MAX, REASON_CHARS_MAX, SUMMARY_CHARS_MAX, clipped};

pub(super) async fn close(
    held: &mut LeasedLoop,
    turn: u64,
    text: &str,
    stop: StopReason,
) -> Result<LoopPace, DriveError> {
    match stop {
        StopReason::Length => tell(held, turn, lines::cut_off()).await,
        StopReason::Refused => {
            held.close_turn(turn, Vec::new()).await?;
            let why = format!("Its model refuses to go on: {}", clipped(text, FAULT_CHARS_MAX));
            actions::stuck(held, &why).await
        }
        _ if text == NO_WORDS => tell(held, turn, lines::no_words()).await,
        _ => match held.agent_loop.outcome_schema.clone() {
            None => complete(held, text).await,
            Some(schema) => close_with_outcome(held, turn, text, &schema).await,
        },
    }
}

/// The next turn begins with a line of the gateway.
async fn tell(held: &mut LeasedLoop, turn: u64, line: ModelMessage) -> Result<LoopPace, DriveError> {
    held.close_turn(turn, vec![line]).await?;
    Ok(LoopPace::Next)
}

async fn complete(held: &LeasedLoop, text: &str) -> Result<LoopPace, DriveError> {
    let (run, summary) = (&held.run, clipped(text, SUMMARY_CHARS_MAX));
    let ended = Box::pin(held.desk.runs.complete(&run.id, None, &summary, &[], &run.principal)).await;
    rested(held, ended).await
}

async fn rested(held: &LeasedLoop, ended: Result<Run, Refusal>) -> Result<LoopPace, DriveError> {
    match ended {
        Ok(_) => Ok(LoopPace::Rests),
        Err(refusal) => not_completed(held, refusal).await,
    }
}

/// Ends a run whose budget is used up. The store has noted the limit when the closing answer was asked for, so it ends as partial.
pub(super) async fn close_partly(held: &LeasedLoop, text: &str) -> Result<LoopPace, DriveError> {
    let (run, summary) = (&held.run, clipped(text, SUMMARY_CHARS_MAX));
    let ended = Box::pin(held.desk.runs.complete_partly(&run.id, &summary, &run.principal)).await;
    rested(held, ended).await
}

/// The answer is the result, if it fits. The agent is told once that it does not.
async fn close_with_outcome(
    held: &mut LeasedLoop,
    turn: u64,
    text: &str,
    schema: &RawJson,
) -> Result<LoopPace, DriveError> {
    let checked = match fitting(held, schema, outcome::value_of(text)) {
        Ok(value) => complete_with(held, value).await?,
        Err(why) => Err(why),
    };
    match checked {
        Ok(pace) => Ok(pace),
        Err(why) if held.history.has(LineKind::Outcome) => {
            let reason = clipped(&format!("the result does not fit: {why}"), REASON_CHARS_MAX);
            fail(held, &reason).await
        }
        Err(why) => tell(held, turn, lines::outcome(&clipped(&why, FAULT_CHARS_MAX))).await,
    }
}

/// The value, if it fits the schema; else the reason why not.
pub(super) fn fitting(
    held: &LeasedLoop,
    schema: &RawJson,
    value: Result<Value, String>,
) -> Result<Value, String> {
    let value = value?;
    held.desk.runs.check_outcome(schema, &value).map(|()| value)
}

/// Completes the run with a result. The inner error says why it is no result.
pub(super) async fn complete_with(
    held: &LeasedLoop,
    value: Value,
) -> Result<Result<LoopPace, String>, DriveError> {
    let asked = AskedCompletion {
        summary: Some(outcome::FITS.to_owned()),
        result: Some(value),
        ..AskedCompletion::default()
    };
    match Box::pin(held.desk.runs.complete_as_asked(&held.run.id, asked, &held.run.principal)).await {
        Ok(_) => Ok(Ok(LoopPace::Rests)),
        Err(refusal) if refusal.code == &codes::RUN_DATA_TOO_LARGE => Ok(Err(refusal.message)),
        Err(refusal) => not_completed(held, refusal).await.map(Ok),
    }
}

/// Runs within it, or calls of theirs, are waited for; a run that was paused or has ended meanwhile rests; anything else ends it.
async fn not_completed(held: &LeasedLoop, refusal: Refusal) -> Result<LoopPace, DriveError> {
    let waits = [&codes::CHILDREN_RUNNING, &codes::CALLS_IN_FLIGHT].contains(&refusal.code);
    match () {
        () if waits || refusal.kind == RefusalKind::Down => Ok(held.later()),
        () if is_usual(&refusal) => Ok(LoopPace::Rests),
        () => fail(held, &clipped(&refusal.message, REASON_CHARS_MAX)).await,
    }
}

async fn fail(held: &LeasedLoop, reason: &str) -> Result<LoopPace, DriveError> {
    Box::pin(held.desk.runs.fail(&held.run.id, reason, &held.run.principal)).await?;
    Ok(LoopPace::Rests)
}
