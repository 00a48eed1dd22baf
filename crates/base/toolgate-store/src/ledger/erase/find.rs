//! The bodies that the events of a principal name, as far as they are there.

use std::collections::{BTreeSet, HashSet};

use toolgate_core::Digest;
use toolgate_core::event::{EventFilter, RecordedEvent};

use super::super::read::{LEDGER_PAGE_MAX, LedgerOrder};
use super::super::row;
use super::super::terms::LineFilter;
use super::scope::ErasureScope;
use crate::Store;
use crate::db::SqlStatement;

/// Bodies that are looked up with one statement.
const LOOKED_UP_AT_ONCE: usize = 256;

pub(super) struct FoundBodies {
    /// Calls within the scope.
    pub(super) calls: u64,
    /// Those to erase.
    pub(super) bodies: Vec<Digest>,
    /// Those that other principals need.
    pub(super) shared: u64,
}

impl Store {
    pub(super) async fn find_bodies(&self, scope: &ErasureScope) -> Result<FoundBodies, sqlx::Error> {
        let (mut calls, mut named) = (HashSet::new(), BTreeSet::new());
        let look = |one: RecordedEvent| {
            calls.extend(one.event.about.call.clone());
            named.extend([one.event.input, one.event.output].into_iter().flatten());
        };
        self.each_event(&scope.filter(), look).await?;
        let (mut bodies, mut plain) = (Vec::new(), HashSet::new());
        for some in named.into_iter().collect::<Vec<_>>().chunks(LOOKED_UP_AT_ONCE) {
            for (digest, is_plain) in self.stored_bodies(some).await? {
                bodies.push(digest);
                if is_plain {
                    plain.insert(digest);
                }
            }
        }
        let shared = self.named_by_others(scope, &plain).await?;
        bodies.retain(|digest| !shared.contains(digest));
        Ok(FoundBodies { calls: calls.len() as u64, bodies, shared: shared.len() as u64 })
    }

    /// Those with a row, and whether it is of the first form: then calls of several principals may share it.
    async fn stored_bodies(&self, digests: &[Digest]) -> Result<Vec<(Digest, bool)>, sqlx::Error> {
        let text = with_digests("SELECT digest, salt IS NULL FROM ledger_bodies", digests.len());
        let mut read = self.db.sql(sqlx::AssertSqlSafe(text)).bind(self.tenant);
        push_digests(&mut read, digests);
        let rows: Vec<(Vec<u8>, bool)> = read.fetch_all().await?;
        rows.into_iter().map(|(digest, is_plain)| Ok((row::digest(&digest)?, is_plain))).collect()
    }

    async fn named_by_others(
        &self,
        scope: &ErasureScope,
        plain: &HashSet<Digest>,
    ) -> Result<HashSet<Digest>, sqlx::Error> {
        let mut shared = HashSet::new();
        if plain.is_empty() {
            return Ok(shared);
        }
        let look = |one: RecordedEvent| {
            if one.event.principal != scope.principal {
                let named = [one.event.input, one.event.output].into_iter().flatten();
                shared.extend(named.filter(|digest| plain.contains(digest)));
            }
        };
        self.each_event(&EventFilter::default(), look).await?;
        Ok(shared)
    }

    /// Goes through all lines: an event that a search does not find is erased as well.
    async fn each_event(
        &self,
        filter: &EventFilter,
        mut look: impl FnMut(RecordedEvent),
    ) -> Result<(), sqlx::Error> {
        let (horizon, wanted) = (self.horizon().await?, LineFilter::of(filter).unsearched());
        let mut after = None;
        loop {
            let (order, after_it) = (LedgerOrder::OldestFirst, after.as_ref());
            let page = self.page_wanted(&wanted, after_it, &horizon, LEDGER_PAGE_MAX, order).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.position.clone());
            page.into_iter().for_each(&mut look);
        }
    }
}

/// A statement about bodies of a tenant with `count` digests. Few different texts, so that they stay prepared.
pub(super) fn with_digests(statement: &str, count: usize) -> String {
    let places = (2..2 + count.next_power_of_two()).map(|place| format!("${place}"));
    let places = places.collect::<Vec<_>>().join(", ");
    format!("{statement} WHERE tenant = $1 AND digest IN ({places})")
}

/// As many as the text has places.
pub(super) fn push_digests(to: &mut SqlStatement<'_>, digests: &[Digest]) {
    let Some(last) = digests.last() else { return };
    let padded = digests.iter().chain(std::iter::repeat(last)).take(digests.len().next_power_of_two());
    padded.for_each(|digest| to.push(digest.as_bytes().to_vec()));
}
