//! The options of the command line.

use std::path::PathBuf;

use url::Url;

/// The options of this server's command line.
#[derive(Clone, Default, Debug, clap::Args)]
pub struct SocialOptions {
    /// Folder with the weights for reading text in pictures (script/ocr-model fetches them); searched in the usual
    /// places by default
    #[arg(long, env = "CAPABILITY_OCR_MODELS", value_name = "FOLDER")]
    pub ocr_models: Option<PathBuf>,
    /// The Tesseract program, if it is not on the PATH
    #[arg(long, env = "CAPABILITY_TESSERACT", value_name = "FILE")]
    pub tesseract: Option<PathBuf>,
    /// Folder with the model that finds faces (script/face-model fetches it); without it faces are not looked for
    #[arg(long, env = "CAPABILITY_FACE_MODELS", value_name = "FOLDER")]
    pub face_models: Option<PathBuf>,
    /// An OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1, for variants requested with `llm`
    #[arg(long, value_name = "URL", env = "SOCIAL_LLM_URL", requires = "llm_model")]
    pub llm_url: Option<Url>,
    /// The model's name at that endpoint
    #[arg(long, value_name = "NAME", env = "SOCIAL_LLM_MODEL")]
    pub llm_model: Option<String>,
    /// The environment variable with the key, if the endpoint requires one
    #[arg(long, value_name = "VARIABLE", env = "SOCIAL_LLM_KEY_ENV")]
    pub llm_key_env: Option<String>,
    /// Certificates of authorities in PEM to trust for the endpoint, in addition to the machine's
    #[arg(long, value_name = "FILE", env = "SOCIAL_LLM_CA_FILE", requires = "llm_url")]
    pub llm_ca_file: Option<PathBuf>,
    /// The HTTP proxy for the endpoint, such as http://user:password@proxy.example:3128
    #[arg(long, value_name = "URL", env = "SOCIAL_LLM_PROXY", requires = "llm_url", hide_env_values = true)]
    pub llm_proxy: Option<String>,
    /// Time limit for an answer of the language model; after that the server continues without it
    #[arg(
        long,
        value_name = "SECONDS",
        env = "SOCIAL_LLM_TIMEOUT_SECONDS",
        default_value_t = 30,
        value_parser = clap::value_parser!(u64).range(1..=600)
    )]
    pub llm_timeout_seconds: u64,
}
