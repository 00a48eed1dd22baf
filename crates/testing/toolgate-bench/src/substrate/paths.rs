//! The paths and entries that are measured: the same in every store and in git.

use std::collections::BTreeSet;
use std::sync::Arc;

use manifest_tree::{BlobDigest, EntryKind, EntryPath, TreeEdit, TreeEntry};

/// A number that looks like any other.
pub(super) fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (number ^ (number >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d)
}

pub(super) fn path_text(number: u64) -> String {
    format!("corpus/{:04}/part-{:02}/document-{number:07}.json", number / 5_000, number / 100 % 50)
}

pub(super) fn path(number: u64) -> EntryPath {
    checked(&path_text(number))
}

fn checked(text: &str) -> EntryPath {
    EntryPath::new(text).expect("the path is good")
}

pub(super) fn entry(number: u64, version: u64) -> TreeEntry {
    let mut digest = [0; 32];
    for (index, word) in digest.chunks_exact_mut(8).enumerate() {
        word.copy_from_slice(&scramble(number ^ version << 40 ^ (index as u64) << 56).to_le_bytes());
    }
    TreeEntry {
        kind: EntryKind::Artifact,
        digest: BlobDigest::new(digest),
        bytes: scramble(number) % 1_000_000,
        media_type: "application/json".into(),
        metadata: Arc::default(),
    }
}

/// Distinct numbers below `entries`, in order.
pub(super) fn random_numbers(entries: u64, count: u64) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    let mut seed = 0;
    while (numbers.len() as u64) < count.min(entries) {
        numbers.insert(scramble(seed) % entries);
        seed += 1;
    }
    numbers
}

/// Replaces each third of the numbered entries, removes each third, adds a neighbour to each third.
pub(super) fn mixed(numbers: impl Iterator<Item = u64>) -> Vec<TreeEdit> {
    let edit = |(index, number): (usize, u64)| match index % 3 {
        0 => TreeEdit { path: path(number), entry: Some(entry(number, 1)) },
        1 => TreeEdit { path: path(number), entry: None },
        _ => TreeEdit { path: checked(&format!("{}.new", path_text(number))), entry: Some(entry(number, 1)) },
    };
    numbers.enumerate().map(edit).collect()
}
