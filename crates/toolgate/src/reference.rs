//! `docs/reference`: pages generated from the program's own tables, so that they cannot disagree.
//!
//! Lives here: the writing of each page, and the tests that compare the pages in `docs/reference` with the
//! code. `script/reference` writes them again. None of it is part of the program.

mod cli;
mod config;
mod errors;
mod events;
mod markdown;
mod metrics;
mod rest;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Pages by their path within the folder.
type ReferencePages = BTreeMap<String, String>;

const UPDATE: &str = "UPDATE_REFERENCE";
const FOOT: &str = "\n---\n\nThis page is made from the code; `script/reference` writes it again.\n";

fn pages() -> ReferencePages {
    let mut pages = ReferencePages::new();
    pages.insert("README.md".to_owned(), index());
    pages.insert("configuration.md".to_owned(), config::page());
    pages.insert("cli.md".to_owned(), cli::page());
    pages.insert("metrics.md".to_owned(), metrics::page());
    pages.insert("ledger-events.md".to_owned(), events::page());
    pages.extend(rest::pages());
    pages.extend(errors::pages());
    for page in pages.values_mut() {
        page.push_str(FOOT);
    }
    pages
}

fn index() -> String {
    let lines = [
        ("configuration.md", "Configuration", "every key of `toolgate.toml`, with type, default and meaning"),
        ("cli.md", "Command line", "every command of `toolgate` and its options"),
        ("rest.md", "REST API", "every route: who may use it, what it takes and what it answers"),
        ("rest-schemas.md", "REST schemas", "the bodies that routes take and answer with, field by field"),
        ("errors/README.md", "Errors", "every code that a caller can hear, with one page each"),
        ("metrics.md", "Metrics", "what the gateway counts, for Prometheus"),
        ("ledger-events.md", "Ledger events", "what the ledger keeps, with an example of each"),
    ];
    let mut text =
        "# Reference\n\nWhat there is, page by page. These pages are made from the code.\n\n".to_owned();
    for (path, title, about) in lines {
        text.push_str(&format!("- [{title}]({path}): {about}.\n"));
    }
    text
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference")
}

#[test]
fn the_reference_says_what_the_code_says() {
    let made = pages();
    if crate::environment::variable(UPDATE).is_some() {
        write(&made);
    }
    let kept = read(&folder(), Path::new(""));
    let differs = |path: &&String| made.get(*path) != kept.get(*path);
    let stale: BTreeSet<&String> = made.keys().chain(kept.keys()).filter(differs).collect();
    assert!(
        stale.is_empty(),
        "stale in docs/reference: {stale:?}\nhint: `script/reference` writes them again"
    );
}

fn write(pages: &ReferencePages) {
    let folder = folder();
    // Obsolete pages must not stay.
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of the reference can be replaced");
    }
    for (path, text) in pages {
        let file = folder.join(path);
        std::fs::create_dir_all(file.parent().expect("a page lies in the folder")).expect("a folder");
        std::fs::write(file, text).expect("a page can be written");
    }
}

fn read(folder: &Path, below: &Path) -> ReferencePages {
    let mut found = ReferencePages::new();
    for entry in std::fs::read_dir(folder.join(below)).into_iter().flatten() {
        let below = below.join(entry.expect("an entry").file_name());
        if folder.join(&below).is_dir() {
            found.extend(read(folder, &below));
        } else {
            let text = std::fs::read_to_string(folder.join(&below)).expect("a page is text");
            found.insert(below.to_string_lossy().into_owned(), text);
        }
    }
    found
}

#[test]
fn links_within_the_reference_lead_somewhere() {
    let pages = pages();
    let anchors: BTreeMap<&String, Vec<String>> =
        pages.iter().map(|(path, text)| (path, markdown::anchors(text))).collect();
    for (path, text) in &pages {
        for link in markdown::links(text) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let file = if file.is_empty() { path.clone() } else { markdown::beside(path, file) };
            let there = anchors.get(&file).unwrap_or_else(|| panic!("{path} links to {link}"));
            assert!(anchor.is_empty() || there.iter().any(|one| one == anchor), "{path} links to {link}");
        }
    }
}
