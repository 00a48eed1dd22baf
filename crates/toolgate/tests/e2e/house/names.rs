//! Names of types. A type's name says what it is without its path, so few files define the same one, and words that could
//! name anything name nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::circles::read_files;
use super::packages;

/// How many files may define the same name.
const FILES_MAX: usize = 2;

/// Words that say nothing about the type they name. Such a word may be part of a longer name.
const VAGUE: &[&str] = &[
    "Answer",
    "Answered",
    "Arguments",
    "Asked",
    "Desk",
    "Found",
    "Given",
    "Heard",
    "Held",
    "House",
    "Inner",
    "Kept",
    "Known",
    "Named",
    "Parts",
    "Place",
    "Read",
    "Rest",
    "Said",
    "Seen",
    "Shown",
    "Taken",
    "Told",
    "Wanted",
    "Written",
];

#[test]
fn few_files_define_a_type_of_the_same_name() {
    let mut files = definitions();
    assert!(files.contains_key("Gateway"), "definitions are found");
    files.retain(|_, files| files.len() > FILES_MAX);
    assert!(files.is_empty(), "type names of too many files: {files:#?}\nhint: say of what each of them is");
}

#[test]
fn type_names_say_what_the_type_is() {
    let mut files = definitions();
    files.retain(|name, _| VAGUE.contains(&name.as_str()));
    assert!(files.is_empty(), "type names that could name anything: {files:#?}");
}

/// The files of production code that define a type, by its name.
fn definitions() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        if ["bench", "fuzz", "testkit"].iter().any(|end| package.name.ends_with(end)) {
            continue;
        }
        let mut files = BTreeMap::new();
        read_files(&package.manifest_path.with_file_name("src"), "", &mut files);
        files.retain(|file, _| !file.split(['/', '.']).any(|part| part == "tests"));
        for (file, text) in files {
            for name in text.lines().filter_map(defined) {
                found.entry(name.to_owned()).or_default().insert(format!("{}: {file}", package.name));
            }
        }
    }
    found
}

/// The name of the type whose definition begins on a line.
fn defined(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => {
            rest.split_once(' ').filter(|(scope, _)| !scope.contains("(in")).map(|(_, rest)| rest)?
        }
        None => line,
    };
    let (kind, rest) = line.split_once(' ')?;
    let name = rest.split(|character: char| !character.is_alphanumeric()).next()?;
    ["struct", "enum", "trait", "type"].contains(&kind).then_some(name)
}
