//! Two rankings, by words and by meaning, become one.

use std::collections::BTreeMap;

use engine_protocol::{Fusion, ScoreParts};

/// Passages with their scores, the best first.
pub(crate) type Ranking<K> = [(K, f32)];

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FusedHit<K> {
    pub(crate) key: K,
    pub(crate) score: f32,
    pub(crate) parts: ScoreParts,
}

/// Every passage that is in one of the rankings, with its places in them.
pub(crate) fn candidates<K: Copy + Ord>(
    words: &Ranking<K>,
    meaning: Option<&Ranking<K>>,
) -> BTreeMap<K, ScoreParts> {
    let mut candidates: BTreeMap<K, ScoreParts> = BTreeMap::new();
    for (rank, (key, score)) in (1..).zip(words) {
        let parts = candidates.entry(*key).or_default();
        (parts.bm25, parts.words_rank) = (Some(*score), Some(rank));
    }
    for (rank, (key, score)) in (1..).zip(meaning.unwrap_or_default()) {
        let parts = candidates.entry(*key).or_default();
        (parts.cosine, parts.meaning_rank) = (Some(*score), Some(rank));
    }
    candidates
}

/// A fusion with all that it needs to know of the candidates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fuser {
    /// There is no ranking by meaning: the score is that of the words.
    WordsAlone,
    Ranks {
        k: f32,
        words: f32,
        meaning: f32,
    },
    Scores {
        words: (f32, ScoreScale),
        meaning: (f32, ScoreScale),
    },
}

/// Mean and deviation of scores.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct ScoreScale {
    mean: f32,
    deviation: f32,
    /// The score of whatever has none.
    lowest: f32,
}

impl Fuser {
    /// Scores of a candidate that are not known should be filled in before, where there are any.
    pub(crate) fn new<K>(fusion: &Fusion, by_meaning: bool, candidates: &BTreeMap<K, ScoreParts>) -> Self {
        match *fusion {
            _ if !by_meaning => Self::WordsAlone,
            Fusion::Ranks { k, words, meaning } => Self::Ranks { k, words, meaning },
            Fusion::Scores { words, meaning } => Self::Scores {
                words: (words, ScoreScale::of(candidates.values().map(|parts| parts.bm25))),
                meaning: (meaning, ScoreScale::of(candidates.values().map(|parts| parts.cosine))),
            },
        }
    }

    /// One order of all candidates; equal scores are ordered by their keys.
    pub(crate) fn order<K: Copy + Ord>(&self, candidates: BTreeMap<K, ScoreParts>) -> Vec<FusedHit<K>> {
        let hit = |(key, parts): (K, ScoreParts)| FusedHit { key, score: self.score(&parts), parts };
        let mut hits: Vec<FusedHit<K>> = candidates.into_iter().map(hit).collect();
        hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.key.cmp(&other.key)));
        hits
    }

    fn score(&self, parts: &ScoreParts) -> f32 {
        self.terms(parts).iter().map(FusionTerm::value).sum()
    }

    /// The score of a hit as numbers.
    pub(crate) fn formula(&self, parts: &ScoreParts) -> String {
        let terms: Vec<String> = self.terms(parts).iter().map(FusionTerm::text).collect();
        match terms.is_empty() || (parts.words_rank.is_none() && parts.meaning_rank.is_none()) {
            true => "it is in no ranking".to_owned(),
            false => format!("{} = {:.6}", terms.join(" + "), self.score(parts)),
        }
    }

    fn terms(&self, parts: &ScoreParts) -> Vec<FusionTerm> {
        match *self {
            Self::WordsAlone => parts.bm25.map(FusionTerm::Alone).into_iter().collect(),
            Self::Ranks { k, words, meaning } => {
                let term = |weight, rank: Option<u32>| rank.map(|rank| FusionTerm::Rank { weight, k, rank });
                [term(words, parts.words_rank), term(meaning, parts.meaning_rank)]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Self::Scores { words, meaning } => vec![
                FusionTerm::Score { weight: words.0, score: words.1.scaled(parts.bm25) },
                FusionTerm::Score { weight: meaning.0, score: meaning.1.scaled(parts.cosine) },
            ],
        }
    }
}

/// One ranking's part of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FusionTerm {
    Alone(f32),
    Rank { weight: f32, k: f32, rank: u32 },
    Score { weight: f32, score: f32 },
}

impl FusionTerm {
    fn value(&self) -> f32 {
        match *self {
            Self::Alone(score) => score,
            Self::Rank { weight, k, rank } => weight / (k + rank as f32),
            Self::Score { weight, score } => weight * score,
        }
    }

    fn text(&self) -> String {
        match *self {
            Self::Alone(score) => format!("{score:.6}"),
            Self::Rank { weight, k, rank } => format!("{weight} / ({k} + {rank})"),
            Self::Score { weight, score } => format!("{weight} × {score:.4}"),
        }
    }
}

impl ScoreScale {
    fn of(scores: impl Iterator<Item = Option<f32>>) -> Self {
        let scores: Vec<f32> = scores.flatten().collect();
        let count = scores.len().max(1) as f32;
        let mean = scores.iter().sum::<f32>() / count;
        let squares: f32 = scores.iter().map(|score| (score - mean) * (score - mean)).sum();
        let lowest = scores.iter().copied().fold(mean, f32::min);
        Self { mean, deviation: (squares / count).sqrt(), lowest }
    }

    fn scaled(&self, score: Option<f32>) -> f32 {
        if self.deviation <= f32::EPSILON {
            return 0.0;
        }
        (score.unwrap_or(self.lowest) - self.mean) / self.deviation
    }
}
