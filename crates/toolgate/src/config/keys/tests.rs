//! The descriptions of keys, compared with the parser.

use std::path::Path;

use super::*;
use crate::config::problem::one_of;
use crate::config::tests::{accepted, refused};

#[test]
fn every_key_that_the_parser_accepts_is_described_once() {
    for table in TABLES {
        let mut described: Vec<&str> = table.keys.iter().map(|key| key.name).collect();
        let mut known = table.accepted.to_vec();
        described.sort_unstable();
        known.sort_unstable();
        assert_eq!(described, known, "{}: config/keys has what the reference says of keys", table.header);
    }
}

#[test]
fn every_table_that_the_parser_reads_is_described() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config");
    assert_eq!(calls_in(&folder), TABLES.len(), "a table of the file is not described in config/keys");
}

/// The number of places where the parser lists the keys of a table.
fn calls_in(folder: &Path) -> usize {
    let mut calls = 0;
    for entry in std::fs::read_dir(folder).expect("the folder of the sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("tests") && !path.ends_with("keys") {
            calls += calls_in(&path);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            calls += text.matches(".refuse_unknown_keys(").count();
        }
    }
    calls
}

#[test]
fn a_default_that_is_written_out_changes_nothing() {
    for table in TABLES {
        let least = accepted(table.least);
        for key in table.keys {
            let KeyDefault::Is(value) = key.fallback else { continue };
            let text = format!("{}{} = {value}\n", table.least, key.name);
            assert_eq!(accepted(&text), least, "{} in {}", key.name, table.header);
        }
    }
}

#[test]
fn keys_that_are_needed_are_refused_where_they_are_missing() {
    for table in TABLES {
        for key in table.keys.iter().filter(|key| matches!(key.fallback, KeyDefault::Needed)) {
            let assigned = format!("{} = ", key.name);
            // The last lines of a nested table are its own.
            let at = table.least.rfind(&assigned).unwrap_or_else(|| panic!("{} stands in `least`", key.name));
            let end = at + table.least[at..].find('\n').expect("whole lines") + 1;
            let text = [&table.least[..at], &table.least[end..]].concat();
            let said = refused(&text);
            assert!(said.contains(&format!("`{}`", key.name)), "{} in {}: {said}", key.name, table.header);
        }
    }
}

#[test]
fn the_words_that_a_key_takes_are_those_that_the_parser_knows() {
    for table in TABLES {
        for key in table.keys {
            let (words, wrong) = match key.kind {
                KeyKind::Word(words) => (words.to_vec(), "\"nothing-like-it\""),
                KeyKind::Meant(words) => {
                    (words.iter().map(|(word, _)| *word).collect(), "\"nothing-like-it\"")
                }
                KeyKind::Words(words) => (words.to_vec(), "[\"nothing-like-it\"]"),
                _ => continue,
            };
            let needed = format!("{} = ", key.name);
            let least: String = table
                .least
                .lines()
                .filter(|line| !line.starts_with(&needed))
                .map(|line| format!("{line}\n"))
                .collect();
            let said = refused(&format!("{least}{} = {wrong}\n", key.name));
            assert!(said.contains(&one_of(&words)), "{} in {}: {said}", key.name, table.header);
        }
    }
}

#[test]
fn examples_are_accepted_and_say_when_they_count() {
    let before = accepted("");
    for table in TABLES {
        let after = accepted(table.example);
        assert_ne!(after, before, "the example of {} says nothing", table.header);
        let restart = !before.restart_needed(&after).is_empty();
        assert_eq!(restart, table.changes == EffectTime::AfterRestart, "{}", table.header);
    }
}
