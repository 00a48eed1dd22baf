//! The dependencies of the gateway's own tools.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::platform::PlatformTool;
use toolgate_files::Files;
use toolgate_runs::Runs;

use crate::definition::tools;

/// The gateway's own tools, with their dependencies.
pub struct PlatformTools {
    pub(crate) tools: Vec<Arc<PlatformTool>>,
    pub(crate) files: Arc<Files>,
    pub(crate) runs: Arc<Runs>,
    /// The time that a call waits for a person before it answers that there is no answer yet.
    pub(crate) input_hold: Duration,
}

impl PlatformTools {
    pub fn new(files: Arc<Files>, runs: Arc<Runs>, input_hold: Duration) -> Self {
        Self { tools: tools(), files, runs, input_hold }
    }
}
