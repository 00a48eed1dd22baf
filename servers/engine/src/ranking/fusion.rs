//! Two rankings, by words and by meaning, become one.

use std::collections::BTreeMap;

use engine_protocol::{Fusion, ScoreParts};

/// A ranking: passages with their scores, the best first.
pub(crate) type Ranking<K> = [(K, f32)];

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FusedHit<K> {
    pub(crate) key: K,
    pub(crate) score: f32,
    pub(crate) parts: ScoreParts,
}

/// One order of both rankings; equal scores are ordered by their keys. Without a ranking by meaning, the score is that of the words.
pub(crate) fn fused<K: Copy + Ord>(
    fusion: &Fusion,
    words: &Ranking<K>,
    meaning: Option<&Ranking<K>>,
) -> Vec<FusedHit<K>> {
    let mut parts: BTreeMap<K, ScoreParts> = BTreeMap::new();
    for (rank, (key, score)) in (1..).zip(words) {
        let part = parts.entry(*key).or_default();
        (part.bm25, part.words_rank) = (Some(*score), Some(rank));
    }
    for (rank, (key, score)) in (1..).zip(meaning.unwrap_or_default()) {
        let part = parts.entry(*key).or_default();
        (part.cosine, part.meaning_rank) = (Some(*score), Some(rank));
    }
    let scales = FusionScales::new(words, meaning);
    let score = |parts: &ScoreParts| scales.terms(fusion, parts).iter().map(FusionTerm::value).sum();
    let mut hits: Vec<FusedHit<K>> =
        parts.into_iter().map(|(key, parts)| FusedHit { key, score: score(&parts), parts }).collect();
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.key.cmp(&other.key)));
    hits
}

/// The fusion of one hit as numbers.
pub(crate) fn formula<K: Copy + Ord>(
    fusion: &Fusion,
    words: &Ranking<K>,
    meaning: Option<&Ranking<K>>,
    parts: &ScoreParts,
) -> String {
    let terms = FusionScales::new(words, meaning).terms(fusion, parts);
    let sum: f32 = terms.iter().map(FusionTerm::value).sum();
    match terms.as_slice() {
        [] => "it is in no ranking".to_owned(),
        terms => {
            let terms: Vec<String> = terms.iter().map(FusionTerm::text).collect();
            format!("{} = {sum:.6}", terms.join(" + "))
        }
    }
}

/// One ranking's part of a score.
#[derive(Clone, Copy, PartialEq, Debug)]
enum FusionTerm {
    /// The score itself: there is no other ranking.
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

/// Mean and deviation of each ranking.
struct FusionScales {
    words: Scale,
    meaning: Option<Scale>,
}

#[derive(Clone, Copy)]
struct Scale {
    mean: f32,
    deviation: f32,
    /// The score of whatever is not in the ranking: that of its last.
    lowest: f32,
}

impl FusionScales {
    fn new<K>(words: &Ranking<K>, meaning: Option<&Ranking<K>>) -> Self {
        Self { words: Scale::of(words), meaning: meaning.map(Scale::of) }
    }

    fn terms(&self, fusion: &Fusion, parts: &ScoreParts) -> Vec<FusionTerm> {
        let Some(meaning) = &self.meaning else { return parts.bm25.map(FusionTerm::Alone).into_iter().collect() };
        match *fusion {
            Fusion::Ranks { k, words, meaning } => {
                let term = |weight, rank: Option<u32>| rank.map(|rank| FusionTerm::Rank { weight, k, rank });
                let ranks = [term(words, parts.words_rank), term(meaning, parts.meaning_rank)];
                ranks.into_iter().flatten().collect()
            }
            Fusion::Scores { .. } if parts.words_rank.is_none() && parts.meaning_rank.is_none() => Vec::new(),
            Fusion::Scores { words: by_words, meaning: by_meaning } => {
                let words = self.words.scaled(parts.words_rank.and(parts.bm25));
                let meaning = meaning.scaled(parts.meaning_rank.and(parts.cosine));
                vec![
                    FusionTerm::Score { weight: by_words, score: words },
                    FusionTerm::Score { weight: by_meaning, score: meaning },
                ]
            }
        }
    }
}

impl Scale {
    fn of<K>(ranking: &Ranking<K>) -> Self {
        let count = ranking.len().max(1) as f32;
        let mean = ranking.iter().map(|(_, score)| score).sum::<f32>() / count;
        let squares: f32 = ranking.iter().map(|(_, score)| (score - mean) * (score - mean)).sum();
        let lowest = ranking.last().map_or(mean, |(_, score)| *score);
        Self { mean, deviation: (squares / count).sqrt(), lowest }
    }

    fn scaled(&self, score: Option<f32>) -> f32 {
        if self.deviation <= f32::EPSILON {
            return 0.0;
        }
        (score.unwrap_or(self.lowest) - self.mean) / self.deviation
    }
}
