//! Facets, sub-questions and gaps.

use toolgate_core::pointer::PointerPath;

use super::facets::{FacetKind, facets};
use super::missing::{SILENT, SINGLE, UNANSWERED, missing};
use super::questions::{QuestionOrigin, SubQuestion, sub_questions};
use super::walk::AnsweredQuestion;
use crate::packing::PackedAnswer;
use crate::ports::FoundPassage;
use crate::tests::kit::passage;

fn found() -> Vec<FoundPassage> {
    vec![
        passage(
            "lease.pdf",
            "3.1 Notice period:",
            &[("The security deposit is kept for the tenant.", 0.5, None)],
        ),
        passage("office.pdf", "Notice period", &[("A security deposit of two months is due.", 0.5, None)]),
        passage("lease.pdf", "Introduction", &[("The lease begins in May.", 0.5, None)]),
        passage("garage.pdf", "Lease", &[("Cars only.", 0.5, None)]),
    ]
}

fn texts(kind: FacetKind) -> Vec<String> {
    let all = facets("lease", &found()).into_iter();
    all.filter(|one| one.kind == kind).map(|one| one.text).collect()
}

#[test]
fn headings_are_facets_unless_they_frame_the_document_or_repeat_the_topic() {
    assert_eq!(texts(FacetKind::Heading), ["Notice period"]);
    let one = &facets("lease", &found())[0];
    assert_eq!((one.documents, one.passages), (2, 2));
}

#[test]
fn phrases_are_facets_if_they_recur() {
    assert_eq!(texts(FacetKind::Phrase), ["security deposit"]);
    assert!(facets("lease", &found()[..1]).iter().all(|one| one.kind == FacetKind::Heading));
}

#[test]
fn questions_take_turns_and_keep_to_their_number() {
    let facets = facets("lease", &found());
    let questions = sub_questions("lease?", &facets, 4);
    let origins: Vec<QuestionOrigin> = questions.iter().map(|one| one.origin).collect();
    let pattern = QuestionOrigin::Pattern;
    assert_eq!(origins, [pattern, QuestionOrigin::Heading, pattern, QuestionOrigin::Phrase]);
    assert_eq!(questions[0].question, "What is lease?");
    assert_eq!(questions[1].query, "lease? Notice period");
    assert_eq!(sub_questions("lease", &facets, 1).len(), 1);
    let all = sub_questions("lease", &[], 12);
    assert_eq!(all.len(), 6, "without facets there are only the patterns");
}

#[test]
fn gaps_are_unanswered_questions_silent_pointers_and_single_documents() {
    let question = SubQuestion {
        question: "Who pays?".to_owned(),
        query: "pays".to_owned(),
        origin: QuestionOrigin::Pattern,
    };
    let unanswered = AnsweredQuestion { question, packed: PackedAnswer::default() };
    let path = |name: &str| PointerPath::new("legal", name).expect("a pointer");
    let pointers = [path("contracts"), path("letters")];
    let mut facets = facets("lease", &found());
    facets[0].documents = 1;
    let gaps = missing(&[unanswered], &pointers, &facets, &found());
    let gaps: Vec<(&str, &str)> = gaps.iter().map(|gap| (gap.what.as_str(), gap.why)).collect();
    assert_eq!(gaps, [("Who pays?", UNANSWERED), ("legal:letters", SILENT), ("Notice period", SINGLE)]);
    let alone = missing(&[], &pointers[..1], &facets, &found()[..1]);
    assert!(alone.is_empty(), "of one document all is said by one document: {alone:?}");
}
