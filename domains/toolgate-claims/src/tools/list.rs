//! `claim.list`: claims, newest first.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::claim::ClaimState;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::ClaimFilter;

use super::output::{ClaimOutput, object_ref};
use crate::checks;
use crate::claims::Claims;
use crate::refusal::down;

const PAGE_USUAL: u16 = 50;
const PAGE_MAX: u16 = 200;

pub(super) const LIST: ToolDefinition =
    ToolDefinition::reads("claim.list", "List claims", "Lists claims, newest first, without their evidence.");

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListClaimsArguments {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[schemars(extend("enum" = ["draft", "submitted", "under_review", "decided", "superseded"]))]
    state: Option<String>,
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
pub(super) struct ListClaimsOutput {
    claims: Vec<ClaimOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

pub(super) async fn list(
    claims: Arc<Claims>,
    _context: ToolContext,
    arguments: ListClaimsArguments,
) -> Result<ToolReply<ListClaimsOutput>, Refusal> {
    let ListClaimsArguments { kind, state, limit, cursor } = arguments;
    let state = state.map(|state| checks::word(&state, "state", ClaimState::parse)).transpose()?;
    let cursor = checks::cursor(cursor.as_deref())?;
    let limit = usize::from(limit.clamp(1, PAGE_MAX));
    let page = claims.store.claims(&ClaimFilter { kind, state }, cursor.as_ref(), limit).await;
    let (found, next) = page.map_err(|error| down(&error))?;
    let refs: Vec<ObjectRef> = found.iter().map(object_ref).collect();
    let shown = found.iter().map(ClaimOutput::of).collect();
    let data = ListClaimsOutput { claims: shown, next_cursor: next.map(|next| next.to_string()) };
    Ok(ToolReply::new(data).refs(refs))
}
