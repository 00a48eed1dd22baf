//! The dependencies of these tools.

use std::sync::Arc;
use std::time::Duration;

use toolgate_files::Files;
use toolgate_runs::Runs;

/// What the tools work on.
pub struct PlatformTools {
    pub(crate) files: Arc<Files>,
    pub(crate) runs: Arc<Runs>,
    /// The time that a call waits for a person before it answers that there is no answer yet.
    pub(crate) input_hold: Duration,
}

impl PlatformTools {
    pub fn new(files: Arc<Files>, runs: Arc<Runs>, input_hold: Duration) -> Self {
        Self { files, runs, input_hold }
    }
}
