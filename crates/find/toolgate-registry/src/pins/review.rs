//! The decision of a reviewer.

use toolgate_core::registry::{ToolRow, ToolStatus};
use toolgate_core::{Digest, PrincipalId};

use super::reason;
use super::rows::{is_unreviewed, subject};
use crate::source::ReviewVerdict;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum ReviewError {
    /// Nothing about it waits for a review.
    NothingToReview,
    /// The current offer is not the one that the reviewer saw.
    Changed { now: Digest },
}

/// The row after a verdict. `expected` is the version that the reviewer saw.
pub(crate) fn reviewed(
    row: &ToolRow,
    verdict: ReviewVerdict,
    expected: Option<Digest>,
    by: &PrincipalId,
    now_ms: i64,
) -> Result<ToolRow, ReviewError> {
    let under_review = subject(row).clone();
    if let Some(seen) = expected
        && seen != under_review.version
    {
        return Err(ReviewError::Changed { now: under_review.version });
    }
    if !waits(row) {
        return Err(ReviewError::NothingToReview);
    }
    let mut next = row.clone();
    next.reviewed_by = Some(by.clone());
    next.reviewed_at_ms = Some(now_ms);
    match verdict {
        ReviewVerdict::Accept => {
            next.pinned = under_review;
            next.candidate = None;
            next.status = ToolStatus::Active;
            next.reason = None;
            next.rejected = None;
            next.changes = 0;
        }
        ReviewVerdict::Reject => {
            next.rejected = Some(under_review.version);
            if next.status == ToolStatus::Quarantined && !is_unreviewed(row) {
                next.reason = Some(reason::REJECTED.into());
            }
        }
    }
    Ok(next)
}

fn waits(row: &ToolRow) -> bool {
    match row.status {
        ToolStatus::Quarantined => true,
        ToolStatus::Drifted => row.candidate.is_some(),
        ToolStatus::Active | ToolStatus::Retired => false,
    }
}
