//! The `toolgate` binary: the command line, and the command that runs.

// The command line.
mod cli;
mod command;
mod failure;
mod output;
mod table;

// The configuration, and the environment.
mod config;
mod consent;
mod environment;
mod reload;

// The gateway, assembled.
mod agents;
mod citations;
mod domains;
mod drawn_pages;
mod governance;
mod knowledge;
mod manifests;
mod outcomes;
mod platform;
mod proving;
mod recording;
mod rest;
mod run_contents;
mod task_ports;
mod wiring;

// Governance.
mod archiving;
mod checkpoints;
mod claim;
mod collecting;
mod judging;
mod ledger_keeper;
mod outbound;
mod shown_quotas;
mod signing;
mod spending;

// Callers, sessions and credentials.
mod callers;
mod credentials;
mod keyring;
mod pages;
mod seating;

// Servers.
mod chronicle;
mod confining;
mod ended_callers;
mod engine;
mod machine;
mod mail;
mod models;
mod server_metrics;
mod watcher;

// Tools.
mod finding;
mod settle;
mod stored;

// One gateway for each data folder, and its clients on this machine.
mod local;
mod lock;
mod relay;
mod sockets;

// Clients and servers of other programs.
mod connect;
mod connectors;
mod import;
mod published;

// Pages of `docs/reference`.
#[cfg(test)]
mod reference;

use std::io::IsTerminal;
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

use cli::{Command, ConfineArgs};
use output::{put, talk};
use table::OutputReader;

/// Sets how much is logged.
const LOG_VARIABLE: &str = "TOOLGATE_LOG";

/// Small calls are mostly allocations; this allocator halves their cost.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = cli::read();
    match cli.command {
        Command::Reap => {
            toolgate_upstream::reaper_main();
            return ExitCode::SUCCESS;
        }
        Command::Confine(ConfineArgs { plan: Some(plan), command }) => {
            return toolgate_sandbox::launch(&plan, &command);
        }
        Command::Confine(ConfineArgs { plan: None, .. }) => {
            put!("{}", confining::tried());
            return ExitCode::SUCCESS;
        }
        Command::Completions { shell } => {
            print_completions(shell);
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    start_logging(&cli.command);
    let listener = if cli.global.json { OutputReader::Program } else { OutputReader::Terminal };
    #[cfg(debug_assertions)]
    if let Some(point) = environment::variable("TOOLGATE_STOP_AT") {
        toolgate_core::stop_point::arm(point);
    }
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(workers()).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                return fail(&anyhow::Error::new(error).context("could not start the runtime"), listener);
            }
        };
    let outcome = runtime.block_on(command::run(cli));
    // A read of standard input that is still blocked must not keep the process alive.
    runtime.shutdown_background();
    match outcome {
        Ok(code) => code,
        Err(error) => fail(&error, listener),
    }
}

/// Connections have their own threads; these are for children, supervision and the store.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().div_ceil(2))
}

fn print_completions(shell: clap_complete::Shell) {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli::whole(), "toolgate", &mut script);
    put!("{}", String::from_utf8_lossy(&script));
}

fn fail(error: &anyhow::Error, listener: OutputReader) -> ExitCode {
    match listener {
        OutputReader::Program => talk!("{}", failure::json(error)),
        _ => talk!("error: {}", failure::render(error)),
    }
    ExitCode::FAILURE
}

/// Logs go to standard error; `TOOLGATE_LOG` sets their level.
fn start_logging(command: &Command) {
    let default = match command {
        Command::Serve(_) => "info",
        _ => "error",
    };
    let wanted = environment::variable(LOG_VARIABLE).unwrap_or_default();
    let filter = match EnvFilter::try_new(&wanted) {
        Ok(filter) if !wanted.trim().is_empty() => filter,
        Ok(_) => EnvFilter::new(default),
        Err(error) => {
            talk!(
                "warning: {LOG_VARIABLE} is not understood and counts as {default:?}: {wanted:?}: {error}\n\
                 hint: say how much is logged, such as `debug` or `warn,toolgate_edge=debug`"
            );
            EnvFilter::new(default)
        }
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| output::LogOutput)
        .with_ansi(has_colours())
        .with_target(false)
        .init();
}

/// Colours are for terminals, unless the user disabled them.
fn has_colours() -> bool {
    std::io::stderr().is_terminal() && !environment::refuses_colours()
}
