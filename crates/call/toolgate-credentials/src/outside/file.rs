//! A secret in a file, such as those that orchestrators mount.

use std::path::Path;

use tokio::io::AsyncReadExt;
use zeroize::Zeroizing;

use super::unanswered::{SecretSourceError, VALUE_BYTES_MAX};
use crate::secret::Secret;

pub(super) async fn read(path: &Path) -> Result<Secret, SecretSourceError> {
    let file = tokio::fs::File::open(path).await.map_err(SecretSourceError::File)?;
    read_all(file).await.map_err(SecretSourceError::File)?
}

/// Up to a little more than the maximum size of a secret, so that an overlong one is detected.
pub(super) async fn read_all(
    source: impl tokio::io::AsyncRead + Unpin,
) -> std::io::Result<Result<Secret, SecretSourceError>> {
    const LINE_END: usize = 2;
    let limit = VALUE_BYTES_MAX + LINE_END + 1;
    // With full capacity from the start: a growing buffer leaves copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(limit));
    source.take(limit as u64).read_to_end(&mut bytes).await?;
    if bytes.len() == limit {
        return Ok(Err(SecretSourceError::TooLong));
    }
    Ok(std::str::from_utf8(&bytes).map(Secret::new).map_err(|_| SecretSourceError::NotText))
}
