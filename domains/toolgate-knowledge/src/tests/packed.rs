//! Packing into a number of tokens.

use toolgate_search::tokens;

use super::kit::{HonestSource, at_once, passage};
use crate::citing::cite;
use crate::manner::AnswerManner;
use crate::packing::{PackedAnswer, pack};
use crate::selection::{OfferedBefore, select};

const SENTENCES: [(&str, f32, Option<f32>); 4] = [
    (
        "The first sentence is about the parties to the contract and about the seats that all of them have.",
        0.1,
        None,
    ),
    ("The second sentence says that notice is thirty days.", 0.9, None),
    ("The third sentence adds that notice is given in writing.", 0.5, None),
    ("The fourth sentence is about the place of jurisdiction.", 0.2, None),
];

fn packed(tokens_max: usize) -> PackedAnswer {
    let found = vec![
        passage("lease.pdf", "Notice", &SENTENCES),
        passage("purchase.pdf", "Notice", &[("A short one.", 0.9, None)]),
    ];
    let manner = AnswerManner::LegalCitations;
    let passages = select(manner, found, &mut OfferedBefore::default());
    let cited = at_once(cite(&HonestSource, manner, passages)).expect("the source answers");
    pack(cited.passages, tokens_max, 0)
}

#[test]
fn with_room_everything_is_there_with_its_marks() {
    let all = packed(2_000);
    let marks: Vec<u32> = all.passages.iter().flat_map(|one| one.marks.iter().flatten().copied()).collect();
    assert_eq!((marks, all.last_mark(), all.left_out), (vec![1, 2, 3, 4, 5], 5, 0));
    let text = all.text();
    assert!(text.starts_with("lease.pdf, page 3, Notice:\nThe first sentence"), "{text}");
    assert!(text.contains("thirty days. [2] The third") && text.contains("A short one. [5]"), "{text}");
}

/// Every budget is kept, and each sentence is whole.
#[test]
fn no_budget_is_broken_and_no_sentence_is_cut() {
    let mut fullest = 0;
    for tokens_max in 0..200 {
        let some = packed(tokens_max);
        let text = some.text();
        assert!(tokens::count(&text) <= tokens_max && some.tokens <= tokens_max, "{tokens_max}: {text}");
        for one in some.passages.iter().flat_map(|one| &one.passage.sentences) {
            let is_whole = SENTENCES.iter().any(|(text, ..)| *text == one.text) || one.text == "A short one.";
            assert!(is_whole, "{tokens_max}: {}", one.text);
        }
        let sentences: usize = some.passages.iter().map(|one| one.passage.sentences.len()).sum();
        fullest = fullest.max(sentences);
        assert_eq!(some.passages.len() + some.left_out, 2, "{tokens_max}");
    }
    assert_eq!(fullest, 5);
}

#[test]
fn where_room_is_short_the_strongest_sentence_stays_and_then_its_stronger_neighbour() {
    let with = |count: usize| {
        let lease = |some: PackedAnswer| {
            some.passages.into_iter().find(|one| one.passage.path == "lease.pdf" && one.marks.len() == count)
        };
        (0..200).map(packed).find_map(lease).expect("there is such a budget")
    };
    for (count, range) in [(1, 1..2), (2, 1..3)] {
        let lease = with(count);
        let texts: Vec<&str> = lease.passage.sentences.iter().map(|one| one.text.as_str()).collect();
        let expected: Vec<&str> = SENTENCES[range].iter().map(|(text, ..)| *text).collect();
        assert_eq!((texts, lease.cut), (expected, SENTENCES.len() - count));
    }
}

#[test]
fn marks_go_on_where_others_ended() {
    let found = vec![passage("a.pdf", "A", &[("A short one.", 0.9, None)])];
    let manner = AnswerManner::StrictEvidence;
    let passages = select(manner, found, &mut OfferedBefore::default());
    let cited = at_once(cite(&HonestSource, manner, passages)).expect("the source answers");
    assert_eq!(pack(cited.passages, 100, 7).passages[0].marks, [Some(8)]);
}
