//! One word for each thing, in everything that people read: the documentation, including the reference of
//! commands, REST and events, the example configuration, and the console.

use std::path::{Path, PathBuf};

use toolgate_core::approval::ApprovalState;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::event::Outcome;

/// Words that are never used for an approval.
const OTHER_WORDS: [&str; 8] =
    ["rejected", "rejects", "reject", "rejection", "consumed", "consumes", "declined", "unapproved"];
/// Names of other things, and the words of older ledgers.
const NAMES: [&str; 4] = ["approval.consumed", "`rejected`", "`consumed`", "registry.tool.rejected"];

/// Texts that list the policy templates.
const ABOUT_TEMPLATES: &[&str] = &[
    "crates/call/toolgate-policy/README.md",
    "docs/concepts.md",
    "docs/guide/govern.md",
    "docs/how-to/write-a-policy.md",
    "toolgate.example.toml",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files below a folder that end so.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, end, found);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

fn faults(path: &Path, is_about: impl Fn(&str) -> bool) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a text");
    let wrong = |line: &str| {
        let line = NAMES.iter().fold(line.to_lowercase(), |line, name| line.replace(name, ""));
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        is_about(&line) && words.any(|word| OTHER_WORDS.contains(&word))
    };
    let lines = text.lines().enumerate().filter(|(_, line)| wrong(line));
    lines.map(|(number, line)| format!("{}:{}: {line}", path.display(), number + 1)).collect()
}

#[test]
fn approvals_are_called_by_the_same_words_everywhere() {
    let (mut published, mut inbox) = (vec![root().join("toolgate.example.toml")], Vec::new());
    files(&root().join("docs"), ".md", &mut published);
    files(&root().join("docs"), "approval.svg", &mut published);
    files(&root().join("crates/people/toolgate-console/src"), ".rs", &mut published);
    files(&root().join("crates/people/toolgate-console/src/pages/inbox"), ".rs", &mut inbox);
    assert!(published.len() > 100 && inbox.len() > 5, "there is nothing to look at");
    let mut found: Vec<String> = published
        .iter()
        .flat_map(|path| faults(path, |line| line.contains("approval") || line.contains("approved")))
        .collect();
    found.extend(inbox.iter().flat_map(|path| faults(path, |_| true)));
    assert!(found.is_empty(), "approvals are denied and used:\n{}", found.join("\n"));
}

#[test]
fn the_table_of_words_has_all_of_them() {
    let concepts = std::fs::read_to_string(root().join("docs/concepts.md")).expect("a text");
    let section = concepts.split("\n## Words for how it stands\n").nth(1).expect("a section");
    let section = section.split("\n## ").next().expect("a section");
    let states = ApprovalState::ALL.map(ApprovalState::as_str);
    for word in states.into_iter().chain(Outcome::ALL.iter().map(|outcome| outcome.as_str())) {
        assert!(section.contains(&format!("`{word}`")), "{word} is not explained");
    }
}

#[test]
fn texts_that_list_the_policy_templates_list_all_of_them() {
    for path in ABOUT_TEMPLATES {
        let text = std::fs::read_to_string(root().join(path)).expect("a text");
        for name in PolicyTemplate::NAMES {
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(words.any(|word| word == name), "{path} does not name {name}");
        }
    }
}
