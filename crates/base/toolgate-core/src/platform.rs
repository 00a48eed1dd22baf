//! The port to the gateway's own tools: they take the path of every call, but the gateway answers them
//! instead of a server.

mod object_ref;

use std::sync::Arc;

use serde_json::Value;

use crate::content::{AttachedContents, Attachment, ContentHolder, Notice};
use crate::event::Outcome;
use crate::id::ApprovalId;
use crate::port::{BoxFuture, Caller};
use crate::run::CallKind;
use crate::scope::Scope;
use crate::{RawJson, Refusal, Tool};

pub use crate::name::OWN_SERVER;
pub use object_ref::ObjectRef;

/// A tool that the gateway has itself.
#[derive(Clone, PartialEq, Debug)]
pub struct PlatformTool {
    pub tool: Arc<Tool>,
    /// The name for agents. It is also the gateway's own name for it.
    pub wire: Arc<str>,
    /// For people, in a few words.
    pub title: &'static str,
    /// Former names, which work for a while.
    pub old_names: &'static [OldName],
    /// As `tools/list` shows it, with the wire name.
    pub definition: RawJson,
    /// The schema of [`PlatformAnswer::data`].
    pub output_schema: RawJson,
    pub presence: ToolPresence,
    pub kind: CallKind,
    /// True if it looks things up before people decide on a call: see [`Platform::prepare`].
    pub is_prepared: bool,
}

/// A former name of a tool, and when it ends, in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OldName {
    pub name: &'static str,
    pub until_ms: i64,
}

/// The sessions that have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolPresence {
    Always,
    /// Sessions that see a tool that takes files.
    WithFiles,
    /// Sessions that belong to a run.
    WithRun,
    /// Sessions whose scope admits it, as for a server's tool. It is listed where a capability names it.
    InScope,
}

/// One call of such a tool, once it is allowed.
pub struct PlatformCall<'a> {
    pub tool: &'a PlatformTool,
    pub holder: &'a ContentHolder,
    /// The scope of the session, which has its mounts.
    pub scope: &'a Arc<Scope>,
    /// The object of arguments; they fit the tool's schema.
    pub arguments: &'a Value,
    /// The time of the call, in milliseconds since 1970.
    pub now_ms: i64,
    /// The client, for questions that the person there can answer, and for progress.
    pub caller: Arc<dyn Caller>,
    /// Set if people agreed to this very call. A standing grant is no such approval.
    pub approval: Option<UsedApproval>,
}

/// The approval that a call used up, with what people were shown beside the arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsedApproval {
    pub id: ApprovalId,
    pub contents: Vec<Attachment>,
}

/// The result of such a call. The model gets a refusal as a failed result.
#[derive(Clone, PartialEq, Debug)]
pub struct PlatformAnswer {
    /// The text for the model.
    pub text: String,
    /// For programs.
    pub data: Value,
    /// The objects that the answer is about.
    pub refs: Vec<ObjectRef>,
    pub notices: Vec<Notice>,
    /// Set if the outcome is not simply success.
    pub outcome: Option<Outcome>,
}

pub trait Platform: Send + Sync {
    /// Sorted by wire name.
    fn tools(&self) -> &[Arc<PlatformTool>];
    /// Looks up what the arguments name, before the decision on the call: people agree to these contents. Only for
    /// tools with [`PlatformTool::is_prepared`].
    fn prepare<'a>(&'a self, _call: PlatformCall<'a>) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        Box::pin(std::future::ready(Ok(AttachedContents::default())))
    }
    /// Dropping the future ends the wait for a person; the question stays.
    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>>;
}
