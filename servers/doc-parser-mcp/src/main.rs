//! The program.

use std::process::ExitCode;

use doc_parser_mcp::{DocParserOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: DocParserOptions| capability(&options))
}
