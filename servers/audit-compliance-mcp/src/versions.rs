//! Two versions of a text, sentence by sentence, with what changes its meaning marked.

use std::ops::Range;

use capability_language::{sentences, words};
use similar::{ChangeTag, TextDiff};

use crate::report::shortened;

/// Sentences of one version.
const SENTENCES_MAX: usize = 50_000;
/// Changes that are listed.
pub const CHANGES_MAX: usize = 50;

/// A change.
#[derive(Clone, PartialEq, Debug)]
pub struct VersionChange {
    pub before: Option<String>,
    pub after: Option<String>,
    /// Bytes of the sentence in each version.
    pub before_at: Option<Range<usize>>,
    pub after_at: Option<Range<usize>>,
    /// Marks of weight: numbers, obligations, negations.
    pub marks: Vec<&'static str>,
}

/// The outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct VersionReport {
    pub changes: Vec<VersionChange>,
    pub same: usize,
    /// Changes that are not listed.
    pub left_out: usize,
}

/// A sentence of a version, on one line, with its bytes there.
type PlacedSentence = (String, Range<usize>);

/// Compares two texts.
pub fn compare(before: &str, after: &str) -> VersionReport {
    let (before, after) = (lines(before), lines(after));
    let old: Vec<&str> = before.iter().map(|it| it.0.as_str()).collect();
    let new: Vec<&str> = after.iter().map(|it| it.0.as_str()).collect();
    let difference = TextDiff::from_slices(&old, &new);
    let (mut removed, mut added, mut changes, mut same) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for change in difference.iter_all_changes() {
        match change.tag() {
            ChangeTag::Delete => removed.extend(change.old_index().map(|it| before[it].clone())),
            ChangeTag::Insert => added.extend(change.new_index().map(|it| after[it].clone())),
            ChangeTag::Equal => {
                same += 1;
                changes.append(&mut paired(&mut removed, &mut added));
            }
        }
    }
    changes.append(&mut paired(&mut removed, &mut added));
    // Those that weigh more first.
    changes.sort_by_key(|it| std::cmp::Reverse(it.marks.len()));
    let left_out = changes.len().saturating_sub(CHANGES_MAX);
    changes.truncate(CHANGES_MAX);
    VersionReport { changes, same, left_out }
}

fn lines(text: &str) -> Vec<PlacedSentence> {
    let all = sentences(text);
    all.iter()
        .take(SENTENCES_MAX)
        .map(|it| (it.text.split_whitespace().collect::<Vec<_>>().join(" "), it.start..it.end()))
        .collect()
}

/// Removed and added sentences at one place, side by side.
fn paired(removed: &mut Vec<PlacedSentence>, added: &mut Vec<PlacedSentence>) -> Vec<VersionChange> {
    let count = removed.len().max(added.len());
    let mut old = std::mem::take(removed).into_iter();
    let mut new = std::mem::take(added).into_iter();
    (0..count).map(|_| change(old.next(), new.next())).collect()
}

fn change(before: Option<PlacedSentence>, after: Option<PlacedSentence>) -> VersionChange {
    let (before, before_at) = before.unzip();
    let (after, after_at) = after.unzip();
    let (old, new) = (before.as_deref().unwrap_or_default(), after.as_deref().unwrap_or_default());
    let mut marks = Vec::new();
    let numbers = |text: &str| {
        words(text)
            .iter()
            .filter(|it| it.text.contains(|it: char| it.is_numeric()))
            .map(|it| it.text.to_owned())
            .collect::<Vec<_>>()
    };
    if numbers(old) != numbers(new) {
        marks.push("numbers");
    }
    let has = |text: &str, list: &[&str]| {
        words(text).iter().filter(|it| list.contains(&it.text.to_lowercase().as_str())).count()
    };
    let obligations = ["shall", "must", "may", "will", "should", "can", "required", "entitled"];
    if obligations.iter().any(|it| has(old, &[it]) != has(new, &[it])) {
        marks.push("obligations");
    }
    if has(old, &["not", "no", "never", "none", "except", "unless", "without"])
        != has(new, &["not", "no", "never", "none", "except", "unless", "without"])
    {
        marks.push("negations");
    }
    VersionChange {
        before: before.as_deref().map(shortened),
        after: after.as_deref().map(shortened),
        before_at,
        after_at,
        marks,
    }
}
