//! Preparation for quick searches: the index follows the catalogue and, if an encoder is configured, so do
//! its vectors. They are kept in the data folder so that only changed tools are embedded again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sentence_encoder::Model;
use tokio_util::sync::CancellationToken;
use toolgate_discovery::Discovery;
use toolgate_search::meaning::MeaningIndex;

use crate::config::Config;

/// The polling interval of the catalogue.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The interval of progress messages while a catalogue is embedded.
const TELL_EVERY: Duration = Duration::from_secs(5);

/// The mode of search, in words for the person who starts the gateway.
pub(crate) fn mode(config: &Config) -> String {
    match &config.search.model {
        Some(folder) => format!("by words and by meaning ({})", folder.display()),
        None => "by words; with a model also by meaning (`script/model` fetches one)".to_owned(),
    }
}

/// Follows the catalogue until the gateway ends.
pub(crate) fn follow(
    discovery: Arc<Discovery>,
    config: &Config,
    shutdown: CancellationToken,
) -> impl Future<Output = ()> + use<> {
    let (data, model) = (config.data.clone(), config.search.model.clone());
    async move {
        let following = tokio::task::spawn_blocking(move || {
            if let Some(meaning) = model.and_then(|folder| meaning(&folder)) {
                discovery.take_meaning(meaning);
            }
            EmbeddingFollower::new(discovery, &data).run(&shutdown);
        });
        if following.await.is_err() {
            tracing::error!(
                "the search index is not kept up any more; searches bring it up to date themselves"
            );
        }
    }
}

/// Search works without an unavailable encoder.
fn meaning(folder: &Path) -> Option<Arc<MeaningIndex>> {
    match Model::load(folder) {
        Ok(model) => Some(Arc::new(MeaningIndex::new(Arc::new(model)))),
        Err(error) => {
            tracing::warn!(%error, hint = error.hint(), "search goes by words alone");
            None
        }
    }
}

struct EmbeddingFollower {
    discovery: Arc<Discovery>,
    cache: PathBuf,
    /// The state of the catalogue up to which everything is done.
    done: Option<u64>,
    told: Instant,
}

impl EmbeddingFollower {
    fn new(discovery: Arc<Discovery>, data: &Path) -> Self {
        let cache = data.join("search").join("vectors.bin");
        Self { discovery, cache, done: None, told: Instant::now() }
    }

    fn run(mut self, shutdown: &CancellationToken) {
        if let Some(meaning) = self.discovery.meaning().cloned() {
            self.remember(&meaning);
        }
        while !shutdown.is_cancelled() {
            let generation = self.discovery.generation();
            if self.done != Some(generation) {
                self.discovery.catch_up();
                if let Some(meaning) = self.discovery.meaning().cloned()
                    && !self.embed(&meaning, generation, shutdown)
                {
                    continue;
                }
                self.done = Some(generation);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// Loads the vectors of an earlier run. Missing ones, or those of another model, are made again.
    fn remember(&self, meaning: &MeaningIndex) {
        let Ok(bytes) = std::fs::read(&self.cache) else { return };
        match meaning.remember(&bytes) {
            Ok(count) => tracing::debug!(count, "vectors of an earlier run are used again"),
            Err(error) => tracing::info!(%error, "the tools are embedded again"),
        }
    }

    /// Embeds texts without a vector; `false` if the catalogue changed or the gateway ended meanwhile.
    fn embed(&mut self, meaning: &MeaningIndex, generation: u64, shutdown: &CancellationToken) -> bool {
        let missing = meaning.progress().texts - meaning.progress().embedded;
        loop {
            let progress = match meaning.embed_some() {
                Ok(progress) => progress,
                Err(error) => {
                    tracing::warn!(%error, "tools could not be embedded; they are found by their words");
                    return true;
                }
            };
            if progress.is_complete() {
                break;
            }
            if shutdown.is_cancelled() || self.discovery.generation() != generation {
                return false;
            }
            if self.told.elapsed() >= TELL_EVERY {
                self.told = Instant::now();
                tracing::info!(done = progress.embedded, of = progress.texts, "embedding tools for search");
            }
        }
        if missing > 0 {
            self.keep(meaning);
        }
        true
    }

    /// A cache that cannot be written only costs time at the next start.
    fn keep(&self, meaning: &MeaningIndex) {
        let folder = self.cache.parent().expect("the cache lies in a folder");
        let fresh = self.cache.with_extension("new");
        let written = std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&fresh, meaning.cache()))
            .and_then(|()| std::fs::rename(&fresh, &self.cache));
        if let Err(error) = written {
            tracing::warn!(path = %self.cache.display(), %error, "vectors of tools could not be kept");
        }
    }
}
