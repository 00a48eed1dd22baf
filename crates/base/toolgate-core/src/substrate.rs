//! The names of artifacts and manifests: the SHA-256 of what they are.

use std::fmt;
use std::str::FromStr;

use crate::Digest;
use crate::digest::BadDigest;

/// The digest of an artifact's bytes.
pub type ArtifactDigest = Digest;

/// The digest of a manifest: over root, parents, message, principal, run and metadata. Written `sha256:<hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ManifestDigest(Digest);

impl ManifestDigest {
    pub const fn new(digest: Digest) -> Self {
        Self(digest)
    }

    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Digest::from_bytes(bytes))
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    pub const fn digest(self) -> Digest {
        self.0
    }
}

impl fmt::Display for ManifestDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for ManifestDigest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        parse_digest(text).map(Self)
    }
}

/// Reads a digest with or without `sha256:` in front.
pub fn parse_digest(text: &str) -> Result<Digest, BadDigest> {
    if text.contains(':') { text.parse() } else { format!("sha256:{text}").parse() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_with_and_without_its_prefix() {
        let digest = Digest::of("abc");
        let written = digest.to_string();
        for text in [&written, &written[7..]] {
            assert_eq!(parse_digest(text), Ok(digest));
            assert_eq!(text.parse(), Ok(ManifestDigest::new(digest)));
        }
        for bad in ["", "sha256:", "md5:abc", &written[8..], &written.to_uppercase()] {
            assert_eq!(parse_digest(bad), Err(BadDigest), "{bad}");
        }
        assert_eq!(ManifestDigest::new(digest).to_string(), written);
    }
}
