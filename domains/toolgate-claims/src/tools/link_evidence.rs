//! `claim.link_evidence`: evidence for or against a claim, checked before it is kept.

use std::sync::Arc;

use docir::Quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::claim::{
    EvidenceKind, EvidenceLocation, EvidenceRelation, EvidenceStanding, EvidenceStrength,
};
use toolgate_core::id::EvidenceId;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::{Actor, LinkedEvidence, NewEvidence};

use super::output::{ClaimEvidenceOutput, ClaimOutput, citation_ref, object_ref};
use crate::checks;
use crate::claims::Claims;
use crate::evidence::{CheckedEvidence, OfferedCitation, OfferedSpan};
use crate::refusal::{changed, invalid};

pub(super) const LINK_EVIDENCE: ToolDefinition = ToolDefinition::writes(
    "claim.link_evidence",
    "Link evidence to a claim",
    "Links evidence to a claim, for or against it. The quotation must stand in the document; a calculation is a run that completed. Evidence stays, \
     and a decision on the claim becomes stale. The same again is the same evidence.",
)
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct LinkEvidenceArguments {
    claim_id: String,
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["extraction", "document", "calculation", "external_data", "expert_opinion"]))]
    kind: String,
    #[schemars(extend("enum" = ["supports", "refutes", "context"]))]
    relationship: String,
    #[serde(default = "strength_usual")]
    #[schemars(extend("enum" = ["weak", "moderate", "strong"]))]
    strength: String,
    /// What it shows, in a sentence
    summary: Option<String>,
    /// Words of a document, as knowledge.kb_query gives them; the place may be left out
    citation: Option<EvidenceCitation>,
    /// run_…, for a calculation
    run: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct EvidenceCitation {
    /// sha256:… of the document
    artifact: String,
    /// sha256:… of its parsed form; usually made of the document
    docir: Option<String>,
    /// A JSON pointer into the parsed form
    item: Option<String>,
    /// Characters of the item's text
    start: Option<usize>,
    end: Option<usize>,
    quote: EvidenceQuote,
}

#[derive(Deserialize, JsonSchema)]
struct EvidenceQuote {
    /// Word for word, 12 characters or more, from one paragraph
    exact: String,
    /// The words before it, which tell equal quotations apart
    #[serde(default)]
    prefix: String,
    /// The words after it
    #[serde(default)]
    suffix: String,
}

fn strength_usual() -> String {
    EvidenceStrength::Moderate.as_str().to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(super) struct LinkEvidenceOutput {
    claim: ClaimOutput,
    evidence: ClaimEvidenceOutput,
    /// True if it was linked already, just like this
    is_duplicate: bool,
    /// True if a decision held until now
    made_stale: bool,
}

pub(super) async fn link_evidence(
    claims: Arc<Claims>,
    context: ToolContext,
    arguments: LinkEvidenceArguments,
) -> Result<ToolReply<LinkEvidenceOutput>, Refusal> {
    let LinkEvidenceArguments { claim_id, kind, relationship, strength, summary, citation, run } = arguments;
    let claim = claims.claim(&claim_id).await?;
    let kind = checks::word(&kind, "type", EvidenceKind::parse)?;
    summary.as_deref().map_or(Ok(()), checks::summary)?;
    let (relation, strength) = (
        checks::word(&relationship, "relationship", EvidenceRelation::parse)?,
        checks::word(&strength, "strength", EvidenceStrength::parse)?,
    );
    let CheckedEvidence { location, standing } = checked(&claims, &context, kind, citation, run).await?;
    if location == EvidenceLocation::Word && summary.is_none() {
        return Err(invalid("an opinion without words is none", "summary").hint("say it as `summary`"));
    }
    let new = NewEvidence {
        id: EvidenceId::new(claims.clock.fresh_id(EvidenceId::PREFIX)),
        claim: claim.id.clone(),
        kind,
        relation,
        strength,
        summary,
        location,
        standing,
        at_ms: claims.clock.now_ms(),
    };
    let linked = claims.books.link_evidence(&new, &Actor::of(&context.holder)).await;
    let LinkedEvidence { claim, evidence, is_duplicate, made_stale } =
        linked.map_err(|error| changed(error, claim.id.as_str()))?;
    let refs: Vec<_> = [object_ref(&claim)].into_iter().chain(citation_ref(&evidence)).collect();
    let data = LinkEvidenceOutput {
        claim: ClaimOutput::of(&claim),
        evidence: ClaimEvidenceOutput::of(&evidence, None, false),
        is_duplicate,
        made_stale,
    };
    Ok(ToolReply::new(data).refs(refs))
}

/// Each type of evidence has its own place.
async fn checked(
    claims: &Claims,
    context: &ToolContext,
    kind: EvidenceKind,
    citation: Option<EvidenceCitation>,
    run: Option<String>,
) -> Result<CheckedEvidence, Refusal> {
    match (kind, citation, run) {
        (EvidenceKind::Calculation, None, Some(run)) => claims.check_run(context, run).await,
        (EvidenceKind::Calculation, _, _) => {
            Err(invalid("the evidence of a calculation is its run", "run")
                .hint("give `run`, and no `citation`"))
        }
        (_, Some(citation), None) => claims.check_citation(context, citation.offered()?).await,
        (EvidenceKind::ExpertOpinion, None, None) => {
            let (location, standing) = (EvidenceLocation::Word, EvidenceStanding::Stated);
            Ok(CheckedEvidence { location, standing })
        }
        (_, None, None) => Err(invalid("the evidence cites nothing", "citation")
            .hint("give `citation` with `artifact` and `quote`")),
        (_, _, Some(_)) => Err(invalid("`run` is for the type calculation", "run")
            .hint("choose the type calculation, or give a `citation`")),
    }
}

impl EvidenceCitation {
    fn offered(self) -> Result<OfferedCitation, Refusal> {
        let Self { artifact, docir, item, start, end, quote } = self;
        let span = match (item, start, end) {
            (Some(item), Some(start), Some(end)) => Some(OfferedSpan { item, start, end }),
            (None, None, None) => None,
            _ => {
                return Err(invalid("the place of the quotation is named in part", "citation")
                    .hint("give `item`, `start` and `end`, or none of them"));
            }
        };
        let quote = Quote { exact: quote.exact, prefix: quote.prefix, suffix: quote.suffix };
        Ok(OfferedCitation { artifact, docir, span, quote })
    }
}
