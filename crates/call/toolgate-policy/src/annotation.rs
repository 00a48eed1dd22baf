//! The meaning of a gate's annotations: who must agree, how many, until when. Nothing is guessed: an unknown
//! name or value is refused, because a gate that asks the wrong people is worse than none.

use cedar_policy::Policy;
use toolgate_core::decision::OnTimeout;

use crate::problem::did_you_mean;

/// The requirement of one gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct GateTerms {
    /// Any of these groups; `None` if the gate leaves it to everyone who may approve.
    pub(crate) approvers: Option<Vec<String>>,
    pub(crate) quorum: u32,
    pub(crate) timeout_seconds: Option<u64>,
    pub(crate) on_timeout: Option<OnTimeout>,
    pub(crate) editable: bool,
    /// True if the call may run after an approval even if its caller has left.
    pub(crate) unattended: bool,
}

impl Default for GateTerms {
    fn default() -> Self {
        Self {
            approvers: None,
            quorum: 1,
            timeout_seconds: None,
            on_timeout: None,
            editable: false,
            unattended: false,
        }
    }
}

/// An annotation that was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RefusedAnnotation {
    pub(crate) name: String,
    pub(crate) what: String,
    pub(crate) hint: Option<String>,
}

/// The annotations that policies of either set may have.
pub(crate) const ID: &str = "id";
pub(crate) const REASON: &str = "reason";
const COMMON: [&str; 2] = [ID, REASON];
const GATE: [&str; 6] = ["approvers", "quorum", "timeout", "on_timeout", "editable", "unattended"];

/// A gate that waits longer than a year is a mistake.
const TIMEOUT_DAYS_MAX: u64 = 365;
const SECONDS_PER_DAY: u64 = 24 * 60 * 60;

/// Parses all annotations of a gate, and reports every error in them.
pub(crate) fn gate_terms(policy: &Policy) -> (GateTerms, Vec<RefusedAnnotation>) {
    let mut terms = GateTerms::default();
    let mut refused = Vec::new();
    for (name, value) in sorted(policy) {
        if let Err((what, hint)) = terms.take(name, value) {
            refused.push(RefusedAnnotation { name: name.to_owned(), what, hint });
        }
    }
    (terms, refused)
}

/// The errors in the annotations of a guard policy. Cedar lets a policy carry any; only those that would mean
/// something in a gate are refused, because here they would have no effect.
pub(crate) fn guard_problems(policy: &Policy) -> Vec<RefusedAnnotation> {
    let misplaced = |name: &str| {
        let what = format!("`@{name}` has no meaning in the guard, which permits or denies without asking");
        let hint = "move the policy to `gates.cedar`, or drop the annotation".to_owned();
        (what, Some(hint))
    };
    let mut refused = Vec::new();
    for (name, value) in sorted(policy) {
        let problem = match name {
            _ if GATE.contains(&name) => Some(misplaced(name)),
            _ => check_common(name, value).err(),
        };
        refused.extend(problem.map(|(what, hint)| RefusedAnnotation { name: name.to_owned(), what, hint }));
    }
    refused
}

fn sorted(policy: &Policy) -> Vec<(&str, &str)> {
    let mut annotations: Vec<(&str, &str)> = policy.annotations().collect();
    annotations.sort_unstable();
    annotations
}

/// An error, and what would help.
type AnnotationError = (String, Option<String>);

fn wrong(what: impl Into<String>, hint: impl Into<String>) -> AnnotationError {
    (what.into(), Some(hint.into()))
}

impl GateTerms {
    fn take(&mut self, name: &str, value: &str) -> Result<(), AnnotationError> {
        match name {
            "approvers" => self.approvers = Some(groups(value)?),
            "quorum" => self.quorum = quorum(value)?,
            "timeout" => self.timeout_seconds = Some(timeout(value)?),
            "on_timeout" => self.on_timeout = Some(on_timeout(value)?),
            "editable" => self.editable = editable(value)?,
            "unattended" => self.unattended = unattended(value)?,
            ID | REASON => check_common(name, value)?,
            unknown => return Err(unknown_name(unknown)),
        }
        Ok(())
    }
}

fn check_common(name: &str, value: &str) -> Result<(), AnnotationError> {
    if COMMON.contains(&name) && value.trim().is_empty() {
        return Err(wrong(format!("`@{name}` is empty"), format!("write `@{name}(\"…\")`, or leave it out")));
    }
    Ok(())
}

fn unknown_name(name: &str) -> AnnotationError {
    let known = || GATE.into_iter().chain(COMMON);
    let listed: Vec<String> = known().map(|one| format!("`@{one}`")).collect();
    let hint =
        did_you_mean(name, known()).unwrap_or_else(|| format!("a gate may have {}", listed.join(", ")));
    wrong(format!("a gate has no annotation `@{name}`"), hint)
}

fn groups(value: &str) -> Result<Vec<String>, AnnotationError> {
    let mut groups: Vec<String> = Vec::new();
    for group in value.split(',').map(str::trim) {
        if group.is_empty() {
            let what = format!("`@approvers({value:?})` names an empty group");
            return Err(wrong(
                what,
                "write group names with commas between them: `@approvers(\"finance, legal\")`",
            ));
        }
        if !groups.iter().any(|one| one == group) {
            groups.push(group.to_owned());
        }
    }
    Ok(groups)
}

fn quorum(value: &str) -> Result<u32, AnnotationError> {
    let people = value.parse().ok().filter(|people| *people > 0 && is_digits(value));
    people.ok_or_else(|| {
        wrong(
            format!("`@quorum({value:?})` is no number of people"),
            "write a whole number from 1: `@quorum(\"2\")`",
        )
    })
}

