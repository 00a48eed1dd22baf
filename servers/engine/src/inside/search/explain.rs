//! The explanation of one hit.

use engine_protocol::{EngineFault, Explanation, HitId, ScoreParts};

use super::{OpenedSearch, no_such_passage};
use crate::inside::filter::rules;

impl OpenedSearch<'_> {
    /// Explains also a passage that the search does not find.
    pub(in crate::inside) fn explain(&self, hit: &HitId) -> Result<Explanation, EngineFault> {
        let slot = self.corpus.find(&hit.label, hit.chunk).ok_or_else(|| no_such_passage(hit))?;
        let (index, passage) = self.corpus.locate(slot);
        let order = &self.order;
        let mut found = None;
        for (fused, rank) in order.passages(&self.corpus, self.search.profile.per_document).zip(1..) {
            let (fused, _) = fused?;
            if fused.slot == slot {
                found = Some((fused, rank));
                break;
            }
        }
        let mut filters = Vec::new();
        for rule in rules(&self.search.filter) {
            filters.push((rule.sentence(), rule.passages(&index.version)?.has(passage)));
        }
        let fusion = found.as_ref().map(|(fused, _)| order.sentence(fused));
        Ok(Explanation {
            hit: hit.clone(),
            path: index.version.record(passage)?.path,
            rank: found.map(|(_, rank)| rank),
            score: found.map(|(fused, _)| fused.score),
            parts: found.map_or_else(|| self.own_parts(slot), |(fused, _)| Ok(fused.parts))?,
            terms: self.words.explain(&self.corpus, slot)?,
            fusion: fusion.unwrap_or_else(|| "the search does not find it".to_owned()),
            filters,
            passages: self.corpus.passages,
        })
    }

    /// The scores of a passage without a rank.
    fn own_parts(&self, slot: u32) -> Result<ScoreParts, EngineFault> {
        let bm25 = self.words.score(&self.corpus, &[slot])?.into_iter().find(|score| *score > 0.0);
        let cosine = self.meaning.as_ref().and_then(|meaning| meaning.score(&self.corpus, slot));
        Ok(ScoreParts { bm25, cosine, ..ScoreParts::default() })
    }
}
