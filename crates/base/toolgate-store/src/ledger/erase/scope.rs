//! The scope of an erasure, and its result.

use toolgate_core::PrincipalId;
use toolgate_core::event::EventFilter;
use toolgate_core::id::{CallId, SessionId};

/// Calls of a principal: all, those of one session, or one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErasureScope {
    pub principal: PrincipalId,
    pub session: Option<SessionId>,
    pub call: Option<CallId>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErasureRequest {
    pub scope: ErasureScope,
    /// The principal that erases.
    pub by: PrincipalId,
    pub reason: Option<String>,
}

/// The result of an erasure, or of looking for what there is to erase.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ErasureReport {
    /// Recorded calls within the scope, whether or not anything was kept of them.
    pub calls: u64,
    pub erased: ErasureCounts,
    /// Bodies of the ledger's first form that calls of other principals name as well. They stay.
    pub shared: u64,
    /// Approvals that are not decided or not used yet. They stay.
    pub open_approvals: u64,
}

/// Numbers of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ErasureCounts {
    /// Arguments and results in the ledger.
    pub bodies: u64,
    /// Parts of results that were taken out of them.
    pub refs: u64,
    /// Results of calls with an id of their client.
    pub results: u64,
    /// Ended approvals, with the arguments that people were shown.
    pub approvals: u64,
    /// Ended grants, and others whose pins were blanked.
    #[serde(default)]
    pub grants: u64,
    /// Messages between the principal's ended runs and their models. Their digests stay.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub messages: u64,
}

/// The events of earlier versions do not have it.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ErasureCounts {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn add(&mut self, more: Self) {
        self.bodies += more.bodies;
        self.refs += more.refs;
        self.results += more.results;
        self.approvals += more.approvals;
        self.grants += more.grants;
        self.messages += more.messages;
    }
}

impl ErasureScope {
    pub(super) fn filter(&self) -> EventFilter {
        EventFilter {
            principal: Some(self.principal.clone()),
            session: self.session.clone(),
            call: self.call.clone(),
            ..EventFilter::default()
        }
    }
}
