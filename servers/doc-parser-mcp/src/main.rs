//! The program.

use std::process::ExitCode;

use doc_parser_mcp::{Options, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: Options| capability(&options))
}
