//! The shares of words and fields in the score of one passage.

use engine_protocol::{EngineFault, TermScore};

use super::bm25::Bm25;
use super::postings::cursors;
use super::terms::WeightedTerm;
use crate::inside::corpus::Corpus;
use crate::inside::schema::SCORED_NAMES;

pub(super) fn explain(
    corpus: &Corpus,
    bm25: &Bm25,
    terms: &[WeightedTerm],
    slot: u32,
) -> Result<Vec<TermScore>, EngineFault> {
    let (index, passage) = corpus.locate(slot);
    let segments = &index.version.segments;
    let segment = &segments[segments.partition_point(|segment| segment.first <= passage) - 1];
    let mut scores = Vec::new();
    for term in terms {
        let mut having = cursors(segment, bm25, &term.text)?;
        having.iter_mut().for_each(|cursor| cursor.seek(passage - segment.first));
        having.retain(|cursor| cursor.passage() == passage - segment.first);
        let sum: f32 = having.iter().map(|cursor| cursor.worth()).sum();
        let score = if sum > 0.0 { bm25.bounded(bm25.most(term), sum) } else { 0.0 };
        scores.extend(having.iter().map(|cursor| TermScore {
            term: term.text.clone(),
            field: SCORED_NAMES[cursor.field].to_owned(),
            frequency: cursor.frequency(),
            passages: term.passages,
            idf: term.idf,
            score: score * cursor.worth() / sum,
            from_feedback: term.from_feedback,
        }));
    }
    Ok(scores)
}
