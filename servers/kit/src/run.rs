//! The whole program of a server: read the command line, then be the server or one of its workers.

use std::io::{self, Write};
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

use crate::capability::Capability;
use crate::cli::{self, KitOptions, ParsedCommandLine};
use crate::run_error::RunError;
use crate::{serve, worker};

const MISTAKE: u8 = 2;

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
        return worker::child::run(|| make(line.own), &line.kit.limits());
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
    tracing_subscriber::fmt().with_env_filter(parsed).with_writer(io::stderr).with_ansi(is_terminal).init();
    Ok(())
}
