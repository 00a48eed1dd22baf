//! Reading the ledger: pages, and all of one call.

use toolgate_core::event::{Durability, EventFilter, RecordedEvent};
use toolgate_core::id::CallId;

use super::append::MINUTE_MS;
use super::row::RecordedRow;
use super::terms::BLOCK;
use super::{filter, terms};
use crate::db::{DbLock, Dialect};
use crate::error::doing;
use crate::{Store, StoreError};

/// The maximum number of events on a page.
pub const LEDGER_PAGE_MAX: usize = 1_000;
/// The maximum number of events shown for one call: a call that waits for its client again and again has
/// many.
const CALL_EVENTS_MAX: usize = 1_000;

/// Blocks that are gone through before and after it has turned out that a page needs more than a few.
const BLOCKS_FIRST: i64 = 4;
const BLOCKS_NEXT: i64 = 32;

const MINUTES: &str =
    "SELECT MIN(first_seq), MAX(last_seq) FROM ledger_minutes WHERE minute >= $1 AND minute <= $2";
pub(super) const LAST_SEQ: &str = "SELECT COALESCE(MAX(seq), 0) FROM ledger_events";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LedgerOrder {
    NewestFirst,
    /// This order can be resumed later: nothing appears behind the last event of a page.
    OldestFirst,
}

impl Store {
    /// The events that pass a filter: those after the event with the number `after`, which is the last of the
    /// page before.
    pub async fn ledger_page(
        &self,
        filter: &EventFilter,
        after: Option<i64>,
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, StoreError> {
        let page = self.page(filter, after, limit.clamp(1, LEDGER_PAGE_MAX), order).await;
        page.map_err(doing("read the ledger"))
    }

    /// All events of one call, oldest first.
    pub async fn ledger_call(&self, call: &CallId) -> Result<Vec<RecordedEvent>, StoreError> {
        let filter = EventFilter { call: Some(call.clone()), ..EventFilter::default() };
        let page = self.page(&filter, None, CALL_EVENTS_MAX, LedgerOrder::OldestFirst).await;
        page.map_err(doing("read a call in the ledger"))
    }

    async fn page(
        &self,
        filter: &EventFilter,
        after: Option<i64>,
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        let Some(mut span) = self.span_of_time(filter).await? else { return Ok(Vec::new()) };
        match (order, after) {
            (LedgerOrder::NewestFirst, Some(after)) => span.last = span.last.min(after.saturating_sub(1)),
            (LedgerOrder::OldestFirst, Some(after)) => span.first = span.first.max(after.saturating_add(1)),
            (_, None) => {}
        }
        if order == LedgerOrder::OldestFirst {
            span.last = span.last.min(self.horizon().await?);
        }
        let terms = terms::wanted(filter);
        if terms.is_empty() {
            return self.events(filter, &[], &span, None, limit, order).await;
        }
        self.events_of_terms(filter, &terms, span, limit, order).await
    }

    /// Goes from one handful of blocks to the next until the page is full.
    async fn events_of_terms(
        &self,
        filter: &EventFilter,
        terms: &[String],
        mut span: SeqRange,
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        let (mut page, mut blocks_at_once) = (Vec::new(), BLOCKS_FIRST);
        while span.first <= span.last && page.len() < limit {
            let blocks = self.blocks(terms, &span, blocks_at_once, order).await?;
            let (Some(low), Some(high)) = (blocks.iter().min(), blocks.iter().max()) else { break };
            let handful = SeqRange { first: *low, last: *high };
            page.extend(self.events(filter, terms, &span, Some(&handful), limit - page.len(), order).await?);
            match order {
                LedgerOrder::NewestFirst => span.last = low * BLOCK - 1,
                LedgerOrder::OldestFirst => span.first = (high + 1) * BLOCK,
            }
            blocks_at_once = BLOCKS_NEXT;
        }
        Ok(page)
    }

    async fn blocks(
        &self,
        terms: &[String],
        span: &SeqRange,
        limit: i64,
        order: LedgerOrder,
    ) -> Result<Vec<i64>, sqlx::Error> {
        let text = filter::blocks_text(terms.len(), order);
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(text));
        statement.push(terms::block(span.first));
        statement.push(terms::block(span.last));
        statement.push(limit);
        terms.iter().for_each(|term| statement.push(term.as_str()));
        Ok(statement.fetch_all::<(i64,)>().await?.into_iter().map(|(block,)| block).collect())
    }

    async fn events(
        &self,
        filter: &EventFilter,
        terms: &[String],
        span: &SeqRange,
        blocks: Option<&SeqRange>,
        limit: usize,
        order: LedgerOrder,
    ) -> Result<Vec<RecordedEvent>, sqlx::Error> {
        let text = filter::page_text(self.db.dialect(), filter, terms.len(), order);
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(text));
        statement.push(span.first);
        statement.push(span.last);
        statement.push(i64::try_from(limit).expect("a page is limited"));
        if let Some(blocks) = blocks {
            statement.push(blocks.first);
            statement.push(blocks.last);
        }
        terms.iter().for_each(|term| statement.push(term.as_str()));
        filter::push(&mut statement, filter);
        Ok(statement.fetch_all::<RecordedRow>().await?.into_iter().map(|row| row.0).collect())
    }

    /// The range of numbers that contains the events of the requested time; it may contain others.
    pub(super) async fn span_of_time(&self, filter: &EventFilter) -> Result<Option<SeqRange>, sqlx::Error> {
        if filter.from_ms.is_none() && filter.until_ms.is_none() {
            return Ok(Some(SeqRange { first: 0, last: i64::MAX }));
        }
        let minute = |ms: i64| ms.div_euclid(MINUTE_MS);
        let from = filter.from_ms.map_or(i64::MIN, minute);
        let until = filter.until_ms.map_or(i64::MAX, |until| minute(until.saturating_sub(1)));
        let (first, last) = self.db.sql(MINUTES).bind(from).bind(until).fetch_one().await?;
        let (first, last): (Option<i64>, Option<i64>) = (first, last);
        Ok(first.zip(last).map(|(first, last)| SeqRange { first, last }))
    }

    /// The number up to which no event can still appear.
    ///
    /// On Postgres, writers of different streams draw numbers at the same time and commit in any order. Each
    /// holds a shared lock meanwhile; a transaction that gets it exclusively knows that none of them is in
    /// progress.
    pub(super) async fn horizon(&self) -> Result<i64, sqlx::Error> {
        if self.db.dialect() == Dialect::Sqlite {
            return Ok(i64::MAX);
        }
        let mut tx = self.db.begin(Durability::Written).await?;
        tx.alone(DbLock::LedgerNumbers).await?;
        let (last,): (i64,) = tx.sql(LAST_SEQ).fetch_one().await?;
        tx.commit().await?;
        Ok(last)
    }
}

pub(super) struct SeqRange {
    pub(super) first: i64,
    pub(super) last: i64,
}
