//! Nodes of manifest trees. Whatever is read as a tree is, built again of its entries, the same bytes; and no operation on it panics.

use std::sync::Arc;

use manifest_tree::{
    BlobDigest, EntryPath, LISTING_ENTRIES_MAX, MemoryNodes, NewNode, NodeSink as _, TreeDiff, TreeEdit,
    TreeEditing, TreeEntry, TreeListing, TreeProving, TreeWalk, build_sorted, check_node, drive,
};

pub(crate) fn try_one(input: &[u8]) {
    let root = BlobDigest::of(input);
    let mut nodes = MemoryNodes::default();
    put(&mut nodes, NewNode { digest: root, bytes: Arc::from(input) });
    let listed = drive(&mut TreeListing::new(root, "", None, LISTING_ENTRIES_MAX), &nodes, |_| {});
    if let Ok(page) = listed {
        assert_eq!(check_node(input), Ok(()), "a tree has a root that is not a node");
        same(root, page.entries.clone());
        change(root, &page.entries, &nodes);
    }
    let path = EntryPath::new("a/b").expect("a good path");
    if let Ok((proof, entry)) = drive(&mut TreeProving::new(root, path.clone()), &nodes, |_| {}) {
        assert_eq!(proof.verify(root, &path), Ok(entry), "a proof does not hold");
    }
    let walked = drive(&mut TreeWalk::new([root]), &nodes, |_| {});
    assert!(walked.is_err() || check_node(input).is_ok(), "a walk went through what is not a node");
}

fn put(nodes: &mut MemoryNodes, node: NewNode) {
    nodes.put(node).unwrap_or_else(|never| match never {});
}

fn same(root: BlobDigest, entries: Vec<(EntryPath, TreeEntry)>) {
    let again = build_sorted(entries, &mut MemoryNodes::default()).expect("entries of a tree make a tree");
    assert_eq!(again.digest, root, "a node has two forms");
}

/// Removes every other entry, and finds just that when it compares.
fn change(root: BlobDigest, entries: &[(EntryPath, TreeEntry)], nodes: &MemoryNodes) {
    let removed = entries.iter().step_by(2).map(|(path, _)| TreeEdit { path: path.clone(), entry: None });
    let mut editing = TreeEditing::new(root, removed.collect()).expect("paths of a tree differ");
    let mut nodes = nodes.clone();
    let mut new = Vec::new();
    let outcome = drive(&mut editing, &nodes, |page| new.extend(page)).expect("entries can be removed");
    new.into_iter().for_each(|node| put(&mut nodes, node));
    let mut changes = 0;
    drive(&mut TreeDiff::new(root, outcome.root.digest), &nodes, |page| changes += page.len())
        .expect("trees compare");
    assert_eq!(changes, entries.len().div_ceil(2), "the difference is not what was removed");
    same(outcome.root.digest, entries.iter().skip(1).step_by(2).cloned().collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "a node has two forms")]
    fn a_second_form_is_a_finding() {
        same(BlobDigest::of(b"another form"), Vec::new());
    }
}
