//! The scan over signs finds what the cosines of all passages find.

use super::near::{nearest, nearest_past};
use crate::inside::corpus::Corpus;
use crate::inside::tests::{Library, with_vector};

const DIMENSIONS: usize = 128;

/// Always the same numbers between -1 and 1.
fn vector(seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..DIMENSIONS).map(|_| next()).collect()
}

fn corpus(library: &Library) -> Corpus {
    let all: Vec<_> =
        (0..300).map(|seed| with_vector(&format!("{seed}.txt"), "text", &vector(seed))).collect();
    let (left, right) = (library.build(all[..100].to_vec()), library.build(all[100..].to_vec()));
    let left = library.build_on(Some(&left), Vec::new(), &["7.txt", "8.txt"]);
    library.corpus(&[("a", &left), ("b", &right)])
}

#[test]
fn the_scan_over_signs_finds_the_nearest() {
    let library = Library::new();
    let corpus = corpus(&library);
    for seed in [3, 150, 299] {
        let query: Vec<f32> =
            vector(seed).iter().zip(vector(seed + 1000)).map(|(own, noise)| own + 0.3 * noise).collect();
        let scanned = nearest_past(&corpus, &query, 2, 0);
        assert_eq!(scanned[0], nearest(&corpus, &query, 2)[0], "{seed}");
        let (index, passage) = corpus.locate(scanned[0].slot);
        assert_eq!(index.version.record(passage).unwrap().path, format!("{seed}.txt"));
    }
}

#[test]
fn removed_passages_are_not_near() {
    let library = Library::new();
    let corpus = corpus(&library);
    for few in [0, usize::MAX] {
        let found = nearest_past(&corpus, &vector(7), 1, few);
        let (index, passage) = corpus.locate(found[0].slot);
        assert_ne!(index.version.record(passage).unwrap().path, "7.txt");
    }
}
