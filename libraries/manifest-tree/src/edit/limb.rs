//! The part of a tree that an edit has read.

use std::ops::Range;
use std::sync::Arc;

use crate::change::TreeEdit;
use crate::digest::BlobDigest;
use crate::error::TreeError;
use crate::operation::NodeInbox;
use crate::subtree::Subtree;
use crate::writer::ChildRef;

/// The way from the root to a limb: the index at each level.
pub(super) type LimbPath = Vec<usize>;

/// A subtree, as far as it was read and changed.
pub(super) struct Limb {
    pub subtree: Subtree,
    pub body: LimbBody,
    /// The nodes in its place, if it was changed.
    pub replaced_by: Option<Vec<ChildRef>>,
}

pub(super) enum LimbBody {
    Unread,
    /// The bytes of a leaf, checked when they are used, and the edits of its paths.
    Leaf {
        raw: Arc<[u8]>,
        edits: Range<usize>,
    },
    Inner(Vec<Limb>),
}

/// The limb after another one of the same level.
pub(super) enum NextLimb {
    /// There is none.
    End,
    /// This one has to be read first.
    Unread(LimbPath),
    At(LimbPath),
}

impl Limb {
    pub(super) fn root(digest: BlobDigest) -> Limb {
        Limb::unread(Subtree::root(digest))
    }

    fn unread(subtree: Subtree) -> Limb {
        Limb { subtree, body: LimbBody::Unread, replaced_by: None }
    }

    /// Takes the bytes of its node. `edits` are those of its paths, if it is a leaf.
    pub(super) fn read(&mut self, raw: Arc<[u8]>, edits: Range<usize>) -> Result<(), TreeError> {
        self.body = if self.subtree.level() == Some(0) {
            LimbBody::Leaf { raw, edits }
        } else {
            let node = self.subtree.open(&raw)?;
            match node.level() {
                0 => LimbBody::Leaf { raw, edits },
                _ => LimbBody::Inner(self.subtree.children(&node).into_iter().map(Limb::unread).collect()),
            }
        };
        Ok(())
    }

    /// Reads towards `edits` as far as nodes are in the inbox. The first of them is number `offset` of all edits.
    pub(super) fn read_towards(
        &mut self,
        edits: &[TreeEdit],
        offset: usize,
        inbox: &mut NodeInbox,
        needed: &mut Vec<BlobDigest>,
    ) -> Result<(), TreeError> {
        if let LimbBody::Unread = self.body {
            let Some(raw) = inbox.take(&self.subtree.digest) else {
                needed.push(self.subtree.digest);
                return Ok(());
            };
            self.read(raw, offset..offset + edits.len())?;
        }
        let LimbBody::Inner(children) = &mut self.body else { return Ok(()) };
        let mut start = 0;
        for child in children {
            let upper = child.subtree.upper();
            let within = edits[start..].partition_point(|edit| upper.is_none_or(|upper| edit.path < *upper));
            if within > 0 {
                child.read_towards(&edits[start..start + within], offset + start, inbox, needed)?;
            }
            start += within;
        }
        Ok(())
    }

    pub(super) fn at(&self, path: &[usize]) -> &Limb {
        path.iter().fold(self, |limb, index| &limb.children()[*index])
    }

    pub(super) fn at_mut(&mut self, path: &[usize]) -> &mut Limb {
        path.iter().fold(self, |limb, index| match &mut limb.body {
            LimbBody::Inner(children) => &mut children[*index],
            _ => unreachable!("a path leads through inner nodes"),
        })
    }

    pub(super) fn children(&self) -> &[Limb] {
        match &self.body {
            LimbBody::Inner(children) => children,
            _ => &[],
        }
    }

    /// The number of levels below.
    pub(super) fn height(&self) -> usize {
        let below = self.children().iter().find(|child| !matches!(child.body, LimbBody::Unread));
        match (&self.body, below) {
            (LimbBody::Inner(_), Some(child)) => 1 + child.height(),
            (LimbBody::Inner(children), None) => 1 + usize::from(children[0].subtree.level().unwrap_or(0)),
            _ => 0,
        }
    }

    /// The ways to limbs `depth` levels below that `is_wanted`, in order. Those below limbs that were not read are passed over.
    pub(super) fn paths(&self, depth: usize, is_wanted: &impl Fn(&Limb) -> bool) -> Vec<LimbPath> {
        let mut paths = Vec::new();
        self.add_paths(depth, is_wanted, &mut Vec::new(), &mut paths);
        paths
    }

    /// The limb after that at `path`, on the same level.
    pub(super) fn next(&self, path: &[usize]) -> NextLimb {
        for up in (0..path.len()).rev() {
            let index = path[up] + 1;
            if index < self.at(&path[..up]).children().len() {
                let mut next = [&path[..up], &[index]].concat();
                loop {
                    match self.at(&next).body {
                        LimbBody::Unread => return NextLimb::Unread(next),
                        _ if next.len() == path.len() => return NextLimb::At(next),
                        _ => next.push(0),
                    }
                }
            }
        }
        NextLimb::End
    }

    fn add_paths(
        &self,
        depth: usize,
        is_wanted: &impl Fn(&Limb) -> bool,
        here: &mut LimbPath,
        paths: &mut Vec<LimbPath>,
    ) {
        if depth == 0 {
            if is_wanted(self) {
                paths.push(here.clone());
            }
            return;
        }
        for (index, child) in self.children().iter().enumerate() {
            here.push(index);
            child.add_paths(depth - 1, is_wanted, here, paths);
            here.pop();
        }
    }
}
