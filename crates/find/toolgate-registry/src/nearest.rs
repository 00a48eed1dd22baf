//! The names that somebody may have meant who wrote one that there is not.

use std::collections::BTreeSet;

/// Names that are told at most.
const NEAREST: usize = 3;
/// How alike two names are of which one may be meant for the other.
const ALIKE: f64 = 0.75;

/// "did you mean …?", if there is a name like it.
pub(crate) fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let known: BTreeSet<&str> = known.collect();
    let likeness = |one: &'a str| (strsim::jaro_winkler(name, one), one);
    let mut near: Vec<(f64, &str)> =
        known.into_iter().map(likeness).filter(|(likeness, _)| *likeness > ALIKE).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(NEAREST).map(|(_, name)| name).collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(", ")))
}
