//! The fit of a profile to a job. The score is the sum of the shown points, and every point has its evidence.

mod evidence;
mod job;
mod relevance;
mod report;
mod spell;
mod weigh;

pub(crate) use evidence::{Facts, Place};
pub(crate) use job::Job;
pub(crate) use relevance::Relevance;
pub(crate) use report::{Component, Evidence, Fit, Importance, Matched, Missing, Years};
pub(crate) use weigh::score;
