//! The shape of trees: sizes of nodes, and how few are read and written for a change.

use manifest_tree::{
    BlobDigest, MemoryNodes, NODE_BYTES_MAX, NODE_BYTES_MIN, NodeSource, TreeDiff, TreeEditing, TreeListing,
    TreeLookup, TreeOperation, TreeProgress, TreeRoot, drive,
};

use crate::sets::{
    CountedNodes, EntrySet, built, diff, edit, entry, path, put, regular, regular_path, removal,
};

fn counted(count: u64) -> (EntrySet, CountedNodes, TreeRoot) {
    let set = regular(count);
    let mut nodes = CountedNodes::default();
    let root = built(&set, &mut nodes.nodes);
    (set, nodes, root)
}

#[test]
fn nodes_have_about_four_kibibytes() {
    let (_, nodes, root) = counted(60_000);
    let mut sizes: Vec<usize> = nodes.nodes.sizes().collect();
    sizes.sort();
    let mean = sizes.iter().sum::<usize>() / sizes.len();
    assert!((3_600..4_600).contains(&mean), "the mean is {mean}");
    assert!(*sizes.last().unwrap() <= NODE_BYTES_MAX);
    let short = sizes.iter().filter(|size| **size < NODE_BYTES_MIN).count();
    assert!(short <= usize::from(root.height), "only the last of a level is short: {short}");
    assert!(sizes[sizes.len() * 95 / 100] < 8_192, "few are twice as long");
}

#[test]
fn the_form_stays_as_it_is() {
    let roots: Vec<String> = [0, 1, 1_000]
        .map(|count| built(&regular(count), &mut MemoryNodes::default()).digest.to_string())
        .into();
    assert_eq!(
        roots,
        [
            "6fd14112fdf0f037c7b906f0793ee8da4a11341b2cd29955c8c78fe89ed48a12",
            "863e06649aacb89e9aca2804f528f306e113fdedef012ab4401ba641a09aea95",
            "1e2b5f0c6fd1407d71d6a66c2d2967ba3760f331e26974f585d42da05076d0cb",
        ]
    );
}

#[test]
fn comparing_after_one_change_reads_only_the_way_to_it() {
    let (_, mut nodes, root) = counted(60_000);
    let mut most = 0;
    let mut total = 0;
    for number in (0..60_000).step_by(997) {
        let changed = put(&path(&regular_path(number)), crate::sets::entry(number + 85_000));
        let new = edit(root.digest, vec![changed], &mut nodes.nodes).root;
        nodes.reads.set(0);
        assert_eq!(diff(root.digest, new.digest, &nodes).len(), 1);
        most = most.max(nodes.reads.get());
        total += nodes.reads.get();
    }
    let bound = 2 * usize::from(root.height);
    assert!(total <= bound * 61 * 11 / 10, "on average the way on both sides: {total} for 61");
    assert!(most <= 2 * bound, "a boundary that moved costs a few more: {most}");
}

#[test]
fn comparing_after_many_changes_reads_no_more_than_the_ways_to_them() {
    let (_, mut nodes, root) = counted(60_000);
    let edits = (0..60_000).step_by(601).enumerate().map(|(index, number)| match index % 3 {
        0 => put(&path(&regular_path(number)), entry(number + 1)),
        1 => removal(&path(&regular_path(number))),
        _ => put(&path(&format!("{}x", regular_path(number))), entry(number)),
    });
    let edits: Vec<_> = edits.collect();
    let count = edits.len();
    let new = edit(root.digest, edits, &mut nodes.nodes).root;
    nodes.reads.set(0);
    assert_eq!(diff(root.digest, new.digest, &nodes).len(), count);
    assert!(nodes.reads.get() <= 2 * usize::from(root.height) * count, "{} reads", nodes.reads.get());
}

/// How often an operation asks for nodes before it ends.
fn rounds<O: TreeOperation>(mut operation: O, nodes: &MemoryNodes) -> usize {
    let mut rounds = 0;
    loop {
        match operation.advance().expect("a good tree") {
            TreeProgress::Need(digests) => {
                rounds += 1;
                for digest in digests {
                    operation
                        .supply(digest, nodes.node(&digest).expect("every node is there"))
                        .expect("its bytes");
                }
            }
            TreeProgress::Page(_) => {}
            TreeProgress::Done(_) => return rounds,
        }
    }
}

