//! The tools' resources: the sentence encoder, loaded by the first call that needs it, and the language
//! model.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use capability_kit::LlmEndpoint;
use capability_language::{Encoder, Model};

use crate::options::TextAnalysisOptions;

pub(crate) struct AnalysisEngine {
    folder: Option<PathBuf>,
    model: OnceLock<Result<Model, String>>,
    pub(crate) llm: Option<LlmEndpoint>,
    pub(crate) llm_default: bool,
}

impl AnalysisEngine {
    pub(crate) fn new(options: &TextAnalysisOptions) -> Self {
        Self {
            // An empty variable means that there is none.
            folder: options.model.clone().filter(|folder| !folder.as_os_str().is_empty()),
            model: OnceLock::new(),
            llm: endpoint(options),
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

/// `None` if none is configured.
fn endpoint(options: &TextAnalysisOptions) -> Option<LlmEndpoint> {
    Some(LlmEndpoint {
        url: options.llm_url.clone()?,
        ca_file: options.llm_ca_file.clone(),
        proxy: options.llm_proxy.clone(),
        model: options.llm_model.clone()?,
        key_variable: options.llm_key_env.clone(),
        time: Duration::from_secs(options.llm_timeout_seconds),
    })
}
