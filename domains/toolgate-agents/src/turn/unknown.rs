//! Calls that may have had their effect: the gateway that made them died before it wrote down their results.

use toolgate_core::run::{CallSafety, PlannedCall, PlayedOutcome};

use super::calls::{SentCalls, send};
use crate::actions::{self, OutcomeWord};
use crate::error::DriveError;
use crate::held::{LeasedLoop, LoopPace};
use crate::resume::{AGAIN_MAX, again};

/// The end of a call whose outcome was unknown.
pub(super) enum UnknownEnd {
    Outcome(PlayedOutcome),
    Stops(LoopPace),
}

/// Makes the call again if that is harmless or if a person says so. The earlier one stays in the records as unknown.
pub(super) async fn resolve(held: &mut LeasedLoop, call: &PlannedCall) -> Result<UnknownEnd, DriveError> {
    for times in 1..=AGAIN_MAX {
        if held.desk.player.safety(&held.run, call).await == CallSafety::Once {
            match actions::outcome_of(held, &again(&call.id, times - 1), &call.name).await? {
                OutcomeWord::Again => {}
                OutcomeWord::Happened => return Ok(happened()),
                OutcomeWord::Stops(pace) => return Ok(UnknownEnd::Stops(pace)),
            }
        }
        let repeated = PlannedCall { id: again(&call.id, times), ..call.clone() };
        let played = match send(held, vec![repeated]).await {
            SentCalls::Played(played) => played,
            SentCalls::Halted => return Ok(UnknownEnd::Stops(held.halted())),
            SentCalls::Refused(refusal) => {
                return actions::not_played(held, &refusal).await.map(UnknownEnd::Stops);
            }
        };
        match played.into_iter().next().map_or(PlayedOutcome::NotNow, |played| played.outcome) {
            PlayedOutcome::Unknown => {}
            outcome => return Ok(UnknownEnd::Outcome(outcome)),
        }
    }
    let text =
        format!("This call was begun {AGAIN_MAX} times and never came to an end. It may have taken effect.");
    Ok(UnknownEnd::Outcome(PlayedOutcome::Ended { text, is_error: true }))
}

fn happened() -> UnknownEnd {
    let text = "The gateway was interrupted during this call. A person says that it took effect; its result is not known.";
    UnknownEnd::Outcome(PlayedOutcome::Ended { text: text.to_owned(), is_error: false })
}