#[test]
fn the_nodes_of_a_level_are_asked_for_at_once() {
    let (_, mut nodes, root) = counted(60_000);
    let height = usize::from(root.height);
    let numbers = || (0..60_000).step_by(5_000);
    let edits: Vec<_> =
        numbers().map(|number| put(&path(&regular_path(number)), entry(number + 85_000))).collect();
    let editing = TreeEditing::new(root.digest, edits.clone()).unwrap();
    let new = edit(root.digest, edits, &mut nodes.nodes).root;
    assert_eq!(rounds(TreeDiff::new(root.digest, new.digest), &nodes.nodes), height);
    let paths = numbers().map(|number| path(&regular_path(number))).collect();
    assert_eq!(rounds(TreeLookup::new(root.digest, paths), &nodes.nodes), height);
    assert_eq!(rounds(TreeListing::new(root.digest, "", None, 1_000), &nodes.nodes), height);
    // A boundary that moved asks for the next node.
    assert!(rounds(editing, &nodes.nodes) <= height + 2);
}

#[test]
fn equal_trees_are_compared_without_reading() {
    let (_, nodes, root) = counted(5_000);
    assert!(diff(root.digest, root.digest, &nodes).is_empty());
    assert_eq!(nodes.reads.get(), 0);
}

#[test]
fn one_edit_reads_and_writes_only_the_way_to_it() {
    let (_, nodes, root) = counted(60_000);
    let (mut reads, mut writes) = (0, 0);
    for number in (0..60_000).step_by(997) {
        let added = put(&path(&format!("{}-new", regular_path(number))), entry(number));
        nodes.reads.set(0);
        let mut editing = TreeEditing::new(root.digest, vec![added]).unwrap();
        drive(&mut editing, &nodes, |page| writes += page.len()).unwrap();
        reads += nodes.reads.get();
    }
    let ways = 61 * usize::from(root.height);
    assert!(reads <= ways * 3 / 2 && writes <= ways * 3 / 2, "{reads} reads and {writes} writes for {ways}");
}

#[test]
fn an_edit_that_changes_nothing_writes_nothing() {
    let (set, nodes, root) = counted(5_000);
    let same = set.iter().step_by(50).map(|(path, entry)| put(path, entry.clone())).collect();
    let absent = vec![removal(&path("data/nothing"))];
    for edits in [same, absent, Vec::new()] {
        let mut editing = TreeEditing::new(root.digest, edits).unwrap();
        let outcome = drive(&mut editing, &nodes, |page| assert!(page.is_empty())).unwrap();
        assert_eq!(outcome.root, root);
        assert_eq!((outcome.added, outcome.changed, outcome.removed), (0, 0, 0));
    }
}

#[test]
fn trees_grow_and_shrink_to_nothing() {
    let (set, mut nodes, root) = counted(20_000);
    let empty = built(&EntrySet::new(), &mut nodes.nodes);
    let all = set.iter().map(|(path, entry)| put(path, entry.clone())).collect();
    assert_eq!(edit(empty.digest, all, &mut nodes.nodes).root, root);
    let none = set.keys().map(removal).collect();
    assert_eq!(edit(root.digest, none, &mut nodes.nodes).root, empty);
    let mut keys = set.keys();
    let last = keys.next_back().unwrap();
    let rest = keys.map(removal).collect();
    let one = EntrySet::from([(last.clone(), set[last].clone())]);
    assert_eq!(edit(root.digest, rest, &mut nodes.nodes).root, built(&one, &mut MemoryNodes::default()));
}

#[test]
fn a_page_of_a_listing_reads_few_nodes() {
    let (_, nodes, root) = counted(60_000);
    let after = Some(path(&regular_path(30_000)));
    let page = drive(&mut TreeListing::new(root.digest, "data/", after, 100), &nodes, |_| {}).unwrap();
    assert_eq!(page.entries[0].0, path(&regular_path(30_001)));
    assert!(page.has_more && page.entries.len() == 100);
    assert!(nodes.reads.get() <= usize::from(root.height) + 6, "{} reads", nodes.reads.get());
}

#[test]
fn a_digest_is_spelled_in_one_way() {
    let digest = BlobDigest::of(b"a");
    assert_eq!(digest.to_string().parse(), Ok(digest));
    assert!(digest.to_string().to_uppercase().parse::<BlobDigest>().is_err());
    assert!("é".repeat(32).parse::<BlobDigest>().is_err());
}
