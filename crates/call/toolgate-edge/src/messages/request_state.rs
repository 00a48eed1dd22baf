//! The kinds of `requestState`: a handle of ours, or the state of a server. Both are still sealed.

/// `requestState` values of ours begin with this; those of servers travel behind the other mark.
pub(crate) const OURS: &str = "g.";
pub(crate) const SERVERS: &str = "u.";

/// A client's `requestState` by kind, still sealed.
pub(crate) enum RequestState {
    /// A server's own, to be passed on to it.
    Server(String),
    /// A call of ours that waits.
    Ours(String),
}

pub(crate) fn read_state(state: &str) -> Option<RequestState> {
    if let Some(own) = state.strip_prefix(SERVERS) {
        return Some(RequestState::Server(own.to_owned()));
    }
    state.strip_prefix(OURS).map(|sealed| RequestState::Ours(sealed.to_owned()))
}
