#![doc = include_str!("../README.md")]

mod answering;
mod artifact;
mod ask;
mod complete;
mod definition;
mod elicit;
mod read;
mod tools;
mod upload;

use std::sync::Arc;

use toolgate_core::Refusal;
use toolgate_core::platform::{Platform, PlatformAnswer, PlatformCall, PlatformTool};
use toolgate_core::port::BoxFuture;

use definition::Own;

use answering::invalid;
pub use definition::tools;
pub use tools::Tools;

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
