//! Merges two trees that come from a common one, path by path. The outcome is the edits that bring *theirs* into *ours*, and the
//! conflicts, at which *ours* stays.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::change::{TreeChange, TreeEdit};
use crate::diff::TreeDiff;
use crate::digest::BlobDigest;
use crate::entry::TreeEntry;
use crate::error::TreeError;
use crate::operation::{TreeOperation, TreeProgress};
use crate::order::is_inside;
use crate::path::EntryPath;

/// Merges two trees.
pub struct TreeMerge {
    ours: MergeSide,
    theirs: MergeSide,
    changes_max: usize,
}

/// The outcome of a merge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MergeOutcome {
    /// The edits of *ours*, in order.
    pub edits: Vec<TreeEdit>,
    /// In the order of their paths.
    pub conflicts: Vec<MergeConflict>,
}

/// A path that both sides changed, each in its own way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MergeConflict {
    pub path: EntryPath,
    pub base: Option<TreeEntry>,
    pub ours: Option<TreeEntry>,
    pub theirs: Option<TreeEntry>,
    /// Set if *ours* has a file where *theirs* has a folder, or the other way round: the path on our side.
    pub file_and_folder: Option<EntryPath>,
}

struct MergeSide {
    diff: TreeDiff,
    changes: Vec<TreeChange>,
    is_done: bool,
}

impl TreeMerge {
    /// Merges `theirs` into `ours`, unless one of them has more than `changes_max` changes since `base`.
    pub fn new(base: BlobDigest, ours: BlobDigest, theirs: BlobDigest, changes_max: usize) -> TreeMerge {
        let side = |tip| {
            let diff = TreeDiff::page(base, tip, None, changes_max.saturating_add(1));
            MergeSide { diff, changes: Vec::new(), is_done: false }
        };
        TreeMerge { ours: side(ours), theirs: side(theirs), changes_max }
    }
}

impl MergeSide {
    /// Goes on until nodes are needed, which are returned, or to the end.
    fn advance(&mut self, changes_max: usize) -> Result<Vec<BlobDigest>, TreeError> {
        while !self.is_done {
            match self.diff.advance()? {
                TreeProgress::Need(digests) => return Ok(digests),
                TreeProgress::Page(changes) => self.changes.extend(changes),
                TreeProgress::Done(_) => self.is_done = true,
            }
            if self.changes.len() > changes_max {
                return Err(TreeError::TooManyChanges { max: changes_max });
            }
        }
        Ok(Vec::new())
    }
}

impl TreeOperation for TreeMerge {
    type Page = MergeOutcome;
    type Outcome = MergeOutcome;

    fn advance(&mut self) -> Result<TreeProgress<MergeOutcome, MergeOutcome>, TreeError> {
        let mut needed = self.ours.advance(self.changes_max)?;
        needed.extend(self.theirs.advance(self.changes_max)?);
        if self.ours.is_done && self.theirs.is_done {
            let changes = (std::mem::take(&mut self.ours.changes), std::mem::take(&mut self.theirs.changes));
            return Ok(TreeProgress::Done(merge(&changes.0, changes.1)));
        }
        needed.sort();
        needed.dedup();
        Ok(TreeProgress::Need(needed))
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.ours.diff.supply(digest, Arc::clone(&bytes))?;
        self.theirs.diff.supply(digest, bytes)
    }
}

/// Merges the changes of both sides, which are in order.
fn merge(ours: &[TreeChange], theirs: Vec<TreeChange>) -> MergeOutcome {
    let mut outcome = MergeOutcome::default();
    let mut at = 0;
    for change in theirs {
        while ours.get(at).is_some_and(|our| our.path < change.path) {
            at += 1;
        }
        let our = ours.get(at).filter(|our| our.path == change.path);
        let across = if change.new.is_some() { across(ours, at, &change.path) } else { None };
        match (our, across) {
            (Some(our), _) if our.new == change.new => {}
            (None, None) => outcome.edits.push(TreeEdit { path: change.path, entry: change.new }),
            (our, across) => outcome.conflicts.push(MergeConflict {
                base: change.old.clone(),
                ours: our.map_or(change.old, |our| our.new.clone()),
                theirs: change.new,
                path: change.path,
                file_and_folder: across,
            }),
        }
    }
    outcome
}

/// A path of ours that was put and is a folder of `path`, or lies in a folder that is called so. Ours at `at` and later are not
/// before `path`.
fn across(ours: &[TreeChange], at: usize, path: &EntryPath) -> Option<EntryPath> {
    let put = |change: &&TreeChange| change.new.is_some();
    let inside = ours[at..].iter().take_while(|our| {
        our.path.cmp(path) == Ordering::Equal || is_inside(path.as_str(), our.path.as_str())
    });
    if let Some(our) = inside.filter(put).find(|our| our.path != *path) {
        return Some(our.path.clone());
    }
    let folders =
        path.as_str().match_indices('/').map(|(end, _)| EntryPath::of_checked(&path.as_str()[..end]));
    let mut ours_put = folders.filter_map(|folder| {
        let found = ours[..at].binary_search_by(|our| our.path.cmp(&folder)).ok()?;
        ours[found].new.is_some().then_some(folder)
    });
    ours_put.next()
}
