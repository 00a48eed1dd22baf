//! Writes the nodes of one level, in order. `node.rs` has the form.

use std::sync::Arc;

use crate::boundary::{NODE_BYTES_MAX, ends_node};
use crate::digest::BlobDigest;
use crate::entry::{EntryKind, EntryView};
use crate::error::TreeError;
use crate::order::{Succession, common_length, succession};
use crate::path::EntryPath;
use crate::varint;

/// The beginning of every node; the level follows.
pub(crate) const MAGIC: &[u8; 4] = b"mtn1";
/// Marks of a leaf's entry: it names a manifest, has another media type than the one before, has metadata.
pub(crate) const MARK_MANIFEST: u8 = 1;
pub(crate) const MARK_MEDIA_TYPE: u8 = 2;
pub(crate) const MARK_METADATA: u8 = 4;

/// A node to be stored as a blob.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewNode {
    pub digest: BlobDigest,
    pub bytes: Arc<[u8]>,
}

/// A node as its parent has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChildRef {
    pub first: EntryPath,
    pub digest: BlobDigest,
    /// The number of entries below, and the sum of their sizes.
    pub count: u64,
    pub bytes: u64,
}

pub(crate) struct NodeWriter {
    level: u8,
    buffer: Vec<u8>,
    /// The last path that was written, in this node or in one before.
    last: String,
    first: String,
    media_type: String,
    items: usize,
    count: u64,
    bytes: u64,
}

impl NodeWriter {
    pub(crate) fn new(level: u8) -> NodeWriter {
        let mut writer = NodeWriter {
            level,
            buffer: Vec::with_capacity(NODE_BYTES_MAX),
            last: String::new(),
            first: String::new(),
            media_type: String::new(),
            items: 0,
            count: 0,
            bytes: 0,
        };
        writer.begin();
        writer
    }

    /// Makes the writer as good as new.
    pub(crate) fn reset(&mut self) {
        self.last.clear();
        self.begin();
    }

    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// The last path that was written; empty at first.
    pub(crate) fn last(&self) -> &str {
        &self.last
    }

    /// Writes an entry of a leaf, and the node if it ends there.
    pub(crate) fn entry(
        &mut self,
        path: &str,
        entry: &EntryView<'_>,
    ) -> Result<Option<(NewNode, ChildRef)>, TreeError> {
        entry.check().map_err(|source| TreeError::Entry { path: EntryPath::of_checked(path), source })?;
        let before = self.path(path)?;
        let is_new_type = entry.media_type != self.media_type;
        let mut mark = 0;
        mark |= if entry.kind == EntryKind::Manifest { MARK_MANIFEST } else { 0 };
        mark |= if is_new_type { MARK_MEDIA_TYPE } else { 0 };
        mark |= if entry.metadata.is_empty() { 0 } else { MARK_METADATA };
        self.buffer.push(mark);
        self.buffer.extend_from_slice(entry.digest.as_bytes());
        varint::write(&mut self.buffer, entry.bytes);
        if is_new_type {
            self.text(entry.media_type.as_bytes());
            self.media_type.clear();
            self.media_type.push_str(entry.media_type);
        }
        if !entry.metadata.is_empty() {
            self.text(entry.metadata);
        }
        self.end(before, 1, entry.bytes)
    }

    /// Writes an entry of an inner node, and the node if it ends there.
    pub(crate) fn child(&mut self, child: &ChildRef) -> Result<Option<(NewNode, ChildRef)>, TreeError> {
        let before = self.path(child.first.as_str())?;
        self.buffer.extend_from_slice(child.digest.as_bytes());
        varint::write(&mut self.buffer, child.count);
        varint::write(&mut self.buffer, child.bytes);
        self.end(before, child.count, child.bytes)
    }

    /// The node of everything since the last one.
    pub(crate) fn finish(&mut self) -> (NewNode, ChildRef) {
        let digest = BlobDigest::of(&self.buffer);
        let node = NewNode { digest, bytes: Arc::from(self.buffer.as_slice()) };
        let first = EntryPath::of_checked(&self.first);
        let child = ChildRef { first, digest, count: self.count, bytes: self.bytes };
        self.begin();
        (node, child)
    }

    fn begin(&mut self) {
        self.buffer.clear();
        self.buffer.extend_from_slice(MAGIC);
        self.buffer.push(self.level);
        self.first.clear();
        self.media_type.clear();
        (self.items, self.count, self.bytes) = (0, 0, 0);
    }

    /// Writes a path after the one before it, and returns the size of the node without it.
    fn path(&mut self, path: &str) -> Result<usize, TreeError> {
        let before = self.buffer.len();
        let common = common_length(&self.last, path);
        if !self.last.is_empty() {
            self.check_order(path, common)?;
        }
        let common = if self.items == 0 { 0 } else { common };
        varint::write(&mut self.buffer, common as u64);
        self.text(&path.as_bytes()[common..]);
        if self.items == 0 {
            self.first.push_str(path);
        }
        self.last.clear();
        self.last.push_str(path);
        Ok(before)
    }

    fn check_order(&self, path: &str, common: usize) -> Result<(), TreeError> {
        let (previous, next) = (|| EntryPath::of_checked(&self.last), || EntryPath::of_checked(path));
        match succession(&self.last, path, common) {
            Succession::Later => Ok(()),
            Succession::Same => Err(TreeError::Duplicate { path: next() }),
            Succession::Earlier => Err(TreeError::OutOfOrder { previous: previous(), path: next() }),
            Succession::Inside => Err(TreeError::FileAndFolder { file: previous(), below: next() }),
        }
    }

    fn text(&mut self, text: &[u8]) {
        varint::write(&mut self.buffer, text.len() as u64);
        self.buffer.extend_from_slice(text);
    }

    fn end(
        &mut self,
        before: usize,
        count: u64,
        bytes: u64,
    ) -> Result<Option<(NewNode, ChildRef)>, TreeError> {
        self.items += 1;
        self.count = self.count.checked_add(count).ok_or(TreeError::TooLarge)?;
        self.bytes = self.bytes.checked_add(bytes).ok_or(TreeError::TooLarge)?;
        let ends = ends_node(self.level, &self.last, self.items, before, self.buffer.len());
        Ok(ends.then(|| self.finish()))
    }
}
