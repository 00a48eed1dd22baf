//! The program: checks of documents and redaction, as an MCP server.

use std::process::ExitCode;

use capability_kit::NoOptions;

fn main() -> ExitCode {
    capability_kit::run(|_: NoOptions| audit_compliance_mcp::tools::capability())
}
