//! Nodes from strangers: damaged ones are refused, never with a panic, and never read as something else.

use std::sync::Arc;

use manifest_tree::{
    BlobDigest, DriveError, MemoryNodes, NewNode, NodeFault, NodeSink, NodeSource, PathProof, TreeDiff,
    TreeEditing, TreeError, TreeListing, TreeLookup, TreeOperation, TreeProgress, TreeProving, build_sorted,
    check_node, drive,
};
use proptest::prelude::*;

use crate::sets::{built, path, regular, regular_path, removal};

fn nodes_root(count: u64, nodes: &mut MemoryNodes) -> Arc<[u8]> {
    let root = built(&regular(count), nodes);
    nodes.node(&root.digest).expect("the root is there")
}

/// A tree whose root is `bytes`, if it is one of a single leaf: what is read of it is built again.
fn built_again(bytes: &[u8]) -> Option<BlobDigest> {
    let (digest, mut nodes) = (BlobDigest::of(bytes), MemoryNodes::default());
    nodes.put(NewNode { digest, bytes: Arc::from(bytes) }).expect("memory takes nodes");
    let page = drive(&mut TreeListing::new(digest, "", None, 10_000), &nodes, |_| {}).ok()?;
    Some(build_sorted(page.entries, &mut nodes).expect("entries of a tree").digest)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_tree_is_refused_or_is_another_one(count in 0_u64..30, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = nodes_root(count, &mut MemoryNodes::default()).to_vec();
        prop_assert_eq!(built_again(&bytes), Some(BlobDigest::of(&bytes)));
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let again = built_again(&bytes);
        prop_assert!(again.is_none_or(|digest| digest == BlobDigest::of(&bytes)));
    }

    #[test]
    fn a_node_with_more_at_its_end_is_refused(more in prop::collection::vec(any::<u8>(), 1..40)) {
        // The root of many leaves is full of items; a few random bytes are not one more.
        let whole = nodes_root(2_000, &mut MemoryNodes::default());
        prop_assert!(check_node(&[&whole, more.as_slice()].concat()).is_err());
    }
}

/// An item of a leaf without media type and metadata.
fn item(shared: u8, rest: &str) -> Vec<u8> {
    let mut item = vec![shared, rest.len() as u8];
    item.extend(rest.as_bytes());
    item.push(0);
    item.extend([7; 32]);
    item.push(9);
    item
}

fn leaf(items: &[Vec<u8>]) -> Vec<u8> {
    [b"mtn1\0".to_vec(), items.concat()].concat()
}

#[test]
fn one_form_is_read_and_its_variants_are_not() {
    let good = leaf(&[item(0, "ab"), item(1, "c"), item(0, "b")]);
    assert_eq!(check_node(&good), Ok(()));
    let refused = [
        (leaf(&[item(1, "ab")]), NodeFault::Prefix),
        (leaf(&[item(0, "ab"), item(0, "ac")]), NodeFault::Prefix),
        (leaf(&[item(0, "ab"), item(3, "c")]), NodeFault::Prefix),
        (leaf(&[item(0, "ab"), item(2, "")]), NodeFault::Order),
        (leaf(&[item(0, "b"), item(0, "a")]), NodeFault::Order),
        (leaf(&[item(0, "a-b"), item(1, "/b")]), NodeFault::Order),
        (leaf(&[item(0, "a"), item(1, "/b")]), NodeFault::FileAndFolder),
        (leaf(&[item(0, "../a")]), NodeFault::Path(manifest_tree::PathError::Dots)),
        (leaf(&[item(0, "a/")]), NodeFault::Path(manifest_tree::PathError::EmptyPart)),
        (b"mtn2\0".to_vec(), NodeFault::Header),
        (b"mtn1".to_vec(), NodeFault::Header),
        (b"mtn1\xff".to_vec(), NodeFault::Level),
        (good[..good.len() - 1].to_vec(), NodeFault::CutShort),
        (vec![0; 20_000], NodeFault::TooLong),
    ];
    for (bytes, fault) in refused {
        assert_eq!(check_node(&bytes), Err(fault), "{bytes:?}");
    }
}

#[test]
fn numbers_and_marks_have_one_form() {
    let mut long_number = leaf(&[item(0, "a")]);
    let last = long_number.len() - 1;
    long_number.splice(last.., [0x89, 0]);
    assert_eq!(check_node(&long_number), Err(NodeFault::Number));
    let marked = |mark: u8, after: &[u8]| {
        let mut bytes = leaf(&[item(0, "a")]);
        bytes[8] = mark;
        bytes.extend(after);
        check_node(&bytes)
    };
    assert_eq!(marked(8, b""), Err(NodeFault::Mark));
    assert_eq!(marked(2, b"\0"), Err(NodeFault::Mark), "no media type is that of the entry before");
    assert_eq!(marked(4, b"\0"), Err(NodeFault::Mark), "no metadata needs no mark");
    assert_eq!(marked(2, b"\x01\n"), Err(NodeFault::Entry(manifest_tree::EntryError::MediaTypeCharacters)));
    assert_eq!(marked(6, b"\x03a/b\x02{}"), Ok(()));
}

