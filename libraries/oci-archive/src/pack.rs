//! A pack: a tar within the tar, for the blobs behind the first few thousand. Its digest is known when it ends, so its header is written
//! last, at the place that was left for it.

use manifest_tree::BlobDigest;
use sha2::{Digest as _, Sha256};

/// A pack that is longer takes no further blob.
pub(crate) const PACK_BYTES: u64 = 256 << 20;

/// A member whose digest is not known yet.
pub(crate) struct OpenMember {
    /// The place of its header.
    pub(crate) header_at: u64,
    pub(crate) bytes: u64,
    hash: Sha256,
}

impl OpenMember {
    pub(crate) fn at(header_at: u64) -> Self {
        Self { header_at, bytes: 0, hash: Sha256::new() }
    }

    pub(crate) fn take(&mut self, piece: &[u8]) {
        self.hash.update(piece);
        self.bytes += piece.len() as u64;
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes >= PACK_BYTES
    }

    pub(crate) fn digest(self) -> BlobDigest {
        BlobDigest::new(self.hash.finalize().into())
    }
}
