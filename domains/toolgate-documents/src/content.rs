//! One digest, as the gateway writes it and as the engine does.

use engine_protocol::ContentId;
use toolgate_core::Digest;
use toolgate_core::substrate::parse_digest;

const PREFIX: &str = "sha256:";

/// The name of bytes in the engine's folder.
pub fn content_id(digest: Digest) -> ContentId {
    ContentId::try_from(hex(digest)).expect("a digest has 64 hexadecimal digits")
}

/// The digest of a content.
pub fn digest_of(content: &ContentId) -> Digest {
    parse_digest(content.as_str()).expect("64 hexadecimal digits are a digest")
}

/// A digest without what stands in front of it.
pub(crate) fn hex(digest: Digest) -> String {
    digest.to_string().replacen(PREFIX, "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_goes_to_the_engine_and_back() {
        let digest = Digest::of("a document");
        assert_eq!(digest_of(&content_id(digest)), digest);
        assert_eq!(format!("{PREFIX}{}", hex(digest)), digest.to_string());
    }
}
