//! The additional options of the command line.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser as _};
use url::Url;

/// Everything is optional: without a model words are counted, and no language model is used.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Quality")]
pub struct TextAnalysisOptions {
    /// Folder of a sentence encoder (`script/model` fetches one): texts are compared by meaning; empty for none
    #[arg(long, value_name = "FOLDER", env = "TOOLGATE_MODEL", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub model: Option<PathBuf>,
    /// An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1, for answers requested with `llm`
    #[arg(long, value_name = "URL", env = "TEXT_ANALYSIS_LLM_URL", requires = "llm_model")]
    pub llm_url: Option<Url>,
    /// The model's name at that endpoint
    #[arg(long, value_name = "NAME", env = "TEXT_ANALYSIS_LLM_MODEL")]
    pub llm_model: Option<String>,
    /// The environment variable with the key, if the endpoint requires one
    #[arg(long, value_name = "VARIABLE", env = "TEXT_ANALYSIS_LLM_KEY_ENV")]
    pub llm_key_env: Option<String>,
    /// Certificates of authorities in PEM to trust for the endpoint, in addition to the machine's
    #[arg(long, value_name = "FILE", env = "TEXT_ANALYSIS_LLM_CA_FILE", requires = "llm_url")]
    pub llm_ca_file: Option<PathBuf>,
    /// The HTTP proxy for the endpoint, such as http://user:password@proxy.example:3128
    #[arg(
        long,
        value_name = "URL",
        env = "TEXT_ANALYSIS_LLM_PROXY",
        requires = "llm_url",
        hide_env_values = true
    )]
    pub llm_proxy: Option<String>,
    /// Use the language model by default
    #[arg(long, env = "TEXT_ANALYSIS_LLM_DEFAULT", requires = "llm_url")]
    pub llm_default: bool,
    /// Time limit for an answer of the language model; after that the server continues without it
    #[arg(
        long,
        value_name = "SECONDS",
        env = "TEXT_ANALYSIS_LLM_TIMEOUT_SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    pub llm_timeout_seconds: u64,
}
