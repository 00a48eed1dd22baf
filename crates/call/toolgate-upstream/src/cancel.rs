//! Tells a server that the answer to a request is no longer waited for.

use std::sync::Arc;

use crate::envelope;
use crate::message::MessageInserts;

/// Tells the server when it is dropped while armed: hanging up means nothing in the older era. The server knows nothing of an
/// incomplete request.
pub(crate) struct SessionCancel<F: Fn(String)> {
    pub(crate) id: u64,
    pub(crate) inserts: Option<Arc<MessageInserts>>,
    pub(crate) armed: bool,
    pub(crate) reason: &'static str,
    /// Sends the message, without waiting for it to arrive.
    pub(crate) send: F,
}

impl<F: Fn(String)> Drop for SessionCancel<F> {
    fn drop(&mut self) {
        if !self.armed || self.inserts.as_ref().is_some_and(|inserts| inserts.abandon()) {
            return;
        }
        (self.send)(envelope::cancelled(self.id, self.reason));
    }
}
