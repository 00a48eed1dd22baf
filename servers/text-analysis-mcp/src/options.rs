//! What can be said on the command line besides what every server takes.

use std::path::PathBuf;

use url::Url;

/// Everything is optional: without a model words are counted, and no language model is asked.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Quality")]
pub struct Options {
    /// Folder of a sentence encoder (`script/model` fetches one): texts are compared by meaning
    #[arg(long, value_name = "FOLDER", env = "TOOLGATE_MODEL")]
    pub model: Option<PathBuf>,
    /// An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1, for answers that are asked for with `llm`
    #[arg(long, value_name = "URL", env = "TEXT_ANALYSIS_LLM_URL", requires = "llm_model")]
    pub llm_url: Option<Url>,
    /// The model's name at that endpoint
    #[arg(long, value_name = "NAME", env = "TEXT_ANALYSIS_LLM_MODEL")]
    pub llm_model: Option<String>,
    /// The environment variable that holds the key, if the endpoint wants one
    #[arg(long, value_name = "VARIABLE", env = "TEXT_ANALYSIS_LLM_KEY_ENV")]
    pub llm_key_env: Option<String>,
    /// Certificates of authorities in PEM that are trusted for the endpoint, beside those of the machine
    #[arg(long, value_name = "FILE", env = "TEXT_ANALYSIS_LLM_CA_FILE", requires = "llm_url")]
    pub llm_ca_file: Option<PathBuf>,
    /// The HTTP proxy that leads to the endpoint, such as http://user:password@proxy.example:3128
    #[arg(
        long,
        value_name = "URL",
        env = "TEXT_ANALYSIS_LLM_PROXY",
        requires = "llm_url",
        hide_env_values = true
    )]
    pub llm_proxy: Option<String>,
    /// Ask the language model whenever a call does not say otherwise
    #[arg(long, env = "TEXT_ANALYSIS_LLM_DEFAULT", requires = "llm_url")]
    pub llm_default: bool,
    /// How long an answer of the language model is waited for, before it is done without
    #[arg(
        long,
        value_name = "SECONDS",
        env = "TEXT_ANALYSIS_LLM_TIMEOUT_SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    pub llm_timeout_seconds: u64,
}
