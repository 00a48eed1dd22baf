//! An answer that is stored with all calls that it plans.

use toolgate_core::model::{ModelCall, StopReason};

use super::{calls, close};
use crate::error::DriveError;
use crate::held::{LeasedLoop, LoopPace};

/// A turn whose answer is stored. It is read from the rows, so that a gateway which takes it up has no more and no less.
pub(super) struct StoredAnswer<'a> {
    held: &'a mut LeasedLoop,
    turn: u64,
    text: String,
    calls: Vec<ModelCall>,
    stop: StopReason,
}

impl<'a> StoredAnswer<'a> {
    pub(super) fn read(held: &'a mut LeasedLoop, turn: u64) -> Result<Self, DriveError> {
        // An answer without its message was written by nobody who had the lease.
        let answer = held.history.answer_of(turn).ok_or(DriveError::Lost)?;
        let text = answer.message.text();
        let calls = answer.message.calls().cloned().collect();
        let stop = held.last_turn.as_ref().and_then(|turn| turn.stop).unwrap_or(StopReason::Other);
        Ok(Self { held, turn, text, calls, stop })
    }

    /// Makes its calls, or ends the run with its words.
    pub(super) async fn act(self) -> Result<LoopPace, DriveError> {
        let Self { held, turn, text, calls, stop } = self;
        if !held.is_running() {
            return Ok(LoopPace::Rests);
        }
        if held.history.closes(turn) {
            return close::close_partly(held, &text).await;
        }
        match calls.is_empty() {
            true => Box::pin(close::close(held, turn, &text, stop)).await,
            false => Box::pin(calls::play(held, turn, calls)).await,
        }
    }
}
