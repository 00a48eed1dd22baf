//! The fit of a profile to a job. The score is the sum of the shown points, and every point has its evidence.

mod evidence;
mod job;
mod relevance;
mod report;
mod spell;
mod tally;
mod weigh;

pub(crate) use evidence::{ProfileFacts, ValueRange};
pub(crate) use job::JobDescription;
pub(crate) use relevance::Relevance;
pub(crate) use report::{
    Component, Evidence, FitReport, Importance, MetRequirement, UnmetRequirement, YearsOfWork,
};
pub(crate) use weigh::score;
