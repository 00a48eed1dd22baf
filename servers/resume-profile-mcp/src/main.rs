//! The program.

use std::process::ExitCode;

use resume_profile_mcp::tools;

fn main() -> ExitCode {
    capability_kit::run(|options: tools::ResumeProfileOptions| tools::capability(&options))
}
