//! One call as a list entry.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use toolgate_core::PrincipalId;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, Outcome, RecordedEvent};
use toolgate_core::id::{ApprovalId, CallId};

use super::events::CallEvents;
use super::{CallFilter, CallStanding};
use crate::ledger::failure;

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
    /// Of a call that was told to wait for its approval.
    pub asked: Option<AskedApproval>,
    /// Why a call failed or was refused.
    pub error: Option<CallError>,
}

/// What became of an approval.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AskedApproval {
    pub state: ApprovalState,
    /// The call that ran under it.
    pub used_by: Option<CallId>,
}

impl AskedApproval {
    pub(super) fn of(approval: &Approval) -> Self {
        Self { state: approval.state, used_by: approval.used_by.clone() }
    }
}

/// The error of a call, as the ledger has it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallError {
    pub code: Option<String>,
    pub message: Option<String>,
}

impl CallError {
    fn of(end: &Event) -> Option<Self> {
        let detail: Value = end.detail.as_ref()?.decode().ok()?;
        let word = |value: &Value| value.as_str().map(str::to_owned);
        let message = word(&detail["message"]).or_else(|| word(&detail["error"]["message"]));
        let error = Self { code: word(&detail["code"]), message };
        (error != Self::default()).then_some(error)
    }

    /// The error as filters name it.
    pub(super) fn name_of(end: &Event) -> Option<String> {
        let code = Self::of(end).and_then(|error| error.code).map(Cow::Owned);
        failure::named(end.outcome.unwrap_or(Outcome::Unknown), code).map(Cow::into_owned)
    }
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
            asked: None,
            error: CallError::of(event),
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
            asked: None,
            error: None,
        })
    }

    /// Its client was told that people must approve first.
    pub(super) fn was_told_to_wait(&self) -> bool {
        self.state == CallState::Ended(Outcome::PendingApproval)
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
            && (events.outcomes.is_empty() || outcome.is_some_and(|one| events.outcomes.contains(&one)))
            && events.error.as_deref().is_none_or(|wanted| self.error_name().as_deref() == Some(wanted))
    }

    /// The error as filters name it.
    pub(super) fn error_name(&self) -> Option<Cow<'_, str>> {
        let CallState::Ended(outcome) = self.state else { return None };
        let code = self.error.as_ref().and_then(|error| error.code.as_deref());
        failure::named(outcome, code.map(Cow::Borrowed))
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
