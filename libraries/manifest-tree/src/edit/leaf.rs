//! The entries of a leaf with its edits applied.

use std::cmp::Ordering;

use crate::change::TreeEdit;
use crate::entry::EntryView;
use crate::error::TreeError;
use crate::node::Node;
use crate::order::compare;
use crate::path::EntryPath;

/// What edits did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct EditTally {
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    pub absent: Vec<EntryPath>,
}

impl EditTally {
    pub(super) fn add(&mut self, other: EditTally) {
        self.added += other.added;
        self.changed += other.changed;
        self.removed += other.removed;
        self.absent.extend(other.absent);
    }
}

/// Gives the entries of `leaf`, changed by `edits`, to `take` in order.
pub(super) fn apply(
    leaf: &Node,
    edits: &[TreeEdit],
    mut take: impl FnMut(&str, &EntryView<'_>) -> Result<(), TreeError>,
) -> Result<EditTally, TreeError> {
    let mut tally = EditTally::default();
    let mut edits = edits.iter().peekable();
    for index in 0..leaf.len() {
        let (path, entry) = (leaf.path(index), leaf.entry(index));
        while let Some(edit) = edits.next_if(|edit| compare(edit.path.as_str(), path).is_lt()) {
            add(edit, &mut tally, &mut take)?;
        }
        let edit = edits.next_if(|edit| compare(edit.path.as_str(), path) == Ordering::Equal);
        match edit.map(|edit| &edit.entry) {
            None => take(path, &entry)?,
            Some(None) => tally.removed += 1,
            Some(Some(new)) => {
                tally.changed += u64::from(new.view() != entry);
                take(path, &new.view())?;
            }
        }
    }
    for edit in edits {
        add(edit, &mut tally, &mut take)?;
    }
    Ok(tally)
}

/// An edit of a path that is not there.
fn add(
    edit: &TreeEdit,
    tally: &mut EditTally,
    take: &mut impl FnMut(&str, &EntryView<'_>) -> Result<(), TreeError>,
) -> Result<(), TreeError> {
    match &edit.entry {
        Some(entry) => {
            tally.added += 1;
            take(edit.path.as_str(), &entry.view())
        }
        None => {
            tally.absent.push(edit.path.clone());
            Ok(())
        }
    }
}
