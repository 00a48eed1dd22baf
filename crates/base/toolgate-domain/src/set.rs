//! All domains of a gateway, each with its state: the port through which calls reach them.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use toolgate_core::content::AttachedContents;
use toolgate_core::platform::{Platform, PlatformAnswer, PlatformCall, PlatformTool};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Refusal, codes};

use crate::context::ToolContext;
use crate::domain::{Domain, DomainTool};

/// The domains that a gateway answers itself.
#[derive(Default)]
pub struct DomainSet {
    /// Sorted by wire name.
    tools: Vec<Arc<PlatformTool>>,
    functions: HashMap<Arc<str>, Box<dyn ToolFunction>>,
}

/// A tool with its state.
trait ToolFunction: Send + Sync {
    fn call(
        &self,
        context: ToolContext,
        arguments: &Value,
    ) -> BoxFuture<'static, Result<PlatformAnswer, Refusal>>;
    fn prepare(
        &self,
        context: ToolContext,
        arguments: &Value,
    ) -> BoxFuture<'static, Result<AttachedContents, Refusal>>;
}

struct BoundTool<S> {
    tool: DomainTool<S>,
    state: Arc<S>,
}

impl<S: Send + Sync + 'static> ToolFunction for BoundTool<S> {
    fn call(
        &self,
        context: ToolContext,
        arguments: &Value,
    ) -> BoxFuture<'static, Result<PlatformAnswer, Refusal>> {
        self.tool.call(&self.state, context, arguments)
    }

    fn prepare(
        &self,
        context: ToolContext,
        arguments: &Value,
    ) -> BoxFuture<'static, Result<AttachedContents, Refusal>> {
        self.tool.prepare(&self.state, context, arguments)
    }
}

impl DomainSet {
    /// With one more domain. Each wire name has one tool.
    #[must_use]
    pub fn with<S: Send + Sync + 'static>(mut self, domain: Domain<S>, state: &Arc<S>) -> Self {
        for tool in domain.into_tools() {
            let described = tool.described.tool.clone();
            let bound = BoundTool { tool, state: state.clone() };
            let before = self.functions.insert(described.wire.clone(), Box::new(bound));
            assert!(before.is_none(), "two tools are called {}", described.wire);
            self.tools.push(described);
        }
        self.tools.sort_by(|one, other| one.wire.cmp(&other.wire));
        self
    }
}

impl Platform for DomainSet {
    fn tools(&self) -> &[Arc<PlatformTool>] {
        &self.tools
    }

    fn prepare<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        match self.functions.get(&call.tool.wire) {
            Some(function) => function.prepare(ToolContext::of(&call), call.arguments),
            None => Box::pin(std::future::ready(Err(unknown(&call)))),
        }
    }

    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>> {
        match self.functions.get(&call.tool.wire) {
            Some(function) => function.call(ToolContext::of(&call), call.arguments),
            None => Box::pin(std::future::ready(Err(unknown(&call)))),
        }
    }
}

fn unknown(call: &PlatformCall<'_>) -> Refusal {
    let message = format!("the gateway has no tool {}", call.tool.wire);
    Refusal::new(&codes::UNKNOWN_TOOL, message).hint("list the tools again")
}
