//! Tools over a provider that may be missing: without its settings they are listed and say what is missing.

use std::future::Future;
use std::sync::Arc;

use capability_kit::{ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A provider, or what is missing for it.
pub(crate) type Provided<P> = Result<Arc<P>, Trouble>;

/// The words about a tool.
#[derive(Clone, Copy)]
pub(crate) struct ToolWords {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
}

/// A tool that answers with data of one form.
pub(crate) fn data_tool<P, A, O, F>(
    provider: &Provided<P>,
    words: ToolWords,
    run: fn(Arc<P>, A, ResidentCall) -> F,
) -> Tool
where
    P: Send + Sync + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + JsonSchema,
    F: Future<Output = Result<O, Trouble>> + Send + 'static,
{
    let held = provider.clone();
    let run = move |arguments: A, call: ResidentCall| {
        let held = held.clone();
        async move { run(held?, arguments, call).await }
    };
    listed(provider, Tool::resident_data(words.name, words.title, words.description, run))
}

/// A tool whose answer has no fixed form, or bytes beside it.
pub(crate) fn free_tool<P, A, F>(
    provider: &Provided<P>,
    words: ToolWords,
    run: fn(Arc<P>, A, ResidentCall) -> F,
) -> Tool
where
    P: Send + Sync + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    F: Future<Output = Result<ResidentAnswer, Trouble>> + Send + 'static,
{
    let held = provider.clone();
    let run = move |arguments: A, call: ResidentCall| {
        let held = held.clone();
        async move { run(held?, arguments, call).await }
    };
    listed(provider, Tool::resident(words.name, words.title, words.description, run))
}

fn listed<P>(provider: &Provided<P>, tool: Tool) -> Tool {
    match provider {
        Ok(_) => tool,
        Err(missing) => tool.off(missing.clone()),
    }
}
