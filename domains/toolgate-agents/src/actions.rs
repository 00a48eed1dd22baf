//! Actions that a run waits for, and the ways on that people's answers lead to. Questions are inputs of the run, so they are in the inbox, and answering
//! one lets the run go on.

use toolgate_core::id::ApprovalId;
use toolgate_core::model::ReachedSpend;
use toolgate_core::run::{
    ActionKind, InputRequest, InputSlot, InputState, QuestionPurpose, RequiredAction, RunState, SlotOption,
    SlotType,
};
use toolgate_core::{PrincipalId, Refusal, RefusalKind, codes, moment};
use toolgate_runs::{InputQuery, NewQuestion};
use toolgate_store::LoopError;

use crate::error::{DriveError, is_usual};
use crate::held::{LeasedLoop, LoopPace};
use crate::lines::{self, LineKind};
use crate::settings::{FAULT_CHARS_MAX, REASON_CHARS_MAX, clipped};

/// The answers of a run that are looked through for that to its last question.
const ANSWERS_MAX: usize = 50;
const STOP: &str = "stop";
const GO_ON: &str = "go on";
const HAPPENED: &str = "happened";
const AGAIN: &str = "again";
/// The reason of a run that a person stops.
const STOPPED: &str = "stopped by a person";
/// The reason of a run whose session was closed, came to the end of its lifetime, or lost its token.
const SESSION_CLOSED: &str = "its session was closed";

/// The word of a person on a call whose outcome is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OutcomeWord {
    Happened,
    Again,
    /// There is no word yet, or the run was stopped.
    Stops(LoopPace),
}

/// The word of a person on a run that is stuck.
#[derive(Clone, PartialEq, Eq, Debug)]
enum StuckWord {
    Stop,
    GoOn,
    Advice(String),
}

/// Pauses a run that cannot go on by itself. Only between turns.
pub(crate) async fn stuck(held: &mut LeasedLoop, why: &str) -> Result<LoopPace, DriveError> {
    pause(held, ActionKind::Stuck, why).await
}

/// Pauses a run whose agent has spent all that it may for now. Only between turns.
pub(crate) async fn spent(held: &mut LeasedLoop, reached: &ReachedSpend) -> Result<LoopPace, DriveError> {
    let ReachedSpend { holder, spent_micros, max_micros, until_ms } = reached;
    let why = format!(
        "The spending of {holder} is at its limit: {} of {}. It may spend again at {}, or when the limit is raised.",
        money(*spent_micros),
        money(*max_micros),
        moment::rfc3339(*until_ms)
    );
    pause(held, ActionKind::Budget, &why).await
}

/// The line is written first: it holds as soon as the run goes on, and begins the count of repetitions anew.
async fn pause(held: &mut LeasedLoop, kind: ActionKind, why: &str) -> Result<LoopPace, DriveError> {
    let why = clipped(why, FAULT_CHARS_MAX);
    held.add_line(lines::paused(&why), false).await?;
    let slot = InputSlot {
        slot_type: SlotType::Text,
        slot_id: pause_slot(held.history.last_number()),
        prompt_key: format!(
            "Run {} waits. {why} Answer \"{GO_ON}\" to let it try again, \"{STOP}\" to end it, or write advice for the agent.",
            held.run.id
        ),
        options: Vec::new(),
        purpose: QuestionPurpose::of(kind),
        picture: None,
    };
    let asked = ask(held, slot).await?;
    let how = format!("{why} Answer {} with \"{GO_ON}\", \"{STOP}\" or advice for the agent.", asked.id);
    wait(held, action_of(kind, &asked, how), &[]).await
}

/// The gateway does not offer tools to a run: that passes, or people must look at it. Only between turns.
pub(crate) async fn not_offered(held: &mut LeasedLoop, refusal: &Refusal) -> Result<LoopPace, DriveError> {
    if is_passing(refusal) {
        return Ok(held.later());
    }
    if refusal.code == &codes::SESSION_CLOSED {
        return end_with_session(held).await;
    }
    let why = format!("It has no tools: {}. {}.", refusal.message, refusal.hint);
    stuck(held, &why).await
}

