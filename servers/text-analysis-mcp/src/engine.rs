//! The tools' resources: the sentence encoder, loaded by the first call that needs it, and the language
//! model.

use std::path::PathBuf;
use std::sync::OnceLock;

use capability_language::{Encoder, Model};

use crate::llm::Llm;
use crate::options::TextAnalysisOptions;

pub(crate) struct AnalysisEngine {
    folder: Option<PathBuf>,
    model: OnceLock<Result<Model, String>>,
    pub(crate) llm: Option<Llm>,
    pub(crate) llm_default: bool,
}

impl AnalysisEngine {
    pub(crate) fn new(options: &TextAnalysisOptions) -> Self {
        Self {
            // An empty variable means that there is none.
            folder: options.model.clone().filter(|folder| !folder.as_os_str().is_empty()),
            model: OnceLock::new(),
            llm: Llm::new(options),
            llm_default: options.llm_default,
        }
    }

    /// The encoder, or the reason why a configured one is missing.
    pub(crate) fn encoder(&self) -> Result<Option<&dyn Encoder>, &str> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let load = || Model::load(folder).map_err(|error| format!("{error} (hint: {})", error.hint()));
        match self.model.get_or_init(load) {
            Ok(model) => Ok(Some(model)),
            Err(why) => Err(why),
        }
    }
}
