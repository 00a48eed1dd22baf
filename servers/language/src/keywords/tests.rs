//! Key phrases of short texts, without a model.

use super::*;
use crate::vectors::cosine;

/// An encoder for tests: the letters of a text as a vector, so that like texts are near.
struct Letters;

impl Encoder for Letters {
    fn model(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        26
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let count = |text: &&str| {
            let mut vector = vec![0.0; 26];
            for letter in text.bytes().filter(u8::is_ascii_lowercase) {
                vector[usize::from(letter - b'a')] += 1.0;
            }
            vector
        };
        Ok(texts.iter().map(count).collect())
    }
}

fn phrases(text: &str) -> Vec<String> {
    let found = keywords(text, &KeywordOptions::default(), None).unwrap();
    found.keywords.into_iter().map(|keyword| keyword.phrase).collect()
}

const ENGLISH: &str = "Compatibility of systems of linear constraints over the set of natural numbers. Criteria of \
    compatibility of a system of linear Diophantine equations, strict inequations, and nonstrict inequations are \
    considered. Upper bounds for components of a minimal set of solutions are given.";

#[test]
fn phrases_between_stop_words_are_found() {
    let found = phrases(ENGLISH);
    for phrase in ["linear Diophantine equations", "natural numbers", "Upper bounds", "linear constraints"] {
        assert!(found.iter().any(|keyword| keyword == phrase), "{phrase} is not in {found:?}");
    }
}

#[test]
fn every_offset_is_where_the_phrase_stands() {
    let text = "Ünïcode 😀 wind power. We like wind  power and solar cells. Wind power!";
    let found = keywords(text, &KeywordOptions::default(), None).unwrap();
    let characters: Vec<char> = text.chars().collect();
    let wind = found.keywords.iter().find(|keyword| keyword.phrase.to_lowercase() == "wind power");
    let wind = wind.expect("it comes three times");
    assert_eq!(wind.count, 3);
    for span in &wind.offsets {
        let there: String = characters[span.start..span.end].iter().collect();
        assert_eq!(there.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(), "wind power");
    }
}

#[test]
fn a_phrase_that_comes_again_with_a_small_word_in_it_is_one() {
    let found = phrases("Degrees of freedom are counted. A robot has six degrees of freedom and an arm.");
    assert!(found.iter().any(|phrase| phrase == "Degrees of freedom"), "{found:?}");
}

#[test]
fn german_phrases_end_with_their_noun() {
    let found = phrases("Die erneuerbare Energie wächst schnell. Neue Windräder liefern günstigen Strom.");
    assert!(found.contains(&"erneuerbare Energie".to_owned()), "{found:?}");
    assert!(!found.iter().any(|phrase| phrase.contains("schnell")), "{found:?}");
}

#[test]
fn chinese_and_japanese_have_key_phrases() {
    let chinese = phrases("人工智能的发展很快。人工智能和机器学习是重要的技术。机器学习的应用很多。");
    assert!(
        chinese.contains(&"人工智能".to_owned()) && chinese.contains(&"机器学习".to_owned()),
        "{chinese:?}"
    );
    let japanese = phrases("東京タワーは東京の観光名所です。");
    assert!(japanese.contains(&"観光名所".to_owned()), "{japanese:?}");
}

#[test]
fn texts_without_words_have_none() {
    for text in ["", " ", "😀", "the of and", "12 34"] {
        assert_eq!(phrases(text), Vec::<String>::new(), "{text:?}");
    }
    assert_eq!(phrases("Photosynthesis"), ["Photosynthesis"]);
}

#[test]
fn an_encoder_ranks_by_nearness() {
    let options = KeywordOptions { top_k: 1, language: Some("en".into()) };
    let text = "zzz zzz zzz zzz and abc";
    let found = keywords(text, &options, Some(&Letters)).unwrap();
    assert_eq!(found.method, Method::Embeddings);
    assert_eq!(found.keywords[0].phrase, "zzz zzz zzz zzz");
    let vectors = Letters.embed(&["ab", "ab"]).unwrap();
    assert!(cosine(&vectors[0], &vectors[1]) > 0.0);
}

#[test]
fn only_so_many_are_given_and_the_best_has_score_one() {
    let options = KeywordOptions { top_k: 3, language: None };
    let found = keywords(ENGLISH, &options, None).unwrap();
    assert_eq!(found.keywords.len(), 3);
    assert_eq!(found.keywords[0].score, 1.0);
    assert!(found.keywords.is_sorted_by(|one, other| one.score >= other.score));
    assert_eq!(found.language.as_deref(), Some("en"));
}
