//! One ranking from two: the semantic nearness of a tool, and the score of its words relative to the best.
//!
//! Reciprocal rank fusion knows only ranks: a tool that is far ahead of all others counts there as much as
//! one that is just ahead. On the five labelled rows that the example `recall_fused` prints, the sum had two
//! to seven in a hundred more of the right tools among the first five. It was not better everywhere: whole
//! tasks had theirs first a little less often.

use crate::{MatchKind, SearchHit};

use super::NearTool;

/// The weight of the best words beside a cosine of one. From 0.2 to 0.6 the rows differ by less than chance
/// would.
const WORDS: f32 = 0.35;
/// The minimum nearness of a tool without a word of the query.
const NEARNESS_MIN: f32 = 0.15;

/// The best first. Exact names and their beginnings stay in front. `tools` are by the order of their names.
pub(super) fn fuse(by_words: &[SearchHit], tools: &[NearTool<'_>], limit: usize) -> Vec<SearchHit> {
    let shares = shares(by_words, tools);
    let nearest = tools.iter().filter_map(|tool| tool.cosine).fold(0.0, f32::max);
    let found = tools.iter().zip(shares).filter_map(|(tool, (place, share))| {
        let is_found =
            share > 0.0 || place < MatchKind::Words || tool.cosine.is_some_and(|near| near >= NEARNESS_MIN);
        // A tool without a vector counts as near as its words are good.
        let score = tool.cosine.unwrap_or(share * nearest) + WORDS * share;
        is_found.then_some((place, score, tool))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let hit = |(place, score, tool): (MatchKind, f32, &NearTool<'_>)| SearchHit {
        name: tool.document.name.clone(),
        score,
        place,
    };
    found.into_iter().take(limit).map(hit).collect()
}

/// The way each tool was found by its words, and their score relative to the best.
fn shares(by_words: &[SearchHit], tools: &[NearTool<'_>]) -> Vec<(MatchKind, f32)> {
    let best = by_words.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    let mut shares = vec![(MatchKind::Words, 0.0); tools.len()];
    for hit in by_words {
        let place = tools.binary_search_by(|tool| tool.document.name.cmp(&hit.name));
        shares[place.expect("what was found is in the subset")] = (hit.place, hit.score / best);
    }
    shares
}
