//! Sentences that represent a text.

use super::*;

const TEXT: &str = "The city council approved a new tram line on Monday. The tram line will connect the harbour with the \
    university. Residents have asked for a tram line for years. It was sunny. The council expects construction of the tram \
    line to begin in spring. A local bakery won a prize for its bread. Critics say that the tram costs too much money. \
    The bakery sells bread and cakes.";

fn options(length: SummaryLength) -> SummaryOptions {
    SummaryOptions { length, focus: None, language: None }
}

fn indexes(summary: &Summary) -> Vec<usize> {
    summary.sentences.iter().map(|sentence| sentence.index).collect()
}

#[test]
fn a_summary_has_as_many_sentences_as_asked_in_their_order() {
    let summary = summarize(TEXT, &options(SummaryLength::Sentences(3)), None).unwrap();
    assert_eq!(summary.sentences.len(), 3);
    assert!(indexes(&summary).is_sorted());
    assert_eq!(summary.sentences_total, 8);
    assert!(summary.summary.contains("tram line"));
    assert!(!summary.summary.contains("It was sunny"));
    assert_eq!((summary.method, summary.language.as_deref()), (Method::Statistical, Some("en")));
}

#[test]
fn a_summary_keeps_to_its_words() {
    let summary = summarize(TEXT, &options(SummaryLength::Words(25)), None).unwrap();
    assert!(!summary.sentences.is_empty());
    assert!(summary.summary.split_whitespace().count() <= 25, "{}", summary.summary);
}

#[test]
fn the_focus_decides_what_is_told() {
    let focused =
        SummaryOptions { focus: Some("bakery bread".into()), ..options(SummaryLength::Sentences(1)) };
    let summary = summarize(TEXT, &focused, None).unwrap();
    assert!(summary.summary.contains("bakery"), "{}", summary.summary);
}

#[test]
fn a_sentence_that_repeats_another_is_left_out() {
    let text = "Solar power grew fast last year in Spain. Solar power grew fast last year in Spain. \
        Wind farms were built along the northern coast. Water power fell because of the drought.";
    let summary = summarize(text, &options(SummaryLength::Sentences(2)), None).unwrap();
    assert_ne!(summary.sentences[0].text, summary.sentences[1].text);
}

#[test]
fn nothing_and_one_word_are_summed_up_as_they_are() {
    for (text, expected) in [("", ""), ("😀", ""), ("Hello", "Hello")] {
        assert_eq!(summarize(text, &options(SummaryLength::Sentences(3)), None).unwrap().summary, expected);
    }
}

#[test]
fn long_texts_take_bounded_time() {
    let text: String =
        (0..20_000).map(|number| format!("Sentence {number} speaks of topic {}. ", number % 97)).collect();
    let summary = summarize(&text, &options(SummaryLength::Sentences(5)), None).unwrap();
    assert_eq!(summary.sentences.len(), 5);
}

#[test]
fn chinese_is_summed_up_too() {
    let text =
        "人工智能发展很快。机器学习是人工智能的一部分。今天天气很好。人工智能的应用很多，机器学习也很多。";
    let summary = summarize(text, &options(SummaryLength::Sentences(2)), None).unwrap();
    assert_eq!(summary.sentences.len(), 2);
    assert!(summary.summary.contains("人工智能"));
}
