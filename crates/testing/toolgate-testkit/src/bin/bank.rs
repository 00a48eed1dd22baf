//! `bank`: the server of the test kit that records executed calls, over stdio.

use clap::Parser;
use toolgate_testkit::bank::{Settings, serve};

/// An MCP server whose calls have effects.
#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    settings: Settings,
}

fn main() {
    serve(Arguments::parse().settings);
}
