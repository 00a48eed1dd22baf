//! The difference between a gateway that serves and one that lives as long as a command.

/// The permission to record servers in the store. Only the gateway that holds the data folder's lock writes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerRecording {
    Yes,
    No,
}
