//! The approvals that calls wait for in this process: the last waiting call withdraws its question when it
//! leaves.

use std::collections::HashMap;

use parking_lot::{Mutex, MutexGuard};
use toolgate_core::id::ApprovalId;

#[derive(Default)]
pub(crate) struct HeldCalls(Mutex<HashMap<ApprovalId, usize>>);

/// One call that waits.
pub(crate) struct HeldCall<'a> {
    held: &'a HeldCalls,
    approval: ApprovalId,
}

impl HeldCalls {
    pub(crate) fn begin(&self, approval: &ApprovalId) -> HeldCall<'_> {
        *self.lock().entry(approval.clone()).or_default() += 1;
        HeldCall { held: self, approval: approval.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ApprovalId, usize>> {
        self.0.lock()
    }
}

impl HeldCall<'_> {
    /// True if no other call waits for the same answer.
    pub(crate) fn is_alone(&self) -> bool {
        self.held.lock().get(&self.approval).is_none_or(|calls| *calls <= 1)
    }
}

impl Drop for HeldCall<'_> {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(calls) = held.get_mut(&self.approval) {
            *calls -= 1;
            if *calls == 0 {
                held.remove(&self.approval);
            }
        }
    }
}
