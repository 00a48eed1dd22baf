//! The choice of sentences: from found passages to what may be offered in a manner.

use std::collections::HashSet;

use docir::Citation;
use engine_protocol::{ContentId, ItemSpan, PassageSentence};
use toolgate_core::pointer::PointerPath;

use crate::manner::{self, AnswerManner};
use crate::ports::FoundPassage;

/// A passage that may be offered.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OfferedPassage {
    pub(crate) pointer: PointerPath,
    pub(crate) path: String,
    pub(crate) artifact: ContentId,
    pub(crate) docir: ContentId,
    pub(crate) page: Option<u32>,
    pub(crate) headings: Vec<String>,
    pub(crate) score: f32,
    /// In reading order, and never none.
    pub(crate) sentences: Vec<OfferedSentence>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OfferedSentence {
    pub(crate) text: String,
    pub(crate) place: ItemSpan,
    pub(crate) strength: f32,
    /// Set once it was checked.
    pub(crate) citation: Option<Citation>,
}

/// The sentences that were offered before: passages overlap, and questions find the same ones.
#[derive(Default)]
pub(crate) struct OfferedBefore(HashSet<(ContentId, ItemSpan)>);

/// The passages with a sentence that this manner lets through, in their order.
pub(crate) fn select(
    manner: AnswerManner,
    found: Vec<FoundPassage>,
    before: &mut OfferedBefore,
) -> Vec<OfferedPassage> {
    let offers = found.into_iter().filter_map(|one| offer(manner, one, before));
    offers.collect()
}

fn offer(manner: AnswerManner, found: FoundPassage, before: &mut OfferedBefore) -> Option<OfferedPassage> {
    let FoundPassage { pointer, passage } = found;
    let sentences = admitted(manner, passage.sentences);
    let hit = passage.hit;
    let fresh = sentences.into_iter().filter(|one| before.0.insert((hit.docir.clone(), one.place.clone())));
    let sentences: Vec<OfferedSentence> = fresh.map(OfferedSentence::of).collect();
    (!sentences.is_empty()).then_some(OfferedPassage {
        pointer,
        path: hit.path,
        artifact: hit.artifact,
        docir: hit.docir,
        page: hit.page,
        headings: hit.headings,
        score: hit.score,
        sentences,
    })
}

fn admitted(manner: AnswerManner, mut sentences: Vec<PassageSentence>) -> Vec<PassageSentence> {
    sentences.retain(|one| !one.text.trim().is_empty());
    match manner {
        AnswerManner::FastSkim => sentences,
        AnswerManner::LegalCitations if sentences.iter().any(manner::is_related) => sentences,
        AnswerManner::LegalCitations => Vec::new(),
        AnswerManner::StrictEvidence => {
            sentences.retain(manner::is_evidence);
            sentences
        }
    }
}

impl OfferedSentence {
    fn of(sentence: PassageSentence) -> Self {
        let strength = manner::strength(&sentence);
        Self { text: sentence.text, place: sentence.place, strength, citation: None }
    }
}

impl OfferedPassage {
    /// The place of its strongest sentence; the first of equals.
    pub(crate) fn best(&self) -> usize {
        let better = |best: usize, at: usize| {
            if self.sentences[at].strength > self.sentences[best].strength { at } else { best }
        };
        (1..self.sentences.len()).fold(0, better)
    }
}
