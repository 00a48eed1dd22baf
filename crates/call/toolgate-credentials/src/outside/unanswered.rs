//! The reasons why an outside source gives no secret, and the largest secret that it may give.

use super::command;

pub(super) const VALUE_BYTES_MAX: usize = 64 << 10;

/// The reason why a source gave no secret. Contains nothing of its output.
#[derive(Debug, thiserror::Error)]
pub enum SecretSourceError {
    #[error("the file cannot be read: {0}")]
    File(#[source] std::io::Error),
    #[error("the command cannot be started: {0}")]
    Start(#[source] std::io::Error),
    #[error("the command did not end within {} s", command::TIME_MAX.as_secs())]
    TookTooLong,
    #[error("the command ended with {0}")]
    Ended(std::process::ExitStatus),
    #[error("what it gives is empty")]
    Empty,
    #[error("what it gives is longer than {VALUE_BYTES_MAX} bytes")]
    TooLong,
    #[error("what it gives is not one line of text")]
    NotText,
    #[error("`[openbao]` is not configured")]
    NotConfigured,
    #[error("{0}")]
    OpenBao(String),
}
