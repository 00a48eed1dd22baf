//! The calls that wait behind handles while this process lives, and the ends of some that did.

use std::collections::HashMap;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolgate_core::id::ApprovalId;
use toolgate_core::{RawJson, RpcError};

#[derive(Default)]
pub(crate) struct Jobs(Mutex<HashMap<ApprovalId, CallJob>>);

#[derive(Clone)]
pub(crate) struct CallJob {
    pub(crate) end: watch::Receiver<Option<JobEnd>>,
    pub(crate) cancel: CancellationToken,
}

/// The result of a call, or the error it ended with.
pub(crate) type JobEnd = Result<RawJson, RpcError>;

impl Jobs {
    pub(crate) fn lock(&self) -> MutexGuard<'_, HashMap<ApprovalId, CallJob>> {
        self.0.lock()
    }

    pub(crate) fn find(&self, id: &ApprovalId) -> Option<CallJob> {
        self.lock().get(id).cloned()
    }
}
