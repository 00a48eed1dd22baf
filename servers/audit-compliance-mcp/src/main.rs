//! The program: checks of documents and redaction, as an MCP server.

use std::process::ExitCode;

use audit_compliance_mcp::tools;

fn main() -> ExitCode {
    capability_kit::run(|options: tools::ComplianceOptions| tools::capability(&options))
}
