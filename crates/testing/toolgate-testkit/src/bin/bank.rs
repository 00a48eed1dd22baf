//! `bank`: the server of the test kit that records executed calls, over stdio.

use clap::Parser;
use toolgate_testkit::bank::{BankSettings, serve};

/// An MCP server whose calls have effects.
#[derive(Parser)]
struct BankArguments {
    #[command(flatten)]
    settings: BankSettings,
}

fn main() {
    serve(BankArguments::parse().settings);
}
