#![doc = include_str!("../README.md")]

mod artifact;
mod ask;
mod complete;
mod definition;
mod elicit;
mod read;
mod upload;

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::content::Holder;
use toolgate_core::id::RunId;
use toolgate_core::platform::{Platform, PlatformAnswer, PlatformCall, PlatformTool};
use toolgate_core::port::BoxFuture;
use toolgate_files::Files;
use toolgate_runs::Runs;

use definition::Own;

pub use definition::tools;

/// The gateway's own tools, with their dependencies.
pub struct Tools {
    tools: Vec<Arc<PlatformTool>>,
    files: Arc<Files>,
    runs: Arc<Runs>,
    /// The time that a call waits for a person before it answers that there is no answer yet.
    input_hold: Duration,
}

impl Tools {
    pub fn new(files: Arc<Files>, runs: Arc<Runs>, input_hold: Duration) -> Self {
        Self { tools: tools(), files, runs, input_hold }
    }
}

impl Platform for Tools {
    fn tools(&self) -> &[Arc<PlatformTool>] {
        &self.tools
    }

    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>> {
        Box::pin(async move {
            match Own::named(call.tool.wire) {
                Some(Own::ReadRef) => read::run(self, &call).await,
                Some(Own::FileUploadUrl) => upload::run(self, &call).await,
                Some(Own::RequestUserInput) => ask::run(self, &call).await,
                Some(Own::StoreArtifact) => artifact::run(self, &call).await,
                Some(Own::CompleteWorkflow) => complete::run(self, &call).await,
                None => Err(invalid(
                    format!("the gateway has no tool {}", call.tool.wire),
                    "list the tools again",
                )),
            }
        })
    }
}

fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, Refusal> {
    T::deserialize(arguments)
        .map_err(|error| invalid(format!("the arguments: {error}"), "see the tool's schema"))
}

fn invalid(message: impl Into<String>, hint: &str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint)
}

/// The session's run.
fn run_of(holder: &Holder) -> Result<&RunId, Refusal> {
    holder.run.as_ref().ok_or_else(|| Refusal::new(&codes::NO_RUN, "this session does not belong to a run"))
}

fn done(text: impl Into<String>, data: Value) -> PlatformAnswer {
    PlatformAnswer { text: text.into(), data, notices: Vec::new(), outcome: None }
}
