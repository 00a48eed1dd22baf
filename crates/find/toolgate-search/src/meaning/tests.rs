//! An encoder of twenty words replaces a real one.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use serde_json::json;
use toolgate_core::{CanonicalName, Digest};

use super::*;
use crate::{Indexer, ToolDocument};

/// Words that mean the same share a direction; each text is the sum of its words.
const MEANINGS: [&[&str]; 5] = [
    &["weather", "forecast", "rain", "wet"],
    &["money", "invoice", "payment", "bill", "quux"],
    &["picture", "image", "photo"],
    &["mail", "message", "letter"],
    &["place", "address", "street"],
];

#[derive(Default)]
struct Words {
    embedded: AtomicUsize,
    is_broken: bool,
}

impl Encoder for Words {
    fn model(&self) -> &str {
        "words"
    }

    fn dimensions(&self) -> usize {
        MEANINGS.len() + 1
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        self.embedded.fetch_add(texts.len(), Ordering::Relaxed);
        let texts = if self.is_broken { &texts[1..] } else { texts };
        Ok(texts.iter().map(|text| direction(text)).collect())
    }
}

fn direction(text: &str) -> Vec<f32> {
    let has = |words: &&[&str]| words.iter().filter(|word| text.contains(**word)).count() as f32;
    MEANINGS.iter().map(has).chain([0.1]).collect()
}

struct Catalogue {
    indexer: Indexer,
    encoder: Arc<Words>,
    meaning: MeaningIndex,
}

impl Catalogue {
    fn new() -> Self {
        let encoder = Arc::new(Words::default());
        let meaning = MeaningIndex::new(Arc::clone(&encoder) as Arc<dyn Encoder>);
        Self { indexer: Indexer::new(), encoder, meaning }
    }

    fn update(&mut self, server: &str, tools: &[(&str, &str)]) -> Arc<Index> {
        let server = server_named(server);
        let document = |(own, description): &(&str, &str)| {
            let definition = json!({ "description": description });
            let document = ToolDocument::read(&server, own, &definition, &[], &[]);
            (Digest::of(definition.to_string()), Arc::new(document))
        };
        self.indexer.update(&server, tools.iter().map(document).collect());
        let index = self.indexer.index();
        self.meaning.follow(&index);
        index
    }

    fn embed_all(&self) {
        while !self.meaning.embed_some().expect("the encoder works").is_complete() {}
    }

    fn embedded(&self) -> usize {
        self.encoder.embedded.load(Ordering::Relaxed)
    }
}

fn server_named(name: &str) -> ServerName {
    ServerName::new(name).expect("a name")
}

fn names(hits: &[SearchHit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.name.as_str()).collect()
}

fn office() -> (Catalogue, Arc<Index>) {
    let mut catalogue = Catalogue::new();
    catalogue.update("sky", &[("now", "Tells the weather"), ("week", "A forecast of rain")]);
    let index = catalogue.update("books", &[("send", "Sends an invoice"), ("list", "Lists every payment")]);
    (catalogue, index)
}

#[test]
fn a_tool_is_found_by_what_it_means_although_it_has_no_word_of_the_query() {
    let (catalogue, index) = office();
    catalogue.embed_all();
    assert!(index.all().search("quux", None, 10).is_empty());
    let hits = catalogue.meaning.search(&index.all(), "quux", None, 10).expect("an answer");
    assert_eq!(names(&hits), ["books:list", "books:send"]);
}

#[test]
fn an_exact_name_stays_in_front() {
    let (catalogue, index) = office();
    catalogue.embed_all();
    let hits = catalogue.meaning.search(&index.all(), "sky:week", None, 10).expect("an answer");
    assert_eq!((names(&hits)[0], hits[0].place), ("sky:week", MatchKind::Exact));
    assert_eq!(hits.iter().filter(|hit| hit.name.as_str() == "sky:week").count(), 1);
    let near = catalogue.meaning.nearest(&index.all(), "sky:week", 10).expect("an answer");
    assert_ne!(names(&near)[0], "sky:week", "the encoder alone would not put it first");
}

