//! `worker`: the server of the test kit that registers itself.

use clap::Parser;
use toolgate_testkit::worker::{WorkerSettings, serve};

/// An MCP server that registers itself with a gateway.
#[derive(Parser)]
struct WorkerArguments {
    #[command(flatten)]
    settings: WorkerSettings,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    serve(WorkerArguments::parse().settings).await
}
