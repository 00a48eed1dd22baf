//! The wish of a listener: kinds of events, all of them or those of one run.

use toolgate_core::Role;
use toolgate_core::event::{EventFilter, EventKind, Outcome};
use toolgate_core::id::RunId;

use super::{EventKinds, FeedEvent};

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StreamFilter {
    kinds: EventKinds,
    /// Only the events of this run, up to its end.
    pub(super) run: Option<RunId>,
    /// Excludes events with this outcome.
    without: Option<Outcome>,
}

impl StreamFilter {
    pub(crate) fn all(kinds: EventKinds) -> Self {
        Self { kinds, run: None, without: None }
    }

    /// Agents do not get policy decisions: these would reveal tools that do not exist for them.
    pub(crate) fn run(run: RunId, role: Role) -> Self {
        let without = (role == Role::Agent).then_some(Outcome::Denied);
        Self { kinds: EventKinds::of_run(role), run: Some(run), without }
    }

    /// The filter for the ledger; the rest is dropped afterwards.
    pub(super) fn filter(&self) -> EventFilter {
        EventFilter { run: self.run.clone(), ..EventFilter::default() }
    }

    pub(super) fn wants(&self, told: &FeedEvent) -> bool {
        self.kinds.contains(told.kind)
            && (self.without.is_none() || told.outcome != self.without)
            && self.is_about(told)
    }

    /// True if nothing is sent after this event.
    pub(super) fn ends_with(&self, told: &FeedEvent) -> bool {
        told.kind == EventKind::RunEnded && self.run.is_some() && self.is_about(told)
    }

    fn is_about(&self, told: &FeedEvent) -> bool {
        self.run.is_none() || self.run == told.run
    }
}
