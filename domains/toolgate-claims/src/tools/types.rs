//! `claim.type.list`: the types of claims, with their options.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::type_output::ClaimTypeOutput;
use crate::claims::Claims;
use crate::general::{GENERAL, general};
use crate::refusal::down;

pub(super) const LIST_TYPES: ToolDefinition = ToolDefinition::reads(
    "claim.type.list",
    "List types of claims",
    "Lists the types of claims, with the options by which a claim is resolved and who must agree.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListClaimTypesArguments {}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListClaimTypesOutput {
    types: Vec<ClaimTypeOutput>,
}

pub(super) async fn list_types(
    claims: Arc<Claims>,
    _context: ToolContext,
    _arguments: ListClaimTypesArguments,
) -> Result<ToolReply<ListClaimTypesOutput>, Refusal> {
    let mut kinds = claims.store.claim_types().await.map_err(|error| down(&error))?;
    if !kinds.iter().any(|kind| kind.name == GENERAL) {
        kinds.insert(0, general());
    }
    Ok(ToolReply::new(ListClaimTypesOutput { types: kinds.iter().map(ClaimTypeOutput::of).collect() }))
}
