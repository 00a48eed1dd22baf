//! One collection, from its roots to its end.

use toolgate_core::{Digest, Refusal, codes};
use toolgate_store::{Actor, CollectionTerms, CollectionTurn, MarkKind, RemovalStep, UnreachedRows};

use crate::refusal;
use crate::state::Substrate;

/// Rows that one transaction removes.
const REMOVED_AT_ONCE: u16 = 500;
/// The number of times that manifests which came meanwhile are marked, before the rest is left for the next collection.
const ROUNDS_MAX: u32 = 100;
/// The digests of each kind that a summary names.
const FIRST_MAX: u16 = 20;

/// The two ways to collect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectionMode {
    /// Says what would be removed.
    DryRun,
    Remove,
}

/// The rows of one kind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectedRows {
    pub count: u64,
    pub bytes: u64,
    /// The first of them.
    pub first: Vec<Digest>,
}

/// The result of a collection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectionSummary {
    pub manifests: CollectedRows,
    pub nodes: CollectedRows,
    pub artifacts: CollectedRows,
    /// False if something is left for the next collection, because manifests came faster than they were marked.
    pub is_complete: bool,
}

impl CollectedRows {
    fn add(&mut self, rows: UnreachedRows) {
        self.count += rows.count;
        self.bytes = self.bytes.saturating_add(rows.bytes);
        let room = usize::from(FIRST_MAX).saturating_sub(self.first.len());
        self.first.extend(rows.first.into_iter().take(room));
    }
}

impl CollectionSummary {
    fn of(&mut self, kind: MarkKind) -> &mut CollectedRows {
        match kind {
            MarkKind::Manifest => &mut self.manifests,
            MarkKind::Node => &mut self.nodes,
            MarkKind::Artifact => &mut self.artifacts,
        }
    }

    /// True if nothing was removed, or would be.
    pub fn is_empty(&self) -> bool {
        self.manifests.count + self.nodes.count + self.artifacts.count == 0
    }
}

impl Substrate {
    /// Removes manifests, nodes and artifacts that nothing reaches, or says what would be removed. Bytes of artifacts follow with the
    /// next collection of files. A collection that ends half way has removed some of what nothing reaches, and nothing else.
    pub async fn collect(&self, by: &Actor, mode: CollectionMode) -> Result<CollectionSummary, Refusal> {
        let Some(_only) = self.collection.enter() else { return Err(under_way()) };
        let terms = self.collection.settings.terms(self.clock.now_ms());
        let turn = self.store.begin_collection(&terms).await.map_err(refusal::down)?;
        let Some(turn) = turn else { return Err(under_way()) };
        let collected = self.collect_in(&turn, &terms, by, mode).await;
        if let Err(error) = self.store.end_collection(&turn).await {
            tracing::warn!(%error, "a collection is over, and others wait until its time is over as well");
        }
        collected
    }

    async fn collect_in(
        &self,
        turn: &CollectionTurn,
        terms: &CollectionTerms,
        by: &Actor,
        mode: CollectionMode,
    ) -> Result<CollectionSummary, Refusal> {
        self.mark_roots(turn).await?;
        let mut summary = CollectionSummary { is_complete: true, ..CollectionSummary::default() };
        for kind in MarkKind::ALL {
            match mode {
                CollectionMode::DryRun => {
                    let rows = self.store.unreached(turn, terms, kind, FIRST_MAX).await;
                    summary.of(kind).add(rows.map_err(refusal::down)?);
                }
                CollectionMode::Remove => {
                    let is_whole = self.remove(turn, terms, by, kind, summary.of(kind)).await?;
                    summary.is_complete &= is_whole;
                }
            }
        }
        Ok(summary)
    }

    /// Removes everything of one kind that nothing reaches. False if something is left.
    async fn remove(
        &self,
        turn: &CollectionTurn,
        terms: &CollectionTerms,
        by: &Actor,
        kind: MarkKind,
        removed: &mut CollectedRows,
    ) -> Result<bool, Refusal> {
        let (mut after, mut rounds) = (None, 0);
        loop {
            self.keep_turn(turn).await?;
            let step = self.books.remove_unreached(turn, terms, kind, after, REMOVED_AT_ONCE, by).await;
            match step.map_err(refusal::down)? {
                RemovalStep::Removed(rows, next) => {
                    removed.add(rows);
                    match next {
                        Some(next) => after = Some(next),
                        None => return Ok(true),
                    }
                }
                RemovalStep::Unmarked if rounds == ROUNDS_MAX => return Ok(false),
                RemovalStep::Unmarked => {
                    rounds += 1;
                    self.mark_new_roots(turn, terms).await?;
                }
            }
        }
    }

    /// Marks what manifests that came meanwhile reach.
    async fn mark_new_roots(&self, turn: &CollectionTurn, terms: &CollectionTerms) -> Result<(), Refusal> {
        match self.store.note_new_roots(turn, terms).await.map_err(refusal::down)? {
            true => self.mark_roots(turn).await,
            false => Err(under_way()),
        }
    }

    /// Goes on, unless another gateway took the turn because this one was silent for too long.
    pub(super) async fn keep_turn(&self, turn: &CollectionTurn) -> Result<(), Refusal> {
        let is_kept = self.store.renew_collection(turn, self.clock.now_ms()).await.map_err(refusal::down)?;
        if is_kept { Ok(()) } else { Err(under_way()) }
    }
}

fn under_way() -> Refusal {
    Refusal::new(&codes::COLLECTION_UNDER_WAY, "another collection is under way")
}