#[test]
fn what_is_outside_the_subset_is_not_found_however_near() {
    let (catalogue, index) = office();
    catalogue.embed_all();
    let visible = [CanonicalName::recorded("books:send"), CanonicalName::recorded("books:list")];
    let subset = index.subset(visible.iter());
    let hits = catalogue.meaning.search(&subset, "weather", None, 10).expect("an answer");
    assert!(hits.is_empty(), "{hits:?}");
    let hits = catalogue.meaning.search(&subset, "weather quux", None, 10).expect("an answer");
    assert_eq!(names(&hits), ["books:list", "books:send"]);
    let sky = [server_named("sky")];
    let hits = catalogue.meaning.search(&subset, "weather", Some(&sky), 10).expect("an answer");
    assert!(hits.is_empty());
}

#[test]
fn only_new_and_changed_texts_are_embedded() {
    let (mut catalogue, _) = office();
    catalogue.embed_all();
    assert_eq!(catalogue.embedded(), 4);
    catalogue.update("books", &[("send", "Sends an invoice"), ("list", "Lists every bill"), ("pay", "Pays")]);
    assert_eq!(catalogue.meaning.progress(), EmbeddingProgress { texts: 5, embedded: 3 });
    catalogue.embed_all();
    assert_eq!(catalogue.embedded(), 6);
}

#[test]
fn a_server_that_comes_back_brings_its_vectors() {
    let (mut catalogue, _) = office();
    catalogue.embed_all();
    catalogue.update("sky", &[]);
    assert_eq!(catalogue.meaning.progress(), EmbeddingProgress { texts: 2, embedded: 2 });
    catalogue.update("sky", &[("now", "Tells the weather"), ("week", "A forecast of rain")]);
    assert_eq!(catalogue.meaning.progress(), EmbeddingProgress { texts: 4, embedded: 4 });
}

