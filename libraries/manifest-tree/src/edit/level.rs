//! Writes one level again where it changed.

use std::collections::VecDeque;

use crate::change::TreeEdit;
use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::operation::NodeInbox;
use crate::order::is_inside;
use crate::path::EntryPath;
use crate::writer::{NewNode, NodeWriter};

use super::group::LimbGroup;
use super::leaf::EditTally;
use super::limb::{Limb, LimbBody, LimbPath, NextLimb};

pub(super) struct LevelEditing {
    level: u8,
    /// How far below the root it is.
    depth: usize,
    /// In the order of their paths.
    groups: Vec<LimbGroup>,
    /// Limbs that have to be read before all groups can be closed.
    unread: Vec<LimbPath>,
    /// A writer for the next group.
    spare: Option<NodeWriter>,
}

impl LevelEditing {
    pub(super) fn of_leaves(root: &Limb, edits: &[TreeEdit]) -> Result<LevelEditing, TreeError> {
        let depth = root.height();
        let has_edits = |limb: &Limb| matches!(&limb.body, LimbBody::Leaf { edits, .. } if !edits.is_empty());
        LevelEditing::new(0, depth, root, edits, root.paths(depth, &has_edits))
    }

    /// The level above, once this one is settled.
    pub(super) fn above(&self, root: &Limb, edits: &[TreeEdit]) -> Result<LevelEditing, TreeError> {
        let depth = self.depth - 1;
        let has_changes = |limb: &Limb| limb.children().iter().any(|child| child.replaced_by.is_some());
        LevelEditing::new(self.level + 1, depth, root, edits, root.paths(depth, &has_changes))
    }

    /// Begins with every limb that changed as a group of its own.
    fn new(
        level: u8,
        depth: usize,
        root: &Limb,
        edits: &[TreeEdit],
        changed: Vec<LimbPath>,
    ) -> Result<LevelEditing, TreeError> {
        let mut editing = LevelEditing { level, depth, groups: Vec::new(), unread: Vec::new(), spare: None };
        for path in changed {
            let writer = editing.spare.take().unwrap_or_else(|| NodeWriter::new(level));
            let mut group = LimbGroup::new(writer);
            group.take_in(root, path, edits)?;
            if group.is_at_boundary() {
                editing.spare = group.close();
            }
            editing.groups.push(group);
        }
        Ok(editing)
    }

    pub(super) fn level(&self) -> u8 {
        self.level
    }

    pub(super) fn is_top(&self) -> bool {
        self.depth == 0
    }

    pub(super) fn take_tally(&mut self) -> EditTally {
        let mut tally = EditTally::default();
        self.groups.iter_mut().for_each(|group| tally.add(std::mem::take(&mut group.tally)));
        tally
    }

    /// The group of the root, if this is the highest level and it changed.
    pub(super) fn into_top(self) -> Option<LimbGroup> {
        self.groups.into_iter().next()
    }

    /// Goes on until all groups are closed; returns the digests of nodes that are missing.
    pub(super) fn write(
        &mut self,
        root: &mut Limb,
        edits: &[TreeEdit],
        inbox: &mut NodeInbox,
    ) -> Result<Vec<BlobDigest>, TreeError> {
        for path in std::mem::take(&mut self.unread) {
            let limb = root.at_mut(&path);
            // Two groups may have asked for the same.
            if let (LimbBody::Unread, Some(raw)) = (&limb.body, inbox.take(&limb.subtree.digest)) {
                limb.read(raw, 0..0)?;
            }
        }
        let mut waiting = VecDeque::from(std::mem::take(&mut self.groups));
        while let Some(group) = waiting.pop_front() {
            let group = self.extend(group, root, edits, &mut waiting)?;
            self.groups.push(group);
        }
        let digests: Vec<BlobDigest> = self.unread.iter().map(|path| root.at(path).subtree.digest).collect();
        if digests.is_empty() && self.level == 0 {
            self.check_neighbours(root)?;
        }
        Ok(inbox.missing(digests.iter()))
    }

    /// Takes in the limbs after a group until it can be closed, or until one has to be read. Groups that it reaches become part of it.
    fn extend(
        &mut self,
        mut group: LimbGroup,
        root: &Limb,
        edits: &[TreeEdit],
        waiting: &mut VecDeque<LimbGroup>,
    ) -> Result<LimbGroup, TreeError> {
        while group.writer.is_some() {
            if group.is_at_boundary() {
                self.spare = group.close();
                break;
            }
            match root.next(group.members.last().map_or(&[], Vec::as_slice)) {
                NextLimb::End => self.spare = group.close(),
                NextLimb::Unread(path) => {
                    self.unread.push(path);
                    break;
                }
                NextLimb::At(path) if waiting.front().is_some_and(|next| next.members[0] == path) => {
                    let next = waiting.pop_front().map(|next| next.members).unwrap_or_default();
                    next.into_iter().try_for_each(|member| group.take_in(root, member, edits))?;
                }
                NextLimb::At(path) => group.take_in(root, path, edits)?,
            }
        }
        Ok(group)
    }

    /// Checks that no last path of a group is the folder of the path after it. Before a group nothing has to be checked: a file there
    /// would have been the folder of the limb's old first path.
    fn check_neighbours(&self, root: &Limb) -> Result<(), TreeError> {
        let mut open: Option<(&EntryPath, Option<&EntryPath>)> = None;
        for group in &self.groups {
            let (Some(start), Some(end)) = (group.members.first(), group.members.last()) else { continue };
            let (start, end) = (&root.at(start).subtree, &root.at(end).subtree);
            if let Some((last, next)) = open {
                let follows = next == start.first();
                match group.children.first() {
                    Some(child) if follows => check_pair(last, Some(&child.first))?,
                    None if follows => {
                        open = Some((last, end.upper()));
                        continue;
                    }
                    _ => check_pair(last, next)?,
                }
            }
            open = group.last.as_ref().map(|last| (last, end.upper()));
        }
        open.map_or(Ok(()), |(last, next)| check_pair(last, next))
    }

    /// Puts the groups' nodes in the places of their members, and returns the nodes that are new.
    pub(super) fn settle(&mut self, root: &mut Limb) -> Vec<NewNode> {
        let mut nodes = Vec::new();
        for group in self.groups.drain(..) {
            let old: Vec<BlobDigest> =
                group.members.iter().map(|path| root.at(path).subtree.digest).collect();
            if group.children.iter().map(|child| &child.digest).eq(&old) {
                continue;
            }
            nodes.extend(group.nodes.into_iter().filter(|node| !old.contains(&node.digest)));
            let mut children = Some(group.children);
            for path in &group.members {
                root.at_mut(path).replaced_by = Some(children.take().unwrap_or_default());
            }
        }
        nodes
    }
}

fn check_pair(file: &EntryPath, next: Option<&EntryPath>) -> Result<(), TreeError> {
    match next {
        Some(next) if is_inside(file.as_str(), next.as_str()) => {
            Err(TreeError::FileAndFolder { file: file.clone(), below: next.clone() })
        }
        _ => Ok(()),
    }
}
