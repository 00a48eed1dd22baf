//! SHA-256 of a blob: the name of a node, an artifact or a manifest.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobDigest([u8; 32]);

/// The error for text that is not 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a digest has 64 lowercase hexadecimal digits")]
pub struct DigestSpellingError;

impl BlobDigest {
    pub const BYTES: usize = 32;

    pub const fn new(bytes: [u8; 32]) -> BlobDigest {
        BlobDigest(bytes)
    }

    /// Computes the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> BlobDigest {
        BlobDigest(Sha256::digest(bytes).into())
    }

    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for BlobDigest {
    type Err = DigestSpellingError;

    fn from_str(text: &str) -> Result<BlobDigest, DigestSpellingError> {
        let text = text.as_bytes();
        if text.len() != 2 * BlobDigest::BYTES {
            return Err(DigestSpellingError);
        }
        let mut bytes = [0; BlobDigest::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(BlobDigest(bytes))
    }
}

fn digit(character: u8) -> Result<u8, DigestSpellingError> {
    match character {
        b'0'..=b'9' => Ok(character - b'0'),
        b'a'..=b'f' => Ok(character - b'a' + 10),
        _ => Err(DigestSpellingError),
    }
}
