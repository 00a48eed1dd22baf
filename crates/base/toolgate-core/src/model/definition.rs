//! The definition of a model: its provider, its address, its prices and its limits.

use std::time::Duration;

use super::currency::CurrencyCode;
use crate::scope::name::plain_name;

plain_name!(
    /// The gateway's own name of a model.
    ModelName,
    "a model"
);

/// The wire format that a model is spoken to in. It is always named, never guessed from the name of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelProvider {
    /// Chat completions of OpenAI, and of every server that is compatible with them.
    Openai,
    /// The Responses API of OpenAI.
    OpenaiResponses,
    /// The Messages API of Anthropic.
    Anthropic,
    /// `generateContent` of Gemini.
    Gemini,
    /// The API of Ollama itself.
    Ollama,
}

impl ModelProvider {
    pub const ALL: [ModelProvider; 5] = [
        ModelProvider::Openai,
        ModelProvider::OpenaiResponses,
        ModelProvider::Anthropic,
        ModelProvider::Gemini,
        ModelProvider::Ollama,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ModelProvider::Openai => "openai",
            ModelProvider::OpenaiResponses => "openai_responses",
            ModelProvider::Anthropic => "anthropic",
            ModelProvider::Gemini => "gemini",
            ModelProvider::Ollama => "ollama",
        }
    }

    pub fn parse(text: &str) -> Option<ModelProvider> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == text)
    }

    /// The address of the provider itself, which ends before `/chat/completions`, `/responses`, `/messages`, `/models/…` or
    /// `/api/chat`.
    pub fn usual_url(self) -> &'static str {
        match self {
            ModelProvider::Openai | ModelProvider::OpenaiResponses => "https://api.openai.com/v1",
            ModelProvider::Anthropic => "https://api.anthropic.com/v1",
            ModelProvider::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            ModelProvider::Ollama => "http://127.0.0.1:11434",
        }
    }
}

/// A model as an operator configures it.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelDefinition {
    pub name: ModelName,
    pub provider: ModelProvider,
    /// The provider's own name of the model.
    pub model: String,
    pub url: String,
    /// The name of the vault's secret that has the key. `None` for servers that want none.
    pub key: Option<String>,
    /// The number of tokens that a request and its answer may have together.
    pub context_tokens: u64,
    pub prices: ModelPrices,
    pub limits: ModelLimits,
}

/// Prices in millionths of a currency unit for a million tokens: 3 dollars for a million tokens are 3,000,000.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelPrices {
    pub input: u64,
    /// Input that the provider had in its cache. Without it, as much as `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Input that the provider wrote into its cache. Without it, as much as `input`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<u64>,
    pub output: u64,
    /// The currency, for people; amounts are never converted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyCode>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelLimits {
    /// The maximum number of tokens of one answer.
    pub output_tokens_max: u64,
    /// The maximum number of requests at the same time.
    pub parallel_max: usize,
    /// The time until the first piece of an answer arrives, and between two pieces.
    pub silence: Duration,
    /// The time of a whole answer.
    pub answer: Duration,
    /// The cost of a day in UTC, in millionths of a currency unit, over all runs.
    pub spend_per_day_micros: Option<u64>,
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self {
            output_tokens_max: 8_192,
            parallel_max: 16,
            silence: Duration::from_secs(120),
            answer: Duration::from_secs(600),
            spend_per_day_micros: None,
        }
    }
}
