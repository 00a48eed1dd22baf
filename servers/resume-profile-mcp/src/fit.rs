//! How well a profile fits a job. The score is the sum of the points that are shown, and every point has its evidence.

mod evidence;
mod job;
mod relevance;
mod spell;
mod weigh;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use evidence::{Facts, Place};
pub(crate) use job::Job;
pub(crate) use relevance::Relevance;
pub(crate) use weigh::score;

/// Whether a job insists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Importance {
    Must,
    Nice,
}

/// What of the profile speaks for a requirement.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Evidence {
    /// The words of the profile.
    pub(crate) quote: String,
    /// JSON pointer into the resume.
    pub(crate) path: String,
    /// Where the words begin in the parsed text, in characters, if the profile was made of a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<usize>,
}

/// A requirement that the profile meets.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Matched {
    pub(crate) requirement: String,
    pub(crate) importance: Importance,
    pub(crate) evidence: Vec<Evidence>,
    /// How it was matched, in words.
    pub(crate) how: String,
}

/// A requirement for which the profile has nothing.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Missing {
    pub(crate) requirement: String,
    pub(crate) importance: Importance,
    /// What comes nearest in the profile, if something does. It counts for nothing, but a lower degree gives a part of the points
    /// of education.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nearest: Option<String>,
}

/// One part of the score.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Component {
    /// skills, experience, role, education or languages.
    pub(crate) name: &'static str,
    /// How many points it can give. The weights of all parts that the job asks for make 100.
    pub(crate) weight: f64,
    /// `weight` times the share that is met.
    pub(crate) points: f64,
    pub(crate) why: String,
}

/// Years of work.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Years {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) asked: Option<f64>,
    /// Months with a job, whatever overlaps counted once; nothing if no dates are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) found: Option<f64>,
}

/// The whole judgement.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub(crate) struct Fit {
    /// 0 to 100: the sum of the points of the components.
    pub(crate) score: f64,
    pub(crate) components: Vec<Component>,
    pub(crate) matched: Vec<Matched>,
    pub(crate) missing: Vec<Missing>,
    pub(crate) years: Years,
    pub(crate) warnings: Vec<String>,
}
