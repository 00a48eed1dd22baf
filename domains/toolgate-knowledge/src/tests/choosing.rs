//! Which sentences each manner offers.

use toolgate_core::PrincipalId;
use toolgate_core::id::KnowledgeBaseId;
use toolgate_store::KnowledgeBase;

use super::kit::{HonestSource, at_once, passage};
use crate::bases::agreed_manner;
use crate::citing::{CitedPassages, cite};
use crate::manner::AnswerManner;
use crate::ports::FoundPassage;
use crate::selection::{OfferedBefore, select};

/// The offered sentences in a manner, and how many were not verified.
fn offered(manner: AnswerManner, found: Vec<FoundPassage>) -> (Vec<String>, usize) {
    let passages = select(manner, found, &mut OfferedBefore::default());
    let cited = at_once(cite(&HonestSource, manner, passages)).expect("the source answers");
    let CitedPassages { passages, unverified } = cited;
    if manner != AnswerManner::FastSkim {
        assert!(passages.iter().flat_map(|one| &one.sentences).all(|one| one.citation.is_some()));
    }
    (passages.into_iter().flat_map(|one| one.sentences).map(|one| one.text).collect(), unverified)
}

fn lease() -> Vec<FoundPassage> {
    vec![
        passage(
            "lease.pdf",
            "Notice",
            &[("Notice is thirty days.", 0.8, None), ("It is given in writing.", 0.1, None)],
        ),
        passage("menu.pdf", "Soups", &[("Soup is served daily.", 0.0, Some(0.2))]),
    ]
}

#[test]
fn each_manner_offers_less_than_the_one_before() {
    let skimmed = offered(AnswerManner::FastSkim, lease()).0;
    let cited = offered(AnswerManner::LegalCitations, lease()).0;
    let strict = offered(AnswerManner::StrictEvidence, lease()).0;
    assert_eq!(skimmed, ["Notice is thirty days.", "It is given in writing.", "Soup is served daily."]);
    assert_eq!(cited, ["Notice is thirty days.", "It is given in writing."]);
    assert_eq!(strict, ["Notice is thirty days."]);
}

#[test]
fn strict_evidence_finds_nothing_rather_than_a_weak_passage() {
    let weak = passage(
        "lease.pdf",
        "Rent",
        &[("Rent is due monthly.", 0.5, Some(0.5)), ("It may rise.", 0.2, None)],
    );
    assert_eq!(offered(AnswerManner::StrictEvidence, vec![weak]), (Vec::new(), 0));
}

#[test]
fn a_sentence_that_means_it_in_other_words_is_offered() {
    let said = passage("desk.md", "Loss", &[("A lost device is reported within an hour.", 0.0, Some(0.45))]);
    let near = passage("keys/cars.md", "Loss", &[("Who loses a key pays for the lock.", 0.2, Some(0.7))]);
    let found = || vec![said.clone(), near.clone()];
    assert_eq!(offered(AnswerManner::LegalCitations, found()).0.len(), 2);
    assert_eq!(offered(AnswerManner::StrictEvidence, found()).0, ["Who loses a key pays for the lock."]);
}

#[test]
fn a_sentence_that_its_document_does_not_have_is_not_offered() {
    let found =
        || vec![passage("a.pdf", "A", &[("A forged sentence.", 0.9, None), ("A real one.", 0.9, None)])];
    for manner in [AnswerManner::LegalCitations, AnswerManner::StrictEvidence] {
        assert_eq!(offered(manner, found()), (vec!["A real one.".to_owned()], 1), "{manner:?}");
    }
    let (skimmed, unverified) = offered(AnswerManner::FastSkim, found());
    assert_eq!((skimmed.len(), unverified), (2, 1), "it is offered without a citation");
}

#[test]
fn a_sentence_of_two_passages_is_offered_once() {
    let twice = vec![lease().remove(0), lease().remove(0)];
    assert_eq!(offered(AnswerManner::StrictEvidence, twice).0, ["Notice is thirty days."]);
}

#[test]
fn a_manner_may_be_stricter_than_that_of_the_base_and_never_weaker() {
    let base = |manner: &str| KnowledgeBase {
        id: KnowledgeBaseId::new("kb_1"),
        name: "contracts".to_owned(),
        title: None,
        description: None,
        pointers: Vec::new(),
        profile: "docs.default".to_owned(),
        manner: manner.to_owned(),
        version: 1,
        created_by: PrincipalId::new("ada"),
        created_at_ms: 0,
        changed_by: PrincipalId::new("ada"),
        changed_at_ms: 0,
        deleted_at_ms: None,
    };
    let strict = AnswerManner::StrictEvidence;
    assert_eq!(agreed_manner(&base("fast-skim"), Some(strict)), Ok(strict));
    assert_eq!(agreed_manner(&base("legal-citations"), None), Ok(AnswerManner::LegalCitations));
    let refusal = agreed_manner(&base("strict-evidence"), Some(AnswerManner::FastSkim)).expect_err("weaker");
    assert_eq!(refusal.field.as_deref(), Some("manner"));
    assert_eq!(agreed_manner(&base("of a later version"), None), Ok(strict));
}
