//! Evaluation: a version of a profile is measured by questions whose answers are known, and promoted only if nothing falls.

mod asking;
mod measures;
mod promotion;

pub(crate) use asking::{EvaluationTarget, MeasuredQuestion, MeasuredVersion};
pub(crate) use measures::SearchMeasures;
pub(crate) use promotion::{PromotedVersion, check_may_promote};
