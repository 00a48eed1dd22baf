//! `schema.list`: versions, newest first.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_core::schema::{SchemaKind, SchemaState};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::SchemaFilter;

use super::output::{SchemaOutput, object_ref};
use super::register::word;
use crate::checks;
use crate::refusal::down;
use crate::schemas::SchemaVersions;

const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;

pub(super) const LIST: ToolDefinition = ToolDefinition::reads(
    "schema.list",
    "List schemas",
    "Lists versions of schemas, newest first, without their definitions.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListSchemasArguments {
    /// Usually all
    namespace: Option<String>,
    /// Only versions of this name
    name: Option<String>,
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["structured_type", "ontology_class", "relationship_type", "enum"]))]
    kind: Option<String>,
    #[schemars(extend("enum" = ["draft", "active", "deprecated", "superseded"]))]
    status: Option<String>,
    /// At most this many
    #[serde(default = "page_usual")]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: u16,
    /// next_cursor of the page before
    cursor: Option<String>,
}

fn page_usual() -> u16 {
    PAGE_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListSchemasOutput {
    schemas: Vec<SchemaOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn list(
    schemas: Arc<SchemaVersions>,
    _context: ToolContext,
    arguments: ListSchemasArguments,
) -> Result<ToolReply<ListSchemasOutput>, Refusal> {
    let ListSchemasArguments { namespace, name, kind, status, limit, cursor } = arguments;
    let kind = kind.map(|kind| word(&kind, "type", SchemaKind::parse)).transpose()?;
    let state = status.map(|status| word(&status, "status", SchemaState::parse)).transpose()?;
    let cursor = checks::cursor(cursor.as_deref())?;
    let filter = SchemaFilter { namespace, name, kind, state };
    let limit = usize::from(limit.clamp(1, PAGE_MAX));
    let page = schemas.store.schemas(&filter, cursor.as_ref(), limit).await;
    let (found, next) = page.map_err(|error| down(&error))?;
    let refs: Vec<ObjectRef> = found.iter().map(object_ref).collect();
    let shown = found.iter().map(SchemaOutput::of).collect();
    let data = ListSchemasOutput { schemas: shown, next_cursor: next.map(|next| next.to_string()) };
    Ok(ToolReply::new(data).refs(refs))
}
