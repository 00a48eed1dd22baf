//! The alignment of two texts' sentences.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffOp};

use crate::compare::DIFF_TIME_MAX;
use crate::sentences::sentences;
use crate::words::words;

/// A sentence with nearly the same meaning in other words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ChangedSentence {
    pub before: String,
    pub after: String,
    /// Share of common words, from 0 to 1.
    pub similarity: f64,
}

/// A sentence in another position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MovedSentence {
    pub text: String,
    /// Its number in the first text, from 0.
    pub from: usize,
    /// Its number in the second text, from 0.
    pub to: usize,
}

#[derive(Default)]
pub(super) struct SentenceAlignment {
    pub(super) unchanged: usize,
    pub(super) changed: Vec<ChangedSentence>,
    pub(super) moved: Vec<MovedSentence>,
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
}

/// Two sentences that share more of their words are one, changed.
const CHANGED_MIN: f64 = 0.5;
/// The maximum number of sentences of each side that are compared to find changed ones.
const PAIRED_MAX: usize = 400;

impl SentenceAlignment {
    /// True if something was left out.
    pub(super) fn cut(&mut self, most: usize) -> bool {
        let longest = self.changed.len().max(self.moved.len()).max(self.added.len()).max(self.removed.len());
        self.changed.truncate(most);
        self.moved.truncate(most);
        self.added.truncate(most);
        self.removed.truncate(most);
        longest > most
    }
}

/// A sentence with the words that identify it.
struct AlignedSentence<'a> {
    text: &'a str,
    words: Vec<String>,
}

pub(super) fn align(a: &str, b: &str) -> SentenceAlignment {
    let (a, b) = (lines(a), lines(b));
    let keys =
        |lines: &[AlignedSentence<'_>]| lines.iter().map(|line| line.words.join(" ")).collect::<Vec<_>>();
    let (keys_a, keys_b) = (keys(&a), keys(&b));
    let deadline = Instant::now() + DIFF_TIME_MAX;
    let steps = similar::capture_diff_slices_deadline(Algorithm::Myers, &keys_a, &keys_b, Some(deadline));
    let mut aligned = SentenceAlignment::default();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for step in steps {
        match step {
            DiffOp::Equal { len, .. } => aligned.unchanged += len,
            _ => {
                gone.extend(step.old_range());
                come.extend(step.new_range());
            }
        }
    }
    take_moved(&mut aligned, &a, (&keys_a, &mut gone), (&keys_b, &mut come));
    take_changed(&mut aligned, (&a, &mut gone), (&b, &mut come));
    let told = |line: &AlignedSentence<'_>| line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    aligned.removed = gone.iter().map(|index| told(&a[*index])).collect();
    aligned.added = come.iter().map(|index| told(&b[*index])).collect();
    aligned
}

fn lines(text: &str) -> Vec<AlignedSentence<'_>> {
    let lower = |text| words(text).iter().map(|word| word.text.to_lowercase()).collect();
    sentences(text)
        .iter()
        .map(|sentence| AlignedSentence { text: sentence.text, words: lower(sentence.text) })
        .collect()
}

/// Sentences that were removed here and added there, word for word.
fn take_moved(
    aligned: &mut SentenceAlignment,
    lines: &[AlignedSentence<'_>],
    (keys_a, gone): (&[String], &mut Vec<usize>),
    (keys_b, come): (&[String], &mut Vec<usize>),
) {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for index in come.iter().rev() {
        places.entry(&keys_b[*index]).or_default().push(*index);
    }
    let mut taken = HashSet::new();
    gone.retain(|from| {
        let Some(to) = places.get_mut(keys_a[*from].as_str()).and_then(Vec::pop) else { return true };
        taken.insert(to);
        aligned.moved.push(MovedSentence { text: lines[*from].text.to_owned(), from: *from, to });
        false
    });
    come.retain(|to| !taken.contains(to));
}

/// Pairs that are most alike first.
fn take_changed(
    aligned: &mut SentenceAlignment,
    (a, gone): (&[AlignedSentence<'_>], &mut Vec<usize>),
    (b, come): (&[AlignedSentence<'_>], &mut Vec<usize>),
) {
    let mut pairs = Vec::new();
    for from in gone.iter().take(PAIRED_MAX) {
        for to in come.iter().take(PAIRED_MAX) {
            let alike = alike(&a[*from].words, &b[*to].words);
            if alike >= CHANGED_MIN {
                pairs.push((alike, *from, *to));
            }
        }
    }
    pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then((one.1, one.2).cmp(&(other.1, other.2))));
    let (mut taken_from, mut taken_to) = (HashSet::new(), HashSet::new());
    let mut found = Vec::new();
    for (alike, from, to) in pairs {
        if !taken_from.contains(&from) && !taken_to.contains(&to) {
            taken_from.insert(from);
            taken_to.insert(to);
            found.push((
                to,
                ChangedSentence {
                    before: a[from].text.to_owned(),
                    after: b[to].text.to_owned(),
                    similarity: (alike * 1000.0).round() / 1000.0,
                },
            ));
        }
    }
    found.sort_by_key(|(to, _)| *to);
    aligned.changed = found.into_iter().map(|(_, changed)| changed).collect();
    gone.retain(|from| !taken_from.contains(from));
    come.retain(|to| !taken_to.contains(to));
}

/// Twice the words that both have, by all words (Dice).
fn alike(a: &[String], b: &[String]) -> f64 {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    a.iter().for_each(|word| *counts.entry(word).or_default() += 1);
    let shared = b.iter().filter(|word| match counts.get_mut(word.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    });
    2.0 * shared.count() as f64 / (a.len() + b.len()).max(1) as f64
}
