//! The bodies that the events of a principal name, as far as they are there.

use std::collections::{BTreeSet, HashSet};

use toolgate_core::Digest;
use toolgate_core::event::{EventFilter, RecordedEvent};

use super::super::read::{LEDGER_PAGE_MAX, LedgerOrder};
use super::super::row;
use super::super::terms::LineFilter;
use super::scope::ErasureScope;
use crate::Store;

/// Bodies that are read with one statement.
const READ_AT_ONCE: i64 = 4_096;
/// No index leads from digests to rows, so all of them are gone through.
const READ: &str = "SELECT place, digest, salt IS NULL FROM ledger_bodies WHERE tenant = $1 AND place > $2 \
     ORDER BY place LIMIT $3";

pub(super) struct FoundBodies {
    /// Calls within the scope.
    pub(super) calls: u64,
    /// The places of those to erase.
    pub(super) bodies: Vec<i64>,
    /// Those that other principals need.
    pub(super) shared: u64,
}

struct ErasableBody {
    place: i64,
    digest: Digest,
    /// True for one of the first form: calls of several principals may share it.
    is_plain: bool,
}

impl Store {
    pub(super) async fn find_bodies(&self, scope: &ErasureScope) -> Result<FoundBodies, sqlx::Error> {
        let (mut calls, mut named) = (HashSet::new(), BTreeSet::new());
        let look = |one: RecordedEvent| {
            calls.extend(one.event.about.call.clone());
            named.extend(one.event.bodies());
        };
        self.each_event(&scope.filter(), look).await?;
        let stored = self.stored_bodies(&named).await?;
        let plain = stored.iter().filter(|body| body.is_plain).map(|body| body.digest).collect();
        let shared = self.named_by_others(scope, &plain).await?;
        let bodies = stored.iter().filter(|body| !shared.contains(&body.digest)).map(|body| body.place);
        Ok(FoundBodies { calls: calls.len() as u64, bodies: bodies.collect(), shared: shared.len() as u64 })
    }

    /// Those of these with a row.
    async fn stored_bodies(&self, named: &BTreeSet<Digest>) -> Result<Vec<ErasableBody>, sqlx::Error> {
        let (mut found, mut after) = (Vec::new(), i64::MIN);
        while !named.is_empty() {
            let read = self.db.sql(READ).bind(self.tenant).bind(after).bind(READ_AT_ONCE);
            let rows: Vec<(i64, Vec<u8>, bool)> = read.fetch_all().await?;
            let Some((last, ..)) = rows.last() else { break };
            after = *last;
            for (place, digest, is_plain) in rows {
                let digest = row::digest(&digest)?;
                if named.contains(&digest) {
                    found.push(ErasableBody { place, digest, is_plain });
                }
            }
        }
        Ok(found)
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
                shared.extend(one.event.bodies().filter(|digest| plain.contains(digest)));
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
