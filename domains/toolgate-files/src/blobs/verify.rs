//! Verification of bytes against their digest.

use sha2::{Digest as _, Sha256};
use toolgate_core::Digest;
use toolgate_core::port::SourceError;

/// Bytes on their way from the storage, counted and hashed.
pub(super) struct BlobVerifier {
    expected: Digest,
    hash: Sha256,
    left: u64,
}

impl BlobVerifier {
    pub(super) fn new(expected: Digest, bytes: u64) -> Self {
        Self { expected, hash: Sha256::new(), left: bytes }
    }

    /// Takes the next ones. Those with which the whole is complete are good only if all were.
    pub(super) fn take(&mut self, chunk: &[u8]) -> Result<(), SourceError> {
        let bytes = u64::try_from(chunk.len()).expect("a length fits into 64 bits");
        self.left = self.left.checked_sub(bytes).ok_or_else(damaged)?;
        self.hash.update(chunk);
        if self.left == 0 { self.finish() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), SourceError> {
        let found = Digest::from_bytes(self.hash.finalize_reset().into());
        if found == self.expected { Ok(()) } else { Err(damaged()) }
    }
}

pub(super) fn damaged() -> SourceError {
    SourceError(
        "the file was changed or damaged in the storage: its bytes do not match their digest".to_owned(),
    )
}

pub(super) fn gone() -> SourceError {
    SourceError("the storage does not have the bytes of this file any more".to_owned())
}
