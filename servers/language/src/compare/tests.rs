//! Two texts side by side.

use super::*;

fn compared(a: &str, b: &str) -> Comparison {
    compare(a, b, None).unwrap()
}

#[test]
fn a_text_is_the_same_as_itself() {
    let text = "The contract ends in May. Payment is due in thirty days.";
    let found = compared(text, text);
    assert_eq!((found.similarity.lexical, found.similarity.sequence), (1.0, 1.0));
    assert!(found.same_words);
    assert_eq!(found.unchanged_sentences, 2);
    assert!(found.only_a_phrases.is_empty() && found.only_b_phrases.is_empty());
    assert!(compared("", "").same_words);
}

#[test]
fn changed_moved_added_and_removed_sentences_are_told_apart() {
    let a = "The contract ends in May. Payment is due in thirty days. The seller pays for transport. Notices are sent by mail.";
    let b = "The seller pays for transport. The contract ends in June. Payment is due in thirty days. Disputes go to court in Bonn.";
    let found = compared(a, b);
    assert_eq!(found.changed_sentences.len(), 1, "{found:?}");
    assert_eq!(found.changed_sentences[0].after, "The contract ends in June.");
    assert_eq!(found.moved_sentences.len(), 1, "{found:?}");
    assert_eq!(found.added_sentences, ["Disputes go to court in Bonn."]);
    assert_eq!(found.removed_sentences, ["Notices are sent by mail."]);
}

#[test]
fn phrases_are_parted_into_shared_and_not() {
    let found = compared("Solar panels and wind turbines.", "Wind turbines and nuclear plants.");
    assert!(found.shared_phrases.iter().any(|phrase| phrase == "wind turbines"), "{found:?}");
    assert!(found.only_a_phrases.iter().any(|phrase| phrase == "Solar panels"), "{found:?}");
    assert!(found.only_b_phrases.iter().any(|phrase| phrase == "nuclear plants"), "{found:?}");
}

#[test]
fn nothing_in_common_is_zero() {
    let found = compared("Cats sleep.", "Rain falls today.");
    assert_eq!(found.similarity.lexical, 0.0);
    assert_eq!(found.words, WordChanges { kept: 0, added: 3, removed: 2 });
    assert_eq!(compared("", "Rain falls.").similarity.sequence, 0.0);
}

#[test]
fn long_lists_are_cut_and_say_so() {
    let b: String = (0..200).map(|number| format!("Entry{number} is a new one{number}. ")).collect();
    let found = compared("Old.", &b);
    assert!(found.truncated);
    assert_eq!(found.added_sentences.len(), LISTED_MAX);
}
