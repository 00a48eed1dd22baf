//! The fit of a resume to a job, as it is reported.

use schemars::JsonSchema;
use serde::Serialize;

/// The importance of a requirement.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Importance {
    Must,
    Nice,
}

/// The profile's evidence for a requirement.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Evidence {
    /// The words of the profile.
    pub(crate) quote: String,
    /// JSON pointer into the resume.
    pub(crate) path: String,
    /// The start of the quote in the parsed text, in characters, with `spans` and if the profile comes
    /// from a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<usize>,
}

/// A requirement that the profile meets.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct MetRequirement {
    pub(crate) requirement: String,
    pub(crate) importance: Importance,
    pub(crate) evidence: Vec<Evidence>,
    /// The reason of the match, in words.
    pub(crate) how: String,
}

/// A requirement that the profile does not meet.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct UnmetRequirement {
    pub(crate) requirement: String,
    pub(crate) importance: Importance,
    /// The nearest item in the profile, if any. It does not count, but a lower degree gives a part of the
    /// points of education.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nearest: Option<String>,
}

/// One part of the score.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Component {
    /// skills, experience, role, education or languages.
    pub(crate) name: &'static str,
    /// The maximum number of points. The weights of all parts that the job requires sum to 100.
    pub(crate) weight: f64,
    /// `weight` times the fulfilled share.
    pub(crate) points: f64,
    pub(crate) why: String,
}

/// Years of work.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct YearsOfWork {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<f64>,
    /// Months with a job, with overlaps counted once; null if no dates are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<f64>,
}

/// The whole result.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct FitReport {
    /// 0 to 100: the sum of the points of the components.
    pub(crate) score: f64,
    pub(crate) components: Vec<Component>,
    pub(crate) matched: Vec<MetRequirement>,
    pub(crate) missing: Vec<UnmetRequirement>,
    pub(crate) years: YearsOfWork,
    pub(crate) warnings: Vec<String>,
}
