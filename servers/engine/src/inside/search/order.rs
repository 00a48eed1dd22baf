//! The order of the passages of both rankings.

use std::collections::{BTreeMap, HashMap};

use engine_protocol::{EngineFault, Fusion, ScoreParts};

use super::fusion::FusionNumbers;
use crate::inside::corpus::{Corpus, RankedPassage};
use crate::inside::meaning::MeaningQuery;
use crate::inside::record::StoredRecord;
use crate::inside::words::WordQuery;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FusedPassage {
    pub(super) slot: u32,
    pub(super) score: f32,
    pub(super) parts: ScoreParts,
}

pub(super) struct PassageOrder {
    /// The best first.
    fused: Vec<FusedPassage>,
    /// None if there is one ranking alone, whose scores are the scores then.
    numbers: Option<FusionNumbers>,
}

impl PassageOrder {
    pub(super) fn new(
        corpus: &Corpus,
        fusion: Fusion,
        (word_query, words): (&WordQuery, Vec<RankedPassage>),
        meaning: Option<(&MeaningQuery, Vec<RankedPassage>)>,
    ) -> Result<Self, EngineFault> {
        let mut parts: BTreeMap<u32, ScoreParts> = BTreeMap::new();
        for (passage, rank) in words.iter().zip(1..) {
            let parts = parts.entry(passage.slot).or_default();
            (parts.bm25, parts.words_rank) = (Some(passage.score), Some(rank));
        }
        let Some((query, meaning)) = meaning else { return Ok(Self::of_words(corpus, &parts)) };
        for (passage, rank) in meaning.iter().zip(1..) {
            let parts = parts.entry(passage.slot).or_default();
            (parts.cosine, parts.meaning_rank) = (Some(passage.score), Some(rank));
        }
        let numbers = FusionNumbers::new(fusion, &words, &meaning);
        if numbers.needs_all_scores() {
            fill(corpus, word_query, query, &mut parts)?;
        }
        let fused = sorted(corpus, &parts, |parts| numbers.score(parts));
        Ok(Self { fused, numbers: Some(numbers) })
    }

    fn of_words(corpus: &Corpus, parts: &BTreeMap<u32, ScoreParts>) -> Self {
        let fused = sorted(corpus, parts, |parts| parts.bm25.unwrap_or_default());
        Self { fused, numbers: None }
    }

    /// The passages in their order with their texts, at most so many of a document.
    pub(super) fn passages<'a>(
        &'a self,
        corpus: &'a Corpus,
        per_document: Option<u32>,
    ) -> impl Iterator<Item = Result<(FusedPassage, StoredRecord), EngineFault>> + 'a {
        let mut seen: HashMap<(String, String), u32> = HashMap::new();
        self.fused.iter().filter_map(move |fused| {
            let (index, passage) = corpus.locate(fused.slot);
            let record = match index.version.record(passage) {
                Ok(record) => record,
                Err(fault) => return Some(Err(fault)),
            };
            let Some(most) = per_document else { return Some(Ok((*fused, record))) };
            let count = seen.entry((index.label.clone(), record.path.clone())).or_default();
            *count += 1;
            (*count <= most).then_some(Ok((*fused, record)))
        })
    }

    /// The first passages. Each counts by how far it is behind the best, in deviations of the scores where those were fused.
    pub(super) fn first(&self, count: usize) -> Vec<RankedPassage> {
        let best = self.fused.first().map_or(0.0, |fused| fused.score);
        let first = self.fused.iter().take(count);
        first.map(|fused| RankedPassage { slot: fused.slot, score: (fused.score - best).exp() }).collect()
    }

    /// All passages, sorted.
    pub(super) fn slots(&self) -> Vec<u32> {
        let mut slots: Vec<u32> = self.fused.iter().map(|fused| fused.slot).collect();
        slots.sort_unstable();
        slots
    }

    /// The score of a passage of this order as numbers.
    pub(super) fn sentence(&self, fused: &FusedPassage) -> String {
        match &self.numbers {
            Some(numbers) => numbers.sentence(&fused.parts),
            None => format!("words alone: {}", fused.score),
        }
    }
}

/// Computes the scores that a passage has in the ranking among whose candidates it is not.
fn fill(
    corpus: &Corpus,
    words: &WordQuery,
    meaning: &MeaningQuery,
    parts: &mut BTreeMap<u32, ScoreParts>,
) -> Result<(), EngineFault> {
    let without: Vec<u32> =
        parts.iter().filter(|(_, parts)| parts.bm25.is_none()).map(|(slot, _)| *slot).collect();
    let scores = words.score(corpus, &without)?;
    for (slot, score) in without.into_iter().zip(scores).filter(|(_, score)| *score > 0.0) {
        parts.entry(slot).or_default().bm25 = Some(score);
    }
    for (slot, parts) in parts.iter_mut().filter(|(_, parts)| parts.cosine.is_none()) {
        parts.cosine = meaning.score(corpus, *slot);
    }
    Ok(())
}

fn sorted(
    corpus: &Corpus,
    parts: &BTreeMap<u32, ScoreParts>,
    score: impl Fn(&ScoreParts) -> f32,
) -> Vec<FusedPassage> {
    let ranked: Vec<RankedPassage> =
        parts.iter().map(|(slot, parts)| RankedPassage { slot: *slot, score: score(parts) }).collect();
    let count = ranked.len();
    let best = corpus.best(ranked, count).into_iter();
    best.map(|RankedPassage { slot, score }| FusedPassage { slot, score, parts: parts[&slot] }).collect()
}
