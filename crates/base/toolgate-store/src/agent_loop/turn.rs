//! One turn: asked, answered, acted. The answer and all calls that it plans are one transaction, and so are their results.

use serde_json::json;
use toolgate_core::Digest;
use toolgate_core::event::EventKind;
use toolgate_core::run::{RunState, TurnPhase, ended};

use super::error::LoopError;
use super::held_loop::HeldLoop;
use super::lease::LoopLease;
use super::row::push_usage;
use super::write::{AnsweredTurn, NewMessage};
use crate::books::Books;
use crate::db::without_nul;
use crate::registry::stored_count;
use crate::run::{ActionStamp, RunError};

const ASK: &str = "INSERT INTO run_turns (tenant, run, turn, attempts, phase, model, request, calls, input, cached, written,
        output, cost, asked_at_ms)
    VALUES ($1, $2, $3, 1, 'asked', $4, $5, 0, 0, 0, 0, 0, 0, $6)";
const ASK_AGAIN: &str =
    "UPDATE run_turns SET attempts = attempts + 1, phase = 'asked', model = $4, request = $5, asked_at_ms = $6
    WHERE tenant = $1 AND run = $2 AND turn = $3";
const FAULT: &str = "UPDATE run_turns SET fault = $4, phase = $5
    WHERE tenant = $1 AND run = $2 AND turn = $3 AND phase = 'asked'";
const ANSWER: &str =
    "UPDATE run_turns SET phase = 'answered', calls = $4, input = $5, cached = $6, written = $7,
        output = $8, cost = $9, stop = $10, answered_at_ms = $11
    WHERE tenant = $1 AND run = $2 AND turn = $3 AND phase = 'asked'";
const ACT: &str = "UPDATE run_turns SET phase = 'acted', acted_at_ms = $4
    WHERE tenant = $1 AND run = $2 AND turn = $3 AND phase = 'answered'";

impl Books {
    /// Notes the request of a turn before it is sent: a new turn, or another attempt at the current one. A pending run starts with
    /// it. If a limit of the run is reached, this is its last turn: such a run ends at best as partial.
    pub async fn ask_turn(
        &self,
        lease: &LoopLease,
        turn: u64,
        request: Digest,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "ask a model").await?;
        start(&mut held).await?;
        let text = match held.turn(held.kept.turn).await? {
            Some(current) if turn == held.kept.turn => match current.turn.phase {
                TurnPhase::Asked | TurnPhase::Failed => ASK_AGAIN,
                TurnPhase::Answered | TurnPhase::Acted => return Err(LoopError::Lost),
            },
            current if turn == held.kept.turn + 1 && current.as_ref().is_none_or(|one| one.is_closed()) => {
                ASK
            }
            _ => return Err(LoopError::Lost),
        };
        held.kept.turn = turn;
        note_limit(&mut held).await?;
        write_request(&mut held, text, request).await?;
        held.commit().await.map(drop)
    }

    /// Notes that the model gave no answer. After the last attempt the turn has failed.
    pub async fn fault_turn(
        &self,
        lease: &LoopLease,
        turn: u64,
        fault: &str,
        is_last: bool,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "note the fault of a model").await?;
        let phase = if is_last { TurnPhase::Failed } else { TurnPhase::Asked };
        let (failed, run) = (held.held.failed(), without_nul(held.kept.run.as_str()));
        let note = held.held.tx.sql(FAULT).bind(held.held.tenant).bind(run).bind(stored_count(turn));
        let noted = note.bind(without_nul(fault)).bind(phase.as_str()).execute().await.map_err(failed)?;
        expect_one(noted)?;
        held.commit().await.map(drop)
    }

    /// Keeps the answer with every call that it plans, and charges the run and those above it.
    pub async fn answer_turn(
        &self,
        lease: &LoopLease,
        answered: AnsweredTurn,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "keep the answer of a model").await?;
        write_answer(&mut held, &answered).await?;
        if answered.message.calls().next().is_some() {
            held.note_unclosed(true).await?;
        }
        let AnsweredTurn { turn, message, tokens, usage, cost_micros, stop, duration_ms } = answered;
        let added = held.add(&NewMessage { message, tokens }, turn).await?;
        held.charge(usage, cost_micros, 1).await?;
        let principal = held.held.run().principal.clone();
        let detail = json!({ "model": held.kept.model, "principal": principal, "turn": turn, "input": usage.input, "cached": usage.cached,
            "written": usage.written, "output": usage.output, "cost_micros": cost_micros,
            "duration_ms": duration_ms, "stop": stop, "messages": [added] });
        held.log(EventKind::ModelCalled, detail).await?;
        held.commit().await.map(drop)
    }

    /// Keeps the results of all calls of a turn.
    pub async fn act_turn(
        &self,
        lease: &LoopLease,
        turn: u64,
        messages: Vec<NewMessage>,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "keep the results of a turn").await?;
        let (failed, run) = (held.held.failed(), without_nul(held.kept.run.as_str()));
        let done = held.held.tx.sql(ACT).bind(held.held.tenant).bind(run).bind(stored_count(turn));
        expect_one(done.bind(act.at_ms).execute().await.map_err(failed)?)?;
        held.note_unclosed(false).await?;
        let added = held.add_all(&messages, turn).await?;
        held.log(EventKind::RunMessages, json!({ "turn": turn, "messages": added })).await?;
        held.commit().await.map(drop)
    }
}

