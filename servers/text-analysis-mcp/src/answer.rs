//! The common parts of answers: warnings, and truncation.

use std::fmt::Display;

use capability_kit::Trouble;
use capability_language::{EncodeError, Encoder, Truncation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::AnalysisEngine;

/// The requested method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RequestedMethod {
    /// The best available method without other services.
    #[default]
    Auto,
    /// By counting words.
    Statistical,
    /// By meaning.
    Embeddings,
    /// By the language model, if one is configured.
    Llm,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct AnswerNotes {
    /// Deviations from the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    /// Present only if the text was too long to be analysed as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<Truncation>,
}

impl AnswerNotes {
    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Runs `work` with the encoder if it is available and wanted; without it, if that fails.
    pub(crate) fn locally<T, E>(
        &mut self,
        engine: &AnalysisEngine,
        wanted: RequestedMethod,
        work: impl Fn(Option<&dyn Encoder>) -> Result<T, E>,
    ) -> Result<T, Trouble>
    where
        E: LocalFailure,
    {
        let encoder = match (wanted, engine.encoder()) {
            (RequestedMethod::Statistical, _) => None,
            (_, Ok(encoder)) => encoder,
            (_, Err(why)) => {
                self.warn(format!("the encoder could not be loaded, words were counted instead: {why}"));
                None
            }
        };
        if wanted == RequestedMethod::Embeddings && encoder.is_none() && self.warnings.is_empty() {
            self.warn("no encoder is configured, words were counted instead (the server's option --model)");
        }
        match work(encoder) {
            Err(error) if encoder.is_some() && error.is_of_encoder() => {
                self.warn(format!("words were counted instead: {error}"));
                work(None).map_err(LocalFailure::trouble)
            }
            other => other.map_err(LocalFailure::trouble),
        }
    }
}

/// The reason of a local failure.
pub(crate) trait LocalFailure: Display + Sized {
    /// Counting words may still do.
    fn is_of_encoder(&self) -> bool;

    fn trouble(self) -> Trouble;
}

impl LocalFailure for EncodeError {
    fn is_of_encoder(&self) -> bool {
        true
    }

    fn trouble(self) -> Trouble {
        Trouble::internal(self.to_string())
    }
}
