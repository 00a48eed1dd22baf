//! The life of an application, and who may take it from one state to the next.
//!
//! `submitting` is written before the click. From there on the application may have been sent, so nothing but the word of whoever
//! clicked, or of a person, leads to another state, and nothing leads back to `pending` by itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ApplicationState::{
    Confirmed, Failed, Leased, NeedsPerson, Pending, SubmittedUnconfirmed, Submitting, Withdrawn,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApplicationState {
    /// Nobody has it; nothing was sent.
    Pending,
    /// One run has it; nothing was sent.
    Leased,
    /// The run is about to send it, or has sent it.
    Submitting,
    /// It was sent; the site did not say that it arrived.
    SubmittedUnconfirmed,
    /// It was sent, and the site said so.
    Confirmed,
    /// It was not sent, and it is known that it was not.
    Failed,
    /// A person must look: it may or may not have been sent, or only a person can go on.
    NeedsPerson,
    /// Taken back, or not wanted.
    Withdrawn,
}

/// The tool, or the passing of time, that changes a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveCause {
    /// `get_pending_jobs`.
    Lease,
    /// A lease that ran out, or whose run has ended.
    LeaseEnd,
    /// `update_application_status`.
    Update,
    /// `record_application`: a report of what happened, so it is taken also where `submitting` was left out.
    Record,
    /// `withdraw`.
    Withdraw,
    /// `resolve_application`, by a person.
    Resolve,
}

pub const ALL_STATES: [ApplicationState; 8] =
    [Pending, Leased, Submitting, SubmittedUnconfirmed, Confirmed, Failed, NeedsPerson, Withdrawn];

impl ApplicationState {
    pub fn as_str(self) -> &'static str {
        match self {
            Pending => "pending",
            Leased => "leased",
            Submitting => "submitting",
            SubmittedUnconfirmed => "submitted_unconfirmed",
            Confirmed => "confirmed",
            Failed => "failed",
            NeedsPerson => "needs_person",
            Withdrawn => "withdrawn",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        ALL_STATES.into_iter().find(|state| state.as_str() == word)
    }

    /// A run has it, until its lease runs out.
    pub fn is_held(self) -> bool {
        matches!(self, Leased | Submitting)
    }

    /// The states that may follow by this cause.
    pub fn next(self, by: MoveCause) -> &'static [ApplicationState] {
        match (by, self) {
            (MoveCause::Lease, Pending) => &[Leased],
            (MoveCause::LeaseEnd, Leased) => &[Pending],
            (MoveCause::LeaseEnd, Submitting) => &[NeedsPerson],
            (MoveCause::Update, Leased) => &[Submitting, Pending, Failed, NeedsPerson],
            (MoveCause::Update, Submitting) => &[SubmittedUnconfirmed, Confirmed, Failed, NeedsPerson],
            (MoveCause::Update, SubmittedUnconfirmed) => &[Confirmed, Failed, NeedsPerson],
            (MoveCause::Record, Pending) => &[SubmittedUnconfirmed, Confirmed],
            (MoveCause::Record, Leased | Submitting | SubmittedUnconfirmed | NeedsPerson) => {
                &[SubmittedUnconfirmed, Confirmed, Failed, NeedsPerson]
            }
            (MoveCause::Record, Confirmed) => &[Confirmed],
            (MoveCause::Record, Failed) => &[Failed],
            (
                MoveCause::Withdraw,
                Pending | Leased | SubmittedUnconfirmed | Confirmed | Failed | NeedsPerson,
            ) => &[Withdrawn],
            (MoveCause::Resolve, NeedsPerson) => &[Confirmed, Failed, Pending],
            (MoveCause::Resolve, SubmittedUnconfirmed) => &[Confirmed, Failed],
            (MoveCause::Resolve, Failed) => &[Pending],
            _ => &[],
        }
    }

    pub fn may_become(self, to: ApplicationState, by: MoveCause) -> bool {
        self.next(by).contains(&to)
    }
}

impl std::fmt::Display for ApplicationState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl MoveCause {
    /// The word of the event.
    pub fn as_str(self) -> &'static str {
        match self {
            MoveCause::Lease => "leased",
            MoveCause::LeaseEnd => "lease_ended",
            MoveCause::Update => "updated",
            MoveCause::Record => "recorded",
            MoveCause::Withdraw => "withdrawn",
            MoveCause::Resolve => "resolved",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUSES: [MoveCause; 6] = [
        MoveCause::Lease,
        MoveCause::LeaseEnd,
        MoveCause::Update,
        MoveCause::Record,
        MoveCause::Withdraw,
        MoveCause::Resolve,
    ];

    #[test]
    fn every_word_leads_back_to_its_state() {
        for state in ALL_STATES {
            assert_eq!(ApplicationState::parse(state.as_str()), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        assert_eq!(ApplicationState::parse("sent"), None);
    }

    /// Once it may have been sent, only a person makes it pending again.
    #[test]
    fn nothing_that_may_have_been_sent_becomes_pending_by_itself() {
        for state in [Submitting, SubmittedUnconfirmed, Confirmed, NeedsPerson, Failed, Withdrawn] {
            for by in CAUSES.into_iter().filter(|by| *by != MoveCause::Resolve) {
                assert!(!state.may_become(Pending, by), "{state} by {by:?}");
            }
        }
        assert!(!SubmittedUnconfirmed.may_become(Pending, MoveCause::Resolve));
        assert!(!Confirmed.may_become(Pending, MoveCause::Resolve));
    }

    #[test]
    fn submitting_is_reached_from_a_lease_alone() {
        for state in ALL_STATES {
            for by in CAUSES {
                let expected = state == Leased && by == MoveCause::Update;
                assert_eq!(state.may_become(Submitting, by), expected, "{state} by {by:?}");
            }
        }
    }

    #[test]
    fn what_is_withdrawn_stays_so_and_what_is_being_sent_cannot_be_withdrawn() {
        for by in CAUSES {
            assert!(Withdrawn.next(by).is_empty());
        }
        assert!(Submitting.next(MoveCause::Withdraw).is_empty());
    }
}
