//! The failure of a delivery.

use std::time::Duration;

/// The reason of a failed attempt.
#[derive(Debug)]
pub(crate) struct DeliveryFailure {
    pub(crate) why: String,
    pub(crate) kind: FailureKind,
    pub(crate) retry_after: Option<Duration>,
    /// The number of events in the attempt.
    pub(crate) events: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailureKind {
    /// It may work next time.
    Temporary,
    /// The receiver will not have these events.
    Refused,
}

impl DeliveryFailure {
    pub(crate) fn temporary(why: String) -> Self {
        Self { why, kind: FailureKind::Temporary, retry_after: None, events: 1 }
    }

    pub(crate) fn refused(why: String) -> Self {
        Self { kind: FailureKind::Refused, ..Self::temporary(why) }
    }

    pub(crate) fn retry_after(mut self, retry_after: Option<Duration>) -> Self {
        self.retry_after = retry_after;
        self
    }

    pub(crate) fn of(mut self, events: usize) -> Self {
        self.events = events;
        self
    }
}
