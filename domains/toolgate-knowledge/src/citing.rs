//! Citations of what is offered, each checked against its document.

use engine_protocol::ContentId;
use toolgate_core::Refusal;

use crate::manner::AnswerManner;
use crate::ports::{CitationSource, OfferedQuote};
use crate::selection::OfferedPassage;

/// Passages whose citations were checked, and the number of sentences that do not stand in their documents.
pub(crate) struct CitedPassages {
    pub(crate) passages: Vec<OfferedPassage>,
    pub(crate) unverified: usize,
}

/// The sentences of one document that are to be cited: of which passage, and which of it.
struct DocumentQuotes {
    artifact: ContentId,
    docir: ContentId,
    places: Vec<(usize, usize)>,
}

/// Cites passages in a manner. Sentences without a citation stay only in `fast-skim`, which cites the strongest sentence of each passage.
pub(crate) async fn cite(
    source: &dyn CitationSource,
    manner: AnswerManner,
    mut passages: Vec<OfferedPassage>,
) -> Result<CitedPassages, Refusal> {
    let mut unverified = 0;
    for document in documents(manner, &passages) {
        let quotes: Vec<OfferedQuote> =
            document.places.iter().map(|(passage, at)| quote(&passages[*passage], *at)).collect();
        let citations = source.cite(&document.artifact, &document.docir, &quotes).await?;
        unverified += citations.iter().filter(|one| one.is_none()).count();
        for ((passage, at), citation) in document.places.iter().zip(citations) {
            passages[*passage].sentences[*at].citation = citation;
        }
    }
    if manner != AnswerManner::FastSkim {
        for passage in &mut passages {
            passage.sentences.retain(|one| one.citation.is_some());
        }
        passages.retain(|one| !one.sentences.is_empty());
    }
    Ok(CitedPassages { passages, unverified })
}

/// A document is read once, however many passages are of it.
fn documents(manner: AnswerManner, passages: &[OfferedPassage]) -> Vec<DocumentQuotes> {
    let mut documents: Vec<DocumentQuotes> = Vec::new();
    for (number, passage) in passages.iter().enumerate() {
        let places = cited(manner, passage).into_iter().map(|at| (number, at));
        match documents.iter_mut().find(|one| one.docir == passage.docir && one.artifact == passage.artifact)
        {
            Some(document) => document.places.extend(places),
            None => documents.push(DocumentQuotes {
                artifact: passage.artifact.clone(),
                docir: passage.docir.clone(),
                places: places.collect(),
            }),
        }
    }
    documents
}

/// The sentences of a passage that get a citation.
fn cited(manner: AnswerManner, passage: &OfferedPassage) -> Vec<usize> {
    match manner {
        AnswerManner::FastSkim => vec![passage.best()],
        AnswerManner::LegalCitations | AnswerManner::StrictEvidence => (0..passage.sentences.len()).collect(),
    }
}

fn quote(passage: &OfferedPassage, at: usize) -> OfferedQuote {
    let sentence = &passage.sentences[at];
    OfferedQuote { place: sentence.place.clone(), text: sentence.text.clone() }
}
