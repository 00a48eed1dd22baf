//! The early end of a request. Its client gave it up, which withdraws its approval; or the client is
//! gone, which does not: a broken connection is no decision.

use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub(crate) struct Leash {
    /// Ends the request, for whichever reason.
    pub(crate) cancel: CancellationToken,
    given_up: CancellationToken,
    /// The door that its answer leaves by has lost the client.
    left: CancellationToken,
}

impl Leash {
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self { cancel, given_up: CancellationToken::new(), left: CancellationToken::new() }
    }

    /// With word from its door of when the client has left.
    pub(crate) fn of_door(mut self, left: CancellationToken) -> Self {
        self.left = left;
        self
    }

    pub(crate) fn has_left(&self) -> bool {
        self.left.is_cancelled()
    }

    /// The client said that it does not want the request any more.
    pub(crate) fn give_up(&self) {
        self.given_up.cancel();
        self.cancel.cancel();
    }

    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.is_cancelled()
    }
}
