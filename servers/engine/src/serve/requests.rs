//! The requests that are open, by number.

use std::collections::BTreeMap;

use engine_protocol::EngineFault;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::fault::{bad_request, too_large};

/// Requests at the same time, those that wait for a thread included.
const REQUESTS_MAX: usize = 512;

#[derive(Default)]
pub(super) struct OpenRequests(Mutex<BTreeMap<u64, CancellationToken>>);

impl OpenRequests {
    /// The cancellation of a new request.
    pub(super) fn begin(&self, id: u64) -> Result<CancellationToken, EngineFault> {
        let mut open = self.0.lock();
        if open.contains_key(&id) {
            let message = format!("the request {id} is still being worked on");
            return Err(bad_request(message, "give each request a number of its own"));
        }
        if open.len() >= REQUESTS_MAX {
            let message = format!("{REQUESTS_MAX} requests are open");
            return Err(too_large(message, "wait for some of them to be answered"));
        }
        let cancelled = CancellationToken::new();
        open.insert(id, cancelled.clone());
        Ok(cancelled)
    }

    pub(super) fn end(&self, id: u64) {
        self.0.lock().remove(&id);
    }

    /// One that has been answered is not there.
    pub(super) fn cancel(&self, id: u64) {
        if let Some(cancelled) = self.0.lock().get(&id) {
            cancelled.cancel();
        }
    }

    pub(super) fn cancel_all(&self) {
        self.0.lock().values().for_each(CancellationToken::cancel);
    }
}
