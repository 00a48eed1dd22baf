//! One score of two.

use engine_protocol::{Fusion, ScoreParts};

use crate::inside::corpus::RankedPassage;

/// The numbers by which scores are fused.
pub(super) struct FusionNumbers {
    fusion: Fusion,
    words: Spread,
    meaning: Spread,
}

/// The middle of the scores of a ranking, and their deviation from it.
#[derive(Clone, Copy)]
struct Spread {
    middle: f32,
    deviation: f32,
}

impl FusionNumbers {
    pub(super) fn new(fusion: Fusion, words: &[RankedPassage], meaning: &[RankedPassage]) -> Self {
        Self { fusion, words: spread(words), meaning: spread(meaning) }
    }

    /// True if a passage's score in a ranking matters also if the passage is not among the ranking's candidates.
    pub(super) fn needs_all_scores(&self) -> bool {
        matches!(self.fusion, Fusion::Scores { .. })
    }

    pub(super) fn score(&self, parts: &ScoreParts) -> f32 {
        let shares = self.shares(parts);
        shares.iter().map(|(share, _)| share).sum()
    }

    /// The score as a sum of numbers.
    pub(super) fn sentence(&self, parts: &ScoreParts) -> String {
        let shares = self.shares(parts);
        let terms: Vec<&str> = shares.iter().map(|(_, term)| term.as_str()).collect();
        format!("{} = {}", terms.join(" + "), self.score(parts))
    }

    /// The share of each ranking, and how it is computed.
    fn shares(&self, parts: &ScoreParts) -> Vec<(f32, String)> {
        match self.fusion {
            Fusion::Ranks { k, words, meaning } => {
                let share = |weight: f32, rank: u32| {
                    (weight / (k + rank as f32), format!("{weight} / ({k} + {rank})"))
                };
                let words = parts.words_rank.map(|rank| share(words, rank));
                words.into_iter().chain(parts.meaning_rank.map(|rank| share(meaning, rank))).collect()
            }
            Fusion::Scores { words, meaning } => {
                let share = |weight: f32, score: f32, Spread { middle, deviation }| {
                    let term = format!("{weight} × ({score} - {middle}) / {deviation}");
                    (weight * (score - middle) / deviation, term)
                };
                vec![
                    share(words, parts.bm25.unwrap_or_default(), self.words),
                    share(meaning, parts.cosine.unwrap_or(self.meaning.middle), self.meaning),
                ]
            }
        }
    }
}

/// Scores that are all alike have nothing to say about each other: their deviation counts as 1.
fn spread(ranked: &[RankedPassage]) -> Spread {
    let count = ranked.len().max(1) as f64;
    let middle = ranked.iter().map(|passage| f64::from(passage.score)).sum::<f64>() / count;
    let squares = ranked.iter().map(|passage| (f64::from(passage.score) - middle).powi(2)).sum::<f64>();
    let deviation = (squares / count).sqrt() as f32;
    Spread { middle: middle as f32, deviation: if deviation > 1e-6 { deviation } else { 1.0 } }
}
