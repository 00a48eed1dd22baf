//! A domain: its tools, each a definition and a typed function over the domain's state.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolgate_core::content::AttachedContents;
use toolgate_core::platform::{PlatformAnswer, PlatformTool};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, codes};

use crate::context::ToolContext;
use crate::definition::{MountRule, ToolDefinition};
use crate::described::{self, DescribedTool};
use crate::mounts;
use crate::reply::ToolReply;

/// The tools of a domain. They are described without the state `S` that their functions work on.
pub struct Domain<S> {
    tools: Vec<DomainTool<S>>,
}

type RunFunction<S> = Box<
    dyn Fn(Arc<S>, ToolContext, &Value) -> BoxFuture<'static, Result<PlatformAnswer, Refusal>> + Send + Sync,
>;
type PrepareFunction<S> = Box<
    dyn Fn(Arc<S>, ToolContext, &Value) -> BoxFuture<'static, Result<AttachedContents, Refusal>>
        + Send
        + Sync,
>;

pub(crate) struct DomainTool<S> {
    pub(crate) described: Arc<DescribedTool>,
    mount: Option<MountRule>,
    run: RunFunction<S>,
    prepare: Option<PrepareFunction<S>>,
}

impl<S: Send + Sync + 'static> Domain<S> {
    pub fn new() -> Self {
        Self { tools: Vec::new() }
    }

    /// A tool. Schemas of arguments and data are those of the function's types.
    #[must_use]
    pub fn tool<A, O, F, R>(self, definition: ToolDefinition, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        O: Serialize + JsonSchema + 'static,
        F: Fn(Arc<S>, ToolContext, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply<O>, Refusal>> + Send + 'static,
    {
        self.add(definition, function, None)
    }

    /// A tool that looks up what its arguments name before people decide. The contents are shown to them, the approval is
    /// bound to their digests, and the call is refused if they have changed by the time it runs.
    #[must_use]
    pub fn prepared_tool<A, O, P, Q, F, R>(self, definition: ToolDefinition, prepare: P, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        O: Serialize + JsonSchema + 'static,
        P: Fn(Arc<S>, ToolContext, A) -> Q + Send + Sync + 'static,
        Q: Future<Output = Result<AttachedContents, Refusal>> + Send + 'static,
        F: Fn(Arc<S>, ToolContext, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply<O>, Refusal>> + Send + 'static,
    {
        let prepare: PrepareFunction<S> =
            Box::new(move |state, context, arguments| match read::<A>(arguments) {
                Ok(arguments) => Box::pin(prepare(state, context, arguments)),
                Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
            });
        self.add(definition, function, Some(prepare))
    }

    fn add<A, O, F, R>(
        mut self,
        definition: ToolDefinition,
        function: F,
        prepare: Option<PrepareFunction<S>>,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + 'static,
        O: Serialize + JsonSchema + 'static,
        F: Fn(Arc<S>, ToolContext, A) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ToolReply<O>, Refusal>> + Send + 'static,
    {
        let described = described::once::<A, O>(&definition, prepare.is_some());
        let run: RunFunction<S> = Box::new(move |state, context, arguments| match read::<A>(arguments) {
            Ok(arguments) => {
                let answering = function(state, context, arguments);
                Box::pin(async move { answering.await.map(ToolReply::answer) })
            }
            Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
        });
        self.tools.push(DomainTool { described, mount: definition.mount, run, prepare });
        self
    }

    /// The tools as the catalogue has them.
    pub fn tools(&self) -> Vec<Arc<PlatformTool>> {
        self.tools.iter().map(|tool| tool.described.tool.clone()).collect()
    }

    pub(crate) fn into_tools(self) -> Vec<DomainTool<S>> {
        self.tools
    }
}

impl<S: Send + Sync + 'static> Default for Domain<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> DomainTool<S> {
    pub(crate) fn call(
        &self,
        state: &Arc<S>,
        context: ToolContext,
        arguments: &Value,
    ) -> BoxFuture<'static, Result<PlatformAnswer, Refusal>> {
        match mounts::check(self.mount, &context, &self.described.input_schema, arguments) {
            Ok(()) => (self.run)(state.clone(), context, arguments),
            Err(refusal) => Box::pin(std::future::ready(Err(refusal))),
        }
    }

    pub(crate) fn prepare(
        &self,
        state: &Arc<S>,
        context: ToolContext,
        arguments: &Value,
    ) -> BoxFuture<'static, Result<AttachedContents, Refusal>> {
        match (mounts::check(self.mount, &context, &self.described.input_schema, arguments), &self.prepare) {
            (Ok(()), Some(prepare)) => prepare(state.clone(), context, arguments),
            (Ok(()), None) => Box::pin(std::future::ready(Ok(AttachedContents::default()))),
            (Err(refusal), _) => Box::pin(std::future::ready(Err(refusal))),
        }
    }
}

/// The arguments as the function's type. They fit the schema, but a type may be narrower than its schema.
fn read<A: DeserializeOwned>(arguments: &Value) -> Result<A, Refusal> {
    A::deserialize(arguments).map_err(|error| {
        Refusal::new(&codes::INVALID_ARGUMENTS, format!("the arguments: {error}"))
            .hint("see the tool's schema")
    })
}
