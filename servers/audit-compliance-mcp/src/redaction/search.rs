//! Matches in a text, in the bytes of its original.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

use super::order::RedactionOrder;
use crate::personal;

/// Personal data of fewer characters is redacted where it was found only.
const TELLING_CHARS_MIN: usize = 5;

/// All places that an order means, sorted and without overlaps.
pub(super) fn matches(text: &str, order: &RedactionOrder) -> Vec<Range<usize>> {
    let own = if order.terms.is_empty() { Vec::new() } else { folded(text) };
    let mut found: Vec<Range<usize>> = order.terms.iter().flat_map(|term| occurrences(&own, term)).collect();
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
fn occurrences(own: &[(char, Range<usize>)], term: &str) -> Vec<Range<usize>> {
    let wanted: Vec<char> = folded(term).into_iter().map(|(it, _)| it).collect();
    if wanted.is_empty() || own.len() < wanted.len() {
        return Vec::new();
    }
    let hits = own.windows(wanted.len()).filter(|window| window.iter().map(|(it, _)| it).eq(&wanted));
    hits.map(|window| window[0].1.start..window[window.len() - 1].1.end).collect()
}

/// Letters in lower case and in their plain forms (`ﬁ` as `fi`, `ü` as `u` and its dots), with their places, without
/// spaces, hyphens and what has no width.
pub(super) fn folded(text: &str) -> Vec<(char, Range<usize>)> {
    let mut letters = Vec::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let place = at..at + letter.len_utf8();
        decompose_compatible(letter, |part| {
            let plain = part.to_lowercase().filter(|it| !is_nothing(*it));
            letters.extend(plain.map(|it| (it, place.clone())));
        });
    }
    letters
}

/// Spaces, hyphens, and marks without width that may stand between letters unseen.
fn is_nothing(letter: char) -> bool {
    letter.is_whitespace()
        || matches!(letter, '\u{ad}' | '-' | '\u{34f}' | '\u{61c}' | '\u{2010}' | '\u{2011}' | '\u{feff}')
        || matches!(letter, '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(letter, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
}
