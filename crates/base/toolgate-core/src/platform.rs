//! The port to the gateway's own tools: they take the path of every call, but the gateway answers them
//! instead of a server.

use std::sync::Arc;

use serde_json::Value;

use crate::content::{ContentHolder, Notice};
use crate::event::Outcome;
use crate::port::{BoxFuture, Caller};
use crate::run::CallKind;
use crate::{RawJson, Refusal, Tool};

/// The server that policies and the ledger know the gateway's own tools by. No other may be called so.
pub const OWN_SERVER: &str = "toolgate";

/// A tool that the gateway has itself.
#[derive(Clone, PartialEq, Debug)]
pub struct PlatformTool {
    pub tool: Arc<Tool>,
    /// The name for agents. It is also the gateway's own name for it.
    pub wire: &'static str,
    /// As `tools/list` shows it, with the wire name.
    pub definition: RawJson,
    pub presence: ToolPresence,
    pub kind: CallKind,
}

/// The sessions that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolPresence {
    Always,
    /// Sessions that see a tool that takes files.
    WithFiles,
    /// Sessions that belong to a run.
    WithRun,
}

/// One call of such a tool, once it is allowed.
pub struct PlatformCall<'a> {
    pub tool: &'a PlatformTool,
    pub holder: &'a ContentHolder,
    /// The object of arguments; they fit the tool's schema.
    pub arguments: &'a Value,
    /// The client, for questions that the person there can answer, and for progress.
    pub caller: Arc<dyn Caller>,
}

/// The result of such a call. The model gets a refusal as a failed result.
#[derive(Clone, PartialEq, Debug)]
pub struct PlatformAnswer {
    /// The text for the model.
    pub text: String,
    /// For programs.
    pub data: Value,
    pub notices: Vec<Notice>,
    /// Set if the outcome is not simply success.
    pub outcome: Option<Outcome>,
}

pub trait Platform: Send + Sync {
    /// Sorted by wire name.
    fn tools(&self) -> &[Arc<PlatformTool>];
    /// Dropping the future ends the wait for a person; the question stays.
    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>>;
}
