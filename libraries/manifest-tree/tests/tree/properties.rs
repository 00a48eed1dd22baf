//! Properties that hold for any sets of entries.

use std::collections::{BTreeMap, BTreeSet};

use manifest_tree::{
    EntryKind, EntryPath, MemoryNodes, TreeDiff, TreeEdit, TreeListing, TreeLookup, TreeMerge, TreeProving,
    TreeWalk, build, drive,
};
use proptest::prelude::*;

use crate::sets::{EntrySet, applied, built, diff, edit, entry, expected_changes, path, put, removal};

/// Sets large enough for several levels: numbers of paths with the numbers of their contents.
fn sets(most: usize) -> impl Strategy<Value = EntrySet> {
    let one = (0_u64..4000, any::<u16>());
    prop::collection::vec(one, 0..most).prop_map(|numbers| {
        numbers.into_iter().map(|(place, content)| (numbered(place), entry(u64::from(content)))).collect()
    })
}

/// Paths of various lengths, never a file and a folder at once.
fn numbered(place: u64) -> EntryPath {
    let folder = ["a", "a-b", "a/b", "ü", "long-name-of-a-folder/and-another-one"][(place % 5) as usize];
    path(&format!("{folder}/{:x}/{}.txt", place % 7, "x".repeat((place % 90) as usize) + &place.to_string()))
}

