//! The settings of the engine: its program, its folder, its models, its limits.

use std::path::PathBuf;
use std::time::Duration;

/// The most bytes of contents in its folder, if nothing else is said.
const CONTENTS_BYTES_USUAL: u64 = 20 << 30;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineSettings {
    /// The program; absolute. Without it, it is looked for beside the gateway, among the capability servers and on PATH.
    pub command: Option<PathBuf>,
    /// The folder of the engine; absolute. It lies outside of the gateway's data, which no process sees.
    pub folder: PathBuf,
    /// The folder of a model for search by meaning.
    pub model: Option<PathBuf>,
    /// The folder of models that read pictures.
    pub ocr: Option<PathBuf>,
    /// The address of a Postgres database for indexes. It has a password.
    pub postgres: Option<String>,
    /// Contents past this number are removed from the folder, the longest unused first.
    pub contents_bytes_max: u64,
    pub limits: EngineLimits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineLimits {
    /// The time until a started engine has answered for the first time.
    pub start: Duration,
    /// The time for reading one document.
    pub parse: Duration,
    /// The time of one search.
    pub search: Duration,
    /// The time for taking in some documents, or for finishing an index.
    pub build: Duration,
    /// The time in which a cancelled request is answered, before the engine is killed.
    pub cancel: Duration,
    /// Documents that are read at the same time. Without it, the number of cores.
    pub parallel_max: Option<usize>,
}

impl Default for EngineLimits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            parse: Duration::from_secs(300),
            search: Duration::from_secs(30),
            build: Duration::from_secs(900),
            cancel: Duration::from_secs(5),
            parallel_max: None,
        }
    }
}

impl EngineLimits {
    pub(crate) fn parallel(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.parallel_max.unwrap_or_else(cores).max(1)
    }
}

impl EngineSettings {
    /// The usual settings with this folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self {
            command: None,
            folder,
            model: None,
            ocr: None,
            postgres: None,
            contents_bytes_max: CONTENTS_BYTES_USUAL,
            limits: EngineLimits::default(),
        }
    }
}
