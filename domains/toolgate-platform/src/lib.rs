#![doc = include_str!("../README.md")]

mod artifact;
mod ask;
mod complete;
mod elicit;
mod read;
mod refusal;
mod tools;
mod upload;

use toolgate_domain::Domain;

pub use tools::PlatformTools;

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
