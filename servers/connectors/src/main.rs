//! The program: one provider for each process.

use std::process::ExitCode;

use connectors_mcp::{ConnectorOptions, capability};

fn main() -> ExitCode {
    capability_kit::run(|options: ConnectorOptions| capability(&options))
}
