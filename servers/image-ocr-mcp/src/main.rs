//! The program.

use std::process::ExitCode;

use image_ocr_mcp::{Options, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: Options| capability(&options))
}
