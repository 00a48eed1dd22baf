//! Toolgate's engine: reads documents, builds indexes and searches them. The gateway starts it and talks to it in lines.

// The program.
mod folder;
mod options;
mod serve;
mod ticket;
mod workshop;

// Documents, in worker processes.
mod documents;
mod parse;
mod worker;

// Passages and their vectors.
mod chunks;
mod classify;
mod contents;
mod embeddings;
mod lexical;
mod model;
mod unrelated;

// Indexes.
mod builds;
mod engines;
mod fault;
mod inside;
mod port;
mod postgres;
mod ranking;
mod searches;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use capability_kit::environment;
use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use folder::{EngineFolder, FolderError};
use options::{EngineOptions, POSTGRES_VARIABLE};
use workshop::Workshop;

#[derive(Debug, thiserror::Error)]
enum EngineError {
    #[error(
        "{filter:?} is no log filter: {source}\nhint: a level such as info, or a filter such as warn,tantivy=debug"
    )]
    Log { filter: String, source: ParseError },
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error("the engine could not be set up: {0}")]
    Start(#[source] io::Error),
    #[error("{} is not UTF-8\nhint: write special characters of an address as %XX", POSTGRES_VARIABLE)]
    PostgresUrl,
}

fn main() -> ExitCode {
    let options = EngineOptions::parse();
    if capability_kit::is_worker() {
        return worker::run(&options);
    }
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &EngineOptions) -> Result<(), EngineError> {
    log_to_stderr(&options.log)?;
    let postgres_url = environment::variable(POSTGRES_VARIABLE)
        .filter(|url| !url.is_empty())
        .map(|url| url.into_string().map_err(|_| EngineError::PostgresUrl))
        .transpose()?;
    let folder = EngineFolder::take(&options.folder)?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(EngineError::Start)?;
    let workshop = Arc::new(Workshop::new(options, &folder, postgres_url).map_err(EngineError::Start)?);
    load_model_ahead(&runtime, &workshop);
    let served = runtime.block_on(serve::serve(workshop));
    // A thread may still be at work that nothing interrupts, and whose result nobody wants.
    runtime.shutdown_background();
    served.map_err(EngineError::Start)
}

/// The first search does not wait for it then. A model that cannot be loaded is told by the first request that needs it.
fn load_model_ahead(runtime: &tokio::runtime::Runtime, workshop: &Arc<Workshop>) {
    let workshop = Arc::clone(workshop);
    runtime.spawn_blocking(move || drop(workshop.model.get()));
}

/// stdout is the gateway's.
fn log_to_stderr(filter: &str) -> Result<(), EngineError> {
    let parsed = EnvFilter::try_new(filter)
        .map_err(|source| EngineError::Log { filter: filter.to_owned(), source })?;
    let is_terminal = io::IsTerminal::is_terminal(&io::stderr());
    tracing_subscriber::fmt().with_env_filter(parsed).with_writer(io::stderr).with_ansi(is_terminal).init();
    Ok(())
}
