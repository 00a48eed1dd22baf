//! The text that people read before they agree to a decision: the claim, all evidence with its standing now, and the decision. The approval is
//! bound to the digest of this text, so it is the same for the same decision on the same claim and evidence.

use docir::Citation;
use toolgate_core::Refusal;
use toolgate_core::claim::{ClaimEvidence, EvidenceLocation, EvidenceStanding};
use toolgate_core::content::AttachedContents;
use toolgate_domain::ToolContext;
use toolgate_files::ShownChange;

use crate::claims::Claims;
use crate::refusal::not_agreed;
use crate::review::DecisionReview;

const DECISION: ShownChange = ShownChange { kind: "claim decision", place: "/claim_id" };

/// The words of a decision.
pub(crate) struct DecisionWords<'a> {
    pub(crate) rationale: &'a str,
    pub(crate) conditions: &'a [String],
    pub(crate) follow_ups: &'a [String],
}

/// Keeps the text for the approvers, and says who they are.
pub(crate) async fn attach(
    claims: &Claims,
    context: &ToolContext,
    review: DecisionReview,
    words: DecisionWords<'_>,
) -> Result<AttachedContents, Refusal> {
    let text = text(&review, &words);
    let attached = claims.files.attach_change(&context.holder, DECISION, text).await?;
    let DecisionReview { requirement, authors, .. } = review;
    Ok(AttachedContents { asks: requirement.map(Box::new), excluded: authors, ..attached })
}

/// Refuses a decision that differs from the one that people were shown.
pub(crate) fn check(
    context: &ToolContext,
    review: &DecisionReview,
    words: &DecisionWords<'_>,
) -> Result<(), Refusal> {
    match &context.approval {
        Some(approval) if !DECISION.is_agreed(approval, &text(review, words)) => {
            Err(not_agreed(review.case.claim.id.as_str()))
        }
        Some(_) | None => Ok(()),
    }
}

fn text(review: &DecisionReview, words: &DecisionWords<'_>) -> String {
    let DecisionReview { case, kind, option, standings, .. } = review;
    let claim = &case.claim;
    let mut lines = vec![
        format!("decision on the claim {}", claim.id),
        format!("type: {}, version {}", kind.name, kind.version),
        format!("severity: {}", claim.revision.severity.as_str()),
        format!("written by: {}", claim.created_by),
        format!("claim and evidence: {}", claim.digest),
        String::new(),
        format!("the claim, revision {}:", claim.revision.number),
        claim.revision.statement.clone(),
    ];
    if let Some(counted) = &claim.revision.quantification {
        lines.push(format!("quantification: {}", counted.as_str()));
    }
    lines.extend([String::new(), format!("resolved as: {}", option.name)]);
    lines.extend([String::new(), "rationale:".to_owned(), words.rationale.to_owned()]);
    lines.extend(words.conditions.iter().map(|one| format!("condition: {one}")));
    lines.extend(words.follow_ups.iter().map(|one| format!("to follow: {one}")));
    lines.extend([String::new(), format!("evidence: {}", case.evidence.len())]);
    for (evidence, standing) in case.evidence.iter().zip(standings) {
        lines.extend(evidence_lines(evidence, *standing));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn evidence_lines(evidence: &ClaimEvidence, now: EvidenceStanding) -> Vec<String> {
    let ClaimEvidence { number, kind, relation, strength, standing, .. } = evidence;
    let changed = match now == *standing {
        true => String::new(),
        false => format!(", {} when it was linked", standing.as_str()),
    };
    let mut lines = vec![format!(
        "\n{number}. {} {} ({}), linked by {}: {}{changed}",
        relation.as_str(),
        kind.as_str(),
        strength.as_str(),
        evidence.by,
        now.as_str()
    )];
    lines.extend(evidence.summary.iter().map(|summary| format!("   {summary}")));
    lines.push(place_line(&evidence.location));
    lines
}

fn place_line(location: &EvidenceLocation) -> String {
    match location {
        EvidenceLocation::Word => "   the word of whoever linked it".to_owned(),
        EvidenceLocation::Run(run) => format!("   calculated by {run}"),
        EvidenceLocation::Citation { artifact, citation, .. } => match citation.decode::<Citation>() {
            Ok(cited) => {
                let page = cited.page.map_or_else(String::new, |page| format!(", page {page}"));
                format!("   \"{}\" in {artifact}{page}", cited.quote.exact)
            }
            Err(_) => format!("   in {artifact}"),
        },
    }
}