/// A turn begins in a run that is running.
async fn start(held: &mut HeldLoop<'_>) -> Result<(), LoopError> {
    let (run, state) = (held.kept.run.clone(), held.held.run().state);
    match state {
        RunState::Running => Ok(()),
        RunState::Pending => Ok(held.held.step(RunState::Running, "").await?),
        RunState::Paused => Err(RunError::Paused { run, question: None }.into()),
        _ => Err(RunError::from(ended(&run, state)).into()),
    }
}

/// Remembers the limit that the run, or one above it, has reached.
async fn note_limit(held: &mut HeldLoop<'_>) -> Result<(), LoopError> {
    if held.held.kept.ran_out_of.is_some() {
        return Ok(());
    }
    let (now_ms, above) = (held.held.act().at_ms, held.held.above().await?);
    let outer = above.iter().map(|kept| &kept.run);
    let limit = std::iter::once(held.held.run()).chain(outer).find_map(|run| run.exhausted(now_ms));
    if let Some(limit) = limit {
        held.held.kept.ran_out_of = Some(limit.to_owned());
        held.held.save_own().await?;
    }
    Ok(())
}

async fn write_request(
    held: &mut HeldLoop<'_>,
    text: &'static str,
    request: Digest,
) -> Result<(), LoopError> {
    let (failed, at_ms) = (held.held.failed(), held.held.act().at_ms);
    let run = without_nul(held.kept.run.as_str());
    let write = held.held.tx.sql(text).bind(held.held.tenant).bind(run).bind(stored_count(held.kept.turn));
    let write = write.bind(held.kept.model.as_str()).bind(request.as_bytes().to_vec()).bind(at_ms);
    Ok(write.execute().await.map(drop).map_err(failed)?)
}

async fn write_answer(held: &mut HeldLoop<'_>, answered: &AnsweredTurn) -> Result<(), LoopError> {
    let (failed, at_ms) = (held.held.failed(), held.held.act().at_ms);
    let calls = u64::try_from(answered.message.calls().count()).unwrap_or(u64::MAX);
    let run = without_nul(held.kept.run.as_str());
    let mut write = held.held.tx.sql(ANSWER).bind(held.held.tenant).bind(run);
    write.push(stored_count(answered.turn));
    write.push(stored_count(calls));
    push_usage(answered.usage, answered.cost_micros, &mut write);
    write.push(answered.stop.as_str());
    write.push(at_ms);
    expect_one(write.execute().await.map_err(failed)?)
}

/// The turn was in the phase that its holder believes.
fn expect_one(rows: u64) -> Result<(), LoopError> {
    match rows {
        1 => Ok(()),
        _ => Err(LoopError::Lost),
    }
}
