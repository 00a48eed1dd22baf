//! A node, read strictly: exactly one sequence of bytes stands for a node, and every other one is refused.
//!
//! ```text
//! node   = "mtn1" level:u8 item*
//! item   = shared:varint length:varint rest[length] (leaf | inner)
//! leaf   = mark:u8 sha256[32] bytes:varint [length:varint media_type] [length:varint metadata]
//! inner  = sha256[32] count:varint bytes:varint
//! ```
//!
//! `shared` counts the bytes that a path repeats of the one before it; it is 0 at the start of a node. A leaf's mark says whether it
//! names a manifest (1), has another media type than the entry before it in the node (2; the first is compared with none), and has
//! metadata (4). A node's level is 0 for a leaf.

use std::sync::Arc;

use crate::boundary::{NODE_BYTES_MAX, ends_node};
use crate::digest::BlobDigest;
use crate::entry::{EntryKind, EntryView};
use crate::error::NodeFault;
use crate::order::{Succession, common_length, succession};
use crate::path;
use crate::reader::NodeReader;
use crate::writer::{MARK_MANIFEST, MARK_MEDIA_TYPE, MARK_METADATA};

/// More levels than any tree can have: each is at most half as long as the one below.
const LEVELS_MAX: u8 = 64;

/// A node that was read.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    raw: Arc<[u8]>,
    level: u8,
    /// The paths of all items, one after the other.
    paths: String,
    rows: Vec<NodeItem>,
    /// The last item is one after which a node ends.
    ends_at_boundary: bool,
}

/// Where the parts of an item are.
#[derive(Clone, Copy, Debug)]
struct NodeItem {
    path_end: u32,
    digest_at: u32,
    media_type: (u32, u32),
    metadata: (u32, u32),
    kind: EntryKind,
    count: u64,
    bytes: u64,
}

impl Node {
    pub(crate) fn read(raw: &Arc<[u8]>) -> Result<Node, NodeFault> {
        if raw.len() > NODE_BYTES_MAX {
            return Err(NodeFault::TooLong);
        }
        let (mut reader, level) = NodeReader::begin(raw)?;
        if level >= LEVELS_MAX {
            return Err(NodeFault::Level);
        }
        let raw = Arc::clone(raw);
        let mut node = Node { raw, level, paths: String::new(), rows: Vec::new(), ends_at_boundary: false };
        node.rows.reserve(64);
        let mut path = Vec::with_capacity(path::PATH_BYTES_MAX);
        while !reader.is_at_end() {
            if node.ends_at_boundary {
                return Err(NodeFault::PastBoundary);
            }
            node.read_item(&mut reader, &mut path)?;
        }
        Ok(node)
    }

    pub(crate) fn level(&self) -> u8 {
        self.level
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn ends_at_boundary(&self) -> bool {
        self.ends_at_boundary
    }

    pub(crate) fn path(&self, index: usize) -> &str {
        let start = index.checked_sub(1).map_or(0, |before| self.rows[before].path_end);
        &self.paths[start as usize..self.rows[index].path_end as usize]
    }

    /// The digest of a leaf's blob, or of an inner node's child.
    pub(crate) fn digest(&self, index: usize) -> BlobDigest {
        let at = self.rows[index].digest_at as usize;
        let bytes = self.raw[at..at + BlobDigest::BYTES].try_into();
        BlobDigest::new(bytes.expect("the range has the length of a digest"))
    }

    pub(crate) fn entry(&self, index: usize) -> EntryView<'_> {
        let row = &self.rows[index];
        let part = |(start, end): (u32, u32)| &self.raw[start as usize..end as usize];
        EntryView {
            kind: row.kind,
            digest: self.digest(index),
            bytes: row.bytes,
            media_type: std::str::from_utf8(part(row.media_type))
                .expect("a media type that was read is ASCII"),
            metadata: part(row.metadata),
        }
    }

    /// The number of entries below an item and the sum of their sizes.
    pub(crate) fn weight(&self, index: usize) -> (u64, u64) {
        (self.rows[index].count, self.rows[index].bytes)
    }

    /// The number of entries below this node and the sum of their sizes, unless they are too large.
    pub(crate) fn whole_weight(&self) -> Option<(u64, u64)> {
        let add = |(count, bytes): (u64, u64), row: &NodeItem| {
            Some((count.checked_add(row.count)?, bytes.checked_add(row.bytes)?))
        };
        self.rows.iter().try_fold((0, 0), add)
    }

