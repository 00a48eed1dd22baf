//! Erasures as the ledger has them.

use toolgate_core::PrincipalId;
use toolgate_core::event::{EventFilter, EventKind, HybridTime};
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
}

impl RecordedErasure {
    /// True if every call of the principal was concerned.
    pub(crate) fn is_of_all_calls(&self) -> bool {
        self.session.is_none() && self.call.is_none()
    }
}

impl Store {
    /// All erasures so far, each with its time.
    pub(crate) async fn erasures(&self) -> Result<Vec<(HybridTime, RecordedErasure)>, sqlx::Error> {
        let filter = EventFilter { kind: Some(EventKind::LedgerErased), ..EventFilter::default() };
        let horizon = self.horizon().await?;
        let (mut erasures, mut after) = (Vec::new(), None);
        loop {
            let (order, after_it) = (LedgerOrder::OldestFirst, after.as_ref());
            let page = self.page(&filter, after_it, &horizon, LEDGER_PAGE_MAX, order).await?;
            let Some(last) = page.last() else { return Ok(erasures) };
            after = Some(last.position.clone());
            let read = page.iter().filter_map(|one| {
                let detail = one.event.detail.as_ref()?.decode().ok()?;
                Some((one.time, detail))
            });
            erasures.extend(read);
        }
    }
}
