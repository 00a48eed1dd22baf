//! The `toolgate` binary: what was said on the command line, and which command does it.

mod cli;
mod command;
mod config;
mod connect;
mod import;
mod local;
mod lock;
mod table;
mod wiring;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use tracing_subscriber::EnvFilter;

use cli::{Cli, Command};

/// Small calls are mostly allocations; this allocator halves what they cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Command::Reap => {
            toolgate_upstream::reaper_main();
            return ExitCode::SUCCESS;
        }
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "toolgate", &mut std::io::stdout());
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    start_logging(&cli.command);
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(workers()).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return fail(&anyhow::Error::new(error).context("could not start the runtime")),
        };
    let outcome = runtime.block_on(command::run(cli));
    // A read of standard input that is still blocked must not keep the process alive.
    runtime.shutdown_background();
    match outcome {
        Ok(code) => code,
        Err(error) => fail(&error),
    }
}

/// Connections have threads of their own; what is left for these is children, supervision and the store.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

fn fail(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}

/// Logs are talk and go to standard error; `TOOLGATE_LOG` sets how much is said.
fn start_logging(command: &Command) {
    let default = match command {
        Command::Serve(_) => "info",
        _ => "error",
    };
    let filter = std::env::var("TOOLGATE_LOG").ok().and_then(|wanted| EnvFilter::try_new(wanted).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new(default));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false).init();
}
