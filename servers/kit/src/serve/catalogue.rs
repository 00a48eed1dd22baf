//! The tools as a client sees them in the list.

use std::sync::Arc;

use rmcp::model::{MetaObject, Tool, ToolAnnotations};

use crate::capability::Capability;
use crate::tool;

/// The member where a gateway looks for data beyond MCP.
const EXTRA_META: &str = "dev.toolgate/tool";

pub(super) fn tools(capability: &Capability) -> Vec<Tool> {
    capability.tools().iter().map(listed).collect()
}

fn listed(tool: &tool::Tool) -> Tool {
    let mut meta = MetaObject::new();
    meta.insert(EXTRA_META.to_owned(), tool.extra());
    Tool::new(tool.name(), tool.description().to_owned(), Arc::new(tool.input_schema().clone()))
        .with_title(tool.title())
        .with_raw_output_schema(Arc::new(tool.output_schema().clone()))
        .with_annotations(annotations(tool))
        .with_meta(meta)
}

/// The results of these tools are new and expire by themselves.
fn annotations(tool: &tool::Tool) -> ToolAnnotations {
    ToolAnnotations::with_title(tool.title())
        .read_only(tool.is_read_only())
        .destructive(false)
        .idempotent(true)
        .open_world(tool.is_external())
}
