//! The program: job applications that are sent once, as an MCP server; and `seed`, which fills its database.

use std::process::ExitCode;

use job_app_mcp::{JobAppOptions, capability, seed};

fn main() -> ExitCode {
    match seed::asked_for() {
        true => seed::run(),
        false => capability_kit::run(|options: JobAppOptions| capability(&options)),
    }
}
