//! Vectors of passages, kept by model and by the text that was encoded, so that a passage is encoded once.
//!
//! They are a cache: a damaged or missing file costs time, and nothing else.

mod generation;
mod shelf;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::EngineFault;
use parking_lot::Mutex;
use sentence_encoder::Encoder;
use sha2::{Digest as _, Sha256};

use crate::fault::internal;
use crate::model::{ModelSlot, unit_vectors};
use generation::{KEY_BYTES, VectorKey};
use shelf::VectorShelf;

/// Texts that are encoded before the vectors are written and a cancellation is heard.
const BATCH_TEXTS: usize = 16;
/// On disk, for all vectors of a model.
const BYTES_MAX: u64 = 8 << 30;

pub(crate) struct Embeddings {
    folder: PathBuf,
    model: Arc<ModelSlot>,
    /// Opened by the first text.
    shelf: Mutex<Option<VectorShelf>>,
}

/// One vector for each text, in order.
pub(crate) struct TextVectors {
    pub(crate) vectors: Vec<Vec<f32>>,
    pub(crate) computed: u64,
    pub(crate) reused: u64,
}

impl Embeddings {
    /// `folder` is made if it is not there.
    pub(crate) fn new(folder: PathBuf, model: Arc<ModelSlot>) -> Self {
        Self { folder, model, shelf: Mutex::new(None) }
    }

    /// None without a model. `check` is asked between batches if the work goes on.
    pub(crate) fn of(
        &self,
        texts: &[String],
        check: &dyn Fn() -> Result<(), EngineFault>,
    ) -> Result<Option<TextVectors>, EngineFault> {
        let Some(model) = self.model.get()? else { return Ok(None) };
        let keys: Vec<VectorKey> = texts.iter().map(|text| key(text)).collect();
        let mut vectors = self.known(&*model, &keys)?;
        let unknown: Vec<usize> = (0..texts.len()).filter(|at| vectors[*at].is_none()).collect();
        for batch in unknown.chunks(BATCH_TEXTS) {
            check()?;
            let written: Vec<&str> = batch.iter().map(|at| texts[*at].as_str()).collect();
            let made = unit_vectors(&*model, &written)?;
            let keyed: Vec<(VectorKey, &[f32])> =
                batch.iter().map(|at| keys[*at]).zip(made.iter().map(Vec::as_slice)).collect();
            self.with_shelf(&*model, |shelf| shelf.put(&keyed))?;
            for (at, vector) in batch.iter().zip(made) {
                vectors[*at] = Some(vector);
            }
        }
        let computed = unknown.len() as u64;
        let reused = texts.len() as u64 - computed;
        Ok(Some(TextVectors { vectors: vectors.into_iter().flatten().collect(), computed, reused }))
    }

    fn known(&self, model: &dyn Encoder, keys: &[VectorKey]) -> Result<Vec<Option<Vec<f32>>>, EngineFault> {
        self.with_shelf(model, |shelf| keys.iter().map(|key| shelf.get(key)).collect())
    }

    fn with_shelf<T>(
        &self,
        model: &dyn Encoder,
        work: impl FnOnce(&mut VectorShelf) -> std::io::Result<T>,
    ) -> Result<T, EngineFault> {
        let failed = |error| internal("reading the kept vectors", error);
        let mut slot = self.shelf.lock();
        let shelf = match &mut *slot {
            Some(shelf) => shelf,
            empty => {
                let opened = VectorShelf::open(&self.folder, model.model(), model.dimensions(), BYTES_MAX);
                empty.insert(opened.map_err(failed)?)
            }
        };
        work(shelf).map_err(failed)
    }
}

fn key(text: &str) -> VectorKey {
    let digest = Sha256::digest(text.as_bytes());
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(&digest[..KEY_BYTES]);
    key
}
