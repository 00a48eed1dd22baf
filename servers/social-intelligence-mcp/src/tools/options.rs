//! The options of the command line.

use std::path::PathBuf;

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
}
