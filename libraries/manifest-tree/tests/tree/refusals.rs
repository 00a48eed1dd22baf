//! Input that no tree is made of.

use std::sync::Arc;

use manifest_tree::{
    DriveError, EntryError, EntryPath, MemoryNodes, PathError, TreeChangeKind, TreeEdit, TreeEntry,
    TreeError, TreeMerge, build, build_sorted, drive,
};

use crate::sets::{EntrySet, applied, built, diff, entry, path, put, regular, removal, try_edit};

fn built_of(paths: &[&str]) -> Result<(), TreeError> {
    let entries = paths.iter().map(|text| (path(text), entry(1))).collect();
    match build(entries, &mut MemoryNodes::default()) {
        Ok(_) => Ok(()),
        Err(DriveError::Tree(error)) => Err(error),
        Err(DriveError::Nodes(never)) => match never {},
    }
}

#[test]
fn paths_have_one_spelling() {
    for good in ["a", "a/b", ".a", "...", "a b", "ü/日本", "a:b", "می\u{200c}خواهم"] {
        assert!(EntryPath::new(good).is_ok(), "{good}");
    }
    let long_part = "x".repeat(256);
    let long = vec!["x".repeat(250); 5].join("/");
    let bad = [
        ("", PathError::Empty),
        ("/a", PathError::EmptyPart),
        ("a/", PathError::EmptyPart),
        ("a//b", PathError::EmptyPart),
        (".", PathError::Dots),
        ("a/../b", PathError::Dots),
        ("a\\b", PathError::Backslash),
        ("a\nb", PathError::Invisible),
        ("a\u{7f}", PathError::Invisible),
        ("a\u{85}", PathError::Invisible),
        ("a\u{202e}b", PathError::Invisible),
        ("a\u{200b}b", PathError::Invisible),
        ("u\u{308}", PathError::NotNormal),
        (&long_part, PathError::PartTooLong),
        (&long, PathError::TooLong),
    ];
    for (text, error) in bad {
        assert_eq!(EntryPath::new(text), Err(error), "{text:?}");
    }
}

#[test]
fn folders_follow_directly_after_what_is_called_like_them() {
    let mut paths = ["a/b-x", "a/b/c", "a/b", "a/b0", "a/b!", "a", "b"].map(path);
    paths.sort();
    assert_eq!(paths.map(|path| path.to_string()), ["a", "a/b", "a/b/c", "a/b!", "a/b-x", "a/b0", "b"]);
}

#[test]
fn a_path_is_not_given_twice() {
    assert_eq!(built_of(&["a", "b", "a"]), Err(TreeError::Duplicate { path: path("a") }));
    let edits = vec![removal(&path("a")), put(&path("a"), entry(1))];
    let mut nodes = MemoryNodes::default();
    let root = built(&regular(3), &mut nodes).digest;
    assert_eq!(try_edit(root, edits, &mut nodes), Err(TreeError::Duplicate { path: path("a") }));
}

#[test]
fn entries_that_should_be_in_order_are() {
    let entries = ["b", "a"].map(|text| (path(text), entry(1)));
    let error = build_sorted(entries, &mut MemoryNodes::default()).unwrap_err();
    assert_eq!(error, DriveError::Tree(TreeError::OutOfOrder { previous: path("b"), path: path("a") }));
}

#[test]
fn no_path_is_a_file_and_a_folder() {
    let both = Err(TreeError::FileAndFolder { file: path("a/b"), below: path("a/b/c") });
    assert_eq!(built_of(&["a/b-x", "a/b/c", "a/b"]), both);
    assert_eq!(built_of(&["a/b-x", "a/b/c", "a/bb"]), Ok(()));
}

#[test]
fn an_edit_makes_no_path_a_file_and_a_folder() {
    let set = regular(5_000);
    let mut nodes = MemoryNodes::default();
    let root = built(&set, &mut nodes).digest;
    for folder in ["data", "data/0007", "data/0023", "data/0049"] {
        let edits = vec![put(&path(folder), entry(1))];
        let refused = try_edit(root, edits, &mut nodes);
        assert!(matches!(refused, Err(TreeError::FileAndFolder { .. })), "{folder}: {refused:?}");
    }
    for (file, _) in set.iter().step_by(61) {
        let edits = vec![put(&path(&format!("{file}/x")), entry(1))];
        let refused = try_edit(root, edits, &mut nodes);
        assert!(matches!(refused, Err(TreeError::FileAndFolder { .. })), "{file}: {refused:?}");
    }
}

#[test]
fn a_folder_becomes_a_file_in_one_edit() {
    let set = regular(5_000);
    let mut nodes = MemoryNodes::default();
    let root = built(&set, &mut nodes).digest;
    for folder in ["data/0000", "data/0023", "data/0049"] {
        let inside = set.keys().filter(|path| path.as_str().starts_with(folder));
        let mut edits: Vec<TreeEdit> = inside.map(removal).collect();
        edits.push(put(&path(folder), entry(1)));
        let expected = built(&applied(&set, &edits), &mut MemoryNodes::default());
        assert_eq!(try_edit(root, edits.clone(), &mut nodes).unwrap().root, expected, "{folder}");
        edits.remove(99);
        assert!(
            matches!(try_edit(root, edits, &mut nodes), Err(TreeError::FileAndFolder { .. })),
            "{folder}"
        );
    }
}

#[test]
fn a_removal_of_nothing_is_told() {
    let mut nodes = MemoryNodes::default();
    let root = built(&regular(10), &mut nodes);
    let outcome = try_edit(root.digest, vec![removal(&path("nothing"))], &mut nodes).unwrap();
    assert_eq!((outcome.absent, outcome.root), (vec![path("nothing")], root));
}

