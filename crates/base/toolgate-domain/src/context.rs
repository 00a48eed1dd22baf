//! The surroundings of one call: who calls, where, when, and with which mounts.

use std::sync::Arc;

use toolgate_core::content::ContentHolder;
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::platform::{PlatformCall, UsedApproval};
use toolgate_core::port::Caller;
use toolgate_core::scope::Scope;
use toolgate_core::{Principal, Refusal, codes};

/// Everything that a tool's function knows of its call besides the arguments.
#[derive(Clone)]
pub struct ToolContext {
    /// The principal, session, run and call, as files and refs check them.
    pub holder: ContentHolder,
    /// In milliseconds since 1970.
    pub now_ms: i64,
    /// The client, for questions to the person there, and for progress.
    pub caller: Arc<dyn Caller>,
    /// Set if people agreed to this very call, while it runs. A standing grant is no such approval.
    pub approval: Option<UsedApproval>,
    scope: Arc<Scope>,
}

impl ToolContext {
    pub(crate) fn of(call: &PlatformCall<'_>) -> Self {
        Self {
            holder: call.holder.clone(),
            now_ms: call.now_ms,
            caller: call.caller.clone(),
            approval: call.approval.clone(),
            scope: call.scope.clone(),
        }
    }

    pub fn principal(&self) -> &Principal {
        &self.holder.principal
    }

    pub fn session(&self) -> &SessionId {
        &self.holder.session
    }

    /// The call itself, once it runs.
    pub fn call(&self) -> Option<&CallId> {
        self.holder.call.as_ref()
    }

    /// The session's run.
    pub fn run(&self) -> Result<&RunId, Refusal> {
        let none = || Refusal::new(&codes::NO_RUN, "this session does not belong to a run");
        self.holder.run.as_ref().ok_or_else(none)
    }

    /// The view of the session.
    pub fn scope(&self) -> &Arc<Scope> {
        &self.scope
    }

    /// True if the session has mounted this pointer.
    pub fn sees_pointer(&self, namespace: &str, name: &str) -> bool {
        self.scope.pointer_reach(self.principal().role).covers(namespace, name)
    }

    /// True if the session has mounted some pointer of this namespace.
    pub fn sees_namespace(&self, namespace: &str) -> bool {
        self.scope.pointer_reach(self.principal().role).enters(namespace)
    }
}
