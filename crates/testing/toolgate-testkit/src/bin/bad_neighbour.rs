//! `bad-neighbour`: the misbehaving server of the test kit as a program, over HTTP or stdio.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use toolgate_testkit::neighbour::{Settings, serve_http, serve_stdio};

/// An MCP server that misbehaves on request.
#[derive(Parser)]
struct BadNeighbourArguments {
    /// Serve streamable HTTP here instead of stdin and stdout; port 0 picks a free one.
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// Serve nothing and wait, like an orphaned process.
    #[arg(long)]
    idle: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Longer than any test.
const IDLE: Duration = Duration::from_secs(600);

fn main() -> anyhow::Result<()> {
    let arguments = BadNeighbourArguments::parse();
    if arguments.idle {
        std::thread::sleep(IDLE);
        return Ok(());
    }
    let Some(address) = arguments.listen else {
        serve_stdio(arguments.settings);
        return Ok(());
    };
    serve_http(address, arguments.settings, |address| {
        // Without a reader the line is not needed.
        drop(writeln!(std::io::stdout(), "listening on http://{address}/mcp"));
    })?;
    Ok(())
}
