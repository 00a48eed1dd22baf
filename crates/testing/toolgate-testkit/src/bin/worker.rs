//! `worker`: the server of the test kit that registers itself.

use clap::Parser;
use toolgate_testkit::worker::{Settings, serve};

/// An MCP server that registers itself with a gateway.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    serve(Arguments::parse().settings).await
}
