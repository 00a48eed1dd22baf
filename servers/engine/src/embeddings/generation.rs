//! Vectors in two files that only grow: one of keys with checks, one of numbers. A vector whose check fails is not there.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The beginning of the SHA-256 of the encoded text.
pub(super) const KEY_BYTES: usize = 16;
pub(super) type VectorKey = [u8; KEY_BYTES];

const CHECK_BYTES: usize = 8;
const LABEL_BYTES: usize = KEY_BYTES + CHECK_BYTES;
const NUMBER_BYTES: usize = size_of::<f32>();

pub(super) struct Generation {
    path: PathBuf,
    labels: File,
    vectors: File,
    dimensions: usize,
    count: u32,
    numbers: HashMap<VectorKey, u32>,
}

impl Generation {
    /// The files `path.labels` and `path.vectors`. What a killed process left half written is cut off.
    pub(super) fn open(path: &Path, dimensions: usize) -> io::Result<Self> {
        let (mut labels, vectors) = (open(&labels_of(path))?, open(&vectors_of(path))?);
        let vector_bytes = (dimensions * NUMBER_BYTES) as u64;
        let whole =
            (labels.metadata()?.len() / LABEL_BYTES as u64).min(vectors.metadata()?.len() / vector_bytes);
        let count = u32::try_from(whole).map_err(io::Error::other)?;
        labels.set_len(whole * LABEL_BYTES as u64)?;
        vectors.set_len(whole * vector_bytes)?;
        let mut read = Vec::new();
        labels.read_to_end(&mut read)?;
        let key = |label: &[u8]| VectorKey::try_from(&label[..KEY_BYTES]).expect("a label begins with a key");
        let numbers = read.chunks_exact(LABEL_BYTES).map(key).zip(0..).collect();
        Ok(Self { path: path.to_owned(), labels, vectors, dimensions, count, numbers })
    }

    pub(super) fn get(&self, key: &VectorKey) -> io::Result<Option<Vec<f32>>> {
        let Some(number) = self.numbers.get(key) else { return Ok(None) };
        let number = u64::from(*number);
        let mut label = [0; LABEL_BYTES];
        self.labels.read_exact_at(&mut label, number * LABEL_BYTES as u64)?;
        let mut bytes = vec![0; self.dimensions * NUMBER_BYTES];
        let at = number * bytes.len() as u64;
        self.vectors.read_exact_at(&mut bytes, at)?;
        let is_whole = label == label_of(key, &bytes);
        Ok(is_whole.then(|| bytes.chunks_exact(NUMBER_BYTES).map(number_of).collect()))
    }

    /// Numbers first: a label says that they are there.
    pub(super) fn put(&mut self, keyed: &[(VectorKey, &[f32])]) -> io::Result<()> {
        let (mut labels, mut numbers) = (Vec::new(), Vec::new());
        for (key, vector) in keyed {
            if vector.len() != self.dimensions {
                return Err(io::Error::other("a vector has another length than the others"));
            }
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            labels.extend_from_slice(&label_of(key, &bytes));
            numbers.extend_from_slice(&bytes);
        }
        let count = u64::from(self.count);
        self.vectors.write_all_at(&numbers, count * (self.dimensions * NUMBER_BYTES) as u64)?;
        self.labels.write_all_at(&labels, count * LABEL_BYTES as u64)?;
        for (key, _) in keyed {
            self.numbers.insert(*key, self.count);
            self.count += 1;
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        u64::from(self.count) * (LABEL_BYTES + self.dimensions * NUMBER_BYTES) as u64
    }

    pub(super) fn rename(&mut self, path: &Path) -> io::Result<()> {
        fs::rename(labels_of(&self.path), labels_of(path))?;
        fs::rename(vectors_of(&self.path), vectors_of(path))?;
        path.clone_into(&mut self.path);
        Ok(())
    }
}

fn labels_of(path: &Path) -> PathBuf {
    path.with_extension("labels")
}

fn vectors_of(path: &Path) -> PathBuf {
    path.with_extension("vectors")
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

fn label_of(key: &VectorKey, vector: &[u8]) -> [u8; LABEL_BYTES] {
    let check = Sha256::new().chain_update(key).chain_update(vector).finalize();
    let mut label = [0; LABEL_BYTES];
    label[..KEY_BYTES].copy_from_slice(key);
    label[KEY_BYTES..].copy_from_slice(&check[..CHECK_BYTES]);
    label
}

fn number_of(bytes: &[u8]) -> f32 {
    f32::from_le_bytes(bytes.try_into().expect("a number has four bytes"))
}
