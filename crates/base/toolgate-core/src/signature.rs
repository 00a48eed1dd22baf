//! Signed messages between programs, as Standard Webhooks has them: `v1,<base64 of HMAC-SHA256 over "id.timestamp.body">`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub const ID_HEADER: &str = "webhook-id";
pub const TIMESTAMP_HEADER: &str = "webhook-timestamp";
pub const SIGNATURE_HEADER: &str = "webhook-signature";

/// The prefix of a secret in base64.
const BASE64_MARK: &str = "whsec_";
const VERSION_MARK: &str = "v1,";
/// Signatures that are tried on one message: a sender that changes its secret sends two.
const SIGNATURES_MAX: usize = 8;

/// A secret that both sides have.
#[derive(Clone)]
pub struct SigningKey(Vec<u8>);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadSigningKey {
    #[error("a secret may not be empty")]
    Empty,
    #[error("what follows `whsec_` in a secret is base64")]
    NotBase64,
}

impl SigningKey {
    /// Takes a secret as it is written down: `whsec_` and base64, or any other text as its own bytes.
    pub fn parse(secret: &str) -> Result<Self, BadSigningKey> {
        let bytes = match secret.strip_prefix(BASE64_MARK) {
            Some(encoded) => BASE64_STANDARD.decode(encoded).map_err(|_| BadSigningKey::NotBase64)?,
            None => secret.as_bytes().to_vec(),
        };
        if bytes.is_empty() { Err(BadSigningKey::Empty) } else { Ok(Self(bytes)) }
    }

    /// The value for `webhook-signature`.
    pub fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let mac = self.mac(id, timestamp, body).finalize().into_bytes();
        format!("{VERSION_MARK}{}", BASE64_STANDARD.encode(mac))
    }

    /// True if one of the space-separated signatures is ours.
    pub fn verifies(&self, id: &str, timestamp: &str, body: &[u8], signatures: &str) -> bool {
        let expected = self.mac(id, timestamp, body);
        let known = signatures.split(' ').filter_map(|one| one.strip_prefix(VERSION_MARK));
        let decoded = known.take(SIGNATURES_MAX).filter_map(|one| BASE64_STANDARD.decode(one).ok());
        // Compared in constant time, which tells a forger nothing of how far they got.
        decoded.into_iter().any(|signature| expected.clone().verify_slice(&signature).is_ok())
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example that the specification's own libraries test with.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const TIMESTAMP: &str = "1614265330";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn key(secret: &str) -> SigningKey {
        SigningKey::parse(secret).expect("a secret")
    }

    #[test]
    fn the_known_example_is_signed_and_verified() {
        assert_eq!(key(SECRET).sign(ID, TIMESTAMP, BODY), SIGNATURE);
        assert!(key(SECRET).verifies(ID, TIMESTAMP, BODY, SIGNATURE));
        assert!(key(SECRET).verifies(ID, TIMESTAMP, BODY, &format!("v1a,AAAA v1,AAAA {SIGNATURE}")));
    }

    #[test]
    fn anything_that_was_changed_does_not_verify() {
        let key = key(SECRET);
        assert!(!key.verifies("msg_other", TIMESTAMP, BODY, SIGNATURE));
        assert!(!key.verifies(ID, "1614265331", BODY, SIGNATURE));
        assert!(!key.verifies(ID, TIMESTAMP, b"{}", SIGNATURE));
        assert!(!key.verifies(ID, TIMESTAMP, BODY, ""));
        assert!(!key.verifies(ID, TIMESTAMP, BODY, "v1,"));
        assert!(!key.verifies(ID, TIMESTAMP, BODY, &SIGNATURE[3..]));
        assert!(!super::tests::key("another").verifies(ID, TIMESTAMP, BODY, SIGNATURE));
    }

    #[test]
    fn a_secret_is_plain_text_or_marked_base64() {
        assert_eq!(key("whsec_cGxhaW4=").sign(ID, TIMESTAMP, BODY), key("plain").sign(ID, TIMESTAMP, BODY));
        assert_eq!(SigningKey::parse("").err(), Some(BadSigningKey::Empty));
        assert_eq!(SigningKey::parse("whsec_").err(), Some(BadSigningKey::Empty));
        assert_eq!(SigningKey::parse("whsec_%").err(), Some(BadSigningKey::NotBase64));
    }
}