#[test]
fn nodes_that_go_on_after_their_end_are_refused() {
    let paths: Vec<String> = (0..290).map(|number| format!("{number:03}")).collect();
    let shared = |index: usize| match index {
        0 => 0,
        _ => {
            paths[index].bytes().zip(paths[index - 1].bytes()).take_while(|(one, other)| one == other).count()
        }
    };
    let item = |index: usize| item(shared(index) as u8, &paths[index][shared(index)..]);
    let items: Vec<Vec<u8>> = (0..paths.len()).map(item).collect();
    let long = leaf(&items);
    assert!(long.len() > 10 * 1024 && long.len() < 16 * 1024);
    assert_eq!(check_node(&long), Err(NodeFault::PastBoundary));
    assert_eq!(check_node(&leaf(&items[..20])), Ok(()));
}

#[test]
fn bytes_of_another_node_are_refused() {
    let mut nodes = MemoryNodes::default();
    let root = built(&regular(10), &mut nodes);
    let mut lookup = TreeLookup::new(root.digest, vec![path("a")]);
    assert_eq!(lookup.advance(), Ok(TreeProgress::Need(vec![root.digest])));
    let other = nodes_root(11, &mut nodes);
    assert_eq!(lookup.supply(root.digest, other), Err(TreeError::OtherBytes { digest: root.digest }));
}

/// A root over a child that is not what the root says.
fn lookup_below(change: impl Fn(&mut Vec<u8>)) -> Result<(), NodeFault> {
    let mut nodes = MemoryNodes::default();
    let mut bytes = nodes_root(2_000, &mut nodes).to_vec();
    change(&mut bytes);
    check_node(&bytes)?;
    let digest = BlobDigest::of(&bytes);
    nodes.put(NewNode { digest, bytes: Arc::from(bytes) }).unwrap();
    let mut lookup = TreeLookup::new(digest, vec![path(&regular_path(0))]);
    match drive(&mut lookup, &nodes, |_| {}) {
        Err(DriveError::Tree(TreeError::Damaged { fault, .. })) => Err(fault),
        other => other.map(|_| ()).map_err(|error| panic!("{error}")),
    }
}

#[test]
fn a_child_that_is_not_as_its_parent_says_is_refused() {
    assert_eq!(lookup_below(|_| {}), Ok(()));
    let first = regular_path(0);
    let digest_end = 5 + 2 + first.len() + 32;
    assert_eq!(lookup_below(|bytes| bytes[digest_end] ^= 1), Err(NodeFault::Claim));
    assert_eq!(lookup_below(|bytes| bytes[6 + first.len()] = b'm'), Err(NodeFault::Claim));
    assert_eq!(lookup_below(|bytes| bytes[4] = 2), Err(NodeFault::Level));
}

/// Where the items of an inner node have their digests.
fn digests_at(bytes: &[u8]) -> Vec<usize> {
    let number_end = |at: usize| at + 1 + bytes[at..].iter().take_while(|byte| **byte > 0x7f).count();
    let (mut at, mut found) = (5, Vec::new());
    while at < bytes.len() {
        found.push(at + 2 + usize::from(bytes[at + 1]));
        at = number_end(number_end(found[found.len() - 1] + 32));
    }
    found
}

#[test]
fn a_node_that_is_in_a_tree_twice_is_refused() {
    let mut nodes = MemoryNodes::default();
    let good = built(&regular(2_000), &mut nodes).digest;
    let mut bytes = nodes.node(&good).unwrap().to_vec();
    let places = digests_at(&bytes);
    bytes.copy_within(places[0]..places[0] + 32, places[1]);
    assert_eq!(check_node(&bytes), Ok(()));
    let root = BlobDigest::of(&bytes);
    nodes.put(NewNode { digest: root, bytes: Arc::from(bytes) }).unwrap();
    let damaged = |error| matches!(error, Some(DriveError::Tree(TreeError::Damaged { .. })));
    let paths = (0..2_000).map(|number| path(&regular_path(number))).collect();
    assert!(damaged(drive(&mut TreeLookup::new(root, paths), &nodes, |_| {}).err()));
    assert!(damaged(drive(&mut TreeListing::new(root, "", None, 2_000), &nodes, |_| {}).err()));
    assert!(damaged(drive(&mut TreeDiff::new(good, root), &nodes, |_| {}).err()));
    let empty = built(&regular(0), &mut nodes).digest;
    assert!(damaged(drive(&mut TreeDiff::new(empty, root), &nodes, |_| {}).err()));
    let edits = regular(2_000).keys().map(removal).collect();
    assert!(damaged(drive(&mut TreeEditing::new(root, edits).unwrap(), &nodes, |_| {}).err()));
}

#[test]
fn a_proof_that_was_changed_proves_nothing() {
    let mut nodes = MemoryNodes::default();
    let root = built(&regular(2_000), &mut nodes).digest;
    let path = path(&regular_path(777));
    let (proof, entry) = drive(&mut TreeProving::new(root, path.clone()), &nodes, |_| {}).unwrap();
    assert_eq!(proof.nodes.len(), 2);
    assert!(entry.is_some() && proof.verify(root, &path) == Ok(entry));
    let short = PathProof { nodes: proof.nodes[..1].to_vec() };
    assert!(short.verify(root, &path).is_err());
    let long = PathProof { nodes: [&proof.nodes[..], &proof.nodes[1..]].concat() };
    assert!(long.verify(root, &path).is_err());
    for at in (0..proof.nodes[1].len()).step_by(13) {
        let mut nodes = proof.nodes.clone();
        let mut bytes = nodes[1].to_vec();
        bytes[at] ^= 0x20;
        nodes[1] = Arc::from(bytes);
        assert!(PathProof { nodes }.verify(root, &path).is_err());
    }
}
