//! `claim.create`: a statement becomes a claim.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::claim::{ClaimSeverity, ClaimSource, ClaimSourceKind, RevisionWords};
use toolgate_core::id::ClaimId;
use toolgate_core::{PrincipalKind, Refusal};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, NewClaim};

use super::output::{ClaimOutput, object_ref};
use crate::checks;
use crate::claims::Claims;
use crate::general::GENERAL;
use crate::refusal::changed;

pub(super) const CREATE: ToolDefinition = ToolDefinition::writes(
    "claim.create",
    "Create a claim",
    "Keeps a statement as a claim, to be supported or refuted with claim.link_evidence and decided by somebody else with claim.decide.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateClaimArguments {
    /// Of those that claim.type.list shows
    #[serde(rename = "type", default = "kind_usual")]
    kind: String,
    /// One sentence that is true or not
    statement: String,
    #[serde(default = "severity_usual")]
    #[schemars(extend("enum" = ["low", "medium", "high", "critical"]))]
    severity: String,
    source: Option<ClaimSourceArgument>,
    /// What can be counted, such as {"amount": 1200, "currency": "EUR"}
    quantification: Option<Map<String, Value>>,
    /// Submit it for review at once; otherwise it stays a draft
    #[serde(default)]
    submit: bool,
}

/// The way by which it came up.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ClaimSourceArgument {
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["ai_detected", "human_identified", "external_report", "rule_triggered"]))]
    kind: String,
    model: Option<String>,
    #[schemars(range(min = 0, max = 1))]
    confidence: Option<f64>,
}

fn kind_usual() -> String {
    GENERAL.to_owned()
}

fn severity_usual() -> String {
    ClaimSeverity::Medium.as_str().to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct CreateClaimOutput {
    claim: ClaimOutput,
}

impl ClaimSourceArgument {
    pub(super) fn read(self) -> Result<ClaimSource, Refusal> {
        let kind = checks::word(&self.kind, "source", ClaimSourceKind::parse)?;
        let source = ClaimSource { kind, model: self.model, confidence: self.confidence };
        checks::source(&source)?;
        Ok(source)
    }
}

pub(super) async fn create(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: CreateClaimArguments,
) -> Result<ToolReply<CreateClaimOutput>, Refusal> {
    let CreateClaimArguments { kind, statement, severity, source, quantification, submit } = arguments;
    checks::statement(&statement)?;
    let kind = claims.kind(&kind).await?.name;
    let words = RevisionWords {
        statement,
        severity: checks::word(&severity, "severity", ClaimSeverity::parse)?,
        source: source.map_or_else(|| Ok(source_usual(&context)), ClaimSourceArgument::read)?,
        quantification: quantification.map(checks::quantification).transpose()?,
    };
    let new = NewClaim {
        id: ClaimId::new(claims.clock.fresh_id(ClaimId::PREFIX)),
        kind,
        words,
        is_submitted: submit,
        at_ms: claims.clock.now_ms(),
    };
    let created = claims.books.create_claim(&new, &Actor::of(&context.holder)).await;
    let claim = created.map_err(|error| changed(error, new.id.as_str()))?;
    Ok(ToolReply::new(CreateClaimOutput { claim: ClaimOutput::of(&claim) }).refs([object_ref(&claim)]))
}

/// People identify, and others detect.
fn source_usual(context: &ToolContext) -> ClaimSource {
    let kind = match context.principal().kind {
        PrincipalKind::Human => ClaimSourceKind::HumanIdentified,
        _ => ClaimSourceKind::AiDetected,
    };
    ClaimSource { kind, model: None, confidence: None }
}
