//! Finds the root of a changed tree: more levels above if the highest has several nodes now, fewer if it has only one item.

use std::sync::Arc;

use crate::build::{TreeRoot, root_of};
use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::node::Node;
use crate::operation::NodeInbox;
use crate::path::EntryPath;
use crate::writer::{ChildRef, NewNode, NodeWriter};

use super::group::LimbGroup;
use super::level::LevelEditing;
use super::limb::{Limb, LimbBody};

pub(super) struct TopEditing {
    root: ChildRef,
    level: u8,
    /// It is a node that may have only one item: then its child is the root.
    is_unsure: bool,
    /// Nodes that were written and are not part of the tree.
    dropped: Vec<BlobDigest>,
}

impl TopEditing {
    /// Begins with the highest level, which was written. New nodes are added to `nodes`.
    pub(super) fn new(
        editing: LevelEditing,
        old: &Limb,
        nodes: &mut Vec<NewNode>,
    ) -> Result<TopEditing, TreeError> {
        let level = editing.level();
        let sure = |root, level| TopEditing { root, level, is_unsure: false, dropped: Vec::new() };
        let Some(group) = editing.into_top() else { return Ok(sure(unchanged(old)?, level)) };
        if group.items == 0 {
            let (node, root) = NodeWriter::new(0).finish();
            nodes.push(node);
            return Ok(sure(root, 0));
        }
        if let (1, Some(root)) = (group.items, &group.last_item) {
            let level = level - 1;
            return Ok(TopEditing { is_unsure: level > 0, ..sure(root.clone(), level) });
        }
        let LimbGroup { nodes: written, children, .. } = group;
        nodes.extend(written.into_iter().filter(|node| node.digest != old.subtree.digest));
        let (root, level) = rise(children, level, nodes)?;
        Ok(sure(root, level))
    }

    /// Goes down as long as there is only one item; returns the digest of a node that is missing.
    pub(super) fn look(
        &mut self,
        nodes: &[NewNode],
        inbox: &mut NodeInbox,
    ) -> Result<Vec<BlobDigest>, TreeError> {
        while self.is_unsure {
            let digest = self.root.digest;
            let new = nodes.iter().find(|node| node.digest == digest).map(|node| Arc::clone(&node.bytes));
            let Some(raw) = new.or_else(|| inbox.take(&digest)) else {
                return Ok(inbox.missing([digest].iter()));
            };
            let node = Node::read(&raw).map_err(|fault| TreeError::Damaged { digest, fault })?;
            if node.len() == 1 && node.level() > 0 {
                self.dropped.push(digest);
                self.level -= 1;
                let (count, bytes) = node.weight(0);
                let first = EntryPath::of_checked(node.path(0));
                self.root = ChildRef { first, digest: node.digest(0), count, bytes };
            }
            self.is_unsure = node.len() == 1 && self.level > 0;
        }
        Ok(Vec::new())
    }

    /// The root, once it is sure.
    pub(super) fn end(self, nodes: &mut Vec<NewNode>) -> TreeRoot {
        nodes.retain(|node| !self.dropped.contains(&node.digest));
        root_of(&self.root, self.level + 1)
    }
}

/// Writes levels above until one has a single node.
fn rise(
    mut children: Vec<ChildRef>,
    mut level: u8,
    nodes: &mut Vec<NewNode>,
) -> Result<(ChildRef, u8), TreeError> {
    while children.len() > 1 {
        level += 1;
        let mut writer = NodeWriter::new(level);
        let mut parents = Vec::new();
        let mut keep = |(node, child)| {
            nodes.push(node);
            parents.push(child);
        };
        for child in &children {
            writer.child(child)?.into_iter().for_each(&mut keep);
        }
        if writer.items() > 0 {
            keep(writer.finish());
        }
        children = parents;
    }
    Ok((children.swap_remove(0), level))
}

/// The old root.
fn unchanged(old: &Limb) -> Result<ChildRef, TreeError> {
    let (digest, first) = (old.subtree.digest, EntryPath::of_checked(""));
    let (count, bytes) = match &old.body {
        LimbBody::Leaf { raw, .. } => old.subtree.open(raw)?.whole_weight().unwrap_or_default(),
        _ => old
            .children()
            .iter()
            .filter_map(|child| child.subtree.as_child())
            .fold((0, 0), |sum, child| (sum.0 + child.count, sum.1 + child.bytes)),
    };
    Ok(ChildRef { first, digest, count, bytes })
}
