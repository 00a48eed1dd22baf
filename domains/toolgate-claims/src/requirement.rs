//! The people that a type of claims asks for, beside those of policy.

use toolgate_core::Digest;
use toolgate_core::claim::{Claim, ClaimEscalation, ClaimType, ResolutionOption};
use toolgate_core::decision::{ApprovalRequirement, PolicyRef};

/// The approval that an option requires for a claim. `None` if the type leaves it to policy.
pub(crate) fn of(claim: &Claim, kind: &ClaimType, option: &ResolutionOption) -> Option<ApprovalRequirement> {
    let raised: Vec<&ClaimEscalation> =
        kind.escalation.iter().filter(|one| one.severity <= claim.revision.severity).collect();
    if !option.requires_approval && raised.is_empty() {
        return None;
    }
    let own = option.requires_approval.then_some((&option.approval_roles, option.quorum));
    let all = own.into_iter().chain(raised.iter().map(|one| (&one.approval_roles, one.quorum)));
    let mut approvers: Vec<Vec<String>> = Vec::new();
    let mut quorum = 1;
    for (roles, count) in all {
        quorum = quorum.max(count);
        if !roles.is_empty() && !approvers.contains(roles) {
            approvers.push(roles.clone());
        }
    }
    Some(ApprovalRequirement {
        gates: vec![gate(claim, kind, option, &raised)],
        approvers,
        quorum,
        timeout_seconds: option.timeout_seconds,
        on_timeout: option.on_timeout,
        editable: false,
        unattended: false,
        excluded: Vec::new(),
    })
}

/// The gate has the claim's digest in it: no standing grant covers another claim, or the same one with other evidence.
fn gate(
    claim: &Claim,
    kind: &ClaimType,
    option: &ResolutionOption,
    raised: &[&ClaimEscalation],
) -> PolicyRef {
    let id = format!("claim-type:{}/{}", kind.name, option.name);
    let reason = format!("a claim of the type {} is resolved as {}", kind.name, option.name);
    let meaning = serde_json::to_vec(&(&kind.name, option, raised, claim.digest));
    let text = Digest::of(meaning.expect("texts and numbers are plain data"));
    PolicyRef { id, reason: Some(reason), text }
}

#[cfg(test)]
mod tests {
    use toolgate_core::claim::{ClaimRevision, ClaimSeverity, ClaimSource, ClaimSourceKind, ClaimState};
    use toolgate_core::decision::OnTimeout;
    use toolgate_core::id::ClaimId;
    use toolgate_core::{Digest, PrincipalId};

    use super::*;
    use crate::general::general;

    fn claim(severity: ClaimSeverity, content: &str) -> Claim {
        let by = PrincipalId::new("finder");
        let source = ClaimSource { kind: ClaimSourceKind::AiDetected, model: None, confidence: None };
        let revision = ClaimRevision {
            number: 1,
            statement: "a".to_owned(),
            severity,
            source,
            quantification: None,
            digest: Digest::of(content),
            by: by.clone(),
            at_ms: 0,
            call: None,
        };
        Claim {
            id: ClaimId::new("clm_1"),
            kind: "breach".to_owned(),
            state: ClaimState::Submitted,
            digest: Digest::of(content),
            revision,
            evidence: 0,
            decisions: 0,
            is_settled: false,
            superseded_by: None,
            created_by: by.clone(),
            created_at_ms: 0,
            state_by: by,
            state_since_ms: 0,
        }
    }

    fn breach() -> ClaimType {
        let mut kind = general();
        kind.options[0].requires_approval = true;
        kind.options[0].approval_roles = vec!["risk".to_owned()];
        kind.options[0].on_timeout = OnTimeout::Escalate;
        kind.escalation = vec![ClaimEscalation {
            severity: ClaimSeverity::High,
            approval_roles: vec!["board".to_owned()],
            quorum: 2,
        }];
        kind
    }

    #[test]
    fn a_type_may_leave_it_to_policy() {
        let kind = general();
        assert_eq!(of(&claim(ClaimSeverity::Critical, "a"), &kind, &kind.options[0]), None);
        let kind = breach();
        assert_eq!(of(&claim(ClaimSeverity::Low, "a"), &kind, &kind.options[1]), None);
    }

    #[test]
    fn a_heavier_claim_needs_more_people() {
        let kind = breach();
        let low = of(&claim(ClaimSeverity::Low, "a"), &kind, &kind.options[0]).expect("people are asked");
        assert_eq!((low.approvers, low.quorum), (vec![vec!["risk".to_owned()]], 1));
        let high = of(&claim(ClaimSeverity::High, "a"), &kind, &kind.options[0]).expect("people are asked");
        assert_eq!(high.approvers, [["risk".to_owned()], ["board".to_owned()]]);
        assert_eq!((high.quorum, high.on_timeout, high.editable), (2, OnTimeout::Escalate, false));
        let other = of(&claim(ClaimSeverity::Critical, "a"), &kind, &kind.options[1]).expect("the board is");
        assert_eq!(other.approvers, [["board".to_owned()]]);
    }

    #[test]
    fn a_grant_for_one_claim_covers_no_other() {
        let kind = breach();
        let gate = |content: &str| {
            of(&claim(ClaimSeverity::Low, content), &kind, &kind.options[0]).expect("asked").gates.remove(0)
        };
        assert_eq!(gate("a"), gate("a"));
        assert_ne!(gate("a").text, gate("b").text);
    }
}
