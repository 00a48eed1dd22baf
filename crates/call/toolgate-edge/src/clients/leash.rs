//! The early end of a request. Its client gave it up, which withdraws its approval; or the client is
//! gone, which does not: a broken connection is no decision.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub(crate) struct Leash {
    /// Ends the request, for whichever reason.
    pub(crate) cancel: CancellationToken,
    /// Nobody waits for it, so it is no token, which every call would have to make.
    given_up: Arc<AtomicBool>,
    /// The door that its answer leaves by has lost the client. Not every door tells.
    left: Option<CancellationToken>,
}

impl Leash {
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self { cancel, given_up: Arc::default(), left: None }
    }

    /// With word from its door of when the client has left.
    pub(crate) fn of_door(mut self, left: CancellationToken) -> Self {
        self.left = Some(left);
        self
    }

    pub(crate) fn has_left(&self) -> bool {
        self.left.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// The client said that it does not want the request any more.
    pub(crate) fn give_up(&self) {
        // Whoever sees the end also sees why.
        self.given_up.store(true, Ordering::Release);
        self.cancel.cancel();
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Acquire)
    }
}
