//! Builds on a version before: replaced and dropped documents, numbers that stay, files that stay.

use engine_protocol::{EngineErrorCode, Profile, Stemming};

use super::{Library, begin, birds, document, ingest, paths, profile, scores, search, with_vector};
use crate::port::Engine as _;

#[test]
fn replaced_and_dropped_documents_vanish_without_a_trace() {
    let library = Library::new();
    let first =
        library.build([birds(), vec![document("old.txt", &["The wing wing wing of an owl."])]].concat());
    let changed = document("birds/song.txt", &["A frog croaks at night beside a wing."]);
    let second = library.build_on(Some(&first), vec![changed.clone()], &["old.txt", "never-there.txt"]);
    assert_eq!((second.documents, second.chunks), (3, 4));

    let hits = library.search(&[("a", &second)], "owl sings morning").hits;
    assert_eq!(paths(&hits), ["planes/wing.txt"], "only the plane says sing");
    let mut documents = birds();
    documents[1] = changed;
    let anew = library.build(documents);
    for query in ["wing", "the frog of the night", "bird metal"] {
        let grown = library.search(&[("a", &second)], query).hits;
        assert_eq!(sorted(&scores(&grown)), sorted(&scores(&library.search(&[("a", &anew)], query).hits)));
    }
    assert_eq!(library.search(&[("a", &first)], "owl").hits.len(), 1, "the version before is as it was");
}

#[test]
fn numbers_of_passages_are_never_given_twice() {
    let library = Library::new();
    let first = library.build(birds());
    let wing = &library.search(&[("a", &first)], "feathers").hits[0];
    let second = library.build_on(Some(&first), birds().split_off(1), &[]);
    assert_eq!(
        library.search(&[("a", &second)], "feathers").hits[0].id,
        wing.id,
        "an unchanged passage keeps its number"
    );
    let song = |listing| library.search(&[("a", listing)], "morning").hits[0].id.chunk;
    assert!(song(&second) > song(&first).max(wing.id.chunk));
}

#[test]
fn a_small_change_adds_small_files() {
    let library = Library::new();
    let first = library.build(birds());
    let second = library.build_on(Some(&first), vec![document("new.txt", &["A new wing."])], &[]);
    let kept = second.files.iter().filter(|file| first.files.contains(file)).count();
    assert!(kept >= 5, "the segment stays: {:?}", second.files);
    assert!(second.files.is_sorted_by_key(|file| &file.name));
}

#[test]
fn a_document_that_is_put_twice_is_there_once() {
    let library = Library::new();
    let twice = vec![document("a.txt", &["first words"]), document("a.txt", &["second words"])];
    let listing = library.build(twice);
    assert_eq!((listing.documents, listing.chunks), (1, 1));
    assert_eq!(library.search(&[("a", &listing)], "words").hits.len(), 1);
    let emptied = library.build_on(Some(&listing), vec![(ingest("a.txt"), Vec::new())], &[]);
    assert_eq!((emptied.documents, emptied.chunks), (0, 0));
    assert!(library.search(&[("a", &emptied)], "words").hits.is_empty());
}

#[test]
fn an_empty_index_is_an_index() {
    let library = Library::new();
    let empty = library.build(Vec::new());
    assert!(library.search(&[("a", &empty)], "anything").hits.is_empty());
    let grown = library.build_on(Some(&empty), birds(), &[]);
    assert_eq!(library.search(&[("a", &grown)], "morning").hits.len(), 1);
}

#[test]
fn another_profile_or_other_vectors_need_a_new_index() {
    let library = Library::new();
    let base = library.build(vec![with_vector("a.txt", "words", &[1.0, 0.0])]);
    let other = Profile { version: 2, ..profile() };
    let fault = library.engine.begin(&begin(Some(&base), other)).err().unwrap();
    assert_eq!(fault.code, EngineErrorCode::Outdated, "{fault}");

    let mut build = library.engine.begin(&begin(Some(&base), profile())).unwrap();
    let (document, chunks) = with_vector("b.txt", "words", &[1.0, 0.0, 0.0]);
    assert_eq!(build.put(&document, chunks).unwrap_err().code, EngineErrorCode::Outdated);

    let mut unstemmed = search(&[("a", &base)], "words");
    unstemmed.profile.words.stemming = Stemming::None;
    assert_eq!(library.ask(&unstemmed, None).unwrap_err().code, EngineErrorCode::Outdated);
    let mut later = search(&[("a", &base)], "words");
    later.profile.version = 3;
    assert_eq!(library.ask(&later, None).unwrap().warnings.len(), 1);
}

#[test]
fn vectors_of_many_builds_stay_in_few_files() {
    let library = Library::new();
    let mut listing = library.build(vec![with_vector("0.txt", "word", &[1.0, 0.0])]);
    for number in 1..12 {
        let angle = number as f32 / 10.0;
        let new = with_vector(&format!("{number}.txt"), "word", &[angle.cos(), angle.sin()]);
        listing = library.build_on(Some(&listing), vec![new], &[]);
    }
    listing = library.build_on(Some(&listing), Vec::new(), &["3.txt"]);
    let files = listing.files.iter().filter(|file| file.name.starts_with("vectors.")).count();
    assert!((1..=3).contains(&files), "{:?}", listing.files);
    let found =
        library.ask(&search(&[("a", &listing)], "word"), Some(&[0.3_f32.cos(), 0.3_f32.sin()])).unwrap();
    assert!(found.by_meaning);
    let nearest = found.hits.iter().min_by_key(|hit| hit.parts.meaning_rank).unwrap();
    assert!(["2.txt", "4.txt"].contains(&nearest.path.as_str()), "3.txt was dropped: {}", nearest.path);
    assert_eq!(found.hits.len(), 10);
}

fn sorted<'a>(scores: &[(&'a str, u32)]) -> Vec<(&'a str, u32)> {
    let mut scores = scores.to_vec();
    scores.sort_unstable();
    scores
}
