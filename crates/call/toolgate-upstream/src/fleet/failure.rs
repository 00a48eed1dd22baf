//! A failed request, and the failures that count against an instance.

use toolgate_core::FaultKind;
use toolgate_core::port::ServerError;

/// A request that failed, and the member it had reached, if any.
pub(super) struct FailedRequest {
    pub(super) error: ServerError,
    pub(super) at: Option<u64>,
}

pub(super) fn is_failure(kind: &FaultKind) -> bool {
    match kind {
        FaultKind::Down { .. }
        | FaultKind::Lost { .. }
        | FaultKind::TimedOut { .. }
        | FaultKind::Garbled { .. } => true,
        FaultKind::Refused { status, .. } => *status >= 500,
        FaultKind::TooLarge { .. }
        | FaultKind::Busy { .. }
        | FaultKind::RateLimited { .. }
        | FaultKind::Resting { .. }
        | FaultKind::Unauthorized { .. }
        | FaultKind::Unread { .. } => false,
    }
}

impl FailedRequest {
    pub(super) fn unsent(error: ServerError) -> Self {
        Self { error, at: None }
    }
}
