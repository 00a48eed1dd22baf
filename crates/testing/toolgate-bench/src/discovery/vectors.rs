//! The model, and the vectors of the catalogues: made once and kept in a file from one run to the next.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use sentence_encoder::Model;
use serde::Serialize;
use toolgate_search::Subset;
use toolgate_search::meaning::{EmbeddingProgress, Encoder as _, MeaningIndex};

use super::clock::{megabytes, ms, resident_bytes};

const FILE: &str = ".cache/bench/vectors";
const SAY_EVERY: Duration = Duration::from_secs(5);
/// Vectors are stored this often, so that an interrupted run keeps most of its work.
const KEEP_EVERY: Duration = Duration::from_secs(30);

/// A model that is loaded, with the vectors of all tools.
pub(super) struct Encoding {
    model: Arc<Model>,
    pub(super) meaning: MeaningIndex,
    pub(super) facts: Facts,
}

#[derive(Clone, Serialize)]
pub(super) struct Facts {
    /// A digest of everything that influences the vectors.
    pub(super) model: String,
    pub(super) dimensions: usize,
    pub(super) load_ms: f64,
    pub(super) resident_mb: f64,
    /// Vectors that this run made itself, and how fast.
    pub(super) embedded: usize,
    pub(super) embedded_per_second: Option<f64>,
}

impl Encoding {
    pub(super) fn open(folder: &Path, everything: &Subset) -> anyhow::Result<Self> {
        let (before, started) = (resident_bytes()?, Instant::now());
        let model = Model::load(folder).with_context(|| format!("load the model in {}", folder.display()))?;
        let (load_ms, model) = (ms(started.elapsed()), Arc::new(model));
        let resident_mb = megabytes(resident_bytes()?.saturating_sub(before));
        let meaning = MeaningIndex::new(model.clone());
        recall(&meaning);
        let (embedded, embedded_per_second) = embed(&meaning, everything)?;
        let (id, dimensions) = (model.model().to_owned(), model.dimensions());
        let facts = Facts { model: id, dimensions, load_ms, resident_mb, embedded, embedded_per_second };
        Ok(Self { model, meaning, facts })
    }

    /// The same vectors without the queries that were asked before, which are not embedded again.
    pub(super) fn afresh(&self, subset: &Subset) -> anyhow::Result<MeaningIndex> {
        let meaning = MeaningIndex::new(self.model.clone());
        meaning.remember(&self.meaning.cache()).context("take over the vectors")?;
        meaning.follow(subset.index());
        Ok(meaning)
    }
}

/// A useless file is rewritten.
fn recall(meaning: &MeaningIndex) {
    let Ok(bytes) = fs::read(FILE) else { return };
    match meaning.remember(&bytes) {
        Ok(count) => eprintln!("{count} vectors of an earlier run in {FILE}"),
        Err(error) => eprintln!("{FILE} is not used: {error}"),
    }
}

fn embed(meaning: &MeaningIndex, everything: &Subset) -> anyhow::Result<(usize, Option<f64>)> {
    let (started, before) = (Instant::now(), meaning.follow(everything.index()));
    let (mut said, mut kept, mut progress) = (started, started, before);
    while !progress.is_complete() {
        progress = meaning.embed_some()?;
        if said.elapsed() >= SAY_EVERY {
            said = Instant::now();
            say(progress);
        }
        if kept.elapsed() >= KEEP_EVERY {
            kept = Instant::now();
            keep(meaning)?;
        }
    }
    let count = before.texts - before.embedded;
    if count == 0 {
        return Ok((0, None));
    }
    say(progress);
    keep(meaning)?;
    Ok((count, Some(count as f64 / started.elapsed().as_secs_f64())))
}

fn say(EmbeddingProgress { texts, embedded }: EmbeddingProgress) {
    eprintln!("{embedded} of {texts} texts embedded");
}

/// In one step, so that no reader finds half a file.
fn keep(meaning: &MeaningIndex) -> anyhow::Result<()> {
    let file = PathBuf::from(FILE);
    let half = file.with_extension(std::process::id().to_string());
    fs::create_dir_all(file.parent().expect("it is in a folder"))
        .context("make the folder of the vectors")?;
    fs::write(&half, meaning.cache()).with_context(|| format!("write {}", half.display()))?;
    fs::rename(&half, &file).with_context(|| format!("write {FILE}"))
}
