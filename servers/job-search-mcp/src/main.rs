//! The program: job advertisements to postings, skills, queries, duplicates and matches, as an MCP server.

use std::process::ExitCode;

use capability_kit::NoOptions;

fn main() -> ExitCode {
    capability_kit::run(|_: NoOptions| job_search_mcp::tools::capability())
}
