//! `knowledge.kb_list`: the bases that a session sees, newest first.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{MountRule, ToolContext, ToolDefinition, ToolReply};
use toolgate_store::KnowledgeBase;

use super::output::{KnowledgeBaseOutput, object_ref};
use crate::bases::{KnowledgeBases, is_visible};
use crate::checks;
use crate::refusal::down;

const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;
/// Pages of rows that one call looks through. The next call goes on where it ended.
const SCANNED_PAGES_MAX: usize = 20;

pub(super) const LIST: ToolDefinition = ToolDefinition::reads(
    "knowledge.kb_list",
    "List knowledge bases",
    "Lists the knowledge bases whose pointers are all mounted, newest first.",
)
.mount(MountRule::ListedPointers);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListBasesArguments {
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
pub(super) struct ListBasesOutput {
    kbs: Vec<KnowledgeBaseOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn list(
    bases: Arc<KnowledgeBases>,
    context: ToolContext,
    arguments: ListBasesArguments,
) -> Result<ToolReply<ListBasesOutput>, Refusal> {
    let limit = usize::from(arguments.limit.clamp(1, PAGE_MAX));
    let mut cursor = checks::cursor(arguments.cursor.as_deref())?;
    let mut shown: Vec<KnowledgeBase> = Vec::new();
    for _ in 0..SCANNED_PAGES_MAX {
        let page = bases.store.knowledge_bases(cursor.as_ref(), limit).await;
        let (found, next) = page.map_err(|error| down(&error))?;
        shown = found.into_iter().filter(|base| is_visible(&context, base)).collect();
        cursor = next;
        if !shown.is_empty() || cursor.is_none() {
            break;
        }
    }
    let refs: Vec<ObjectRef> = shown.iter().map(object_ref).collect();
    let kbs = shown.iter().map(KnowledgeBaseOutput::of).collect();
    let data = ListBasesOutput { kbs, next_cursor: cursor.map(|next| next.to_string()) };
    Ok(ToolReply::new(data).refs(refs))
}