fn timeout(value: &str) -> Result<u64, AnnotationError> {
    let hint = format!("write a number and s, m, h or d, at most {TIMEOUT_DAYS_MAX}d: `@timeout(\"15m\")`");
    seconds(value)
        .filter(|seconds| (1..=TIMEOUT_DAYS_MAX * SECONDS_PER_DAY).contains(seconds))
        .ok_or_else(|| wrong(format!("`@timeout({value:?})` is no time to wait"), hint))
}

fn seconds(value: &str) -> Option<u64> {
    let (number, unit) = value.split_at(value.len().checked_sub(1).filter(|at| value.is_char_boundary(*at))?);
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => SECONDS_PER_DAY,
        _ => return None,
    };
    let number: u64 = number.parse().ok().filter(|_| is_digits(number))?;
    number.checked_mul(unit)
}

/// Rust reads `+2` as a number; a policy should not.
fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn on_timeout(value: &str) -> Result<OnTimeout, AnnotationError> {
    match value {
        "deny" => Ok(OnTimeout::Deny),
        "escalate" => Ok(OnTimeout::Escalate),
        "approve" => Err(wrong(
            "`@on_timeout(\"approve\")` would run a call without anyone's approval",
            "write \"deny\" or \"escalate\"; a call that should run without being asked about needs no gate",
        )),
        _ => Err(wrong(format!("`@on_timeout({value:?})` is not known"), "write \"deny\" or \"escalate\"")),
    }
}

fn editable(value: &str) -> Result<bool, AnnotationError> {
    match value {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(wrong(format!("`@editable({value:?})` is not known"), "write \"true\" or \"false\"")),
    }
}

fn unattended(value: &str) -> Result<bool, AnnotationError> {
    match value {
        "run" => Ok(true),
        "wait" => Ok(false),
        _ => Err(wrong(format!("`@unattended({value:?})` is not known"), "write \"run\" or \"wait\"")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(annotations: &str) -> (GateTerms, Vec<RefusedAnnotation>) {
        gate_terms(
            &Policy::parse(None, format!("{annotations} forbid(principal, action, resource);")).unwrap(),
        )
    }

    #[test]
    fn every_annotation_is_read() {
        let (terms, refused) = gate(
            r#"@id("g") @reason("money") @approvers(" finance ,legal,finance") @quorum("2") @timeout("15m")
            @on_timeout("escalate") @editable("true") @unattended("run")"#,
        );
        assert_eq!(refused, []);
        let expected = GateTerms {
            approvers: Some(vec!["finance".into(), "legal".into()]),
            quorum: 2,
            timeout_seconds: Some(900),
            on_timeout: Some(OnTimeout::Escalate),
            editable: true,
            unattended: true,
        };
        assert_eq!(terms, expected);
        assert_eq!(gate("").0, GateTerms::default());
    }

    #[test]
    fn times_have_four_units() {
        for (text, expected) in [("30s", 30), ("2m", 120), ("3h", 10_800), ("365d", 31_536_000)] {
            assert_eq!(timeout(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn every_malformed_value_is_refused() {
        for annotation in [
            r#"@approvers("")"#,
            r#"@approvers("finance,")"#,
            r#"@approvers("finance,,legal")"#,
            r#"@approvers"#,
            r#"@quorum("0")"#,
            r#"@quorum("-1")"#,
            r#"@quorum("+2")"#,
            r#"@quorum("two")"#,
            r#"@quorum("4294967296")"#,
            r#"@quorum"#,
            r#"@timeout("15")"#,
            r#"@timeout("m")"#,
            r#"@timeout("0s")"#,
            r#"@timeout("+5m")"#,
            r#"@timeout("1.5h")"#,
            r#"@timeout("15 m")"#,
            r#"@timeout("366d")"#,
            r#"@timeout("99999999999999999999d")"#,
            r#"@timeout("1ü")"#,
            r#"@timeout"#,
            r#"@on_timeout("approve")"#,
            r#"@on_timeout("Deny")"#,
            r#"@on_timeout"#,
            r#"@editable("yes")"#,
            r#"@editable"#,
            r#"@unattended("true")"#,
            r#"@id("")"#,
            r#"@reason(" ")"#,
            r#"@owner("me")"#,
        ] {
            let (_, refused) = gate(annotation);
            assert_eq!(refused.len(), 1, "{annotation}");
            assert!(refused[0].hint.is_some(), "{annotation}");
        }
    }

    #[test]
    fn a_misspelt_name_gets_the_right_one() {
        let (_, refused) = gate(r#"@aprovers("finance")"#);
        assert_eq!(refused[0].what, "a gate has no annotation `@aprovers`");
        assert_eq!(refused[0].hint.as_deref(), Some("did you mean `approvers`?"));
    }

    #[test]
    fn all_that_is_wrong_with_one_gate_is_told() {
        assert_eq!(gate(r#"@quorum("0") @timeout("x") @other("1")"#).1.len(), 3);
    }

    #[test]
    fn what_belongs_to_a_gate_is_refused_in_the_guard() {
        let parsed = |text: &str| Policy::parse(None, text).unwrap();
        let guard = parsed(r#"@id("a") @advice("any") @approvers("x") forbid(principal, action, resource);"#);
        let refused = guard_problems(&guard);
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].name, "approvers");
        assert_eq!(guard_problems(&parsed(r#"@id("") permit(principal, action, resource);"#)).len(), 1);
    }
}