/// The gateway makes no call of an answer: that passes, or the run has failed. No line may come between a call and its result, so
/// nobody is asked here.
pub(crate) async fn not_played(held: &LeasedLoop, refusal: &Refusal) -> Result<LoopPace, DriveError> {
    if is_passing(refusal) {
        return Ok(held.later());
    }
    if refusal.code == &codes::SESSION_CLOSED {
        return end_with_session(held).await;
    }
    let reason = clipped(&format!("its calls cannot be made: {}", refusal.message), REASON_CHARS_MAX);
    Box::pin(held.desk.runs.fail(&held.run.id, &reason, &held.run.principal)).await?;
    Ok(LoopPace::Rests)
}

/// Somebody closed its session, or revoked the token that opened it, and does not want the run to go on.
async fn end_with_session(held: &LeasedLoop) -> Result<LoopPace, DriveError> {
    Box::pin(held.desk.runs.cancel(&held.run.id, &PrincipalId::gateway(), SESSION_CLOSED)).await?;
    Ok(LoopPace::Rests)
}

fn is_passing(refusal: &Refusal) -> bool {
    matches!(refusal.kind, RefusalKind::Down | RefusalKind::TooMany) || is_usual(refusal)
}

/// Asks whether a call took effect, or reads the answer.
pub(crate) async fn outcome_of(
    held: &mut LeasedLoop,
    call: &str,
    tool: &str,
) -> Result<OutcomeWord, DriveError> {
    let tool = clipped(tool, FAULT_CHARS_MAX);
    let option =
        |value: &str, label: &str| SlotOption { value: value.to_owned(), label: Some(label.to_owned()) };
    let slot = InputSlot {
        slot_type: SlotType::Choice,
        slot_id: format!("agent.unknown_outcome.{call}"),
        prompt_key: format!(
            "The gateway was interrupted while run {} called {tool} (call {call}). Nobody knows whether the call took effect. \
             Look at the other side before you answer.",
            held.run.id
        ),
        options: vec![
            option(HAPPENED, "It happened: go on"),
            option(AGAIN, "It did not happen: do it again"),
            option(STOP, "End the run"),
        ],
        purpose: QuestionPurpose::UnknownOutcome,
        picture: None,
    };
    let asked = ask(held, slot).await?;
    let Some(answer) = answer(&asked) else {
        let how = format!(
            "Find out whether {tool} took effect, then answer {} with \"{HAPPENED}\", \"{AGAIN}\" or \"{STOP}\".",
            asked.id
        );
        return wait(held, action_of(ActionKind::UnknownOutcome, &asked, how), &[])
            .await
            .map(OutcomeWord::Stops);
    };
    match answer.as_str() {
        HAPPENED => Ok(OutcomeWord::Happened),
        AGAIN => Ok(OutcomeWord::Again),
        _ => stop(held, &asked).await.map(OutcomeWord::Stops),
    }
}

/// Follows the answer to the question that the run waited for last. The way of the loop, if a person stopped it.
pub(crate) async fn heed(held: &mut LeasedLoop) -> Result<Option<LoopPace>, DriveError> {
    let Some(line) = held.history.last().filter(|one| LineKind::Paused.is(&one.message)) else {
        return Ok(None);
    };
    let slot_id = pause_slot(line.number);
    let answered = answered(held).await?;
    // A run that was resumed without an answer goes on as it is.
    let Some(asked) = answered.into_iter().find(|one| one.slot.slot_id == slot_id) else { return Ok(None) };
    match stuck_word(&answer(&asked).unwrap_or_default()) {
        StuckWord::GoOn => Ok(None),
        StuckWord::Stop => stop(held, &asked).await.map(Some),
        StuckWord::Advice(advice) => {
            held.add_line(lines::person(&advice), false).await?;
            Ok(None)
        }
    }
}

/// Pauses the run until people have acted, and gives its lease back. If they were faster, the store lets the run go on.
/// `besides` are approvals that other calls of the same answer wait for: the run goes on with whichever is decided first.
pub(crate) async fn wait(
    held: &mut LeasedLoop,
    action: RequiredAction,
    besides: &[ApprovalId],
) -> Result<LoopPace, DriveError> {
    let action = if action.id.is_empty() { with_question(held, action).await? } else { action };
    match held.desk.books.wait_loop(&held.lease, action, besides, held.act()).await {
        Ok(()) => {}
        // It was changed meanwhile.
        Err(LoopError::Run(error)) => {
            tracing::debug!(run = %held.run.id, %error, "a run does not wait");
            return Ok(held.later());
        }
        Err(error) => return Err(error.into()),
    }
    let run = held.desk.runs.get(&held.run.id).await?;
    if run.state == RunState::Running {
        // People were faster. If the tool does not know that yet, asking it at once again and again would not help.
        held.desk.clock.sleep(held.desk.settings.poll).await;
    }
    Ok(LoopPace::Waits)
}

