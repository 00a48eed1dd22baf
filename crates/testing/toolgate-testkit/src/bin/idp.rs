//! `idp`: the test identity provider as a process, for tests that start real ones. `POST /control` changes how it behaves.

use std::io::Write;
use std::net::SocketAddr;

use clap::Parser;
use toolgate_testkit::idp::{Idp, KeyKind};

/// An authorization server that agrees to everything, and a protected MCP server at /mcp.
#[derive(Parser)]
struct IdpArguments {
    /// Port 0 picks a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    #[arg(long, value_enum, default_value_t = KeyKind::Es256)]
    key: KeyKind,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = IdpArguments::parse();
    let idp = Idp::start_at(arguments.listen, arguments.key).await?;
    writeln!(std::io::stdout(), "listening on {}", idp.issuer())?;
    tokio::signal::ctrl_c().await?;
    Ok(())
}
