//! The tools of the gateway itself: those that find all others, and those for files and runs. Built-in rules
//! permit them.

use std::sync::Arc;

use toolgate_core::platform::OWN_SERVER;
use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, ServerName, Tool, ToolHandling};

pub const SEARCH_TOOL: &str = "toolgate.tools.search";
pub const DESCRIBE_TOOL: &str = "toolgate.tools.describe";
/// The one that writes.
const STORE_ARTIFACT: &str = "toolgate.artifacts.store";
const TOOLS: &[&str] = &[
    SEARCH_TOOL,
    DESCRIBE_TOOL,
    STORE_ARTIFACT,
    "toolgate.files.upload",
    "toolgate.refs.read",
    "toolgate.runs.ask",
    "toolgate.runs.complete",
];

/// One of them as policy sees it, when only its name is known.
pub(crate) fn tool(name: &str) -> Option<Tool> {
    let name = TOOLS.iter().copied().find(|one| *one == name)?;
    Some(Tool {
        name: CanonicalName::recorded(name),
        server: ServerName::new(OWN_SERVER).expect("it is a name"),
        own: name.into(),
        version: Digest::of(name),
        effects: if name == STORE_ARTIFACT { Effects::WRITE } else { Effects::READ },
        hinted: false,
        idempotent: true,
        audit: AuditLevel::Standard,
        input_schema: None,
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    })
}

/// These tools and those that every gateway has.
pub(crate) fn with_discovery(tools: &[Arc<Tool>]) -> Vec<Arc<Tool>> {
    let known = |name: &str| tools.iter().any(|tool| tool.name.as_str() == name);
    let missing = TOOLS.iter().copied().filter(|name| !known(name)).filter_map(tool).map(Arc::new);
    tools.iter().cloned().chain(missing).collect()
}