#[test]
fn entries_have_limits() {
    let refused = |entry: TreeEntry| match build(vec![(path("a"), entry)], &mut MemoryNodes::default()) {
        Err(DriveError::Tree(TreeError::Entry { source, .. })) => Some(source),
        _ => None,
    };
    let metadata = |bytes: usize| TreeEntry { metadata: Arc::from(vec![b'x'; bytes]), ..entry(1) };
    assert_eq!(refused(metadata(4096)), None);
    assert_eq!(refused(metadata(4097)), Some(EntryError::MetadataTooLong));
    assert_eq!(refused(metadata(10_000_000)), Some(EntryError::MetadataTooLong));
    let media_type = |text: &str| TreeEntry { media_type: text.into(), ..entry(1) };
    assert_eq!(refused(media_type(&"x".repeat(256))), Some(EntryError::MediaTypeTooLong));
    assert_eq!(refused(media_type("text/ä")), Some(EntryError::MediaTypeCharacters));
    let huge = |name: &str| (path(name), TreeEntry { bytes: u64::MAX, ..entry(1) });
    let error = build(vec![huge("a"), huge("b")], &mut MemoryNodes::default()).unwrap_err();
    assert_eq!(error, DriveError::Tree(TreeError::TooLarge));
}

#[test]
fn the_largest_entries_fit() {
    let large = |number: u64| {
        let parts =
            [format!("{number:05}"), "p".repeat(255), "q".repeat(255), "r".repeat(255), "s".repeat(240)];
        let entry = TreeEntry {
            metadata: Arc::from(vec![b'm'; 4096]),
            media_type: "t".repeat(255).into(),
            ..entry(number)
        };
        (path(&parts.join("/")), entry)
    };
    let set: EntrySet = (0..300).map(large).collect();
    let mut nodes = MemoryNodes::default();
    let root = built(&set, &mut nodes);
    assert!(nodes.sizes().all(|size| size <= manifest_tree::NODE_BYTES_MAX));
    let empty = built(&EntrySet::new(), &mut nodes);
    assert_eq!(diff(empty.digest, root.digest, &nodes).len(), 300);
}

#[test]
fn changes_have_kinds() {
    let mut nodes = MemoryNodes::default();
    let old = EntrySet::from(["a", "b", "c"].map(|text| (path(text), entry(1))));
    let mut new = old.clone();
    new.remove(&path("a"));
    new.insert(path("b"), entry(2));
    new.insert(path("c"), TreeEntry { metadata: Arc::from(&b"{}"[..]), ..entry(1) });
    new.insert(path("d"), entry(1));
    let roots = [built(&old, &mut nodes).digest, built(&new, &mut nodes).digest];
    let kinds: Vec<_> = diff(roots[0], roots[1], &nodes).iter().map(|change| change.kind()).collect();
    use TreeChangeKind::{Added, Content, Metadata, Removed};
    assert_eq!(kinds, [Removed, Content, Metadata, Added]);
}

/// Merges sets that are given by their paths, with contents by number. Returns conflicts as pairs of their path and ours.
fn merged(base: &[&str], ours: &[&str], theirs: &[&str]) -> (Vec<String>, Vec<(String, String)>) {
    let mut nodes = MemoryNodes::default();
    let roots = [base, ours, theirs].map(|paths| {
        let set: EntrySet = paths.iter().map(|text| (path(text), entry(1))).collect();
        built(&set, &mut nodes).digest
    });
    let outcome =
        drive(&mut TreeMerge::new(roots[0], roots[1], roots[2], 100), &nodes, |_| {}).expect("trees merge");
    let conflict = |conflict: &manifest_tree::MergeConflict| {
        (
            conflict.path.to_string(),
            conflict.file_and_folder.as_ref().map(EntryPath::to_string).unwrap_or_default(),
        )
    };
    let conflicts = outcome.conflicts.iter().map(conflict).collect();
    let after = try_edit(roots[1], outcome.edits, &mut nodes).expect("good edits");
    let empty = built(&EntrySet::new(), &mut nodes).digest;
    let paths = diff(empty, after.root.digest, &nodes).into_iter().map(|change| change.path.to_string());
    (paths.collect(), conflicts)
}

#[test]
fn a_merge_makes_no_path_a_file_and_a_folder() {
    let conflict = |path: &str, ours: &str| vec![(path.to_owned(), ours.to_owned())];
    assert_eq!(
        merged(&["z"], &["z", "a"], &["z", "a/b"]),
        (vec!["a".into(), "z".into()], conflict("a/b", "a"))
    );
    assert_eq!(
        merged(&["z"], &["z", "a/b"], &["z", "a"]),
        (vec!["a/b".into(), "z".into()], conflict("a", "a/b"))
    );
    assert_eq!(merged(&["a"], &["a"], &["a/b"]), (vec!["a/b".into()], Vec::new()));
    assert_eq!(merged(&["a/b"], &["a/b", "a/c"], &["a"]), (vec!["a/c".into()], conflict("a", "a/c")));
}

#[test]
fn a_merge_of_too_many_changes_is_refused() {
    let mut nodes = MemoryNodes::default();
    let roots = [built(&regular(10), &mut nodes).digest, built(&regular(111), &mut nodes).digest];
    let merge = |max| drive(&mut TreeMerge::new(roots[0], roots[0], roots[1], max), &nodes, |_| {});
    assert_eq!(merge(100), Err(DriveError::Tree(TreeError::TooManyChanges { max: 100 })));
    assert_eq!(merge(101).unwrap().edits.len(), 101);
}
