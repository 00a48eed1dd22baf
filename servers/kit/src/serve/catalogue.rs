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
    let listed = Tool::new(tool.name(), tool.description().to_owned(), Arc::new(tool.input_schema().clone()))
        .with_title(tool.title())
        .with_annotations(annotations(tool))
        .with_meta(meta);
    match tool.output_schema() {
        Some(schema) => listed.with_raw_output_schema(Arc::new(schema.clone())),
        None => listed,
    }
}

fn annotations(tool: &tool::Tool) -> ToolAnnotations {
    ToolAnnotations::with_title(tool.title())
        .read_only(tool.is_read_only())
        .destructive(tool.is_destructive())
        .idempotent(tool.is_idempotent())
        .open_world(tool.is_external())
}
