//! Starting the server.

use capability_testkit::{Client, server};

pub(crate) async fn start() -> Client {
    Client::start(server(env!("CARGO_BIN_EXE_audit-compliance-mcp"), &[])).await
}
