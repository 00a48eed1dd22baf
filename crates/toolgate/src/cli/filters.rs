//! `toolgate filters …`

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum FiltersCommand {
    /// List the filters of the configuration: what they match, where, and what they do
    #[command(after_help = "Example:\n  toolgate filters list")]
    List,
    /// List the kinds of personal data and of secrets that filters know by name
    #[command(after_help = "Example:\n  toolgate filters kinds")]
    Kinds,
    /// Run the filters over recent calls and show what they would have done; nothing is changed
    #[command(
        after_help = "Examples:\n  toolgate filters test --last 500\n  toolgate filters test --file draft.toml --filter 'no card numbers'"
    )]
    Test(TestFiltersArgs),
}

#[derive(Args)]
pub(crate) struct TestFiltersArgs {
    /// Only this filter
    #[arg(long, value_name = "NAME")]
    pub(crate) filter: Option<String>,
    /// Read the filters from this file, such as a draft; the calls are still those of the gateway
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Number of calls to test, starting with the latest
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) last: u32,
}
