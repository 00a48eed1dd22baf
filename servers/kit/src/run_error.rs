//! The reasons why a server does not run.

use std::io;

use crate::cli::Contradiction;
use crate::outgoing::OutgoingError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("{0}")]
    Refused(#[from] Contradiction),
    #[error(
        "--log {filter:?} is not a valid filter: {source}\nhint: write a level such as info, or \
         warn,capability_kit=debug"
    )]
    Log { filter: String, source: tracing_subscriber::filter::ParseError },
    #[error(
        "the folder for results could not be created: {0}\nhint: is there room in the folder for temporary \
         files (TMPDIR)?"
    )]
    Home(#[source] io::Error),
    #[error("the runtime could not be started: {0}")]
    Runtime(#[source] io::Error),
    #[error(
        "cannot listen on {address}: {source}\nhint: is another program using it? port 0 picks a free port"
    )]
    Listen { address: std::net::SocketAddr, source: io::Error },
    #[error(
        "no token for callers could be set up: {0}\nhint: give one with --http-token-file, or listen on \
         127.0.0.1"
    )]
    Entry(#[source] io::Error),
    #[error("the gateway cannot be reached: {0}")]
    Gateway(#[from] OutgoingError),
    #[error("serving failed: {0}")]
    Serve(#[source] io::Error),
}
