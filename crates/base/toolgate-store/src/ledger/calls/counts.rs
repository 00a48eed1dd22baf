//! How many of the latest calls that pass a filter have each tool, server, caller, outcome and error.

use std::collections::BTreeMap;

use toolgate_core::PrincipalId;
use toolgate_core::event::{EventFilter, EventKind, EventSubject};

use super::{CALLS_COUNTED_MAX, CallError, CallFilter, CallStanding};
use crate::ledger::read::LedgerOrder;
use crate::{Store, StoreError};

/// Values and the number of calls with each.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallCounts {
    /// The calls that were counted, the latest ones.
    pub calls: usize,
    /// True if there are more, which were not counted.
    pub more: bool,
    pub tools: BTreeMap<String, usize>,
    pub servers: BTreeMap<String, usize>,
    pub principals: BTreeMap<String, usize>,
    /// Outcomes of calls that ended.
    pub outcomes: BTreeMap<String, usize>,
    /// Errors of calls that failed or were refused, as the filter names them.
    pub errors: BTreeMap<String, usize>,
}

impl CallCounts {
    fn add(
        &mut self,
        about: &EventSubject,
        principal: &PrincipalId,
        outcome: Option<&str>,
        error: Option<&str>,
    ) {
        let count = |to: &mut BTreeMap<String, usize>, value: Option<&str>| {
            if let Some(value) = value {
                *to.entry(value.to_owned()).or_default() += 1;
            }
        };
        self.calls += 1;
        count(&mut self.tools, about.tool.as_ref().map(|tool| tool.as_str()));
        count(&mut self.servers, about.server.as_ref().map(|server| server.as_str()));
        count(&mut self.principals, Some(principal.as_str()));
        count(&mut self.outcomes, outcome);
        count(&mut self.errors, error);
    }
}

impl Store {
    /// Counts the latest calls that pass a filter.
    pub async fn count_calls(&self, filter: &CallFilter) -> Result<CallCounts, StoreError> {
        let by_events = filter.text.is_none()
            && filter.approval.is_none()
            && filter.events.decision.is_none()
            && filter.events.call.is_none()
            && filter.standing.is_none_or(|standing| standing == CallStanding::Ended);
        match by_events {
            true => self.count_by_ends(filter).await,
            false => self.count_by_calls(filter).await,
        }
    }

    /// The end of a call has everything that is counted.
    async fn count_by_ends(&self, filter: &CallFilter) -> Result<CallCounts, StoreError> {
        let mut counts = CallCounts::default();
        for call in self.calls_under_way(filter, None, CALLS_COUNTED_MAX).await?.calls {
            counts.add(&call.about, &call.principal, None, None);
        }
        let ends = EventFilter { kind: Some(EventKind::CallCompleted), ..filter.events.clone() };
        let ends = self.ledger_page(&ends, None, CALLS_COUNTED_MAX, LedgerOrder::NewestFirst).await?;
        for end in &ends {
            let outcome = end.event.outcome.map(|outcome| outcome.as_str());
            let error = CallError::name_of(&end.event);
            counts.add(&end.event.about, &end.event.principal, outcome, error.as_deref());
        }
        counts.more = ends.len() == CALLS_COUNTED_MAX;
        Ok(counts)
    }

    /// The calls themselves must be read.
    async fn count_by_calls(&self, filter: &CallFilter) -> Result<CallCounts, StoreError> {
        let mut counts = CallCounts::default();
        let page = self.calls(filter, None, CALLS_COUNTED_MAX).await?;
        for call in &page.calls {
            let outcome = call.ended_at_ms.map(|_| call.state.as_str());
            counts.add(&call.about, &call.principal, outcome, call.error_name().as_deref());
        }
        counts.more = page.next.is_some();
        Ok(counts)
    }
}
