//! One turn as typed steps: ready, asked, answered, acted. Each step is made by the one before it, or read from the rows that it left.

mod act;
mod ask;
mod calls;
mod close;
mod ended;
mod fold;
mod prepare;
mod unknown;

use act::StoredAnswer;
use ask::{AskedTurn, TurnReply};
use prepare::{Preparation, ReadyTurn};

use crate::error::DriveError;
use crate::held::{LeasedLoop, LoopPace};
use crate::resume::{NextStep, next_step};

/// Takes a loop one step on, from where its rows stand.
pub(crate) async fn take_turn(held: &mut LeasedLoop) -> Result<LoopPace, DriveError> {
    if held.run.state.is_final() {
        return Box::pin(ended::close(held)).await;
    }
    if !held.is_running() {
        return Ok(LoopPace::Rests);
    }
    match next_step(held.agent_loop.turn, held.last_turn.as_ref()) {
        NextStep::Act { turn } => Box::pin(StoredAnswer::read(held, turn)?.act()).await,
        NextStep::Ask { turn, attempts } => Box::pin(ask_and_act(held, turn, attempts)).await,
    }
}

async fn ask_and_act(held: &mut LeasedLoop, turn: u64, attempts: u64) -> Result<LoopPace, DriveError> {
    let ready = match Box::pin(ReadyTurn::prepare(held, turn, attempts)).await? {
        Preparation::Ready(ready) => ready,
        Preparation::Stops(pace) => return Ok(pace),
    };
    let asked = match Box::pin(AskedTurn::ask(ready)).await? {
        Ok(asked) => asked,
        Err(pace) => return Ok(pace),
    };
    match Box::pin(asked.hear()).await? {
        TurnReply::Answered(answer) => Box::pin(answer.act()).await,
        TurnReply::Stops(pace) => Ok(pace),
    }
}
