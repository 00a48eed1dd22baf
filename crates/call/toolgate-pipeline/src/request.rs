//! A proposed call and its context.

use std::sync::Arc;

use toolgate_core::decision::PolicyTemplate;
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, Principal, PrincipalId, RawJson, Tool};

use crate::envelope::CallWarning;

/// A proposed call.
#[derive(Clone, Debug)]
pub struct CallRequest {
    pub principal: Principal,
    pub tool: Arc<Tool>,
    /// The object of arguments as received; `None` if there was none.
    pub arguments: Option<RawJson>,
    pub context: CallContext,
}

/// The context of a call.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    pub session: Option<SessionId>,
    /// The principal that opened that session, if any.
    pub opened_by: Option<PrincipalId>,
    pub agent: Option<AgentName>,
    /// The level of care of the session.
    pub template: Option<PolicyTemplate>,
    /// The run and the task that the session was opened for, or a run that is known to be the caller's.
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
    pub labels: CallerLabels,
    /// Additional members of `_meta` for the server, as an object.
    pub extras: Option<RawJson>,
    /// W3C `traceparent`.
    pub trace: Option<Arc<str>>,
    /// The earlier round that this call continues, from its sealed state.
    pub round: Option<InputRound>,
    /// Warnings for the answer, whatever its outcome.
    pub warnings: Vec<CallWarning>,
    /// The name that the caller knows the tool by, where it is not the canonical one.
    pub called: Option<Arc<str>>,
    /// The reason why the session may not call this tool, regardless of policy: the call is denied, and the
    /// denial is recorded.
    pub barred: Option<Arc<str>>,
}

/// The caller's own claim of what its call belongs to. It is recorded, but policy ignores it because it is
/// not verified.
#[derive(Clone, Debug, Default)]
pub struct CallerLabels {
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
    /// The principal that makes the call by hand in the place of an agent. The gateway says so, never the caller.
    pub forced_by: Option<PrincipalId>,
}

/// A call that waited for its client, and how often it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRound {
    pub call: CallId,
    pub number: u32,
    /// Identifies the exact call: nothing else may continue with it.
    pub agreed: Digest,
    /// True if people agreed to it. Only then may it continue without asking them again.
    pub approved: bool,
}
