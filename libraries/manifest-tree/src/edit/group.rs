//! Neighbours of one level that are written again together. A group begins where an old node begins, and is closed when it ends
//! where an old node ends.

use crate::change::TreeEdit;
use crate::error::TreeError;
use crate::path::EntryPath;
use crate::writer::{ChildRef, NewNode, NodeWriter};

use super::leaf::{self, EditTally};
use super::limb::{Limb, LimbBody, LimbPath};

pub(super) struct LimbGroup {
    /// The limbs that it replaces, in order.
    pub members: Vec<LimbPath>,
    pub nodes: Vec<NewNode>,
    /// The new nodes as their parent has them.
    pub children: Vec<ChildRef>,
    pub tally: EditTally,
    /// The number of items that were written, and the last of them if they are nodes.
    pub items: usize,
    pub last_item: Option<ChildRef>,
    /// The last path, once the group is closed.
    pub last: Option<EntryPath>,
    /// Absent once the group is closed.
    pub writer: Option<NodeWriter>,
}

impl LimbGroup {
    pub(super) fn new(writer: NodeWriter) -> LimbGroup {
        LimbGroup {
            members: Vec::new(),
            nodes: Vec::new(),
            children: Vec::new(),
            tally: EditTally::default(),
            items: 0,
            last_item: None,
            last: None,
            writer: Some(writer),
        }
    }

    /// Writes the items of one more limb.
    pub(super) fn take_in(
        &mut self,
        root: &Limb,
        path: LimbPath,
        edits: &[TreeEdit],
    ) -> Result<(), TreeError> {
        let limb = root.at(&path);
        match &limb.body {
            LimbBody::Leaf { raw, edits: range } => {
                let node = limb.subtree.open(raw)?;
                let tally = leaf::apply(&node, &edits[range.clone()], |path, entry| {
                    self.items += 1;
                    let writer = self.writer.as_mut().expect("an open group has a writer");
                    let ended = writer.entry(path, entry)?;
                    self.keep(ended);
                    Ok(())
                })?;
                self.tally.add(tally);
            }
            LimbBody::Inner(children) => children.iter().try_for_each(|child| self.take_child(child))?,
            LimbBody::Unread => unreachable!("limbs of a group were read"),
        }
        self.members.push(path);
        Ok(())
    }

    /// Returns true if the last node has ended, so that whatever follows begins a new one.
    pub(super) fn is_at_boundary(&self) -> bool {
        self.writer.as_ref().is_none_or(|writer| writer.items() == 0)
    }

    /// Ends the group and gives its writer back. A node that was begun ends, as the last of its level.
    pub(super) fn close(&mut self) -> Option<NodeWriter> {
        let mut writer = self.writer.take()?;
        if writer.items() > 0 {
            let ended = writer.finish();
            self.keep(Some(ended));
        }
        self.last = (self.items > 0).then(|| EntryPath::of_checked(writer.last()));
        writer.reset();
        Some(writer)
    }

    fn take_child(&mut self, child: &Limb) -> Result<(), TreeError> {
        let own = child.subtree.as_child().into_iter();
        let items: Vec<ChildRef> = child.replaced_by.clone().unwrap_or_else(|| own.collect());
        for item in items {
            self.items += 1;
            let writer = self.writer.as_mut().expect("an open group has a writer");
            let ended = writer.child(&item)?;
            self.keep(ended);
            self.last_item = Some(item);
        }
        Ok(())
    }

    fn keep(&mut self, ended: Option<(NewNode, ChildRef)>) {
        if let Some((node, child)) = ended {
            self.nodes.push(node);
            self.children.push(child);
        }
    }
}
