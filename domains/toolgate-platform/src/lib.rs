#![doc = include_str!("../README.md")]

mod artifact;
mod ask;
mod complete;
mod elicit;
mod read;
mod refusal;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use toolgate_domain::Domain;
use toolgate_files::Files;
use toolgate_runs::Runs;

/// The dependencies of these tools.
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

/// The control flow of a run: questions, artifacts, completion.
pub fn control() -> Domain<PlatformTools> {
    Domain::new()
        .tool(ask::REQUEST_USER_INPUT, ask::request_user_input)
        .tool(artifact::STORE_ARTIFACT, artifact::store_artifact)
        .tool(complete::COMPLETE_WORKFLOW, complete::complete_workflow)
}

/// The ways in and out for bytes.
pub fn file() -> Domain<PlatformTools> {
    Domain::new().tool(upload::FILE_UPLOAD_URL, upload::file_upload_url).tool(read::READ_REF, read::read_ref)
}

#[cfg(test)]
mod tests;
