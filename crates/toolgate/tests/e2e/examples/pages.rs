//! The excerpts in the documentation match the examples.

use super::{examples, read};
use crate::outside::repository;

/// The page has a block with all of this text, with gaps allowed between the parts of the file.
fn shows(page: &str, file: &str) {
    let page = read(&repository().join("docs").join(page));
    let file = read(&examples().join(file));
    // Comments of a file are for those who read it alone.
    let parts = file.split("\n\n").map(str::trim).filter(|part| !part.starts_with("//"));
    let missing: Vec<&str> = parts.filter(|part| !page.contains(part)).collect();
    assert!(missing.is_empty(), "the page does not show: {missing:#?}");
}

#[test]
fn the_quick_start_shows_the_gate_that_it_has() {
    shows("quick-start.md", "quick-start/policy/gates.cedar");
}

#[test]
fn the_page_about_policies_shows_the_guard_that_is_tested() {
    shows("how-to/write-a-policy.md", "policy/policy/guard.cedar");
}

#[test]
fn every_example_is_in_the_list() {
    let list = read(&examples().join("README.md"));
    let folders = std::fs::read_dir(examples()).expect("the folder is there").filter_map(Result::ok);
    for folder in folders.map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().and_then(|name| name.to_str()).expect("names are text");
        assert!(list.contains(&format!("({name}/README.md)")), "{name} is not in the list");
        assert!(folder.join("README.md").exists(), "{name} does not say what it is");
    }
}
