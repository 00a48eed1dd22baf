//! Programs and libraries without tests are not built a second time as tests of themselves (`test = false`). Whoever writes the
//! first test of one takes that line out: this finds tests that would never run.

use std::collections::BTreeMap;

use super::circles::read_files;
use super::{Package, Target, packages};

#[test]
fn every_test_is_run() {
    let never_run: Vec<String> = packages().iter().flat_map(never_run).collect();
    assert!(
        never_run.is_empty(),
        "tests of what has `test = false` in its Cargo.toml: {never_run:?}\nhint: take that line out"
    );
}

/// The files that have tests although their target is not built as a test.
fn never_run(package: &Package) -> Vec<String> {
    let untested = package.targets.iter().filter(|target| !target.test && !target.is("custom-build"));
    let with_tests = |target: &Target| {
        let files = sources(target).into_iter().filter(|(_, text)| has_tests(text));
        files.map(|(name, _)| format!("{}: {name}", package.name)).collect::<Vec<String>>()
    };
    untested.flat_map(with_tests).collect()
}

/// The sources of a library, without those of the programs beside it; of a program its one file.
fn sources(target: &Target) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    if target.is("lib") {
        read_files(target.src_path.parent().expect("a folder"), "", &mut files);
        files.retain(|name, _| name != "main.rs" && !name.starts_with("bin/"));
    } else {
        let text = std::fs::read_to_string(&target.src_path).expect("sources are text");
        files.insert(target.src_path.display().to_string(), text);
    }
    files
}

fn has_tests(text: &str) -> bool {
    text.lines().any(|line| matches!(line.trim(), "#[test]" | "#[tokio::test]" | "#[cfg(test)]"))
}
