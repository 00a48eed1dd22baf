//! The manners of an answer, and the thresholds that sentences have to reach in each.

use engine_protocol::PassageSentence;

/// From the weakest to the strictest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum AnswerManner {
    /// The best passages, for readers who judge themselves.
    FastSkim,
    /// Passages as a whole, with a citation for each sentence.
    LegalCitations,
    /// Sentences that answer by themselves, or nothing.
    StrictEvidence,
}

/// The share of the query's words that a related sentence has, if nothing else speaks for it.
const RELATED_WORDS_MIN: f32 = 0.3;
/// Cosines of sentence models begin high: unrelated sentences have about 0.75.
const RELATED_COSINE_MIN: f32 = 0.82;
/// The share of the query's words, weighed by rareness, that makes a sentence evidence by words alone.
const EVIDENCE_WORDS_MIN: f32 = 0.6;
/// The cosine that makes a sentence evidence, if it also has some of the words: a sentence about something similar is none.
const EVIDENCE_COSINE_MIN: f32 = 0.86;
const EVIDENCE_WORDS_BESIDE_COSINE_MIN: f32 = 0.3;

impl AnswerManner {
    pub(crate) const ALL: [AnswerManner; 3] =
        [AnswerManner::FastSkim, AnswerManner::LegalCitations, AnswerManner::StrictEvidence];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            AnswerManner::FastSkim => "fast-skim",
            AnswerManner::LegalCitations => "legal-citations",
            AnswerManner::StrictEvidence => "strict-evidence",
        }
    }

    pub(crate) fn parse(text: &str) -> Option<AnswerManner> {
        Self::ALL.into_iter().find(|manner| manner.as_str() == text)
    }
}

/// True if a sentence has to do with the query.
pub(crate) fn is_related(sentence: &PassageSentence) -> bool {
    sentence.words >= RELATED_WORDS_MIN || cosine(sentence) >= RELATED_COSINE_MIN
}

/// True if a sentence answers the query by itself.
pub(crate) fn is_evidence(sentence: &PassageSentence) -> bool {
    let by_meaning =
        cosine(sentence) >= EVIDENCE_COSINE_MIN && sentence.words >= EVIDENCE_WORDS_BESIDE_COSINE_MIN;
    sentence.words >= EVIDENCE_WORDS_MIN || by_meaning
}

/// The order of sentences by how much they say about the query.
pub(crate) fn strength(sentence: &PassageSentence) -> f32 {
    sentence.words + cosine(sentence)
}

fn cosine(sentence: &PassageSentence) -> f32 {
    sentence.cosine.unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use engine_protocol::ItemSpan;

    use super::*;

    fn sentence(words: f32, cosine: Option<f32>) -> PassageSentence {
        let place = ItemSpan { item: "#/texts/0".to_owned(), start: 0, end: 1 };
        PassageSentence { place, text: "x".to_owned(), cosine, words }
    }

    #[test]
    fn a_manner_has_one_spelling() {
        for manner in AnswerManner::ALL {
            assert_eq!(AnswerManner::parse(manner.as_str()), Some(manner));
        }
        assert_eq!(AnswerManner::parse("strict"), None);
        assert!(AnswerManner::FastSkim < AnswerManner::StrictEvidence);
    }

    #[test]
    fn meaning_alone_is_no_evidence() {
        assert!(is_evidence(&sentence(0.7, None)));
        assert!(is_evidence(&sentence(0.4, Some(0.9))));
        assert!(!is_evidence(&sentence(0.1, Some(0.95))), "it speaks of something similar");
        assert!(!is_evidence(&sentence(0.5, Some(0.7))) && !is_evidence(&sentence(0.5, None)));
    }

    #[test]
    fn all_evidence_is_related() {
        for one in [sentence(0.6, None), sentence(0.3, Some(0.86)), sentence(1.0, Some(0.1))] {
            assert!(is_evidence(&one) && is_related(&one), "{one:?}");
        }
        assert!(!is_related(&sentence(0.1, Some(0.75))));
    }
}
