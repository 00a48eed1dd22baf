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
/// Nearness in meaning of a related sentence. With all-MiniLM-L6-v2, answers in other words have 0.35 to 0.75, and of sentences of
/// the same corpus that answer nothing most have less than 0.3.
const RELATED_MEANING_MIN: f32 = 0.35;
/// The share of the query's words, weighed by rareness, that makes a sentence evidence by words alone.
const EVIDENCE_WORDS_MIN: f32 = 0.6;
/// The least nearness that makes a sentence evidence: a neighbouring subject has up to 0.52.
const EVIDENCE_MEANING_MIN: f32 = 0.55;
/// The least that such a sentence has of nearness and words together. The nearer it is, the fewer of the words it needs; a sentence
/// about something similar is no evidence.
const EVIDENCE_BOTH_MIN: f32 = 0.85;

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
    sentence.words >= RELATED_WORDS_MIN || meaning(sentence) >= RELATED_MEANING_MIN
}

/// True if a sentence answers the query by itself.
pub(crate) fn is_evidence(sentence: &PassageSentence) -> bool {
    let by_meaning = meaning(sentence) >= EVIDENCE_MEANING_MIN && strength(sentence) >= EVIDENCE_BOTH_MIN;
    sentence.words >= EVIDENCE_WORDS_MIN || by_meaning
}

/// The order of sentences by how much they say about the query.
pub(crate) fn strength(sentence: &PassageSentence) -> f32 {
    sentence.words + meaning(sentence)
}

/// An unrelated sentence is no worse than one without a vector.
fn meaning(sentence: &PassageSentence) -> f32 {
    sentence.meaning.unwrap_or(0.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use engine_protocol::ItemSpan;

    use super::*;

    fn sentence(words: f32, meaning: Option<f32>) -> PassageSentence {
        let place = ItemSpan { item: "#/texts/0".to_owned(), start: 0, end: 1 };
        PassageSentence { place, text: "x".to_owned(), cosine: meaning, meaning, words }
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
    fn what_speaks_of_something_similar_is_no_evidence() {
        assert!(is_evidence(&sentence(0.7, None)));
        assert!(is_evidence(&sentence(0.3, Some(0.56))) && is_evidence(&sentence(0.15, Some(0.72))));
        assert!(!is_evidence(&sentence(0.0, Some(0.75))), "it speaks of something similar");
        assert!(!is_evidence(&sentence(0.5, Some(0.5))) && !is_evidence(&sentence(0.5, None)));
    }

    #[test]
    fn all_evidence_is_related() {
        for one in [sentence(0.6, None), sentence(0.3, Some(0.56)), sentence(1.0, Some(-0.1))] {
            assert!(is_evidence(&one) && is_related(&one), "{one:?}");
        }
        assert!(is_related(&sentence(0.0, Some(0.4))) && !is_related(&sentence(0.1, Some(0.3))));
    }
}
