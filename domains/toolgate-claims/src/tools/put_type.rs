//! `claim.type.put`: operators say how claims of a type are resolved, and who must agree.

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::claim::{ClaimType, ResolutionOption};
use toolgate_core::tool::ToolTrait;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, ClaimTypeError, ClaimTypeWrite};

use super::type_output::{ClaimEscalationArgument, ClaimTypeOutput, ResolutionOptionArgument};
use crate::checks;
use crate::claims::Claims;
use crate::refusal::{invalid, type_changed, type_differs};

const OPTIONS_MAX: usize = 20;

pub(super) const PUT_TYPE: ToolDefinition = ToolDefinition::writes(
    "claim.type.put",
    "Register a type of claims",
    "Registers a type of claims: the options by which one is resolved, and who must agree. The same again is the same type. With expected_version it \
     changes the type of this name.",
)
.idempotent()
.traits(&[ToolTrait::ClaimDecision])
.for_operators();

#[derive(Deserialize, JsonSchema)]
pub(super) struct PutClaimTypeArguments {
    name: String,
    title: Option<String>,
    description: Option<String>,
    #[schemars(length(min = 1, max = OPTIONS_MAX))]
    options: Vec<ResolutionOptionArgument>,
    /// More people for severe claims
    #[serde(default)]
    #[schemars(length(max = OPTIONS_MAX))]
    escalation: Vec<ClaimEscalationArgument>,
    /// The version of the type that this replaces
    #[schemars(range(min = 1))]
    expected_version: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PutClaimTypeOutput {
    #[serde(rename = "type")]
    kind: ClaimTypeOutput,
    /// True if it was there already, just like this
    is_duplicate: bool,
}

pub(super) async fn put_type(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: PutClaimTypeArguments,
) -> Result<ToolReply<PutClaimTypeOutput>, Refusal> {
    let write = checked(&claims, arguments)?;
    let put = claims.books.put_claim_type(&write, &Actor::of(&context.holder)).await;
    let (kind, is_duplicate) = match put {
        Ok(kind) => (kind, false),
        Err(ClaimTypeError::Other(other)) if write.seen.is_none() && is_same(&other, &write) => {
            (*other, true)
        }
        Err(ClaimTypeError::Other(other)) => return Err(type_differs(&write.name, other.version)),
        Err(error) => return Err(type_changed(error, &write.name)),
    };
    Ok(ToolReply::new(PutClaimTypeOutput { kind: ClaimTypeOutput::of(&kind), is_duplicate }))
}

fn checked(claims: &Claims, arguments: PutClaimTypeArguments) -> Result<ClaimTypeWrite, Refusal> {
    let PutClaimTypeArguments { name, title, description, options, escalation, expected_version } = arguments;
    checks::name(&name, "name")?;
    title.as_deref().map_or(Ok(()), |title| checks::line(title, "title"))?;
    description.as_deref().map_or(Ok(()), |text| checks::line(text, "description"))?;
    let options =
        options.into_iter().map(ResolutionOptionArgument::read).collect::<Result<Vec<_>, Refusal>>()?;
    check_options(&options, escalation.len())?;
    let escalation =
        escalation.into_iter().map(ClaimEscalationArgument::read).collect::<Result<Vec<_>, Refusal>>()?;
    let (seen, at_ms) = (expected_version, claims.clock.now_ms());
    Ok(ClaimTypeWrite { name, title, description, options, escalation, seen, at_ms })
}

fn check_options(options: &[ResolutionOption], escalation: usize) -> Result<(), Refusal> {
    let names: BTreeSet<&str> = options.iter().map(|option| option.name.as_str()).collect();
    if names.len() < options.len() {
        return Err(invalid("an option is named twice", "options").hint("give each option a name of its own"));
    }
    match (1..=OPTIONS_MAX).contains(&options.len()) && escalation <= OPTIONS_MAX {
        true => Ok(()),
        false => Err(invalid("there are too many options, or none", "options")
            .hint(format!("give 1 to {OPTIONS_MAX} of them"))),
    }
}

fn is_same(kind: &ClaimType, write: &ClaimTypeWrite) -> bool {
    (&kind.title, &kind.description, &kind.options, &kind.escalation)
        == (&write.title, &write.description, &write.options, &write.escalation)
}
