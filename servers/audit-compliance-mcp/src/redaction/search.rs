//! Matches in a text, in the bytes of its original.

use std::ops::Range;

use super::order::RedactionOrder;
use crate::personal;

/// Personal data of fewer characters is redacted where it was found only.
const TELLING_CHARS_MIN: usize = 5;

/// All places that an order means, sorted and without overlaps.
pub(super) fn matches(text: &str, order: &RedactionOrder) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = order.terms.iter().flat_map(|term| occurrences(text, term)).collect();
    if !order.kinds.is_empty() {
        let wanted = personal::find(text)
            .into_iter()
            .filter(|it| order.kinds.contains(&it.kind) && it.confidence >= order.confidence_min);
        found.extend(wanted.map(|it| it.from..it.to));
    }
    found.sort_by_key(|it| (it.start, it.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for one in found {
        match joined.last_mut().filter(|last| one.start <= last.end) {
            Some(last) => last.end = last.end.max(one.end),
            None => joined.push(one),
        }
    }
    joined
}

/// The order, with personal data that was found as terms: what was found in one sentence goes from all others, too.
/// A single short word stays out of it, since it may mean something else there.
pub(super) fn extended<'t>(order: &RedactionOrder, texts: impl Iterator<Item = &'t str>) -> RedactionOrder {
    let mut extended = order.clone();
    for text in texts.filter(|_| !order.kinds.is_empty()) {
        for range in matches(text, order) {
            let found = text[range].split_whitespace().collect::<Vec<_>>().join(" ");
            let telling = found.contains(|it: char| it == ' ' || it == '@' || it.is_numeric());
            if telling && found.chars().count() >= TELLING_CHARS_MIN && !extended.terms.contains(&found) {
                extended.terms.push(found);
            }
        }
    }
    extended
}

/// A term wherever it stands: in any case, with other spaces and hyphens of lines in it.
fn occurrences(text: &str, term: &str) -> Vec<Range<usize>> {
    let wanted: Vec<char> = folded(term).map(|(it, _)| it).collect();
    let own: Vec<(char, Range<usize>)> = folded(text).collect();
    if wanted.is_empty() || own.len() < wanted.len() {
        return Vec::new();
    }
    let hits = own.windows(wanted.len()).filter(|window| window.iter().map(|(it, _)| it).eq(&wanted));
    hits.map(|window| window[0].1.start..window[window.len() - 1].1.end).collect()
}

/// Letters in lower case without spaces, soft hyphens and hyphens, with their places.
pub(super) fn folded(text: &str) -> impl Iterator<Item = (char, Range<usize>)> {
    text.char_indices()
        .filter(|(_, it)| !it.is_whitespace() && !matches!(it, '\u{ad}' | '-' | '\u{2010}' | '\u{2011}'))
        .flat_map(|(at, it)| it.to_lowercase().map(move |low| (low, at..at + it.len_utf8())))
}
