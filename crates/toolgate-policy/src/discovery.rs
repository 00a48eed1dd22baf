//! The two tools of the gateway's own that lead to all others. They only read, and a rule that is built in permits them.

use std::sync::Arc;

use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, Handling, ServerName, Tool};

/// The server that the gateway's own tools belong to. No other may be called so.
pub const OWN_SERVER: &str = "toolgate";
pub const SEARCH_TOOL: &str = "toolgate.tools.search";
pub const DESCRIBE_TOOL: &str = "toolgate.tools.describe";
const TOOLS: [&str; 2] = [SEARCH_TOOL, DESCRIBE_TOOL];

/// One of the two as policy sees it, where nothing but its name is at hand.
pub(crate) fn tool(name: &str) -> Option<Tool> {
    let name = TOOLS.into_iter().find(|one| *one == name)?;
    Some(Tool {
        name: CanonicalName::recorded(name),
        server: ServerName::new(OWN_SERVER).expect("it is a name"),
        own: name.into(),
        version: Digest::of(name),
        effects: Effects::READ,
        idempotent: true,
        audit: AuditLevel::Standard,
        input_schema: None,
        output_schema: None,
        output_check: None,
        handling: Handling::default(),
    })
}

/// These tools and the two, which every gateway has.
pub(crate) fn with_discovery(tools: &[Arc<Tool>]) -> Vec<Arc<Tool>> {
    let known = |name: &str| tools.iter().any(|tool| tool.name.as_str() == name);
    let missing = TOOLS.into_iter().filter(|name| !known(name)).filter_map(tool).map(Arc::new);
    tools.iter().cloned().chain(missing).collect()
}
