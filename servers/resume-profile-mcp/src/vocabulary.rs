//! Well-known skills with their other names, found in any text.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::words::lines_of;

struct SkillVocabulary {
    names: Vec<&'static str>,
    /// The name that each pattern means.
    means: Vec<usize>,
    patterns: Vec<String>,
    finder: AhoCorasick,
    by_word: HashMap<String, usize>,
}

static VOCABULARY: LazyLock<SkillVocabulary> = LazyLock::new(|| {
    let (mut names, mut means, mut patterns) = (Vec::new(), Vec::new(), Vec::new());
    for entry in lines_of(include_str!("../data/skills.txt")).flat_map(|line| line.split(" | ")) {
        let (name, others) = entry.split_once(" = ").unwrap_or((entry, ""));
        names.push(name.trim());
        for word in
            [name].into_iter().chain(others.split(", ")).map(str::trim).filter(|word| !word.is_empty())
        {
            patterns.push(word.to_lowercase());
            means.push(names.len() - 1);
        }
    }
    let finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&patterns)
        .expect("a few hundred words can always be searched for");
    let by_word = patterns.iter().cloned().zip(means.iter().copied()).rev().collect();
    SkillVocabulary { names, means, patterns, finder, by_word }
});

/// A skill in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SkillMention {
    /// The canonical name.
    pub(crate) name: &'static str,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// One-letter names, and names that are ordinary words in lower case, match only in their exact spelling.
const STRICT: [&str; 24] = [
    "C", "R", "Go", "Chef", "Spring", "Express", "Access", "Word", "Epic", "Sage", "Creo", "Maya", "Dart",
    "Swift", "Rust", "Access", "Sketch", "Turning", "Training", "Research", "Rhino", "Spark", "Oracle",
    "Helm",
];

/// The skills that a text names, in order.
pub(crate) fn mentions(text: &str) -> Vec<SkillMention> {
    let vocabulary = &*VOCABULARY;
    // Lower case of the same length, so that places stay the same.
    let lower: String = text.chars().map(lower_same_length).collect();
    let whole = |start: usize, end: usize| {
        let before = lower[..start].chars().next_back();
        let after = lower[end..].chars().next();
        let joins = |character: Option<char>| {
            character.is_some_and(|character| character.is_alphanumeric() || character == '_')
        };
        let sharp = matches!(after, Some('+' | '#'))
            || matches!(before, Some('#' | '&'))
            || (after == Some('&') && end - start < 3);
        !joins(before) && !joins(after) && !sharp
    };
    let found = vocabulary.finder.find_iter(&lower).filter(|found| whole(found.start(), found.end()));
    found
        .map(|found| SkillMention {
            name: vocabulary.names[vocabulary.means[found.pattern().as_usize()]],
            start: found.start(),
            end: found.end(),
        })
        .filter(|mention| is_meant(mention, &text[mention.start..mention.end]))
        .collect()
}

fn lower_same_length(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) if one.len_utf8() == character.len_utf8() => one,
        _ => character,
    }
}

fn is_meant(mention: &SkillMention, written: &str) -> bool {
    let short = written.chars().count() <= 2;
    let strict = STRICT.contains(&mention.name) || short;
    !strict
        || written.starts_with(char::is_uppercase)
            && (!short || written == mention.name || written.chars().all(|letter| !letter.is_lowercase()))
}

/// The name of exactly this, if it is known.
pub(crate) fn canonical(text: &str) -> Option<&'static str> {
    let vocabulary = &*VOCABULARY;
    vocabulary.by_word.get(&text.trim().to_lowercase()).map(|at| vocabulary.names[*at])
}

/// All names of a skill, in lower case.
pub(crate) fn other_names(name: &str) -> Vec<&'static str> {
    let vocabulary = &*VOCABULARY;
    let Some(at) = vocabulary.by_word.get(&name.to_lowercase()) else { return Vec::new() };
    let meant = vocabulary.means.iter().zip(&vocabulary.patterns).filter(|(means, _)| *means == at);
    meant.map(|(_, pattern)| pattern.as_str()).collect()
}

/// Every name of every skill, in lower case.
pub(crate) fn all_names() -> impl Iterator<Item = &'static str> {
    VOCABULARY.patterns.iter().map(String::as_str)
}