#[test]
fn tools_without_a_vector_are_found_by_their_words_while_embedding_is_under_way() {
    let mut catalogue = Catalogue::new();
    let many: Vec<(String, String)> =
        (0..BATCH_MAX + 1).map(|number| (format!("tool{number:03}"), format!("Picture {number}"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(own, text)| (&**own, &**text)).collect();
    catalogue.update("art", &many);
    let index = catalogue.update("zoo", &[("last", "A photo of a zebra")]);
    let progress = catalogue.meaning.embed_some().expect("the encoder works");
    assert_eq!(progress, EmbeddingProgress { texts: BATCH_MAX + 2, embedded: BATCH_MAX });
    assert!(!progress.is_complete());
    let hits = catalogue.meaning.search(&index.all(), "zebra", None, 1).expect("an answer");
    assert_eq!(names(&hits), ["zoo:last"]);
    catalogue.embed_all();
    assert!(catalogue.meaning.progress().is_complete());
}

#[test]
fn a_search_in_an_older_index_still_finds_its_tools() {
    let (mut catalogue, before) = office();
    catalogue.embed_all();
    let after = catalogue.update("sky", &[]);
    let find = |index: &Arc<Index>| catalogue.meaning.nearest(&index.all(), "rain", 1).expect("an answer");
    assert_eq!(find(&before)[0].name.as_str(), "sky:now");
    assert_eq!(find(&after)[0].name.as_str(), "books:list");
}

#[test]
fn what_has_the_words_and_the_meaning_comes_before_what_has_one_of_them() {
    let mut catalogue = Catalogue::new();
    let tools =
        [("both", "The quux of a bill"), ("sense", "A payment"), ("word", "A quux in a picture of rain")];
    let index = catalogue.update("books", &tools);
    catalogue.embed_all();
    let hits = catalogue.meaning.search(&index.all(), "quux", None, 10).expect("an answer");
    assert_eq!(names(&hits)[0], "books:both");
    assert_eq!(hits.len(), 3);
}

#[test]
fn the_text_of_a_tool_has_its_names_apart_and_the_beginning_of_what_it_says() {
    let definition = json!({
        "description": format!("Opens\n  an issue. {}", "Very long. ".repeat(100)),
        "inputSchema": { "properties": { "repoName": {}, "title": {} } },
    });
    let document = ToolDocument::read(&server_named("git-hub"), "createIssue", &definition, &[], &[]);
    let text = text(&document);
    assert!(text.starts_with("git hub create issue: Opens an issue. Very long."), "{text}");
    assert!(text.ends_with(" (repo name, title)"), "{text}");
    assert!(text.len() < 260, "{text}");
}

#[test]
fn a_query_that_was_asked_before_is_not_embedded_again() {
    let (catalogue, index) = office();
    catalogue.embed_all();
    let before = catalogue.embedded();
    for query in ["rain", "bill", " rain", "bill"] {
        catalogue.meaning.nearest(&index.all(), query, 1).expect("an answer");
    }
    assert_eq!(catalogue.embedded() - before, 2);
}

#[test]
fn an_encoder_that_makes_too_few_vectors_is_an_error() {
    let meaning = MeaningIndex::new(Arc::new(Words { is_broken: true, ..Words::default() }));
    let index = Catalogue::new().update("sky", &[("now", "Tells the weather")]);
    meaning.follow(&index);
    let error = meaning.embed_some().expect_err("no vector was made");
    assert!(error.to_string().contains("1 vectors of 6 numbers"), "{error}");
    assert_eq!(meaning.progress().embedded, 0);
}

#[test]
fn vectors_come_back_from_their_cache() {
    let (catalogue, index) = office();
    catalogue.embed_all();
    let mut later = Catalogue::new();
    assert_eq!(later.meaning.remember(&catalogue.meaning.cache()), Ok(4));
    later.update("sky", &[("now", "Tells the weather"), ("week", "A forecast of rain")]);
    assert!(later.meaning.progress().is_complete());
    assert_eq!(later.embedded(), 0);
    later.meaning.follow(&index);
    assert_eq!(later.meaning.cache(), catalogue.meaning.cache());
}

#[test]
fn a_cache_that_is_cut_short_or_damaged_or_of_another_model_is_refused_and_nothing_of_it_is_taken() {
    let (catalogue, index) = office();
    catalogue.embed_all();
    let whole = catalogue.meaning.cache();
    let fresh = Catalogue::new().meaning;
    assert_eq!(fresh.remember(b"something else"), Err(BadCache::Foreign));
    for end in 0..whole.len() {
        assert!(fresh.remember(&whole[..end]).is_err(), "cut at {end}");
    }
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        assert!(fresh.remember(&damaged).is_err(), "damaged at {place}");
    }
    let other = cache::encode("other", fresh.encoder.dimensions(), std::iter::empty());
    assert_eq!(fresh.remember(&other), Err(BadCache::OtherModel));
    assert_eq!(fresh.follow(&index).embedded, 0);
}

proptest! {
    #[test]
    fn products_are_those_of_floats(a in vector(), b in vector()) {
        let exact: f32 = unit(&a).iter().zip(unit(&b)).map(|(a, b)| a * b).sum();
        let found = Vector::of(&a).cosine(&Vector::of(&b));
        prop_assert!((exact - found).abs() < 1e-3, "{exact} {found}");
    }

    /// Nothing outside has any influence: not on the order, not on the scores.
    #[test]
    fn a_subset_answers_as_if_there_were_nothing_else(visible in prop::collection::vec(any::<bool>(), 4), query in 0..5usize) {
        let (catalogue, index) = office();
        catalogue.embed_all();
        let query = MEANINGS[query].join(" ");
        let kept: Vec<CanonicalName> = index.documents().zip(&visible).filter(|(_, kept)| **kept).map(|(document, _)| document.name.clone()).collect();
        let mut alone = Indexer::new();
        for server in ["books", "sky"].map(server_named) {
            let documents = index.documents().filter(|document| document.server == server && kept.contains(&document.name));
            alone.update(&server, documents.map(|document| (Digest::of(document.name.as_str()), Arc::clone(document))).collect());
        }
        let alone = alone.index();
        let within = catalogue.meaning.search(&index.subset(kept.iter()), &query, None, 10).expect("an answer");
        let by_itself = catalogue.meaning.search(&alone.all(), &query, None, 10).expect("an answer");
        prop_assert_eq!(within, by_itself);
    }
}

fn vector() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec(-1.0f32..1.0, 37)
        .prop_filter("some length", |values| values.iter().any(|value| value.abs() > 0.1))
}

fn unit(values: &[f32]) -> Vec<f32> {
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}

#[test]
fn numbers_that_are_none_point_nowhere() {
    let vector = Vector::of(&[f32::NAN, f32::INFINITY, 1.0]);
    assert_eq!(vector.values()[..3], [0, 0, 32_767]);
    assert_eq!(Vector::of(&[0.0; 3]).cosine(&vector), 0.0);
}

#[test]
fn a_query_of_any_length_is_cut_between_characters() {
    let query = "ä".repeat(5_000);
    let cut = queries::cut(&query);
    assert!(cut.len() < query.len() && !cut.is_empty());
}
