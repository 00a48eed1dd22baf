//! Words of a subset for a word that it does not have: longer ones with the same beginning, or else ones that
//! differ by a typo.

use super::Subset;

/// Shorter words begin too many others.
const BEGINNING_CHARS_MIN: usize = 3;
/// From this length on one slip is forgiven, and from the other on two: in shorter words it makes another
/// word.
const ONE_SLIP_CHARS_MIN: usize = 5;
const TWO_SLIPS_CHARS_MIN: usize = 9;
/// The maximum number of words that one may stand for.
const WORDS_MAX: usize = 16;

/// Terms that the subset has. A number, or a word with one in it, is not corrected.
pub(super) fn near(subset: &Subset, stem: &str) -> Vec<usize> {
    if stem.chars().any(char::is_numeric) || stem.chars().count() < BEGINNING_CHARS_MIN {
        return Vec::new();
    }
    let longer = longer(subset, stem);
    if longer.is_empty() { slips(subset, stem) } else { longer }
}

fn longer(subset: &Subset, stem: &str) -> Vec<usize> {
    beginning(subset, stem).filter(|term| subset.knows(*term)).take(WORDS_MAX).collect()
}

/// The terms at the least distance. The first letter is hardly ever the wrong one.
fn slips(subset: &Subset, stem: &str) -> Vec<usize> {
    let first: String = stem.chars().take(1).collect();
    let most = slips_max(stem.chars().count());
    let near = beginning(subset, &first).filter_map(|term| {
        let distance = distance(stem, &subset.index.terms[term], most)?;
        subset.knows(term).then_some((distance, term))
    });
    let mut near: Vec<(usize, usize)> = near.collect();
    let least = near.iter().map(|(distance, _)| *distance).min();
    near.retain(|(distance, _)| Some(*distance) == least);
    near.into_iter().map(|(_, term)| term).take(WORDS_MAX).collect()
}

fn slips_max(chars: usize) -> usize {
    usize::from(chars >= ONE_SLIP_CHARS_MIN) + usize::from(chars >= TWO_SLIPS_CHARS_MIN)
}

fn beginning<'a>(subset: &'a Subset, start: &'a str) -> impl Iterator<Item = usize> + 'a {
    let terms = &subset.index.terms;
    let from = terms.partition_point(|term| &**term < start);
    (from..terms.len()).take_while(move |term| terms[*term].starts_with(start))
}

/// The number of slips between two texts if it is at most `most`. Most pairs are excluded by their lengths
/// and letters, which is much cheaper than aligning them.
pub(super) fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let lengths = one.chars().count().abs_diff(other.chars().count());
    let letters = (letters(one) ^ letters(other)).count_ones() as usize;
    if lengths > most || letters > 2 * most {
        return None;
    }
    Some(strsim::osa_distance(one, other)).filter(|distance| *distance <= most)
}

/// A bit for each letter that occurs; letters may share a bit.
fn letters(text: &str) -> u32 {
    text.chars().fold(0, |bits, c| bits | 1 << (u32::from(c) % u32::BITS))
}
