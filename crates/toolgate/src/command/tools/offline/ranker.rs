//! Ranks by words, and by meaning too where a model is given.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use sentence_encoder::Model;
use toolgate_core::{CanonicalName, ServerName};
use toolgate_search::Subset;
use toolgate_search::meaning::{EmbeddingProgress, MeaningIndex};

use super::catalogue::OfflineCatalogue;

pub(super) struct Ranker {
    subset: Subset,
    meaning: Option<MeaningIndex>,
}

impl Ranker {
    /// With a model this takes minutes for thousands of tools; `on_progress` gets the progress.
    pub(super) fn new(
        catalogue: &OfflineCatalogue,
        model: Option<&Path>,
        on_progress: impl FnMut(usize, usize),
    ) -> anyhow::Result<Self> {
        let subset = catalogue.index.all();
        let meaning = model.map(|folder| embedded(folder, &subset, on_progress)).transpose()?;
        Ok(Self { subset, meaning })
    }

    pub(super) fn search(
        &self,
        query: &str,
        servers: Option<&[ServerName]>,
        limit: usize,
    ) -> anyhow::Result<Vec<CanonicalName>> {
        let hits = match &self.meaning {
            Some(meaning) => meaning.search(&self.subset, query, servers, limit)?,
            None => self.subset.search(query, servers, limit),
        };
        Ok(hits.into_iter().map(|hit| hit.name).collect())
    }
}

fn embedded(
    folder: &Path,
    subset: &Subset,
    mut on_progress: impl FnMut(usize, usize),
) -> anyhow::Result<MeaningIndex> {
    let model = Model::load(folder).map_err(|error| {
        let hint = error.hint();
        anyhow!(error).context(format!("the model cannot be used\nhint: {hint}"))
    })?;
    let meaning = MeaningIndex::new(Arc::new(model));
    let mut progress = meaning.follow(subset.index());
    while !progress.is_complete() {
        progress = meaning.embed_some().context("the tools could not be embedded")?;
        let EmbeddingProgress { texts, embedded } = progress;
        on_progress(embedded, texts);
    }
    Ok(meaning)
}
