//! The whole program of a server: read the command line, then be the server or one of its workers.

use std::io::{self, Write};
use std::process::ExitCode;

use tracing::{Level, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::capability::Capability;
use crate::cli::{self, KitOptions, ParsedCommandLine};
use crate::run_error::RunError;
use crate::{serve, worker};

const MISTAKE: u8 = 2;
/// The SDK, which prints whole messages in order to be debugged.
const SDK: &str = "rmcp";

/// For a server without its own options.
#[derive(Clone, Copy, Default, Debug, clap::Args)]
pub struct NoOptions;

/// All that `main` has to call. `make` is called in the server and again in each worker, so it must be quick:
/// models are loaded by the first call that needs them.
pub fn run<O: clap::Args>(make: impl Fn(O) -> Capability) -> ExitCode {
    let line = match cli::read(&make) {
        ParsedCommandLine::Start(line) => *line,
        // A closed reader has no use for the text.
        ParsedCommandLine::Version(version) => {
            drop(writeln!(io::stdout(), "{version}"));
            return ExitCode::SUCCESS;
        }
        ParsedCommandLine::Words(words) => {
            drop(words.print());
            return ExitCode::from(words.exit_code() as u8);
        }
    };
    if worker::is_worker() {
        return worker::child::run(|| make(line.own).into_jobs(), &line.kit.limits());
    }
    match start(make(line.own), line.kit) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let is_mistake = matches!(error, RunError::Refused(_) | RunError::Log { .. });
            if is_mistake { ExitCode::from(MISTAKE) } else { ExitCode::FAILURE }
        }
    }
}

fn start(capability: Capability, said: KitOptions) -> Result<(), RunError> {
    log_to_stderr(&said.log)?;
    serve::run(capability, said.resolve()?)
}

/// stdout is the client's.
fn log_to_stderr(filter: &str) -> Result<(), RunError> {
    let parsed =
        EnvFilter::try_new(filter).map_err(|source| RunError::Log { filter: filter.to_owned(), source })?;
    let is_terminal = io::IsTerminal::is_terminal(&io::stderr());
    let written = tracing_subscriber::fmt().with_env_filter(parsed).with_writer(io::stderr);
    written.with_ansi(is_terminal).finish().with(filter_fn(prints_no_message)).init();
    Ok(())
}

/// Messages may have values of credentials in them, which a gateway would find in the log.
fn prints_no_message(about: &Metadata<'_>) -> bool {
    *about.level() <= Level::INFO || !about.target().starts_with(SDK)
}
