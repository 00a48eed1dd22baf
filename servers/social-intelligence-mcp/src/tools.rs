//! The tools, and their descriptions for agents.

mod basis;
mod content;
mod creative;
mod eyes;
mod faults;
mod headlines;
mod lengths;
mod options;
mod specs;
mod tags;
mod variants;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use capability_kit::{Capability, Effect, FileStrategy, Tool};

use eyes::CreativeEyes;
pub use options::SocialOptions;
use writer::VariantWriter;

/// Reading the text of a large picture takes some seconds, and machines may be slow or busy.
const TIME_LIMIT: Duration = Duration::from_secs(120);

const INSTRUCTIONS: &str = "Judges headlines, posts and ad pictures. score_headlines is measured on \
    experiments and says how well; platform limits are dated; everything else is a standard or a rule of thumb \
    and is labelled so. Nothing here knows how far a post will reach.";

/// The server.
pub fn capability(options: &SocialOptions) -> Capability {
    let eyes = Arc::new(CreativeEyes::of(options));
    let writer = VariantWriter::of(options).map(Arc::new);
    // If a language model may be asked, a headline leaves this machine.
    let effect = if writer.is_some() { Effect::External } else { Effect::Read };
    let on_text = |tool: Tool| tool.file_at(FileStrategy::PlainTextText, "file_id", "file_text", None);
    let tools = [
        creative::tool(eyes).file(FileStrategy::ImageBase64).time_limit(TIME_LIMIT),
        headlines::tool(),
        on_text(content::tool()),
        specs::tool().file(FileStrategy::ImageBase64),
        variants::tool(writer).effect(effect),
        on_text(tags::tool()),
        lengths::tool(),
    ];
    let server = Capability::new("social-intelligence-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS);
    tools.into_iter().fold(server, |server, tool| server.tool(tool.capabilities(&["social"])))
}
