//! The program: keywords, summaries, labels, languages and names of texts, as an MCP server.

use std::process::ExitCode;

use text_analysis_mcp::{TextAnalysisOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: TextAnalysisOptions| capability(&options))
}
