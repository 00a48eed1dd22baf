//! The step with which a loop goes on, from its rows alone.

use toolgate_core::run::{LoopTurn, TurnPhase};

/// The times that a call is made again because its gateway died while it was in progress.
pub(crate) const AGAIN_MAX: usize = 8;
const AGAIN: &str = ".again";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NextStep {
    /// The model is asked in this turn. `attempts` were made in it before.
    Ask { turn: u64, attempts: u64 },
    /// The answer of this turn is stored; its calls are played, and recorded ones are read.
    Act { turn: u64 },
}

/// `turn` is the number of the loop's current turn. A loop that was forked from another has a number and no turn of its own yet.
pub(crate) fn next_step(turn: u64, last: Option<&LoopTurn>) -> NextStep {
    let Some(last) = last else { return NextStep::Ask { turn: turn + 1, attempts: 0 } };
    match last.phase {
        TurnPhase::Asked => NextStep::Ask { turn: last.turn, attempts: last.attempts },
        TurnPhase::Answered => NextStep::Act { turn: last.turn },
        TurnPhase::Acted | TurnPhase::Failed => NextStep::Ask { turn: last.turn + 1, attempts: 0 },
    }
}

/// The id of a call that is made again: the earlier one stays in the records as unknown.
pub(crate) fn again(id: &str, times: usize) -> String {
    format!("{id}{}", AGAIN.repeat(times))
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;
    use toolgate_core::model::{ModelName, ModelUsage};

    use super::*;

    fn turn(phase: TurnPhase) -> LoopTurn {
        LoopTurn {
            turn: 3,
            attempts: 2,
            phase,
            model: ModelName::new("small").expect("a legal name"),
            request: Digest::of(""),
            usage: ModelUsage::default(),
            cost_micros: 0,
            stop: None,
            fault: None,
            asked_at_ms: 0,
            answered_at_ms: None,
            acted_at_ms: None,
        }
    }

    #[test]
    fn a_half_done_turn_goes_on_where_it_stopped() {
        let next = |phase| next_step(3, Some(&turn(phase)));
        assert_eq!(next_step(0, None), NextStep::Ask { turn: 1, attempts: 0 });
        assert_eq!(
            next_step(7, None),
            NextStep::Ask { turn: 8, attempts: 0 },
            "a fork goes on after its turns"
        );
        assert_eq!(next(TurnPhase::Asked), NextStep::Ask { turn: 3, attempts: 2 });
        assert_eq!(next(TurnPhase::Answered), NextStep::Act { turn: 3 });
        assert_eq!(next(TurnPhase::Acted), NextStep::Ask { turn: 4, attempts: 0 });
        assert_eq!(next(TurnPhase::Failed), NextStep::Ask { turn: 4, attempts: 0 });
    }

    #[test]
    fn a_call_that_is_made_again_has_its_own_id() {
        assert_eq!((again("3.1", 0), again("3.1", 2)), ("3.1".to_owned(), "3.1.again.again".to_owned()));
    }
}
