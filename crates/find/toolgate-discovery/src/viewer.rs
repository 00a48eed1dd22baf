//! The viewer of a view: a principal, its scope and the policies in force.

use std::sync::Arc;

use toolgate_core::decision::{Policy, VisibilityRequest};
use toolgate_core::scope::{AgentName, Scope, Seat};
use toolgate_core::{Principal, Tool};

use crate::own::OwnTool;

/// The viewer of a view.
#[derive(Clone, Copy)]
pub(crate) struct ToolViewer<'a> {
    pub(crate) principal: &'a Principal,
    pub(crate) agent: &'a AgentName,
    pub(crate) scope: &'a Arc<Scope>,
    pub(crate) policy: &'a dyn Policy,
    /// True if the session belongs to a run.
    pub(crate) has_run: bool,
    /// The gateway's own tools.
    pub(crate) own: &'a [OwnTool],
}

impl<'a> ToolViewer<'a> {
    pub(crate) fn of(seat: &'a Seat, policy: &'a dyn Policy, own: &'a [OwnTool]) -> Self {
        let Seat { principal, agent, scope, run, .. } = seat;
        Self { principal, agent, scope, policy, has_run: run.is_some(), own }
    }
}

pub(crate) fn glimpse<'a>(viewer: ToolViewer<'a>, tool: &'a Tool) -> VisibilityRequest<'a> {
    VisibilityRequest {
        principal: viewer.principal,
        tool,
        agent: Some(viewer.agent),
        template: viewer.scope.template,
    }
}
