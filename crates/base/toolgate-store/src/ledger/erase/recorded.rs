//! Erasures as the ledger has them.

use std::collections::BTreeMap;

use toolgate_core::PrincipalId;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::id::{CallId, SessionId};

use super::super::read::{LEDGER_PAGE_MAX, LedgerOrder};
use super::scope::ErasureCounts;
use crate::Store;

/// The members of `ledger.erased`.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct RecordedErasure {
    pub(crate) principal: PrincipalId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<CallId>,
    #[serde(flatten)]
    pub(crate) erased: ErasureCounts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The number of events that each stream had. Times do not tell what came before: clocks differ.
    #[serde(default)]
    pub(crate) ends: BTreeMap<String, i64>,
}

impl RecordedErasure {
    /// True if every call of the principal was concerned.
    pub(crate) fn is_of_all_calls(&self) -> bool {
        self.session.is_none() && self.call.is_none()
    }

    /// True if an event was there when this was erased.
    pub(crate) fn reaches(&self, stream: &str, number: i64) -> bool {
        self.ends.get(stream).is_some_and(|end| number <= *end)
    }
}

impl Store {
    /// All erasures so far.
    pub(crate) async fn erasures(&self) -> Result<Vec<RecordedErasure>, sqlx::Error> {
        let filter = EventFilter { kind: Some(EventKind::LedgerErased), ..EventFilter::default() };
        let horizon = self.horizon().await?;
        let (mut erasures, mut after) = (Vec::new(), None);
        loop {
            let (order, after_it) = (LedgerOrder::OldestFirst, after.as_ref());
            let page = self.page(&filter, after_it, &horizon, LEDGER_PAGE_MAX, order).await?;
            let Some(last) = page.last() else { return Ok(erasures) };
            after = Some(last.position.clone());
            erasures.extend(page.iter().filter_map(|one| one.event.detail.as_ref()?.decode().ok()));
        }
    }
}
