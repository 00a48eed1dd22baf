//! The program.

use std::process::ExitCode;

use social_intelligence_mcp::{SocialOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: SocialOptions| capability(&options))
}
