//! A small vocabulary, checked against the rules of BERT.

use serde_json::json;

use super::*;

const VOCABULARY: [&str; 14] =
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "read", "##er", "a", "file", "##s", ",", "naive", "東", "京", "。"];

fn tokens() -> Tokenizer {
    parse(json!({ "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2] })).unwrap()
}

fn parse(processor: Value) -> Result<Tokenizer, String> {
    let vocab: HashMap<_, _> = VOCABULARY.iter().zip(0..).collect();
    let file = json!({
        "added_tokens": [],
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                        "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "post_processor": processor,
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                   "max_input_chars_per_word": 10, "vocab": vocab },
    });
    Tokenizer::parse(file.to_string().as_bytes(), &config())
}

fn config() -> BertConfig {
    let config = json!({ "vocab_size": VOCABULARY.len(), "max_position_embeddings": 8 });
    serde_json::from_value(config).unwrap()
}

fn check(text: &str, wanted: &[&str]) {
    let found: Vec<&str> = tokens().of(text).into_iter().map(|number| VOCABULARY[number as usize]).collect();
    let inside = found.strip_prefix(&["[CLS]"]).and_then(|found| found.strip_suffix(&["[SEP]"]));
    assert_eq!(inside.expect("a text has its beginning and its end"), wanted, "{text:?}");
}

#[test]
fn words_become_their_longest_pieces() {
    check("reader files", &["read", "##er", "file", "##s"]);
    check("", &[]);
}

#[test]
fn a_word_with_an_unknown_part_is_unknown_as_a_whole() {
    check("readx a", &["[UNK]", "a"]);
    check("aaaaaaaaaaa", &["[UNK]"]);
}

#[test]
fn case_accents_and_control_characters_do_not_count() {
    check("NA\u{ef}VE", &["naive"]);
    check("nai\u{308}ve", &["naive"]);
    check("re\u{200b}ad\u{0}\u{fffd}", &["read"]);
    check("read\u{a0}a\tfile\n", &["read", "a", "file"]);
}

#[test]
fn punctuation_and_ideographs_are_words() {
    check("file,a", &["file", ",", "a"]);
    check("東京。", &["東", "京", "。"]);
}

#[test]
fn a_special_token_in_a_text_is_text() {
    check("[SEP]", &["[UNK]", "[UNK]", "[UNK]"]);
}

#[test]
fn the_rest_of_a_long_text_is_not_read() {
    check(&"a ".repeat(100), &["a"; 6]);
    check("a a a a a reader", &["a", "a", "a", "a", "a", "read"]);
}

#[test]
fn what_works_otherwise_is_refused_with_its_name() {
    let file = json!({ "model": { "type": "Unigram" } });
    let error = Tokenizer::parse(file.to_string().as_bytes(), &config()).err().expect("it is refused");
    assert!(error.contains("Unigram") && error.contains("WordPiece"), "{error}");
    let error = parse(json!({ "type": "RobertaProcessing" })).err().expect("it is refused");
    assert!(error.contains("around a text"), "{error}");
}
