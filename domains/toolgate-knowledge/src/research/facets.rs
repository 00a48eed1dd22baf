//! The facets of a subject, as its documents show them: headings, and phrases that recur.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::ports::FoundPassage;
use crate::words::{content_words, is_content, words};

/// Words of a phrase.
const PHRASE_WORDS: std::ops::RangeInclusive<usize> = 2..=3;
/// A phrase recurs in as many passages at least.
const PHRASE_PASSAGES_MIN: usize = 2;
/// The most frequent phrases, of which parts of longer ones are taken out.
const PHRASES_COMPARED_MAX: usize = 200;
const HEADING_WORDS_MAX: usize = 8;
/// Facets of each kind that are kept.
const FACETS_MAX: usize = 12;
/// Headings that are about the document, not about its subject. Sorted.
const FRAME_HEADINGS: &[&str] = &[
    "abstract",
    "acknowledgements",
    "annex",
    "appendix",
    "bibliography",
    "conclusion",
    "conclusions",
    "contents",
    "index",
    "introduction",
    "overview",
    "preface",
    "references",
    "summary",
    "table contents",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FacetKind {
    Heading,
    Phrase,
}

/// A part of a subject.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SubjectFacet {
    pub(crate) text: String,
    pub(crate) kind: FacetKind,
    /// Documents that have it.
    pub(crate) documents: usize,
    /// Passages that have it.
    pub(crate) passages: usize,
}

/// The passages and documents in which something stands.
#[derive(Default)]
struct SeenIn {
    /// As it was first written.
    text: String,
    passages: BTreeSet<usize>,
    documents: BTreeSet<String>,
}

/// The facets of a subject, the most frequent first: headings, then phrases that no heading has.
pub(crate) fn facets(topic: &str, found: &[FoundPassage]) -> Vec<SubjectFacet> {
    let topic: HashSet<String> = content_words(topic).into_iter().collect();
    let headings = ranked(headings(found, &topic), FacetKind::Heading, 1);
    let mut phrases = ranked(phrases(found, &topic), FacetKind::Phrase, PHRASE_PASSAGES_MIN);
    phrases.truncate(PHRASES_COMPARED_MAX);
    phrases = without_parts(phrases);
    phrases.retain(|phrase| !headings.iter().any(|heading| shares_words(&heading.text, &phrase.text)));
    headings.into_iter().take(FACETS_MAX).chain(phrases.into_iter().take(FACETS_MAX)).collect()
}

/// The innermost headings of the passages, by their words.
fn headings(found: &[FoundPassage], topic: &HashSet<String>) -> BTreeMap<String, SeenIn> {
    let mut seen: BTreeMap<String, SeenIn> = BTreeMap::new();
    for (number, one) in found.iter().enumerate() {
        let hit = &one.passage.hit;
        let Some(text) = hit.headings.last().map(|heading| without_number(heading)) else { continue };
        let key = content_words(text);
        let is_new = key.iter().any(|word| !topic.contains(word));
        let joined = key.join(" ");
        if is_new
            && words(text).count() <= HEADING_WORDS_MAX
            && FRAME_HEADINGS.binary_search(&joined.as_str()).is_err()
        {
            note(&mut seen, joined, text, number, &hit.path);
        }
    }
    seen
}

/// `3.1 (a) Notice:` is `Notice`.
fn without_number(heading: &str) -> &str {
    let is_number = |word: &str| {
        word.chars().any(|c| c.is_ascii_digit())
            || word.trim_matches(['(', ')', '.', ':', '§']).chars().count() <= 1
    };
    let mut rest = heading.trim();
    while let Some((first, after)) = rest.split_once(char::is_whitespace) {
        if !is_number(first) {
            break;
        }
        rest = after.trim_start();
    }
    rest.trim_end_matches([':', '.', ' '])
}

/// Runs of words with meaning, within sentences.
fn phrases(found: &[FoundPassage], topic: &HashSet<String>) -> BTreeMap<String, SeenIn> {
    let mut seen: BTreeMap<String, SeenIn> = BTreeMap::new();
    for (number, one) in found.iter().enumerate() {
        for sentence in &one.passage.sentences {
            let words: Vec<String> = words(&sentence.text).collect();
            for run in words.split(|word| !is_content(word)) {
                for phrase in PHRASE_WORDS.flat_map(|length| run.windows(length)) {
                    if phrase.iter().any(|word| !topic.contains(word)) {
                        let text = phrase.join(" ");
                        note(&mut seen, text.clone(), &text, number, &one.passage.hit.path);
                    }
                }
            }
        }
    }
    seen
}

fn note(seen: &mut BTreeMap<String, SeenIn>, key: String, text: &str, passage: usize, path: &str) {
    let one = seen.entry(key).or_default();
    if one.text.is_empty() {
        text.clone_into(&mut one.text);
    }
    one.passages.insert(passage);
    one.documents.insert(path.to_owned());
}

/// The most frequent first; of equals the longer one, then by their letters.
fn ranked(seen: BTreeMap<String, SeenIn>, kind: FacetKind, passages_min: usize) -> Vec<SubjectFacet> {
    let facets = seen.into_values().filter(|one| one.passages.len() >= passages_min);
    let mut facets: Vec<SubjectFacet> = facets
        .map(|one| SubjectFacet {
            text: one.text,
            kind,
            documents: one.documents.len(),
            passages: one.passages.len(),
        })
        .collect();
    facets.sort_by(|one, other| {
        let key = |facet: &SubjectFacet| (facet.passages, facet.documents, facet.text.len());
        key(other).cmp(&key(one)).then_with(|| one.text.cmp(&other.text))
    });
    facets
}

/// Phrases that are no part of a phrase that stands as often.
fn without_parts(phrases: Vec<SubjectFacet>) -> Vec<SubjectFacet> {
    let is_part = |one: &SubjectFacet| {
        let mut longer = phrases.iter().filter(|other| other.text.len() > one.text.len());
        longer.any(|other| other.passages >= one.passages && other.text.contains(&one.text))
    };
    phrases.iter().filter(|one| !is_part(one)).cloned().collect()
}

fn shares_words(heading: &str, phrase: &str) -> bool {
    let heading = content_words(heading);
    content_words(phrase).iter().all(|word| heading.contains(word))
}
