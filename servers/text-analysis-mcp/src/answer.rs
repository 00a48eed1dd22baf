//! What answers have in common: warnings, and what was cut.

use std::fmt::Display;

use capability_kit::Trouble;
use capability_language::{Cut, EncodeError, Encoder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::Engine;

/// How the caller wants it done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wanted {
    /// The best that this server has without asking anybody.
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
pub(crate) struct Notes {
    /// What did not go as asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    /// Only there if the text was too long to be looked at as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cut: Option<Cut>,
}

impl Notes {
    pub(crate) fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// Does `work` with the encoder if there is one and it is wanted; without, if it fails.
    pub(crate) fn locally<T, E>(
        &mut self,
        engine: &Engine,
        wanted: Wanted,
        work: impl Fn(Option<&dyn Encoder>) -> Result<T, E>,
    ) -> Result<T, Trouble>
    where
        E: Failure,
    {
        let encoder = match (wanted, engine.encoder()) {
            (Wanted::Statistical, _) => None,
            (_, Ok(encoder)) => encoder,
            (_, Err(why)) => {
                self.warn(format!("the encoder could not be loaded, words were counted instead: {why}"));
                None
            }
        };
        if wanted == Wanted::Embeddings && encoder.is_none() && self.warnings.is_empty() {
            self.warn("no encoder is configured, words were counted instead (the server's option --model)");
        }
        match work(encoder) {
            Err(error) if encoder.is_some() && error.is_of_encoder() => {
                self.warn(format!("words were counted instead: {error}"));
                work(None).map_err(Failure::trouble)
            }
            other => other.map_err(Failure::trouble),
        }
    }
}

/// Why something could not be done here.
pub(crate) trait Failure: Display + Sized {
    /// Counting words may still do.
    fn is_of_encoder(&self) -> bool;

    fn trouble(self) -> Trouble;
}

impl Failure for EncodeError {
    fn is_of_encoder(&self) -> bool {
        true
    }

    fn trouble(self) -> Trouble {
        Trouble::internal(self.to_string())
    }
}
