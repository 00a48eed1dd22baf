//! The result of the policies that matched: a verdict, and the merged requirement of all gates.

use toolgate_core::decision::{ApprovalRequirement, Denial, OnTimeout, PolicyRef, Verdict};

use crate::rule::CompiledRule;

/// The results of the evaluation, rule by rule.
#[derive(Clone, Debug, Default)]
pub(crate) struct PolicyFindings<'a> {
    pub(crate) matched: Vec<&'a CompiledRule>,
    pub(crate) failed: Vec<PolicyFailure<'a>>,
}

/// A policy that could not be evaluated.
#[derive(Clone, Debug)]
pub(crate) struct PolicyFailure<'a> {
    pub(crate) rule: &'a CompiledRule,
    pub(crate) error: String,
}

/// The number of failures that a denial lists; the rest are counted.
const FAILURES_TOLD_MAX: usize = 3;

impl PolicyFindings<'_> {
    /// The verdict of the rules that `count`. An error denies; then the guard decides; then the gates ask.
    pub(crate) fn verdict(&self, counts: impl Fn(&CompiledRule) -> bool) -> Verdict {
        let failed: Vec<&PolicyFailure<'_>> =
            self.failed.iter().filter(|failure| counts(failure.rule)).collect();
        let matched: Vec<&CompiledRule> = self.matched.iter().copied().filter(|rule| counts(rule)).collect();
        let (gates, guard): (Vec<&CompiledRule>, Vec<&CompiledRule>) =
            matched.into_iter().partition(|rule| rule.set.is_gates());
        let (permits, forbids): (Vec<&CompiledRule>, Vec<&CompiledRule>) =
            guard.into_iter().partition(|rule| rule.is_permit());
        if !failed.is_empty() || !forbids.is_empty() || permits.is_empty() {
            let error = (!failed.is_empty()).then(|| told(&failed));
            return Verdict::Deny(Denial { policies: references(&forbids), error });
        }
        if gates.is_empty() { Verdict::Permit } else { Verdict::Approve(merge(&gates)) }
    }
}

fn references(rules: &[&CompiledRule]) -> Vec<PolicyRef> {
    let mut references: Vec<PolicyRef> = rules.iter().map(|rule| rule.reference.clone()).collect();
    references.sort();
    references
}

fn told(failed: &[&PolicyFailure<'_>]) -> String {
    let each = failed.iter().take(FAILURES_TOLD_MAX).map(|failure| {
        format!("the policy `{}` could not be evaluated: {}", failure.rule.reference.id, failure.error)
    });
    let mut told: Vec<String> = each.collect();
    if failed.len() > FAILURES_TOLD_MAX {
        told.push(format!("and {} more", failed.len() - FAILURES_TOLD_MAX));
    }
    told.join("; ")
}

/// The merged requirement of all gates. A gate leaves open whatever it does not mention, except for editing:
/// every gate must allow it.
fn merge(gates: &[&CompiledRule]) -> ApprovalRequirement {
    let mut ordered: Vec<&CompiledRule> = gates.to_vec();
    ordered.sort_by(|a, b| a.reference.cmp(&b.reference));
    let terms = || ordered.iter().map(|rule| &rule.terms);
    ApprovalRequirement {
        gates: references(&ordered),
        approvers: terms().filter_map(|terms| terms.approvers.clone()).collect(),
        quorum: terms().map(|terms| terms.quorum).max().unwrap_or(1),
        timeout_seconds: terms().filter_map(|terms| terms.timeout_seconds).min(),
        // `Deny` comes first in the order of the two.
        on_timeout: terms().filter_map(|terms| terms.on_timeout).min().unwrap_or(OnTimeout::Deny),
        editable: terms().all(|terms| terms.editable),
        unattended: terms().all(|terms| terms.unattended),
        excluded: Vec::new(),
    }
}
