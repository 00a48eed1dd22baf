//! One call as a list entry.

use std::sync::Arc;

use toolgate_core::PrincipalId;
use toolgate_core::approval::ApprovalState;
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, Outcome, RecordedEvent};
use toolgate_core::id::{ApprovalId, CallId};

use super::events::CallEvents;
use super::{CallFilter, CallStanding};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallEntry {
    pub id: CallId,
    pub state: CallState,
    /// The caller.
    pub principal: PrincipalId,
    pub about: Arc<EventSubject>,
    pub started_at_ms: i64,
    pub ended_at_ms: Option<i64>,
    pub duration_us: Option<i64>,
    pub decision: Option<DecisionKind>,
    pub approval: Option<ApprovalId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallState {
    /// A person must agree first.
    AwaitingApproval,
    /// Sent to its server, and not answered.
    Dispatched,
    /// The server waits for an answer of the client.
    InputRequired,
    /// Its gateway stopped before it was sent, and it can no longer be approved.
    Abandoned,
    Ended(Outcome),
}

impl CallState {
    pub fn as_str(self) -> &'static str {
        match self {
            CallState::AwaitingApproval => "awaiting_approval",
            CallState::Dispatched => "dispatched",
            CallState::InputRequired => Outcome::InputRequired.as_str(),
            CallState::Abandoned => "abandoned",
            CallState::Ended(outcome) => outcome.as_str(),
        }
    }

    fn stands(self) -> CallStanding {
        match self {
            CallState::AwaitingApproval | CallState::InputRequired => CallStanding::Waiting,
            CallState::Dispatched => CallStanding::Running,
            CallState::Abandoned | CallState::Ended(_) => CallStanding::Ended,
        }
    }
}

impl CallEntry {
    pub(super) fn ended(id: CallId, end: &RecordedEvent, events: CallEvents<'_>) -> Self {
        let event = &end.event;
        let before = event.duration_us.map(|us| event.at_ms - us / 1_000);
        let first = events.first().map(|event| event.at_ms);
        Self {
            id,
            state: CallState::Ended(event.outcome.unwrap_or(Outcome::Unknown)),
            principal: caller(event, events),
            about: Arc::clone(&event.about),
            started_at_ms: before.into_iter().chain(first).min().unwrap_or(event.at_ms),
            ended_at_ms: Some(event.at_ms),
            duration_us: event.duration_us,
            decision: events.decision(),
            approval: event.approval.as_ref().or(events.approval()).cloned(),
        }
    }

    /// A call that has not been sent: it may still be approved, or no longer.
    pub(super) fn unsent(
        id: CallId,
        events: CallEvents<'_>,
        approval: Option<ApprovalState>,
    ) -> Option<Self> {
        let first = events.first()?;
        let may_run = matches!(approval, Some(ApprovalState::Pending | ApprovalState::Approved));
        Some(Self {
            id,
            state: if may_run { CallState::AwaitingApproval } else { CallState::Abandoned },
            principal: events.of_caller().unwrap_or(first).principal.clone(),
            about: Arc::clone(&first.about),
            started_at_ms: first.at_ms,
            ended_at_ms: None,
            duration_us: None,
            decision: events.decision(),
            approval: events.approval().cloned(),
        })
    }

    pub(super) fn stands(&self) -> CallStanding {
        self.state.stands()
    }

    /// True if a call that was found by other means than its own events passes a filter.
    pub(super) fn passes(&self, filter: &CallFilter) -> bool {
        fn fits<T: PartialEq>(wanted: &Option<T>, found: Option<&T>) -> bool {
            wanted.as_ref().is_none_or(|wanted| found == Some(wanted))
        }
        let (events, about) = (&filter.events, &self.about);
        let at_ms = self.ended_at_ms.unwrap_or(self.started_at_ms);
        let outcome = match self.state {
            CallState::Ended(outcome) => Some(outcome),
            _ => None,
        };
        filter.standing.is_none_or(|standing| standing == self.stands())
            && events.from_ms.is_none_or(|from| at_ms >= from)
            && events.until_ms.is_none_or(|until| at_ms < until)
            && fits(&events.principal, Some(&self.principal))
            && fits(&events.session, about.session.as_ref())
            && fits(&events.run, about.run.as_ref())
            && fits(&events.tool, about.tool.as_ref())
            && fits(&events.server, about.server.as_ref())
            && fits(&events.decision, self.decision.as_ref())
            && fits(&events.outcome, outcome.as_ref())
    }
}

/// The gateway ends the calls that a crash left open; it is not their caller.
fn caller(end: &Event, events: CallEvents<'_>) -> PrincipalId {
    debug_assert_eq!(end.kind, EventKind::CallCompleted);
    if end.principal != PrincipalId::gateway() {
        return end.principal.clone();
    }
    events.of_caller().map_or_else(|| end.principal.clone(), |event| event.principal.clone())
}
