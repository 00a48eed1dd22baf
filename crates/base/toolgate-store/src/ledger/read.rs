//! Reading the ledger: pages in the order of all streams, and all of one call.
//!
//! The events of each stream lie in the order of their time, so a page is merged from all of them. A reader's
//! horizon is the committed heads; what is committed later lies beyond them, in each stream, whatever its
//! time. `Position` says how reading goes on without missing it.

mod merge;

use std::sync::Arc;

use toolgate_core::event::{EventFilter, Position, RecordedEvent};
use toolgate_core::id::CallId;

use super::scan::Horizon;
use super::terms::LineFilter;
use crate::error::doing;
use crate::{Store, StoreError};
use merge::Merge;

/// The maximum number of events on a page.
pub const LEDGER_PAGE_MAX: usize = 1_000;
/// The maximum number of events shown for one call: a call that waits for its client again and again has
/// many.
const CALL_EVENTS_MAX: usize = 1_000;
/// Streams in a position, beside its own: those that were written last.
const POSITION_STREAMS_MAX: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LedgerOrder {
    NewestFirst,
    /// This order can be resumed later: nothing is missed after the position of an event.
    OldestFirst,
}

impl Store {
    /// The events that pass a filter, after the position of the last event of the page before.
    pub async fn ledger_page(
        &self,
        filter: &EventFilter,
        after: Option<&Position>,
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, StoreError> {
        let page = async {
            let horizon = self.horizon().await?;
            self.page(filter, after, &horizon, limit.clamp(1, LEDGER_PAGE_MAX), order).await
        };
        page.await.map_err(doing("read the ledger"))
    }

    /// All events of one call, oldest first.
    pub async fn ledger_call(&self, call: &CallId) -> Result<Vec<RecordedEvent>, StoreError> {
        let filter = EventFilter { call: Some(call.clone()), ..EventFilter::default() };
        let page = async {
            let horizon = self.horizon().await?;
            self.page(&filter, None, &horizon, CALL_EVENTS_MAX, LedgerOrder::OldestFirst).await
        };
        page.await.map_err(doing("read a call in the ledger"))
    }

    /// After all events that are committed now.
    pub async fn ledger_end(&self) -> Result<Position, StoreError> {
        self.horizon().await.map(|horizon| end(&horizon)).map_err(doing("find the end of the ledger"))
    }

    /// True if a position was given out by this ledger.
    pub async fn has_position(&self, position: &Position) -> Result<bool, StoreError> {
        let horizon = self.horizon().await.map_err(doing("look for a position in the ledger"))?;
        let is_known = |stream: &str, number: i64| {
            number == 0 || horizon.iter().any(|head| *head.stream == *stream && number <= head.number)
        };
        Ok(position.streams().all(|(stream, number)| is_known(stream, number)))
    }

    /// The same within a horizon.
    pub(super) async fn page(
        &self,
        filter: &EventFilter,
        after: Option<&Position>,
        horizon: &[Horizon],
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        self.page_wanted(&LineFilter::of(filter), after, horizon, limit, order).await
    }

    /// The same for a filter of lines.
    pub(super) async fn page_wanted(
        &self,
        wanted: &LineFilter,
        after: Option<&Position>,
        horizon: &[Horizon],
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        let mut merge = Merge::new(self, wanted, after, horizon, order);
        let mut page = Vec::new();
        while page.len() < limit {
            let Some(next) = merge.next(limit - page.len()).await? else { break };
            page.push(next);
        }
        Ok(page)
    }
}

/// After all events up to a horizon.
pub(super) fn end(horizon: &[Horizon]) -> Position {
    let Some(last) = horizon.iter().max_by_key(|head| (head.time, &head.stream)) else {
        return Position::start();
    };
    let others = horizon.iter().filter(|head| head.stream != last.stream);
    position(last.time, &last.stream, last.number, others.map(|head| (head, head.number)).collect())
}

/// The position of an event, with other streams and the numbers up to which they were read.
fn position(
    time: toolgate_core::event::HybridTime,
    stream: &Arc<str>,
    number: i64,
    mut others: Vec<(&Horizon, i64)>,
) -> Position {
    if others.len() > POSITION_STREAMS_MAX {
        others.sort_unstable_by_key(|(head, _)| std::cmp::Reverse(head.time));
        others.truncate(POSITION_STREAMS_MAX);
    }
    let others = others.into_iter().map(|(head, number)| (Arc::clone(&head.stream), number)).collect();
    Position::new(time, Arc::clone(stream), number, others)
}
