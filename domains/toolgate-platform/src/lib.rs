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

use definition::PlatformToolKind;

use answering::invalid;
pub use definition::tools;
pub use tools::PlatformTools;

impl Platform for PlatformTools {
    fn tools(&self) -> &[Arc<PlatformTool>] {
        &self.tools
    }

    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>> {
        Box::pin(async move {
            match PlatformToolKind::named(call.tool.wire) {
                Some(PlatformToolKind::ReadRef) => read::run(self, &call).await,
                Some(PlatformToolKind::FileUploadUrl) => upload::run(self, &call).await,
                Some(PlatformToolKind::RequestUserInput) => ask::run(self, &call).await,
                Some(PlatformToolKind::StoreArtifact) => artifact::run(self, &call).await,
                Some(PlatformToolKind::CompleteWorkflow) => complete::run(self, &call).await,
                None => Err(invalid(
                    format!("the gateway has no tool {}", call.tool.wire),
                    "list the tools again",
                )),
            }
        })
    }
}
