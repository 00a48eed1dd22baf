//! The explanation of a decision, for people: every policy that matched, in each set, and every error.

use toolgate_core::Digest;
use toolgate_core::decision::{ApprovalRequirement, Denial, PolicyRequest, PolicyTemplate, Verdict};

use crate::compiled::CompiledPolicies;
use crate::rule::CompiledRule;
use crate::source::PolicyPurpose;

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct PolicyExplanation {
    pub verdict: VerdictKind,
    /// In a sentence.
    pub summary: String,
    pub policy_version: Digest,
    pub template: PolicyTemplate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<ApprovalRequirement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denial: Option<Denial>,
    /// Policies of the guard that matched.
    pub guard: Vec<MatchedPolicy>,
    /// Gates that matched.
    pub gates: Vec<MatchedPolicy>,
    /// Policies in shadow mode that matched.
    pub shadow_policies: Vec<MatchedPolicy>,
    /// Policies that could not be evaluated.
    pub failed: Vec<FailedPolicy>,
    /// The decision with the policies in shadow mode, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadow: Option<ShadowVerdict>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VerdictKind {
    Permit,
    Approve,
    Deny,
}

impl VerdictKind {
    pub const ALL: [VerdictKind; 3] = [VerdictKind::Permit, VerdictKind::Approve, VerdictKind::Deny];

    pub fn of(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::Permit => VerdictKind::Permit,
            Verdict::Approve(_) => VerdictKind::Approve,
            Verdict::Deny(_) => VerdictKind::Deny,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            VerdictKind::Permit => "permit",
            VerdictKind::Approve => "approve",
            VerdictKind::Deny => "deny",
        }
    }
}

/// A policy that matched.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct MatchedPolicy {
    pub id: String,
    pub file: String,
    pub line: usize,
    pub set: PolicyPurpose,
    /// `permit` or `forbid`.
    pub effect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub text: String,
}

/// A policy that could not be evaluated, and why.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct FailedPolicy {
    #[serde(flatten)]
    pub policy: MatchedPolicy,
    pub error: String,
}

#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct ShadowVerdict {
    pub verdict: VerdictKind,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirement: Option<ApprovalRequirement>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denial: Option<Denial>,
}

impl PolicyExplanation {
    pub(crate) fn of(compiled: &CompiledPolicies, question: &PolicyRequest<'_>) -> Self {
        let (findings, refusal) = match compiled.examine(question) {
            Ok(findings) => (findings, None),
            Err(error) => (Default::default(), Some(compiled.refusal(error))),
        };
        let decision = refusal.unwrap_or_else(|| compiled.decision(&findings));
        let of = |wanted: fn(PolicyPurpose) -> bool| {
            findings
                .matched
                .iter()
                .filter(|rule| wanted(rule.set))
                .map(|rule| MatchedPolicy::of(rule))
                .collect()
        };
        let failed = findings.failed.iter();
        let (requirement, denial) = parts(&decision.verdict);
        Self {
            verdict: VerdictKind::of(&decision.verdict),
            summary: summary(&decision.verdict),
            policy_version: decision.policy_version,
            template: compiled.template,
            requirement,
            denial,
            guard: of(|set| set == PolicyPurpose::Guard),
            gates: of(|set| set == PolicyPurpose::Gates),
            shadow_policies: of(PolicyPurpose::is_shadow),
            failed: failed
                .map(|failure| FailedPolicy {
                    policy: MatchedPolicy::of(failure.rule),
                    error: failure.error.clone(),
                })
                .collect(),
            shadow: decision.shadow.as_ref().map(ShadowVerdict::of),
        }
    }
}

impl ShadowVerdict {
    fn of(verdict: &Verdict) -> Self {
        let (requirement, denial) = parts(verdict);
        Self { verdict: VerdictKind::of(verdict), summary: summary(verdict), requirement, denial }
    }
}

impl MatchedPolicy {
    fn of(rule: &CompiledRule) -> Self {
        Self {
            id: rule.reference.id.clone(),
            file: rule.file.clone(),
            line: rule.line,
            set: rule.set,
            effect: if rule.is_permit() { "permit" } else { "forbid" },
            reason: rule.reference.reason.clone(),
            text: rule.text.clone(),
        }
    }
}

fn parts(verdict: &Verdict) -> (Option<ApprovalRequirement>, Option<Denial>) {
    match verdict {
        Verdict::Permit => (None, None),
        Verdict::Approve(requirement) => (Some(requirement.clone()), None),
        Verdict::Deny(denial) => (None, Some(denial.clone())),
    }
}

/// A verdict in a sentence.
pub(crate) fn summary(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Permit => "permitted: the guard permits it and no gate matches".to_owned(),
        Verdict::Approve(requirement) => {
            let gates: Vec<&str> = requirement.gates.iter().map(|gate| gate.id.as_str()).collect();
            format!("needs approval by {}: {}", people(requirement), gates.join(", "))
        }
        Verdict::Deny(Denial { error: Some(error), .. }) => format!("denied: {error}"),
        Verdict::Deny(Denial { policies, .. }) if policies.is_empty() => {
            "denied: no policy of the guard permits it".to_owned()
        }
        Verdict::Deny(Denial { policies, .. }) => {
            let ids: Vec<&str> = policies.iter().map(|policy| policy.id.as_str()).collect();
            format!("denied by {}", ids.join(", "))
        }
    }
}

/// The required people, in words: `2 people of finance or legal, and one of risk`.
pub(crate) fn people(requirement: &ApprovalRequirement) -> String {
    let entries: Vec<String> = requirement.approvers.iter().map(|groups| groups.join(" or ")).collect();
    let quorum = requirement.quorum;
    match (entries.is_empty(), quorum) {
        (true, 1) => "an approver".to_owned(),
        (true, _) => format!("{quorum} approvers"),
        (false, 1) => entries.join(" and "),
        (false, _) => format!("{} ({quorum} people)", entries.join(" and ")),
    }
}
