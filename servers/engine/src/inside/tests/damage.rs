//! Files that are damaged, missing or cut are named; nothing is searched that is not whole.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use engine_protocol::{EngineErrorCode, IndexFile, IndexListing};

use super::{Library, birds, document, search, with_vector};
use crate::contents::digest_of;
use crate::port::Engine as _;

fn listing(library: &Library) -> IndexListing {
    let with_vectors = (0..20).map(|number| with_vector(&format!("{number}.txt"), "a word", &[0.6, 0.8]));
    let first = library.build([birds(), with_vectors.collect()].concat());
    library.build_on(Some(&first), vec![document("birds/song.txt", &["Another song."])], &[])
}

/// The longest that a thread may take to read a small index.
const SOON: Duration = Duration::from_secs(20);

fn within_limit(what: &str, fits: impl Fn() -> bool) {
    let begun = Instant::now();
    while !fits() {
        assert!(begun.elapsed() < SOON, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
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

/// A file of an index, as long as the others are whole.
fn largest<'a>(listing: &'a IndexListing, name: &str) -> &'a IndexFile {
    let named = listing.files.iter().filter(|file| file.name.ends_with(name));
    named.max_by_key(|file| file.bytes).expect("an index has such files")
}

/// Damage that a file does not show: its length, its time and its number stay.
fn rot(path: &Path) {
    let time = fs::metadata(path).unwrap().modified().unwrap();
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    file.write_all_at(&bytes, 0).unwrap();
    file.set_modified(time).unwrap();
}

#[test]
fn an_engine_that_starts_again_reads_known_files_behind_the_search() {
    let library = Library::new();
    let listing = listing(&library);
    library.search(&[("a", &listing)], "wing");
    let library = library.restarted();
    let unread = library.engine.versions.unread(&listing);
    assert_eq!((unread.0, unread.1), (0, listing.files.len()), "all of them are known");
    assert!(!library.search(&[("a", &listing)], "wing").hits.is_empty());
    within_limit("all are read behind it", || library.engine.versions.unread(&listing) == (0, 0));
}

#[test]
fn damage_that_a_file_does_not_show_is_found_behind_the_search() {
    let library = Library::new();
    let listing = listing(&library);
    library.search(&[("a", &listing)], "wing");
    let library = library.restarted();
    let file = largest(&listing, ".store");
    let path = library.contents.path(&file.content).unwrap();
    rot(&path);
    // It is opened at once, as it was whole when it was read last.
    library.corpus(&[("a", &listing)]);
    within_limit("it is removed, and brought again when it is asked for", || !path.exists());
    let fault = loop {
        if let Err(fault) = library.ask(&search(&[("a", &listing)], "wing"), None) {
            break fault;
        }
    };
    assert_eq!((fault.code, fault.missing), (EngineErrorCode::MissingContents, vec![file.content.clone()]));
    let unread = library.restarted().engine.versions.unread(&listing);
    assert_eq!(unread, (1, listing.files.len() - 1), "the next engine knows no better");
}

#[test]
fn a_known_file_that_was_written_since_is_read_first() {
    let library = Library::new();
    let listing = listing(&library);
    library.search(&[("a", &listing)], "wing");
    let library = library.restarted();
    let file = largest(&listing, ".idx");
    let path = library.contents.path(&file.content).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[10] ^= 0xff;
    fs::remove_file(&path).unwrap();
    fs::write(&path, bytes).unwrap();
    let fault = library.ask(&search(&[("a", &listing)], "wing"), None).unwrap_err();
    assert_eq!(fault.code, EngineErrorCode::Damaged, "{fault}");
    let whole = library.engine.versions.unread(&listing).1;
    assert_eq!(whole, listing.files.len() - 1);
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
