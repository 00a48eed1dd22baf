//! The tools, and their descriptions for agents.

mod basis;
mod content;
mod creative;
mod eyes;
mod headlines;
mod lengths;
mod specs;
mod tags;
mod variants;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use capability_kit::{Capability, FileStrategy, Tool};

use eyes::CreativeEyes;

/// Reading the text of a large picture takes some seconds, and machines may be slow or busy.
const TIME_LIMIT: Duration = Duration::from_secs(120);

const INSTRUCTIONS: &str = "Judges headlines, posts and ad pictures. score_headlines is measured on \
    experiments and says how well; platform limits are dated; everything else is a standard or a rule of thumb \
    and is labelled so. Nothing here knows how far a post will reach.";

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

/// The server.
pub fn capability(options: &SocialOptions) -> Capability {
    let eyes = Arc::new(CreativeEyes::of(options));
    let on_text = |tool: Tool| tool.file_at(FileStrategy::PlainTextText, "file_id", "file_text", None);
    let tools = [
        creative::tool(eyes).file(FileStrategy::ImageBase64).time_limit(TIME_LIMIT),
        headlines::tool(),
        on_text(content::tool()),
        specs::tool().file(FileStrategy::ImageBase64),
        variants::tool(),
        on_text(tags::tool()),
        lengths::tool(),
    ];
    let server = Capability::new("social-intelligence-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS);
    tools.into_iter().fold(server, |server, tool| server.tool(tool.capabilities(&["social"])))
}
