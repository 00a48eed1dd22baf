//! Digests as the tree, the gateway and callers have them.

use manifest_tree::BlobDigest;
use toolgate_core::substrate::{ManifestDigest, parse_digest};
use toolgate_core::{Digest, Refusal, codes};

pub(crate) fn of_tree(digest: BlobDigest) -> Digest {
    Digest::from_bytes(*digest.as_bytes())
}

pub(crate) fn for_tree(digest: Digest) -> BlobDigest {
    BlobDigest::new(*digest.as_bytes())
}

/// The digest in an argument.
pub(crate) fn read(text: &str, field: &str) -> Result<Digest, Refusal> {
    parse_digest(text).map_err(|_| {
        let shown: String = text.chars().take(80).collect();
        Refusal::new(&codes::INVALID_ARGUMENTS, format!("`{field}` is no digest: {shown:?}"))
            .hint("a digest is 64 lowercase hexadecimal digits, with or without `sha256:` in front")
            .field(field)
    })
}

pub(crate) fn read_manifest(text: &str, field: &str) -> Result<ManifestDigest, Refusal> {
    read(text, field).map(ManifestDigest::new)
}
