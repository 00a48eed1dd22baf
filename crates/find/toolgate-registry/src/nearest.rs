//! Suggestions for an unknown name.

use std::collections::BTreeSet;

/// The maximum number of suggestions.
const NEAREST: usize = 3;
/// The minimum similarity of a suggestion.
const ALIKE: f64 = 0.75;

/// "did you mean …?", if there is a similar name.
pub(crate) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: BTreeSet<&str> = known.collect();
    let likeness = |one: &'a str| (strsim::jaro_winkler(name, one), one);
    let mut near: Vec<(f64, &str)> =
        known.into_iter().map(likeness).filter(|(likeness, _)| *likeness > ALIKE).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(NEAREST).map(|(_, name)| name).collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(", ")))
}
