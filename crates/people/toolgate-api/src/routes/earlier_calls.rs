//! The earlier calls, for approvers: in the same run or, without one, in the same session.

use toolgate_core::event::EventFilter;
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_store::CallFilter;

use super::calls::CallView;
use crate::ApiContext;
use crate::problem::ApiResult;

/// The maximum number of earlier calls.
const BEFORE_MAX: usize = 10;

/// The moment and the place that a person was asked at.
pub(super) struct AskedAt<'a> {
    pub(super) run: Option<&'a RunId>,
    pub(super) session: Option<&'a SessionId>,
    /// The call that asks. It is not before itself.
    pub(super) call: Option<&'a CallId>,
    pub(super) at_ms: i64,
}

impl AskedAt<'_> {
    /// Newest first; empty if the call has neither run nor session.
    pub(super) async fn before(&self, context: &ApiContext) -> ApiResult<Vec<CallView>> {
        if self.run.is_none() && self.session.is_none() {
            return Ok(Vec::new());
        }
        let events = EventFilter {
            run: self.run.cloned(),
            session: self.session.filter(|_| self.run.is_none()).cloned(),
            until_ms: Some(self.at_ms.saturating_add(1)),
            ..EventFilter::default()
        };
        let filter = CallFilter { events, ..CallFilter::default() };
        // One more than is returned, for the asking call itself.
        let page = context.store.calls(&filter, None, BEFORE_MAX + 1).await?;
        let others = page.calls.into_iter().filter(|call| Some(&call.id) != self.call);
        Ok(others.take(BEFORE_MAX).map(CallView::from).collect())
    }
}
