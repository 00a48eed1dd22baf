//! Kept vectors: found again, checked, bounded.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::path::Path;

use sentence_encoder::EncodeError;

use super::*;
use crate::fault::cancelled;

const MODEL: &str = "sha256:00ff";
const ROOM: u64 = 1 << 20;

fn open(folder: &Path, bytes_max: u64) -> VectorShelf {
    VectorShelf::open(folder, MODEL, 2, bytes_max).unwrap()
}

fn numbered(number: u8) -> VectorKey {
    [number; 16]
}

#[test]
fn a_vector_is_found_again_after_a_start() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(numbered(1), &[0.6, 0.8]), (numbered(2), &[1.0, 0.0])]).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    assert_eq!(shelf.get(&numbered(2)).unwrap(), Some(vec![1.0, 0.0]));
    assert_eq!(shelf.get(&numbered(3)).unwrap(), None);
}

#[test]
fn a_damaged_vector_is_not_there_and_can_be_put_again() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(numbered(1), &[0.6, 0.8]), (numbered(2), &[1.0, 0.0])]).unwrap();
    let path = folder.path().join("00ff-newer.vectors");
    let mut bytes = fs::read(&path).unwrap();
    bytes[1] ^= 1;
    fs::write(&path, bytes).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    assert_eq!(shelf.get(&numbered(1)).unwrap(), None);
    assert_eq!(shelf.get(&numbered(2)).unwrap(), Some(vec![1.0, 0.0]));
    shelf.put(&[(numbered(1), &[0.6, 0.8])]).unwrap();
    assert_eq!(shelf.get(&numbered(1)).unwrap(), Some(vec![0.6, 0.8]));
}

#[test]
fn a_half_written_vector_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(numbered(1), &[0.6, 0.8])]).unwrap();
    let path = folder.path().join("00ff-newer.vectors");
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&[7; 5]).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    shelf.put(&[(numbered(2), &[0.0, 1.0])]).unwrap();
    let mut shelf = open(folder.path(), ROOM);
    assert_eq!(shelf.get(&numbered(1)).unwrap(), Some(vec![0.6, 0.8]));
    assert_eq!(shelf.get(&numbered(2)).unwrap(), Some(vec![0.0, 1.0]));
}

#[test]
fn vectors_that_nobody_used_leave_and_the_files_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let room = 640;
    let mut shelf = open(folder.path(), room);
    for number in 0..200 {
        shelf.put(&[(numbered(number), &[0.6, 0.8])]).unwrap();
        assert!(shelf.get(&numbered(0)).unwrap().is_some(), "it is used all the time");
    }
    assert_eq!(shelf.get(&numbered(1)).unwrap(), None);
    let bytes: u64 =
        fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes <= 2 * room, "{bytes}");
}

#[test]
fn another_models_vectors_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    open(folder.path(), ROOM).put(&[(numbered(1), &[0.6, 0.8])]).unwrap();
    let mut other = VectorShelf::open(folder.path(), "sha256:ee", 2, ROOM).unwrap();
    assert_eq!(other.get(&numbered(1)).unwrap(), None);
    assert_eq!(open(folder.path(), ROOM).get(&numbered(1)).unwrap(), None);
}

/// A text's vector says how long it is.
struct LengthEncoder;

impl Encoder for LengthEncoder {
    fn model(&self) -> &str {
        MODEL
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        Ok(texts.iter().map(|text| vec![text.len() as f32, 1.0]).collect())
    }
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

#[test]
fn a_text_is_encoded_once_and_its_vector_has_length_one() {
    let folder = tempfile::tempdir().unwrap();
    let made = |texts: &[String]| {
        let model = Arc::new(ModelSlot::of(Arc::new(LengthEncoder)));
        let embeddings = Embeddings::new(folder.path().join("vectors"), model);
        embeddings.of(texts, &|| Ok(())).unwrap().expect("there is a model")
    };
    let first = made(&texts(20));
    assert_eq!((first.computed, first.reused), (20, 0));
    assert!(first.vectors.iter().all(|vector| (vector[0].hypot(vector[1]) - 1.0).abs() < 1e-6));
    let second = made(&texts(21));
    assert_eq!((second.computed, second.reused), (1, 20));
    assert_eq!(second.vectors[..20], first.vectors);
}

#[test]
fn cancelled_work_ends_between_batches_and_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let embeddings =
        Embeddings::new(folder.path().to_owned(), Arc::new(ModelSlot::of(Arc::new(LengthEncoder))));
    let asked = Cell::new(0);
    let once = || {
        asked.set(asked.get() + 1);
        if asked.get() > 1 { Err(cancelled()) } else { Ok(()) }
    };
    assert!(embeddings.of(&texts(100), &once).is_err());
    let again = embeddings.of(&texts(100), &|| Ok(())).unwrap().expect("there is a model");
    assert_eq!(again.reused, BATCH_TEXTS as u64);
}

#[test]
fn without_a_model_there_are_no_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let embeddings = Embeddings::new(folder.path().to_owned(), Arc::new(ModelSlot::new(None)));
    assert!(embeddings.of(&texts(1), &|| Ok(())).unwrap().is_none());
}
