//! All that requests share.

use std::io;
use std::sync::Arc;

use engine_protocol::{EngineFault, EngineGreeting, PROTOCOL};
use tokio::sync::Semaphore;

use crate::builds::Builds;
use crate::contents::Contents;
use crate::documents::Documents;
use crate::embeddings::Embeddings;
use crate::engines::Engines;
use crate::folder::EngineFolder;
use crate::inside::FORMAT;
use crate::model::ModelSlot;
use crate::options::EngineOptions;
use crate::parse::PARSER;
use crate::searches::Searches;

pub(crate) struct Workshop {
    pub(crate) contents: Arc<Contents>,
    pub(crate) model: Arc<ModelSlot>,
    pub(crate) documents: Documents,
    pub(crate) builds: Builds,
    pub(crate) searches: Searches,
    /// Threads for what a person waits for, and for what takes its time. Neither waits for the other.
    pub(crate) quick: Arc<Semaphore>,
    pub(crate) long: Arc<Semaphore>,
    engines: Arc<Engines>,
    reads_pictures: bool,
}

impl Workshop {
    pub(crate) fn new(
        options: &EngineOptions,
        folder: &EngineFolder,
        postgres_url: Option<String>,
    ) -> io::Result<Self> {
        let contents = Arc::new(Contents::new(folder.path(), options.contents_bytes_max)?);
        let model = Arc::new(ModelSlot::new(options.model.clone()));
        let (own_contents, own_model) = (Arc::clone(&contents), Arc::clone(&model));
        let engines = Arc::new(Engines::new(own_contents, own_model, folder.scratch(), postgres_url));
        let embeddings = Arc::new(Embeddings::new(folder.vectors(), Arc::clone(&model)));
        Ok(Self {
            documents: Documents::new(Arc::clone(&contents), options.job_limits(), folder.scratch()),
            builds: Builds::new(Arc::clone(&contents), Arc::clone(&engines), embeddings, Arc::clone(&model)),
            searches: Searches::new(Arc::clone(&contents), Arc::clone(&engines), Arc::clone(&model)),
            quick: Arc::new(Semaphore::new(options.threads())),
            long: Arc::new(Semaphore::new(options.threads())),
            reads_pictures: options.ocr.as_deref().is_some_and(std::path::Path::is_dir),
            contents,
            model,
            engines,
        })
    }

    pub(crate) fn greeting(&self) -> Result<EngineGreeting, EngineFault> {
        Ok(EngineGreeting {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parser: PARSER.to_owned(),
            format: FORMAT,
            model: self.model.facts()?,
            reads_pictures: self.reads_pictures,
            postgres: self.engines.postgres_facts(),
        })
    }
}
