//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use capability_kit::JobLimits;
use clap::Parser;

/// The address of a Postgres database. It may have a password in it, which a command line would show to everyone on the machine.
pub(crate) const POSTGRES_VARIABLE: &str = "TOOLGATE_ENGINE_POSTGRES";

const MIB: u64 = 1 << 20;
/// Documents that wait for a worker process, for each of them.
const WAITING_PER_WORKER: usize = 64;

/// Toolgate's engine: reads documents, builds indexes and searches them.
///
/// The gateway starts it and talks to it in lines of JSON on stdin and stdout. It ends when stdin does.
#[derive(Clone, Debug, Parser)]
#[command(name = "toolgate-engine", version, max_term_width = 110)]
pub(crate) struct EngineOptions {
    /// The folder of contents, kept vectors and unfinished work; one engine at a time may use it
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The folder of a sentence encoder (script/model fetches one); without it, words alone are searched
    #[arg(long, value_name = "DIR", env = "TOOLGATE_MODEL")]
    pub(crate) model: Option<PathBuf>,
    /// The folder of the models that read pictures (script/ocr-model fetches them)
    #[arg(long, value_name = "DIR", env = "CAPABILITY_OCR_MODELS")]
    pub(crate) ocr: Option<PathBuf>,
    /// Contents in the folder; past this, those that were not used for the longest time are removed
    #[arg(long, value_name = "BYTES", default_value_t = 20 << 30, value_parser = clap::value_parser!(u64).range(1 << 20..))]
    pub(crate) contents_bytes_max: u64,
    /// Time limit of a document
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    parse_seconds: u64,
    /// Memory limit of each process that reads a document (address space)
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(128..=1 << 20))]
    parse_memory: u64,
    /// Requests of each kind that are worked on at the same time; by default as many as there are processors
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The log filter for stderr: a level, or a filter such as warn,toolgate_engine=debug
    #[arg(long, value_name = "FILTER", default_value = "info,tantivy=warn,sqlx=warn")]
    pub(crate) log: String,
}

impl EngineOptions {
    pub(crate) fn threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(processors, usize::from)
    }

    /// The limits of the processes that read documents.
    pub(crate) fn job_limits(&self) -> JobLimits {
        let workers = self.threads();
        JobLimits {
            workers,
            memory_bytes: self.parse_memory * MIB,
            time: Duration::from_secs(self.parse_seconds),
            queue: workers * WAITING_PER_WORKER,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound_and_no_secret_is_in_it() {
        EngineOptions::command().debug_assert();
        let said =
            EngineOptions::try_parse_from(["toolgate-engine", "--folder", "/f", "--threads", "3"]).unwrap();
        assert_eq!((said.threads(), said.job_limits().workers), (3, 3));
        assert!(EngineOptions::try_parse_from(["toolgate-engine"]).is_err(), "there is no usual folder");
        assert!(!EngineOptions::command().render_long_help().to_string().contains("--postgres"));
    }
}
