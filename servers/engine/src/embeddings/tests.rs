//! Kept vectors: found again, checked, bounded.

use std::fs;
use std::io::Write;
use std::path::Path;

use super::generation::VectorKey;
use super::shelf::VectorShelf;

const MODEL: &str = "sha256:00ff";
const ROOM: u64 = 1 << 20;

fn open(folder: &Path, bytes_max: u64) -> VectorShelf {
    VectorShelf::open(folder, MODEL, 2, bytes_max).unwrap()
}

fn key(number: u8) -> VectorKey {
    [number; 16]
}

#[test]
fn a_vector_is_found_again_after_a_start() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(key(1), &[0.6, 0.8]), (key(2), &[1.0, 0.0])]).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    assert_eq!(shelf.get(&key(2)).unwrap(), Some(vec![1.0, 0.0]));
    assert_eq!(shelf.get(&key(3)).unwrap(), None);
}

#[test]
fn a_damaged_vector_is_not_there_and_can_be_put_again() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(key(1), &[0.6, 0.8]), (key(2), &[1.0, 0.0])]).unwrap();
    let path = folder.path().join("00ff-newer.vectors");
    let mut bytes = fs::read(&path).unwrap();
    bytes[1] ^= 1;
    fs::write(&path, bytes).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    assert_eq!(shelf.get(&key(1)).unwrap(), None);
    assert_eq!(shelf.get(&key(2)).unwrap(), Some(vec![1.0, 0.0]));
    shelf.put(&[(key(1), &[0.6, 0.8])]).unwrap();
    assert_eq!(shelf.get(&key(1)).unwrap(), Some(vec![0.6, 0.8]));
}

#[test]
fn a_half_written_vector_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(key(1), &[0.6, 0.8])]).unwrap();
    let path = folder.path().join("00ff-newer.vectors");
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&[7; 5]).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    shelf.put(&[(key(2), &[0.0, 1.0])]).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    assert_eq!(shelf.get(&key(1)).unwrap(), Some(vec![0.6, 0.8]));
    assert_eq!(shelf.get(&key(2)).unwrap(), Some(vec![0.0, 1.0]));
}

#[test]
fn vectors_that_nobody_used_leave_and_the_files_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let room = 640;
    let mut shelf = open(folder.path(), room);
    for number in 0..200 {
        shelf.put(&[(key(number), &[0.6, 0.8])]).unwrap();
        assert!(shelf.get(&key(0)).unwrap().is_some(), "it is used all the time");
    }
    assert_eq!(shelf.get(&key(1)).unwrap(), None);
    let bytes: u64 =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes <= 2 * room, "{bytes}");
}

#[test]
fn another_models_vectors_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(key(1), &[0.6, 0.8])]).unwrap();
    let mut other = VectorShelf::open(folder.path(), "sha256:ee", 2, ROOM).unwrap();
    assert_eq!(other.get(&key(1)).unwrap(), None);
    assert_eq!(open(folder.path(), ROOM).get(&key(1)).unwrap(), None);
}
