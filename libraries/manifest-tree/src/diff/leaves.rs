//! Compares the entries of leaves.

use std::cmp::Ordering;

use crate::change::TreeChange;
use crate::entry::EntryView;
use crate::error::TreeError;
use crate::node::Node;
use crate::operation::NodeInbox;
use crate::order::compare;
use crate::path::EntryPath;
use crate::subtree::Subtree;

use super::segment::DiffSegment;

/// The paths to be compared.
pub(super) struct LeafRange<'a> {
    pub segment: &'a DiffSegment,
    pub after: Option<&'a EntryPath>,
}

/// A place among the entries of some leaves.
struct LeafCursor<'a> {
    nodes: &'a [Node],
    node: usize,
    index: usize,
}

pub(super) fn open(leaves: &[Subtree], inbox: &mut NodeInbox) -> Result<Vec<Node>, TreeError> {
    let open = |leaf: &Subtree| inbox.take_once(&leaf.digest).and_then(|raw| leaf.open(&raw));
    leaves.iter().map(open).collect()
}

pub(super) fn changes(old: &[Node], new: &[Node], range: &LeafRange<'_>) -> Vec<TreeChange> {
    let mut changes = Vec::new();
    let (mut old, mut new) = (LeafCursor::new(old), LeafCursor::new(new));
    loop {
        let order = match (old.path(), new.path()) {
            (None, None) => return changes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => compare(old, new),
        };
        let left = if order.is_le() { Some(&old) } else { None };
        let right = if order.is_ge() { Some(&new) } else { None };
        changes.extend(change(left, right, range));
        if order.is_le() {
            old.move_on();
        }
        if order.is_ge() {
            new.move_on();
        }
    }
}

/// The change at one path, if there is one within the range.
fn change(
    old: Option<&LeafCursor<'_>>,
    new: Option<&LeafCursor<'_>>,
    range: &LeafRange<'_>,
) -> Option<TreeChange> {
    let path = old.or(new)?.path()?;
    if let (Some(old), Some(new)) = (old, new)
        && old.entry() == new.entry()
    {
        return None;
    }
    if !range.has(path) {
        return None;
    }
    let entry = |side: &LeafCursor<'_>| side.entry().to_entry();
    Some(TreeChange { path: EntryPath::of_checked(path), old: old.map(entry), new: new.map(entry) })
}

impl LeafRange<'_> {
    fn has(&self, path: &str) -> bool {
        let is_below = |bound: &EntryPath| compare(path, bound.as_str()).is_lt();
        !self.segment.low.as_ref().is_some_and(is_below)
            && self.segment.high.as_ref().is_none_or(is_below)
            && self.after.is_none_or(|after| compare(path, after.as_str()).is_gt())
    }
}

impl<'a> LeafCursor<'a> {
    fn new(nodes: &'a [Node]) -> LeafCursor<'a> {
        LeafCursor { nodes, node: 0, index: 0 }
    }

    fn path(&self) -> Option<&'a str> {
        Some(self.nodes.get(self.node)?.path(self.index))
    }

    fn entry(&self) -> EntryView<'a> {
        self.nodes[self.node].entry(self.index)
    }

    fn move_on(&mut self) {
        self.index += 1;
        if self.index == self.nodes[self.node].len() {
            (self.node, self.index) = (self.node + 1, 0);
        }
    }
}
