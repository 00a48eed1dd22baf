#![doc = include_str!("../README.md")]

// Measurements.
mod agents;
mod callgrind;
mod catalogue;
mod compare;
mod console;
mod discovery;
mod files;
mod governed;
mod memory;
mod pointers;
mod run;
mod start;
mod substrate;

// Programs under test.
mod child;
mod crowd;
mod fast;
mod gateway;
mod server;

// Load.
mod client;
mod load;
mod wire;

// Results.
mod proc;
mod report;
mod say;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::{Parser, Subcommand};
use say::say;
use tokio::signal::unix::{SignalKind, signal};

#[derive(Parser)]
#[command(version, about)]
struct BenchArguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure agents that the gateway runs itself: a turn, many runs at once, and runs that wait
    Agents(agents::AgentsOptions),
    /// Compare calls made directly with calls through the gateway
    Run(run::RunOptions),
    /// Compare calls that are validated, judged and recorded with calls that are only passed on
    Governed(governed::GovernedOptions),
    /// Open every page of the console over a million recorded calls, and the metrics of ten million
    Console(console::ConsoleOptions),
    /// Count the instructions the gateway executes per call and compare with the checked-in number
    Callgrind {
        #[command(flatten)]
        gateway: GatewayOption,
        /// The checked-in number
        #[arg(long, value_name = "FILE", default_value = "crates/testing/toolgate-bench/callgrind.json")]
        baseline: PathBuf,
        /// Write the number instead of comparing with it
        #[arg(long, conflicts_with = "only")]
        update: bool,
        /// Count only the ways whose names contain this, such as "durable start"
        #[arg(long, value_name = "WORDS")]
        only: Option<String>,
        /// Keep what callgrind wrote in this folder, for `callgrind_annotate`
        #[arg(long, value_name = "FOLDER")]
        keep: Option<PathBuf>,
    },
    /// Weigh the gateway with 200 idle clients and 50 servers
    Memory {
        #[command(flatten)]
        gateway: GatewayOption,
    },
    /// Register 500 servers with 10,000 tools and measure starts, lists, changes, memory and instances
    Catalogue(catalogue::CatalogueOptions),
    /// Measure the results of search on labelled catalogues, their cost in tokens and the time
    Discovery(discovery::DiscoveryOptions),
    /// Send a large file up and down, and one as Base64 to a server, against a plain copy
    Files(files::FilesOptions),
    /// Let many writers move one pointer at the same moment, on SQLite and Postgres
    Pointers(pointers::PointersOptions),
    /// Build, edit and compare manifests of a million entries in the store, beside git
    Substrate(substrate::SubstrateOptions),
    /// Take bytes at `/copy` and as the argument of a tool at `/mcp`, and drop them, until stdin ends
    Sink,
    /// Serve many MCP servers at `/s/{number}/mcp` until stdin ends
    Crowd {
        #[arg(long, default_value_t = 500)]
        servers: usize,
    },
    /// Serve the fast MCP server until stdin ends
    Server {
        #[arg(long, default_value = "127.0.0.1:0")]
        listen: SocketAddr,
        #[arg(long, value_enum, default_value = "both")]
        eras: server::Eras,
    },
}

#[derive(clap::Args)]
struct GatewayOption {
    /// The gateway binary; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    toolgate: Option<PathBuf>,
}

impl GatewayOption {
    fn program(self) -> anyhow::Result<PathBuf> {
        gateway::program(self.toolgate)
    }
}

fn main() -> ExitCode {
    let arguments = BenchArguments::parse();
    match run_to_end(arguments.command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The runtime is dropped without waiting: the server still has a thread in a read of stdin that never ends.
fn run_to_end(command: Command) -> anyhow::Result<ExitCode> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("start the runtime")?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = run_command(command) => outcome,
            interrupted = interrupted() => interrupted,
        }
    });
    runtime.shutdown_background();
    outcome
}

/// Ends by dropping everything, including children, instead of dying before them.
async fn interrupted() -> anyhow::Result<ExitCode> {
    let mut terminated = signal(SignalKind::terminate()).context("watch for SIGTERM")?;
    tokio::select! {
        _ = tokio::signal::ctrl_c() => bail!("interrupted"),
        _ = terminated.recv() => bail!("terminated"),
    }
}

async fn run_command(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Agents(options) => Box::pin(agents::run(options)).await,
        Command::Run(options) => Box::pin(run::run(options)).await,
        Command::Governed(options) => Box::pin(governed::run(options)).await,
        Command::Console(options) => Box::pin(console::run(options)).await,
        Command::Callgrind { gateway, baseline, update, only, keep } => {
            let counted = callgrind::Counted { program: gateway.program()?, keep };
            let text = if update {
                counted.update(&baseline).await?
            } else {
                counted.check(&baseline, only.as_deref()).await?
            };
            say(&text)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Memory { gateway } => {
            let weight = memory::weigh(&gateway.program()?).await?;
            say(&weight.text())?;
            Ok(if weight.within_bound() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Command::Catalogue(options) => Box::pin(catalogue::run(options)).await,
        Command::Discovery(options) => Box::pin(discovery::run(options)).await,
        Command::Files(options) => Box::pin(files::run(options)).await,
        Command::Pointers(options) => Box::pin(pointers::run(options)).await,
        Command::Substrate(options) => Box::pin(substrate::run(options)).await,
        Command::Sink => {
            files::serve().await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Crowd { servers } => {
            crowd::serve(servers, |address| say(&format!("{}{address}", fast::ANNOUNCEMENT))).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Server { listen, eras } => {
            server::serve(listen, eras, |address| say(&format!("{}{address}", fast::ANNOUNCEMENT))).await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
