//! Lists entries in order, a page at a time. Parents know how many entries their children have, so a page reads no more nodes than it
//! shows, and those of a level at once.

use std::sync::Arc;

use crate::digest::BlobDigest;
use crate::entry::TreeEntry;
use crate::error::TreeError;
use crate::node::Node;
use crate::operation::{NodeInbox, TreeOperation, TreeProgress};
use crate::order::compare;
use crate::path::{EntryPath, PART_BYTES_MAX};
use crate::subtree::Subtree;

/// The most entries of one page.
pub const LISTING_ENTRIES_MAX: usize = 10_000;

/// Lists entries whose paths begin with some text. `a/b/` lists a folder.
pub struct TreeListing {
    inbox: NodeInbox,
    prefix: String,
    after: Option<EntryPath>,
    entries_max: usize,
    /// Subtrees of one level, in order, that have the page.
    frontier: Vec<Subtree>,
}

/// A page of entries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListingPage {
    pub entries: Vec<(EntryPath, TreeEntry)>,
    /// There are entries after the last of this page.
    pub has_more: bool,
}

impl TreeListing {
    /// Lists at most `entries_max` entries after the path `after`, and at most `LISTING_ENTRIES_MAX`.
    pub fn new(root: BlobDigest, prefix: &str, after: Option<EntryPath>, entries_max: usize) -> TreeListing {
        TreeListing {
            inbox: NodeInbox::default(),
            prefix: prefix.to_owned(),
            after,
            entries_max: entries_max.clamp(1, LISTING_ENTRIES_MAX),
            frontier: vec![Subtree::root(root)],
        }
    }

    /// Lists entries after everything that lies in a folder, however much that is.
    pub fn after_folder(
        root: BlobDigest,
        prefix: &str,
        folder: &EntryPath,
        entries_max: usize,
    ) -> TreeListing {
        TreeListing::new(root, prefix, Some(end_of(folder)), entries_max)
    }

    fn may_have(&self, subtree: &Subtree) -> bool {
        let is_before = subtree.is_before(&self.prefix)
            || self.after.as_ref().is_some_and(|after| subtree.is_before(after.as_str()));
        let is_behind = subtree.first().is_some_and(|first| self.is_behind(first.as_str()));
        !is_before && !is_behind
    }

    /// Returns true if neither this path nor a later one begins with the prefix.
    fn is_behind(&self, path: &str) -> bool {
        compare(path, &self.prefix).is_gt() && !path.starts_with(&self.prefix)
    }

    /// Keeps as many subtrees as surely have the page and one entry more. Of the first, perhaps none is shown.
    fn narrow(&self, subtrees: Vec<Subtree>) -> Vec<Subtree> {
        let mut sure = 0;
        let mut kept = Vec::new();
        for (index, subtree) in subtrees.into_iter().filter(|subtree| self.may_have(subtree)).enumerate() {
            if sure > self.entries_max as u64 {
                break;
            }
            sure += if index == 0 { 0 } else { subtree.count().unwrap_or(0) };
            kept.push(subtree);
        }
        kept
    }

    fn collect(&self, nodes: &[Node]) -> ListingPage {
        let mut entries = Vec::new();
        for node in nodes {
            for index in 0..node.len() {
                let path = node.path(index);
                let is_after = self.after.as_ref().is_none_or(|after| compare(path, after.as_str()).is_gt());
                if !is_after || !path.starts_with(&self.prefix) {
                    continue;
                }
                if entries.len() == self.entries_max {
                    return ListingPage { entries, has_more: true };
                }
                entries.push((EntryPath::of_checked(path), node.entry(index).to_entry()));
            }
        }
        ListingPage { entries, has_more: false }
    }
}

/// Comes after every path in a folder, and before every other path behind it. It is longer than any path, and nobody sees it.
fn end_of(folder: &EntryPath) -> EntryPath {
    let last = char::MAX.to_string().repeat(PART_BYTES_MAX / char::MAX.len_utf8() + 1);
    EntryPath::of_checked(&format!("{folder}/{last}"))
}

impl TreeOperation for TreeListing {
    type Page = ListingPage;
    type Outcome = ListingPage;

    fn advance(&mut self) -> Result<TreeProgress<ListingPage, ListingPage>, TreeError> {
        loop {
            let missing = self.inbox.missing(self.frontier.iter().map(|subtree| &subtree.digest));
            if !missing.is_empty() {
                return Ok(TreeProgress::Need(missing));
            }
            let mut nodes = Vec::new();
            for subtree in &self.frontier {
                let raw = self.inbox.take_once(&subtree.digest)?;
                nodes.push(subtree.open(&raw)?);
            }
            if nodes.first().is_none_or(|node| node.level() == 0) {
                return Ok(TreeProgress::Done(self.collect(&nodes)));
            }
            let children = self.frontier.iter().zip(&nodes).flat_map(|(one, node)| one.children(node));
            self.frontier = self.narrow(children.collect());
        }
    }

    fn supply(&mut self, digest: BlobDigest, bytes: Arc<[u8]>) -> Result<(), TreeError> {
        self.inbox.put(digest, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_folder_is_behind_all_that_lies_in_it_and_before_the_rest() {
        let path = |text: &str| EntryPath::new(text).expect("a path");
        let end = end_of(&path("a"));
        let last = char::MAX.to_string().repeat(PART_BYTES_MAX / char::MAX.len_utf8());
        for inside in
            ["a", "a/b", "a/z/z", &format!("a/{last}"), &format!("a/{last}/b"), &format!("a/{last}\u{e000}")]
        {
            assert!(path(inside) < end, "{inside:?}");
        }
        for outside in ["a b", "a!", "a-x", "aa", "b"] {
            assert!(path(outside) > end, "{outside:?}");
        }
    }
}
