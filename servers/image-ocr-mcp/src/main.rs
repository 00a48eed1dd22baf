//! The program.

use std::process::ExitCode;

use image_ocr_mcp::{ImageOcrOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: ImageOcrOptions| capability(&options))
}
