//! `claim.export`: a claim for others, as PROV-JSON or as a package that needs nothing else.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolgate_core::platform::ObjectRef;
use toolgate_core::{Refusal, Role, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::object_ref;
use super::whole::whole;
use crate::case::ClaimCase;
use crate::claims::Claims;
use crate::package::ClaimPackage;
use crate::prov;
use crate::refusal::invalid;

const PROV_JSON: &str = "prov_json";
const PACKAGE: &str = "package";

pub(super) const EXPORT: ToolDefinition = ToolDefinition::writes(
    "claim.export",
    "Export a claim",
    "Writes a claim with its evidence and decisions as PROV-JSON, or makes a manifest with every cited document, the ledger's events and their proofs. \
     Operators make packages.",
)
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct ExportClaimArguments {
    claim_id: String,
    /// prov_json: one document; package: a manifest that `toolgate substrate export` writes as an OCI archive
    #[serde(default = "format_usual")]
    #[schemars(extend("enum" = ["prov_json", "package"]))]
    format: String,
}

fn format_usual() -> String {
    PROV_JSON.to_owned()
}

#[derive(Serialize, JsonSchema, Default)]
pub(super) struct ExportClaimOutput {
    format: &'static str,
    /// Of the claim and the evidence that are in it
    digest: String,
    /// PROV-JSON
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<ClaimPackageOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ClaimPackageOutput {
    /// The manifest
    sha256: String,
    entries: u64,
    bytes: u64,
    /// Events of the ledger in it
    events: usize,
    /// Proofs of calls in it; none where the gateway signs no checkpoints
    #[serde(skip_serializing_if = "Option::is_none")]
    proofs: Option<usize>,
    /// The command that writes it as one file
    command: String,
}

pub(super) async fn export(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: ExportClaimArguments,
) -> Result<ToolReply<ExportClaimOutput>, Refusal> {
    let ExportClaimArguments { claim_id, format } = arguments;
    let case = claims.case(&claim_id).await?;
    match format.as_str() {
        PROV_JSON => Ok(prov_json(&case)),
        PACKAGE => package(&claims, &context, &case).await,
        other => Err(invalid(format!("{other:?} is no format"), "format").hint("prov_json or package")),
    }
}

fn prov_json(case: &ClaimCase) -> ToolReply<ExportClaimOutput> {
    let document = match prov::document(case) {
        Value::Object(members) => Some(members),
        _ => None,
    };
    let digest = case.claim.digest.to_string();
    let data = ExportClaimOutput { format: PROV_JSON, digest, document, package: None };
    ToolReply::new(data).refs([object_ref(&case.claim)])
}

/// It has events of other callers, which agents do not read.
async fn package(
    claims: &Claims,
    context: &ToolContext,
    case: &ClaimCase,
) -> Result<ToolReply<ExportClaimOutput>, Refusal> {
    if !matches!(context.principal().role, Role::Admin | Role::Operator) {
        let message = "a package has events of the ledger, and only operators make one";
        return Err(Refusal::new(&codes::NOT_ALLOWED, message).hint("choose the format prov_json"));
    }
    let shown = whole(claims, context, case, true).await?;
    let shown = serde_json::to_value(shown).expect("our own types serialise: string keys, no failing impls");
    let ClaimPackage { manifest, events, proofs } = claims.package(context, case, shown).await?;
    let sha256 = manifest.digest.to_string();
    let made = ClaimPackageOutput {
        command: format!("toolgate substrate export {sha256} --out {}.tar", case.claim.id),
        sha256,
        entries: manifest.entries,
        bytes: manifest.bytes,
        events,
        proofs,
    };
    let digest = case.claim.digest.to_string();
    let data = ExportClaimOutput { format: PACKAGE, digest, document: None, package: Some(made) };
    let refs = [object_ref(&case.claim), ObjectRef::Manifest { sha256: manifest.digest.digest() }];
    Ok(ToolReply::new(data).refs(refs))
}
