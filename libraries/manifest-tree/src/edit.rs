//! Changes a tree. Only nodes on the way to a change are read and written, and those after it up to the next place where an old and a
//! new node end together. The outcome is the very tree that would be built of the changed set.
//!
//! The nodes on the way are read level by level, downwards (`limb.rs`). Then each level is written again where it changed, upwards
//! (`group.rs`), and the root is found (`top.rs`).

mod group;
mod leaf;
mod level;
mod limb;
mod top;

use std::sync::Arc;

use crate::build::TreeRoot;
use crate::change::TreeEdit;
use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::operation::{NodeInbox, TreeOperation, TreeProgress};
use crate::path::EntryPath;
use crate::writer::NewNode;

use self::leaf::EditTally;
use self::level::LevelEditing;
use self::limb::Limb;
use self::top::TopEditing;

/// Applies edits to a tree. Pages have new nodes, children before their parents.
pub struct TreeEditing {
    inbox: NodeInbox,
    edits: Vec<TreeEdit>,
    root: Limb,
    stage: EditStage,
    tally: EditTally,
    nodes: Vec<NewNode>,
}

/// The tree that edits led to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EditOutcome {
    pub root: TreeRoot,
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// Paths that were to be removed and are not there.
    pub absent: Vec<EntryPath>,
}

enum EditStage {
    /// Nodes on the way to changes are read.
    Reading,
    /// A level is written.
    Writing(LevelEditing),
    /// The root is looked for.
    Ending(TopEditing),
    /// The nodes were given.
    Ended(TreeRoot),
}

impl TreeEditing {
    /// Prepares edits in any order. A path that comes twice is refused.
    pub fn new(root: BlobDigest, mut edits: Vec<TreeEdit>) -> Result<TreeEditing, TreeError> {
        edits.sort_by(|left, right| left.path.cmp(&right.path));
        if let Some(pair) = edits.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(TreeError::Duplicate { path: pair[0].path.clone() });
        }
        Ok(TreeEditing {
            inbox: NodeInbox::default(),
            edits,
            root: Limb::root(root),
            stage: EditStage::Reading,
            tally: EditTally::default(),
            nodes: Vec::new(),
        })
    }

    /// Reads on the way to changes; returns the digests of nodes that are missing.
    fn read(&mut self) -> Result<Vec<BlobDigest>, TreeError> {
        let mut needed = Vec::new();
        self.root.read_towards(&self.edits, 0, &mut self.inbox, &mut needed)?;
        Ok(self.inbox.missing(needed.iter()))
    }

    /// Goes on after the level that was written: to the next one, or to the root.
    fn rise(&mut self, mut level: LevelEditing) -> Result<EditStage, TreeError> {
        self.tally.add(level.take_tally());
        if level.is_top() {
            return Ok(EditStage::Ending(TopEditing::new(level, &self.root, &mut self.nodes)?));
        }
        self.nodes.extend(level.settle(&mut self.root));
        Ok(EditStage::Writing(level.above(&self.root, &self.edits)?))
    }

    fn outcome(&mut self, root: TreeRoot) -> EditOutcome {
        let EditTally { added, changed, removed, absent } = std::mem::take(&mut self.tally);
        EditOutcome { root, added, changed, removed, absent }
    }
}

impl TreeOperation for TreeEditing {
    type Page = Vec<NewNode>;
    type Outcome = EditOutcome;

    fn advance(&mut self) -> Result<TreeProgress<Vec<NewNode>, EditOutcome>, TreeError> {
        loop {
            let missing = match &mut self.stage {
                EditStage::Reading => self.read()?,
                EditStage::Writing(level) => level.write(&mut self.root, &self.edits, &mut self.inbox)?,
                EditStage::Ending(top) => top.look(&self.nodes, &mut self.inbox)?,
                EditStage::Ended(root) => {
                    let root = *root;
                    return Ok(TreeProgress::Done(self.outcome(root)));
                }
            };
            if !missing.is_empty() {
                return Ok(TreeProgress::Need(missing));
            }
            self.stage = match std::mem::replace(&mut self.stage, EditStage::Reading) {
                EditStage::Reading => EditStage::Writing(LevelEditing::of_leaves(&self.root, &self.edits)?),
                EditStage::Writing(level) => self.rise(level)?,
                EditStage::Ending(top) => {
                    self.stage = EditStage::Ended(top.end(&mut self.nodes));
                    return Ok(TreeProgress::Page(std::mem::take(&mut self.nodes)));
                }
                ended @ EditStage::Ended(_) => ended,
            };
        }
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.inbox.put(digest, bytes)
    }
}
