//! The program.

use std::process::ExitCode;

fn main() -> ExitCode {
    capability_kit::run(media_transform_mcp::capability)
}
