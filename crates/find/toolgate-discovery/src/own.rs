//! The gateway's own tools beside the catalogue: the sessions that have them. No capability has to name
//! them and no mount leads to them; definitions can block them and policy can forbid them like any other.

use std::sync::Arc;

use toolgate_catalog::CatalogEntry;
use toolgate_core::decision::{ApprovalLikelihood, Visibility};
use toolgate_core::platform::{PlatformTool, ToolPresence};

use crate::viewer::{ToolViewer, glimpse};

/// A tool of the gateway's own as a list has it.
pub(crate) struct OwnTool {
    pub(crate) entry: Arc<CatalogEntry>,
    presence: ToolPresence,
}

impl OwnTool {
    pub(crate) fn all(tools: &[Arc<PlatformTool>]) -> Vec<OwnTool> {
        let entry =
            |one: &PlatformTool| CatalogEntry::built_in(one.tool.clone(), &one.wire, one.definition.clone());
        // Those that scopes decide about are in the catalogue.
        let beside = tools.iter().filter(|one| one.presence != ToolPresence::InScope);
        beside.map(|one| OwnTool { entry: Arc::new(entry(one)), presence: one.presence }).collect()
    }

    /// Decides whether a session that sees these tools of servers has it, and whether people are asked when
    /// it is called.
    pub(crate) fn verdict(
        &self,
        viewer: ToolViewer<'_>,
        seen: &[Arc<CatalogEntry>],
    ) -> Option<ApprovalLikelihood> {
        let takes_files = |entry: &Arc<CatalogEntry>| {
            entry.tool.as_ref().is_some_and(|tool| !tool.handling.files.is_empty())
        };
        let is_there = match self.presence {
            ToolPresence::Always => viewer.has_run || !seen.is_empty(),
            ToolPresence::WithFiles => seen.iter().any(takes_files),
            ToolPresence::WithRun => viewer.has_run,
            ToolPresence::InScope => false,
        };
        let tool = self.entry.tool.as_ref().filter(|_| is_there)?;
        let blocks = |pattern: &toolgate_core::scope::NamePattern| pattern.matches(tool.name.as_str());
        if viewer.scope.layers.iter().any(|layer| layer.blocked.iter().any(blocks)) {
            return None;
        }
        match viewer.policy.visibility(&glimpse(viewer, tool)) {
            Visibility::Visible(asking) => Some(asking),
            Visibility::Hidden(_) => None,
        }
    }

    /// True if it is listed regardless of the budget: a run cannot end without them.
    pub(crate) fn is_pinned(&self) -> bool {
        self.presence == ToolPresence::WithRun
    }
}
