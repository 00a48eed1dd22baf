//! Compares two trees. Whatever has the same digest in both is the same and is not read; the rest is opened level by level, from the
//! left, so that a page needs only the nodes up to its last path.

mod leaves;
mod segment;

use std::sync::Arc;

use crate::change::TreeChange;
use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::operation::{NODES_AT_ONCE, NodeInbox, TreeOperation, TreeProgress};
use crate::path::EntryPath;

use self::segment::DiffSegment;

/// Compares two trees. Pages have changes in the order of their paths.
pub struct TreeDiff {
    inbox: NodeInbox,
    after: Option<EntryPath>,
    /// How many changes may still be given.
    changes_left: usize,
    last: Option<EntryPath>,
    /// Changes that were found were left out.
    is_cut: bool,
    /// Stretches of paths that were not compared yet, the first one last.
    segments: Vec<DiffSegment>,
}

/// The end of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiffOutcome {
    /// Set if the limit was reached: a comparison after this path gives the rest.
    pub resume_after: Option<EntryPath>,
}

impl TreeDiff {
    /// Compares everything.
    pub fn new(old: BlobDigest, new: BlobDigest) -> TreeDiff {
        TreeDiff::page(old, new, None, usize::MAX)
    }

    /// Compares paths after `after`, until there are `changes_max` changes.
    pub fn page(old: BlobDigest, new: BlobDigest, after: Option<EntryPath>, changes_max: usize) -> TreeDiff {
        let segments = vec![DiffSegment::of_roots(old, new)];
        TreeDiff {
            inbox: NodeInbox::default(),
            after,
            changes_left: changes_max.max(1),
            last: None,
            is_cut: false,
            segments,
        }
    }

    /// The changes of a segment that has only leaves.
    fn compare(&mut self, segment: &DiffSegment) -> Result<Vec<TreeChange>, TreeError> {
        let old = leaves::open(&segment.old, &mut self.inbox)?;
        let new = leaves::open(&segment.new, &mut self.inbox)?;
        let range = leaves::LeafRange { segment, after: self.after.as_ref() };
        let mut changes = leaves::changes(&old, &new, &range);
        self.is_cut = changes.len() > self.changes_left;
        changes.truncate(self.changes_left);
        self.changes_left -= changes.len();
        if let Some(change) = changes.last() {
            self.last = Some(change.path.clone());
        }
        Ok(changes)
    }
}

impl TreeOperation for TreeDiff {
    type Page = Vec<TreeChange>;
    type Outcome = DiffOutcome;

    fn advance(&mut self) -> Result<TreeProgress<Vec<TreeChange>, DiffOutcome>, TreeError> {
        let is_full = self.changes_left == 0;
        if is_full && (self.is_cut || !self.segments.is_empty()) {
            return Ok(TreeProgress::Done(DiffOutcome { resume_after: self.last.take() }));
        }
        while let Some(mut segment) = self.segments.pop() {
            segment.narrow(self.after.as_ref());
            let Some(top) = segment.top() else { continue };
            if let Some((first, second)) = segment.cut(NODES_AT_ONCE) {
                self.segments.extend([second, first]);
                continue;
            }
            let missing = self.inbox.missing(segment.digests_of(top));
            if !missing.is_empty() {
                self.segments.push(segment);
                return Ok(TreeProgress::Need(missing));
            }
            if !top.is_leaf() {
                segment.open(top, &mut self.inbox)?;
                self.segments.push(segment);
                continue;
            }
            let changes = self.compare(&segment)?;
            if !changes.is_empty() {
                return Ok(TreeProgress::Page(changes));
            }
        }
        Ok(TreeProgress::Done(DiffOutcome { resume_after: None }))
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.inbox.put(digest, bytes)
    }
}