/// An action that brings no question of its own, such as a sign-in, is resolved by an answer.
async fn with_question(held: &mut LeasedLoop, action: RequiredAction) -> Result<RequiredAction, DriveError> {
    let slot = InputSlot {
        slot_type: SlotType::Text,
        slot_id: free_slot(held, action.kind).await?,
        prompt_key: clipped(&format!("Run {} waits. {}", held.run.id, action.how), FAULT_CHARS_MAX),
        options: Vec::new(),
        purpose: QuestionPurpose::of(action.kind),
        picture: None,
    };
    let asked = ask(held, slot).await?;
    Ok(RequiredAction { id: asked.id.to_string(), ..action })
}

/// The slot of the next question of a kind: those before it were answered, and did not help.
async fn free_slot(held: &LeasedLoop, kind: ActionKind) -> Result<String, DriveError> {
    let start = format!("agent.{}.", kind.as_str());
    let before = answered(held).await?.iter().filter(|one| one.slot.slot_id.starts_with(&start)).count();
    Ok(format!("{start}{before}"))
}

/// The questions of a run that were answered, newest first.
async fn answered(held: &LeasedLoop) -> Result<Vec<InputRequest>, DriveError> {
    let query = InputQuery {
        state: Some(InputState::Answered),
        run: Some(held.run.id.clone()),
        cursor: None,
        limit: ANSWERS_MAX,
    };
    Ok(held.desk.runs.inputs(query).await?.inputs)
}

/// Asks a person, or finds the same question.
async fn ask(held: &LeasedLoop, slot: InputSlot) -> Result<InputRequest, DriveError> {
    let question = NewQuestion {
        run: held.run.id.clone(),
        session: held.run.session.clone(),
        call: None,
        principal: held.run.principal.clone(),
        slot,
    };
    Ok(held.desk.runs.ask_at_once(question).await?)
}

fn action_of(kind: ActionKind, asked: &InputRequest, how: String) -> RequiredAction {
    RequiredAction { kind, id: asked.id.to_string(), since_ms: asked.created_at_ms, how }
}

/// The text of an answer; `None` while there is none.
fn answer(asked: &InputRequest) -> Option<String> {
    asked.answer.as_ref()?.decode().ok()
}

fn pause_slot(line: u64) -> String {
    format!("agent.paused.{line}")
}

fn stuck_word(answer: &str) -> StuckWord {
    let answer = answer.trim();
    match answer.to_lowercase().as_str() {
        STOP => StuckWord::Stop,
        "" | GO_ON | "go" | "continue" | "yes" | "ok" => StuckWord::GoOn,
        _ => StuckWord::Advice(answer.to_owned()),
    }
}

/// Millionths of a currency unit in words.
fn money(micros: u64) -> String {
    format!("{}.{:02}", micros / 1_000_000, micros % 1_000_000 / 10_000)
}

/// Ends the run in the name of the person who said so.
async fn stop(held: &LeasedLoop, asked: &InputRequest) -> Result<LoopPace, DriveError> {
    let by = asked.answered_by.clone().unwrap_or_else(PrincipalId::gateway);
    Box::pin(held.desk.runs.cancel(&held.run.id, &by, STOPPED)).await?;
    Ok(LoopPace::Rests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_may_stop_a_run_let_it_go_on_or_advise_it() {
        assert_eq!(stuck_word(" Stop "), StuckWord::Stop);
        for text in ["go on", "Go on", "", "ok"] {
            assert_eq!(stuck_word(text), StuckWord::GoOn, "{text}");
        }
        assert_eq!(stuck_word("Stop reading."), StuckWord::Advice("Stop reading.".to_owned()));
    }

    #[test]
    fn an_amount_is_told_in_units_and_hundredths() {
        assert_eq!(
            (money(0), money(5_000_000), money(1_239_999)),
            ("0.00".into(), "5.00".into(), "1.23".into())
        );
    }
}
