//! The program: subtitles and transcripts of videos, as an MCP server.

use std::process::ExitCode;

use video_subtitle_mcp::{VideoSubtitleOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: VideoSubtitleOptions| capability(&options))
}
