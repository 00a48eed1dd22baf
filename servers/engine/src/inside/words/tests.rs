//! The ranking beside a plain computation of the same formula.

use std::collections::BTreeMap;

use engine_protocol::{IndexListing, Stemming};
use proptest::prelude::*;
use tantivy::fieldnorm::FieldNormReader;

use super::rank::rank_past;
use super::terms::count_words;
use super::{WordQuery, rank};
use crate::inside::corpus::RankedPassage;
use crate::inside::schema::scored_weights;
use crate::inside::tests::{Library, TestDocument, document, profile};

static WORDS: [&str; 9] = ["wing", "bird", "fish", "sea", "stone", "the", "of", "light", "old"];

/// Counts of words in title, headings, body and path.
type Counted = [BTreeMap<String, f32>; 4];

fn counted((document, chunks): &TestDocument) -> Counted {
    let chunk = &chunks[0].chunk;
    [&chunk.title, &chunk.headings.join("\n"), &chunk.text, &document.path].map(|text| {
        let mut counts = BTreeMap::new();
        count_words(Stemming::English, text, &mut counts);
        counts
    })
}

/// Lengths are rounded as they are stored.
fn length(counts: &BTreeMap<String, f32>) -> f64 {
    let length = counts.values().sum::<f32>() as u32;
    f64::from(FieldNormReader::id_to_fieldnorm(FieldNormReader::fieldnorm_to_id(length)))
}

/// BM25F, one passage after the other.
fn plain_scores(documents: &[TestDocument], query: &str) -> BTreeMap<String, f64> {
    let counted: Vec<Counted> = documents.iter().map(counted).collect();
    let profile = profile();
    let weights = scored_weights(&profile.fields);
    let (k1, b, passages) = (f64::from(profile.words.k1), f64::from(profile.words.b), documents.len() as f64);
    let mut query_words = BTreeMap::new();
    count_words(Stemming::English, query, &mut query_words);
    let mut scores = BTreeMap::new();
    for (word, weight) in query_words {
        let having = |field: usize| counted.iter().filter(|counts| counts[field].contains_key(&word)).count();
        let having = (0..4).map(having).max().unwrap() as f64;
        let idf = (1.0 + (passages - having + 0.5) / (having + 0.5)).ln();
        for ((document, _), counts) in documents.iter().zip(&counted) {
            let worth = |field: usize| {
                let average = counted.iter().map(|counts| length(&counts[field])).sum::<f64>() / passages;
                let average = if average > 0.0 { average } else { 1.0 };
                let count = counts[field].get(&word).copied().unwrap_or_default();
                f64::from(weights[field]) * f64::from(count)
                    / (1.0 - b + b * length(&counts[field]).max(1.0) / average)
            };
            let sum: f64 = (0..4).map(worth).sum();
            if sum > 0.0 {
                *scores.entry(document.path.clone()).or_insert(0.0) +=
                    f64::from(weight) * idf * (k1 + 1.0) * sum / (k1 + sum);
            }
        }
    }
    scores
}

/// Documents of two indexes, of which one was built twice; and a query.
fn documents() -> impl Strategy<Value = Vec<TestDocument>> {
    let text = |lengths| {
        prop::collection::vec(prop::sample::select(&WORDS[..]), lengths).prop_map(|words| words.join(" "))
    };
    let parts = (text(0..4), text(0..3), text(0..70), prop::sample::select(&WORDS[..]));
    prop::collection::vec(parts, 2..60).prop_map(|parts| {
        let documents = parts.into_iter().enumerate().map(|(number, (title, heading, text, name))| {
            let (ingest, mut chunks) = document(&format!("{name}/{number}"), &[&text]);
            chunks[0].chunk.title = title;
            chunks[0].chunk.headings = vec![heading];
            (ingest, chunks)
        });
        documents.collect()
    })
}

fn build_in_parts(library: &Library, documents: &[TestDocument]) -> [IndexListing; 2] {
    let third = documents.len() / 3;
    // Passages that are replaced later must leave no trace.
    let stale = |(ingest, _): &TestDocument| (ingest.clone(), document("x", &["wing the stale sea"]).1);
    let stale = documents[..2 * third].iter().map(stale).collect();
    let first = library.build([stale, vec![document("gone", &["bird bird"])]].concat());
    let first = library.build_on(Some(&first), documents[..2 * third].to_vec(), &["gone"]);
    [first, library.build(documents[2 * third..].to_vec())]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn the_ranking_is_that_of_a_plain_computation(
        documents in documents(),
        query in prop::collection::vec(prop::sample::select(&WORDS[..]), 1..7),
        limit in 1..20_usize,
    ) {
        let library = Library::new();
        let [first, second] = build_in_parts(&library, &documents);
        let corpus = library.corpus(&[("a", &first), ("b", &second)]);
        let query = query.join(" ");
        let words = WordQuery::new(&corpus, &profile(), &query).unwrap();
        let plain = plain_scores(&documents, &query);
        let path = |passage: &RankedPassage| {
            let (index, number) = corpus.locate(passage.slot);
            index.version.record(number).unwrap().path
        };

        let all = words.rank(&corpus, 1000).unwrap();
        prop_assert_eq!(all.len(), plain.len());
        for passage in &all {
            let expected = plain[&path(passage)];
            prop_assert!((f64::from(passage.score) - expected).abs() < 1e-4 * expected, "{:?} {expected}", passage);
        }
        // However early the ranking stops reading whole lists, it finds the same.
        let best = &all[..limit.min(all.len())];
        for cheap in [0, 20, u64::MAX] {
            let found = rank_past(&corpus, &words.bm25, &words.terms, limit, cheap).unwrap();
            prop_assert_eq!(&found[..], best);
        }
        let mut slots: Vec<u32> = all.iter().map(|passage| passage.slot).collect();
        slots.sort_unstable();
        let scores = rank::score(&corpus, &words.bm25, &words.terms, &slots).unwrap();
        for passage in &all {
            let at = slots.binary_search(&passage.slot).unwrap();
            prop_assert_eq!(scores[at].to_bits(), passage.score.to_bits());
        }
    }
}