    /// The index of the last item whose path is not after `path`, or of the first.
    pub(crate) fn covering(&self, path: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = (low + high) / 2;
            match crate::order::compare(self.path(middle), path) {
                std::cmp::Ordering::Greater => high = middle,
                _ => low = middle + 1,
            }
        }
        low.saturating_sub(1)
    }

    fn read_item(&mut self, reader: &mut NodeReader<'_>, path: &mut Vec<u8>) -> Result<(), NodeFault> {
        let before = reader.at();
        let path_start = self.paths.len();
        self.read_path(reader, path)?;
        let row = if self.level == 0 { self.read_entry(reader)? } else { self.read_child(reader)? };
        self.rows.push(row);
        let path = &self.paths[path_start..];
        self.ends_at_boundary = ends_node(self.level, path, self.rows.len(), before, reader.at());
        Ok(())
    }

    /// Reads a path and appends it to the others. `path` has the bytes of the one before.
    fn read_path(&mut self, reader: &mut NodeReader<'_>, path: &mut Vec<u8>) -> Result<(), NodeFault> {
        let shared = usize::try_from(reader.number()?).ok().filter(|shared| *shared <= path.len());
        let shared = shared.ok_or(NodeFault::Prefix)?;
        let rest = reader.text(path::PATH_BYTES_MAX)?;
        path.truncate(shared);
        path.extend_from_slice(rest);
        let text = std::str::from_utf8(path).map_err(|_| NodeFault::PathText)?;
        path::check_after(text, shared)?;
        if let Some(last) = self.len().checked_sub(1) {
            let previous = self.path(last);
            let common = common_length(previous, text);
            match succession(previous, text, common) {
                Succession::Later if common == shared => {}
                Succession::Later => return Err(NodeFault::Prefix),
                Succession::Inside => return Err(NodeFault::FileAndFolder),
                Succession::Same | Succession::Earlier => return Err(NodeFault::Order),
            }
        }
        self.paths.push_str(text);
        Ok(())
    }

    fn read_entry(&self, reader: &mut NodeReader<'_>) -> Result<NodeItem, NodeFault> {
        let mark = reader.byte()?;
        if mark > (MARK_MANIFEST | MARK_MEDIA_TYPE | MARK_METADATA) {
            return Err(NodeFault::Mark);
        }
        let digest_at = reader.digest()?;
        let bytes = reader.number()?;
        let previous = self.rows.last().map_or((0, 0), |row| row.media_type);
        let mut media_type = previous;
        if mark & MARK_MEDIA_TYPE != 0 {
            media_type = reader.text_range()?;
            if reader.part(media_type) == reader.part(previous) {
                return Err(NodeFault::Mark);
            }
        }
        let mut metadata = (0, 0);
        if mark & MARK_METADATA != 0 {
            metadata = reader.text_range()?;
            if metadata.0 == metadata.1 {
                return Err(NodeFault::Mark);
            }
        }
        let kind = if mark & MARK_MANIFEST != 0 { EntryKind::Manifest } else { EntryKind::Artifact };
        let path_end = self.paths.len() as u32;
        let row = NodeItem { path_end, digest_at, media_type, metadata, kind, count: 1, bytes };
        let text = std::str::from_utf8(reader.part(media_type)).map_err(|_| NodeFault::Mark)?;
        let metadata = reader.part(metadata);
        let digest = BlobDigest::new([0; 32]);
        EntryView { kind, digest, bytes, media_type: text, metadata }.check()?;
        Ok(row)
    }

    fn read_child(&self, reader: &mut NodeReader<'_>) -> Result<NodeItem, NodeFault> {
        let digest_at = reader.digest()?;
        let (count, bytes) = (reader.number()?, reader.number()?);
        if count == 0 {
            return Err(NodeFault::TooFew);
        }
        let path_end = self.paths.len() as u32;
        let kind = EntryKind::Manifest;
        Ok(NodeItem { path_end, digest_at, media_type: (0, 0), metadata: (0, 0), kind, count, bytes })
    }
}

/// Checks that bytes are a node, as far as a node alone can show it: its place in a tree is checked where a tree is read.
pub fn check_node(bytes: &[u8]) -> Result<(), NodeFault> {
    if bytes.len() > NODE_BYTES_MAX {
        return Err(NodeFault::TooLong);
    }
    Node::read(&Arc::from(bytes)).map(|_| ())
}

#[cfg(test)]
mod tests;
