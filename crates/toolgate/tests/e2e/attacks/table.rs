//! The table of attacks in the documentation, checked against the existing tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words in backticks of the table's rows that name tests: `area::file::name`.
fn named() -> BTreeSet<String> {
    let page = std::fs::read_to_string(root().join("docs/guide/attacks.md")).expect("the page of attacks");
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let words = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    words.filter(|word| word.contains("::")).map(str::to_owned).collect()
}

/// Every test below a folder or in a file, by the path of its modules.
fn tests_in(path: &Path, modules: &str, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder of tests") {
            let entry = entry.expect("an entry").path();
            let stem = entry.file_stem().expect("files have names").to_string_lossy().into_owned();
            let below = if modules.is_empty() { stem } else { format!("{modules}::{stem}") };
            tests_in(&entry, &below, found);
        }
        return;
    }
    if path.extension().is_none_or(|ending| ending != "rs") {
        return;
    }
    let text = std::fs::read_to_string(path).expect("a source");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let is_test = |line: &&str| line.starts_with("#[test]") || line.starts_with("#[tokio::test");
    let mut add = |line: &str| {
        let name = line.split_once("fn ").and_then(|(_, rest)| rest.split('(').next());
        found.insert(format!("{modules}::{}", name.expect("a test has a name")));
    };
    for (at, line) in lines.iter().enumerate() {
        if is_test(line) {
            let named = lines[at..].iter().find(|line| line.contains("fn "));
            add(named.expect("a test is a function"));
        }
        // A macro turns those that run on both databases into tests.
        if text.contains("on_both!(") && line.starts_with("async fn ") && line.contains("(backing: Backing)")
        {
            add(line);
        }
    }
}

#[test]
fn every_row_names_a_test_that_exists_and_every_attack_has_a_row() {
    let mut there = BTreeSet::new();
    tests_in(&root().join("crates/toolgate/tests/e2e"), "", &mut there);
    let named = named();
    assert!(!named.is_empty(), "the page has a table");
    let missing: Vec<&String> = named.iter().filter(|name| !there.contains(*name)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "the page names tests that do not exist");
    let this = "attacks::table::every_row_names_a_test_that_exists_and_every_attack_has_a_row";
    let untold: Vec<&String> = there
        .iter()
        .filter(|name| name.starts_with("attacks::") && *name != this && !named.contains(*name))
        .collect();
    assert_eq!(untold, Vec::<&String>::new(), "attacks without a row");
}