fn edits(most: usize) -> impl Strategy<Value = Vec<TreeEdit>> {
    prop::collection::btree_map(0_u64..4000, prop::option::of(any::<u16>()), 0..most).prop_map(|edits| {
        let edit = |(place, content): (u64, Option<u16>)| match content {
            Some(content) => put(&numbered(place), entry(u64::from(content))),
            None => removal(&numbered(place)),
        };
        edits.into_iter().map(edit).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_entries_does_not_matter(set in sets(1500), seed in any::<u64>()) {
        let mut nodes = MemoryNodes::default();
        let root = built(&set, &mut nodes);
        let mut shuffled: Vec<_> = set.clone().into_iter().collect();
        shuffled.sort_by_key(|(path, _)| manifest_tree::BlobDigest::of(format!("{seed}{path}").as_bytes()));
        prop_assert_eq!(build(shuffled, &mut nodes).unwrap(), root);
        prop_assert_eq!(root.count, set.len() as u64);
        prop_assert_eq!(root.bytes, set.values().map(|entry| entry.bytes).sum::<u64>());
    }

    #[test]
    fn an_edited_tree_is_the_tree_of_the_edited_set(set in sets(2500), edits in edits(60)) {
        let mut nodes = MemoryNodes::default();
        let old = built(&set, &mut nodes);
        let outcome = edit(old.digest, edits.clone(), &mut nodes);
        let after = applied(&set, &edits);
        let mut fresh = MemoryNodes::default();
        prop_assert_eq!(outcome.root, built(&after, &mut fresh));
        prop_assert_eq!(outcome.added as usize, after.keys().filter(|path| !set.contains_key(*path)).count());
        prop_assert_eq!(outcome.removed as usize, set.keys().filter(|path| !after.contains_key(*path)).count());
        let changed = expected_changes(&set, &after).len() as u64 - outcome.added - outcome.removed;
        prop_assert_eq!(outcome.changed, changed);
        // Every node of the new tree is there.
        drive(&mut TreeWalk::new([outcome.root.digest]), &nodes, |_| {}).unwrap();
    }

    #[test]
    fn a_tree_has_no_memory_of_how_it_came_about(set in sets(800), steps in prop::collection::vec(edits(30), 1..6)) {
        let mut nodes = MemoryNodes::default();
        let start = built(&set, &mut nodes);
        let mut digest = start.digest;
        let mut after = set.clone();
        for edits in &steps {
            digest = edit(digest, edits.clone(), &mut nodes).root.digest;
            after = applied(&after, edits);
        }
        prop_assert_eq!(digest, built(&after, &mut MemoryNodes::default()).digest);
        // And back, in one step.
        let back = expected_changes(&after, &set).into_iter();
        let back = back.map(|change| TreeEdit { path: change.path, entry: change.new }).collect();
        prop_assert_eq!(edit(digest, back, &mut nodes).root, start);
    }

    #[test]
    fn a_difference_is_the_difference_of_the_sets(old in sets(2000), changes in edits(40), other in sets(50)) {
        let mut nodes = MemoryNodes::default();
        for new in [applied(&old, &changes), other] {
            let roots = [built(&old, &mut nodes).digest, built(&new, &mut nodes).digest];
            prop_assert_eq!(diff(roots[0], roots[1], &nodes), expected_changes(&old, &new));
        }
    }

    #[test]
    fn pages_of_a_difference_are_the_whole(old in sets(1500), new in sets(1500), size in 1_usize..200) {
        let mut nodes = MemoryNodes::default();
        let roots = [built(&old, &mut nodes).digest, built(&new, &mut nodes).digest];
        let (mut changes, mut after) = (Vec::new(), None);
        loop {
            let mut page = TreeDiff::page(roots[0], roots[1], after, size);
            let before = changes.len();
            let outcome = drive(&mut page, &nodes, |page| changes.extend(page)).unwrap();
            prop_assert!(changes.len() - before <= size);
            after = outcome.resume_after;
            if after.is_none() {
                break;
            }
        }
        prop_assert_eq!(changes, expected_changes(&old, &new));
    }

    #[test]
    fn pages_of_a_listing_are_the_set(set in sets(1500), size in 1_usize..300, prefix in 0_usize..5) {
        let prefix = ["", "a", "a/", "a/b/", "nothing"][prefix];
        let mut nodes = MemoryNodes::default();
        let root = built(&set, &mut nodes).digest;
        let (mut entries, mut after) = (Vec::new(), None);
        loop {
            let page = drive(&mut TreeListing::new(root, prefix, after, size), &nodes, |_| {}).unwrap();
            prop_assert!(page.entries.len() <= size);
            after = page.entries.last().map(|(path, _)| path.clone());
            entries.extend(page.entries);
            if !page.has_more {
                break;
            }
        }
        let expected = set.into_iter().filter(|(path, _)| path.as_str().starts_with(prefix));
        prop_assert_eq!(entries, expected.collect::<Vec<_>>());
    }

    #[test]
    fn lookups_and_proofs_say_what_is_in_the_set(set in sets(1500), places in prop::collection::vec(0_u64..4000, 1..40)) {
        let mut nodes = MemoryNodes::default();
        let root = built(&set, &mut nodes).digest;
        let paths: BTreeSet<EntryPath> = places.into_iter().map(numbered).collect();
        let lookup = drive(&mut TreeLookup::new(root, paths.iter().cloned().collect()), &nodes, |_| {}).unwrap();
        let expected: Vec<_> = paths.iter().map(|path| (path.clone(), set.get(path).cloned())).collect();
        prop_assert_eq!(lookup, expected);
        for path in paths {
            let (proof, entry) = drive(&mut TreeProving::new(root, path.clone()), &nodes, |_| {}).unwrap();
            prop_assert_eq!(&entry, &set.get(&path).cloned());
            prop_assert_eq!(proof.verify(root, &path).unwrap(), entry);
            let other = built(&EntrySet::from([(path.clone(), crate::sets::entry(70_000))]), &mut MemoryNodes::default());
            prop_assert!(proof.verify(other.digest, &path).is_err());
        }
    }

    #[test]
    fn a_walk_meets_everything_once(set in sets(1500), changes in edits(20)) {
        let mut nodes = MemoryNodes::default();
        let first = built(&set, &mut nodes).digest;
        let after = applied(&set, &changes);
        let second = edit(first, changes, &mut nodes).root.digest;
        let mut met = Vec::new();
        let mut blobs: BTreeMap<bool, BTreeSet<_>> = BTreeMap::new();
        drive(&mut TreeWalk::new([first, second]), &nodes, |page| {
            met.extend(page.nodes);
            blobs.entry(false).or_default().extend(page.artifacts);
            blobs.entry(true).or_default().extend(page.manifests);
        }).unwrap();
        let distinct: BTreeSet<_> = met.iter().collect();
        prop_assert_eq!(distinct.len(), met.len());
        prop_assert_eq!(met.len(), nodes.len());
        for (is_manifest, blobs) in blobs {
            let both = set.values().chain(after.values());
            let expected = both.filter(|entry| (entry.kind == EntryKind::Manifest) == is_manifest);
            prop_assert_eq!(blobs, expected.map(|entry| entry.digest).collect::<BTreeSet<_>>());
        }
    }

    #[test]
    fn merges_keep_their_laws(base in sets(1200), left in edits(40), right in edits(40)) {
        let mut nodes = MemoryNodes::default();
        let root = built(&base, &mut nodes).digest;
        let (ours, theirs) = (applied(&base, &left), applied(&base, &right));
        let our_root = built(&ours, &mut nodes).digest;
        let their_root = built(&theirs, &mut nodes).digest;
        let merge = |ours, theirs, nodes: &MemoryNodes| {
            drive(&mut TreeMerge::new(root, ours, theirs, 1000), nodes, |_| {}).unwrap()
        };
        for same in [merge(our_root, root, &nodes), merge(our_root, our_root, &nodes)] {
            prop_assert!(same.edits.is_empty() && same.conflicts.is_empty());
        }
        let taken = merge(root, their_root, &nodes);
        prop_assert!(taken.conflicts.is_empty());
        prop_assert_eq!(edit(root, taken.edits, &mut nodes).root.digest, their_root);
        let (one, other) = (merge(our_root, their_root, &nodes), merge(their_root, our_root, &nodes));
        let conflicts: Vec<_> = one.conflicts.iter().map(|conflict| &conflict.path).collect();
        prop_assert_eq!(&conflicts, &other.conflicts.iter().map(|conflict| &conflict.path).collect::<Vec<_>>());
        let differ = |path: &&EntryPath| {
            let [base, ours, theirs] = [&base, &ours, &theirs].map(|set| set.get(*path));
            ours != base && theirs != base && ours != theirs
        };
        let all: BTreeSet<&EntryPath> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
        prop_assert_eq!(conflicts.clone(), all.into_iter().filter(differ).collect::<Vec<_>>());
        let agreed: BTreeSet<EntryPath> = conflicts.into_iter().cloned().collect();
        let merged = edit(our_root, one.edits, &mut nodes).root.digest;
        let back = edit(their_root, other.edits, &mut nodes).root.digest;
        let left_over: BTreeSet<_> = diff(merged, back, &nodes).into_iter().map(|change| change.path).collect();
        prop_assert_eq!(left_over, agreed);
    }
}
