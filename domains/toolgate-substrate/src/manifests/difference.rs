//! Differences of manifests: a page, a summary, or all of it as lines of JSON.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures_util::{Stream, stream};
use manifest_tree::{BlobDigest, EntryPath, TreeChange, TreeChangeKind, TreeDiff};
use parking_lot::Mutex;
use serde::Serialize;
use toolgate_core::Refusal;
use toolgate_core::substrate::ManifestDigest;

use crate::limits::{GLANCE_CHANGES_MAX, REF_CHANGES_MAX, SUMMARY_CHANGES_MAX};
use crate::nodes::TreeStep;
use crate::refusal;
use crate::state::Substrate;

/// A difference in numbers, with its first paths.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DifferenceSummary {
    pub added: u64,
    pub removed: u64,
    /// Paths that name other bytes.
    pub changed: u64,
    /// Paths that name the same bytes, with other metadata.
    pub metadata_changed: u64,
    pub bytes_added: u64,
    pub bytes_removed: u64,
    pub first: Vec<ChangedPath>,
    /// False if there are more changes than are counted.
    pub complete: bool,
}

/// A path whose entry differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedPath {
    pub path: EntryPath,
    pub kind: TreeChangeKind,
    pub old_bytes: Option<u64>,
    pub new_bytes: Option<u64>,
}

impl DifferenceSummary {
    fn count(&mut self, change: &TreeChange, first_paths: usize) {
        let kind = change.kind();
        *match kind {
            TreeChangeKind::Added => &mut self.added,
            TreeChangeKind::Removed => &mut self.removed,
            TreeChangeKind::Content => &mut self.changed,
            TreeChangeKind::Metadata => &mut self.metadata_changed,
        } += 1;
        let bytes = |entry: &Option<manifest_tree::TreeEntry>| entry.as_ref().map(|entry| entry.bytes);
        let (old_bytes, new_bytes) = (bytes(&change.old), bytes(&change.new));
        if kind != TreeChangeKind::Metadata {
            self.bytes_added = self.bytes_added.saturating_add(new_bytes.unwrap_or(0));
            self.bytes_removed = self.bytes_removed.saturating_add(old_bytes.unwrap_or(0));
        }
        if self.first.len() < first_paths {
            self.first.push(ChangedPath { path: change.path.clone(), kind, old_bytes, new_bytes });
        }
    }
}

/// The progress of a difference that is written as lines.
#[derive(Default)]
pub(super) struct LinesReport {
    pub(super) changes: AtomicU64,
    /// The reason why the lines ended early.
    pub(super) failure: Mutex<Option<Refusal>>,
}

impl Substrate {
    /// The numbers of a difference and its first paths. Without an old manifest everything is added.
    pub async fn summarize_difference(
        &self,
        old: Option<ManifestDigest>,
        new: ManifestDigest,
        first_paths: usize,
    ) -> Result<DifferenceSummary, Refusal> {
        self.summarize(old, new, first_paths, SUMMARY_CHANGES_MAX).await
    }

    /// The same numbers, soon: a large difference is not counted to its end.
    pub async fn glance_at_difference(
        &self,
        old: Option<ManifestDigest>,
        new: ManifestDigest,
    ) -> Result<DifferenceSummary, Refusal> {
        self.summarize(old, new, 0, GLANCE_CHANGES_MAX).await
    }

    async fn summarize(
        &self,
        old: Option<ManifestDigest>,
        new: ManifestDigest,
        first_paths: usize,
        changes_max: usize,
    ) -> Result<DifferenceSummary, Refusal> {
        let old = match old {
            Some(old) => self.manifest(old).await?.root,
            None => self.empty.digest,
        };
        let new = self.manifest(new).await?.root;
        let mut summary = DifferenceSummary::default();
        let mut diff = TreeDiff::page(old, new, None, changes_max);
        let count = |page: Vec<TreeChange>| page.iter().for_each(|change| summary.count(change, first_paths));
        let outcome = self.drive(&mut diff, count).await?;
        summary.complete = outcome.resume_after.is_none();
        Ok(summary)
    }

    /// A page of changes after a path, and the path after which there are more.
    pub(super) async fn changes(
        &self,
        (old, new): (BlobDigest, BlobDigest),
        after: Option<EntryPath>,
        changes_max: usize,
    ) -> Result<(Vec<TreeChange>, Option<EntryPath>), Refusal> {
        let mut changes = Vec::new();
        let mut diff = TreeDiff::page(old, new, after, changes_max);
        let outcome = self.drive(&mut diff, |page| changes.extend(page)).await?;
        Ok((changes, outcome.resume_after))
    }

    /// All changes, a line of JSON each.
    pub(super) fn change_lines<'a, T: Serialize + 'a>(
        &'a self,
        (old, new): (BlobDigest, BlobDigest),
        report: Arc<LinesReport>,
        output: impl Fn(&TreeChange) -> T + Copy + Send + 'a,
    ) -> impl Stream<Item = Result<Bytes, Refusal>> + Send + 'a {
        let diff = TreeDiff::page(old, new, None, REF_CHANGES_MAX);
        stream::try_unfold((diff, report), move |(mut diff, report)| async move {
            let changes = match self.next_changes(&mut diff).await {
                Ok(Some(changes)) => changes,
                Ok(None) => return Ok(None),
                Err(refusal) => {
                    *report.failure.lock() = Some(refusal.clone());
                    return Err(refusal);
                }
            };
            report.changes.fetch_add(changes.len() as u64, Ordering::Relaxed);
            let mut lines = Vec::new();
            for change in &changes {
                let line = serde_json::to_vec(&output(change)).expect("our own types are JSON");
                lines.extend_from_slice(&line);
                lines.push(b'\n');
            }
            Ok(Some((Bytes::from(lines), (diff, report))))
        })
    }

    async fn next_changes(&self, diff: &mut TreeDiff) -> Result<Option<Vec<TreeChange>>, Refusal> {
        match self.step(diff).await? {
            TreeStep::Page(changes) => Ok(Some(changes)),
            TreeStep::Done(outcome) if outcome.resume_after.is_some() => {
                Err(refusal::too_many_changes(REF_CHANGES_MAX))
            }
            TreeStep::Done(_) => Ok(None),
        }
    }
}
