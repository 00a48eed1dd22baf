//! "Did you mean": the likely correction of a word.

const LIKENESS_MIN: f64 = 0.75;

/// The candidate nearest to the given word, if one is near.
pub(crate) fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    let likeness = |candidate: &str| strsim::jaro_winkler(&written, &candidate.to_lowercase());
    let scored = candidates.into_iter().map(|candidate| (likeness(candidate), candidate));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, candidate)| candidate)
}

/// A hint for a word that is not one of a few.
pub(crate) fn hint_of(written: &str, candidates: &[&str]) -> String {
    match nearest(written, candidates.iter().copied()) {
        Some(meant) => format!("did you mean {meant:?}?"),
        None => format!("one of: {}", candidates.join(", ")),
    }
}
