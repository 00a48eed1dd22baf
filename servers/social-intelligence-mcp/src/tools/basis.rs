//! The grounds of a statement.

use schemars::JsonSchema;
use serde::Serialize;

use crate::headline::HeadlineModel;

/// The kind of ground that a finding stands on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FindingBasis {
    /// A published standard or formula.
    Standard,
    /// A dated rule of the platform.
    PlatformRule,
    /// Common advice, not measured here.
    RuleOfThumb,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FindingSeverity {
    Warning,
    Note,
}

/// Something to know or to change.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(super) struct SocialFinding {
    pub(super) rule: &'static str,
    pub(super) severity: FindingSeverity,
    /// The fact, and what helps.
    pub(super) message: String,
    pub(super) basis: FindingBasis,
    pub(super) source: &'static str,
}

/// The experiments behind headline probabilities, in a sentence for each answer.
pub(super) fn headline_evidence() -> String {
    let measured = HeadlineModel::shipped().measured();
    format!(
        "Measured: on {} clearly different pairs of unseen experiments the winner was named in {:.0} % \
         (calibration error {:.3}). All are English headlines of one publisher (Upworthy, 2013-15) with the same \
         picture: other audiences, pictures and reach are not measured.",
        measured.pairs,
        measured.accuracy * 100.0,
        measured.calibration_error
    )
}

/// A warning where a text is in a language that the rules do not know.
pub(super) fn language_warning(text: &str) -> Option<String> {
    crate::given::foreign(text)
        .map(|language| format!("the text looks like {language}; the rules know English only"))
}
