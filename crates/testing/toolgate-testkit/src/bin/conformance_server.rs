//! `conformance-server`: the conforming server of the test kit as a program, over HTTP or stdio.

use std::io::Write;
use std::net::SocketAddr;

use clap::Parser;
use tokio_util::sync::CancellationToken;
use toolgate_testkit::conformance::{Era, HttpServer, Settings, ToolSet, serve_stdio};

/// An MCP server that offers everything the official conformance suite calls by name.
#[derive(Parser)]
struct ConformanceArguments {
    /// Serve streamable HTTP here; port 0 picks a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", conflicts_with = "stdio")]
    listen: SocketAddr,
    /// Serve one client on stdin and stdout.
    #[arg(long)]
    stdio: bool,
    /// Know only the revisions that open with `initialize`.
    #[arg(long, conflicts_with = "modern_only")]
    legacy_only: bool,
    /// Know only the stateless revision.
    #[arg(long)]
    modern_only: bool,
    /// Cut every list into pages of this many items.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    page_size: Option<u16>,
    /// The set of tools to offer.
    #[arg(long, value_enum, value_name = "SET", default_value_t = ToolSet::Conformance)]
    tools: ToolSet,
}

impl ConformanceArguments {
    fn settings(&self) -> Settings {
        let era = match (self.legacy_only, self.modern_only) {
            (true, _) => Era::Legacy,
            (_, true) => Era::Modern,
            _ => Era::Both,
        };
        Settings { era, tools: self.tools, page_size: self.page_size.map(usize::from) }
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = ConformanceArguments::parse();
    if arguments.stdio {
        serve_stdio(arguments.settings()).await?;
        return Ok(());
    }
    let server = HttpServer::bind(arguments.listen, arguments.settings()).await?;
    writeln!(std::io::stdout(), "listening on {}", server.url())?;
    let stop = CancellationToken::new();
    tokio::select! {
        served = server.run(stop.clone()) => served?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    Ok(())
}
