//! The program: a browser for agents, as an MCP server.

use std::process::ExitCode;

use browser_mcp::{BrowserOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: BrowserOptions| capability(&options))
}
