//! Starting the server.

use capability_testkit::{Client, server};

pub(crate) async fn start() -> Client {
    start_with(&[]).await
}

pub(crate) async fn start_with(arguments: &[&str]) -> Client {
    Client::start(server(env!("CARGO_BIN_EXE_doc-parser-mcp"), arguments)).await
}
