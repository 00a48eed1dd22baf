//! Files that are damaged, missing or cut are named; nothing is searched that is not whole.

use std::fs;

use engine_protocol::{EngineErrorCode, IndexListing};

use super::{Library, birds, document, search, with_vector};
use crate::contents::digest_of;
use crate::port::Engine as _;

fn listing(library: &Library) -> IndexListing {
    let with_vectors = (0..20).map(|number| with_vector(&format!("{number}.txt"), "a word", &[0.6, 0.8]));
    let first = library.build([birds(), with_vectors.collect()].concat());
    library.build_on(Some(&first), vec![document("birds/song.txt", &["Another song."])], &[])
}

#[test]
fn every_damaged_file_is_named() {
    let library = Library::new();
    let listing = listing(&library);
    assert!(listing.files.iter().any(|file| file.name.ends_with(".del")), "{listing:?}");
    library.engine.check(&listing).unwrap();
    for file in &listing.files {
        let path = library.contents.path(&file.content).unwrap();
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        for bad in [flipped, whole[..whole.len() - 1].to_vec(), Vec::new(), [whole.clone(), vec![0]].concat()]
        {
            fs::write(&path, &bad).unwrap();
            let fault = library.engine.check(&listing).unwrap_err();
            assert_eq!(fault.code, EngineErrorCode::Damaged, "{}: {fault}", file.name);
            assert!(fault.message.contains(&file.name), "{}: {fault}", file.name);
        }
        fs::write(&path, &whole).unwrap();
    }
    library.engine.check(&listing).unwrap();
}

#[test]
fn an_engine_that_starts_reads_files_before_it_searches_them() {
    let library = Library::new();
    let listing = listing(&library);
    let library = library.restarted();
    let file = listing.files.iter().find(|file| file.name.ends_with(".idx")).unwrap();
    let path = library.contents.path(&file.content).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[10] ^= 0xff;
    fs::write(&path, bytes).unwrap();
    let fault = library.ask(&search(&[("a", &listing)], "wing"), None).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::Damaged);
    assert!(fault.message.contains(&file.name), "{fault}");
}

#[test]
fn all_missing_contents_are_named_at_once() {
    let library = Library::new();
    let (birds_only, fish_only) = (library.build(birds()), library.build(super::fish()));
    let library = library.restarted();
    let mut gone = Vec::new();
    for listing in [&birds_only, &fish_only] {
        for file in listing.files.iter().take(2) {
            fs::remove_file(library.contents.path(&file.content).unwrap()).unwrap();
            gone.push(file.content.clone());
        }
    }
    gone.sort();
    let fault = library.ask(&search(&[("a", &birds_only), ("b", &fish_only)], "wing"), None).unwrap_err();
    assert_eq!((fault.code, fault.missing), (EngineErrorCode::MissingContents, gone));
}

#[test]
fn a_listing_without_a_file_or_with_a_strange_one_is_damaged() {
    let library = Library::new();
    let whole = listing(&library);
    for file in &whole.files {
        let mut cut = whole.clone();
        cut.files.retain(|kept| kept.name != file.name);
        let Err(fault) = library.engine.check(&cut) else {
            panic!("{} can be missing", file.name);
        };
        assert_eq!(fault.code, EngineErrorCode::Damaged, "{}: {fault}", file.name);
    }
    let mut strange = whole.clone();
    strange.files[0].name = "../outside".to_owned();
    assert_eq!(library.engine.check(&strange).unwrap_err().code, EngineErrorCode::Damaged);
    let mut later = whole;
    later.format += 1;
    assert_eq!(library.engine.check(&later).unwrap_err().code, EngineErrorCode::Outdated);
}

#[test]
fn a_build_that_is_dropped_leaves_its_base_whole() {
    let library = Library::new();
    let base = listing(&library);
    let mut build = library.engine.begin(&super::begin(Some(&base), super::profile())).unwrap();
    let (document, chunks) = document("new.txt", &["New."]);
    build.put(&document, chunks).unwrap();
    drop(build);
    library.engine.check(&base).unwrap();
    library.build_on(Some(&base), birds(), &["1.txt"]);
    library.engine.check(&base).unwrap();
    for file in &base.files {
        assert_eq!(digest_of(&library.contents.read(&file.content).unwrap()), file.content, "{}", file.name);
    }
}
