//! Personal data in texts: patterns with check digits for numbers, and a small tagger for names and addresses.
//!
//! The tagger is trained on English texts by `model/train.py`; what it finds in other languages is a guess, and
//! answers say so. Numbers are found in any language.

mod checks;
mod features;
mod kinds;
mod patterns;
mod tagger;

pub use kinds::{FoundBy, PersonalKind, PersonalSpan, TEXT_CHARS_MAX};

/// Finds everything, in the order of the text and without overlaps.
pub fn find(text: &str) -> Vec<PersonalSpan> {
    let mut found = patterns::find(text);
    for span in tagger::find(text) {
        // What a pattern found is more certain than what surrounds it.
        for part in without(&span, &found) {
            found.push(part);
        }
    }
    found.sort_by_key(|span| span.from);
    found
}

/// False if names and addresses are looked for in the beginning of this text alone.
pub fn is_searched_whole(text: &str) -> bool {
    text.len() <= TEXT_CHARS_MAX || text.chars().nth(TEXT_CHARS_MAX).is_none()
}

/// A span without what is known already; pieces of punctuation are left out.
fn without(span: &PersonalSpan, known: &[PersonalSpan]) -> Vec<PersonalSpan> {
    let mut pieces = vec![(span.from, span.to)];
    for other in known {
        pieces = pieces
            .into_iter()
            .flat_map(|(from, to)| [(from, to.min(other.from)), (from.max(other.to), to)])
            .filter(|(from, to)| from < to)
            .collect();
        pieces.dedup();
    }
    pieces.into_iter().map(|(from, to)| PersonalSpan { from, to, ..span.clone() }).collect()
}

#[cfg(test)]
mod tests;
