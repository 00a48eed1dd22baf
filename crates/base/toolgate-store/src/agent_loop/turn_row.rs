//! One turn as columns.

use toolgate_core::Digest;
use toolgate_core::model::StopReason;
use toolgate_core::run::{LoopTurn, TurnPhase};

use super::row::{read_model, read_usage};
use crate::StoreError;
use crate::registry::{read_count, unreadable};
use crate::row::row;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT turn, attempts, phase, model, request, calls, input, cached, written, output, cost, stop, fault, \
             asked_at_ms, answered_at_ms, acted_at_ms FROM run_turns WHERE tenant = $1 AND run = $2",
            $conditions
        )
    };
}

pub(super) const READ: &str = select!(" AND turn = $3");
pub(super) const PAGE: &str = select!(" AND turn > $3 ORDER BY turn LIMIT $4");

/// A turn with the number of calls that its answer plans.
pub(super) struct StoredTurn {
    pub(super) turn: LoopTurn,
    pub(super) calls: u64,
}

impl StoredTurn {
    /// True if the history is valid after it: every call that was planned has its result.
    pub(super) fn is_closed(&self) -> bool {
        match self.turn.phase {
            TurnPhase::Acted | TurnPhase::Failed => true,
            TurnPhase::Answered => self.calls == 0,
            TurnPhase::Asked => false,
        }
    }
}

row! {
    pub(super) struct TurnRow {
        turn: i64,
        attempts: i64,
        phase: String,
        model: String,
        request: Vec<u8>,
        calls: i64,
        input: i64,
        cached: i64,
        written: i64,
        output: i64,
        cost: i64,
        stop: Option<String>,
        fault: Option<String>,
        asked_at_ms: i64,
        answered_at_ms: Option<i64>,
        acted_at_ms: Option<i64>,
    }
}

impl TurnRow {
    pub(super) fn read(self, doing: &'static str) -> Result<StoredTurn, StoreError> {
        let request = <[u8; 32]>::try_from(self.request);
        let stop = self
            .stop
            .as_deref()
            .map(|stop| StopReason::parse(stop).ok_or(unreadable(doing, "end of an answer")));
        let turn = LoopTurn {
            turn: read_count(self.turn),
            attempts: read_count(self.attempts),
            phase: TurnPhase::parse(&self.phase).ok_or(unreadable(doing, "phase of a turn"))?,
            model: read_model(&self.model, doing)?,
            request: Digest::from_bytes(request.map_err(|_| unreadable(doing, "digest of a request"))?),
            usage: read_usage([self.input, self.cached, self.written, self.output]),
            cost_micros: read_count(self.cost),
            stop: stop.transpose()?,
            fault: self.fault,
            asked_at_ms: self.asked_at_ms,
            answered_at_ms: self.answered_at_ms,
            acted_at_ms: self.acted_at_ms,
        };
        Ok(StoredTurn { turn, calls: read_count(self.calls) })
    }
}
