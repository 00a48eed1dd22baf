//! Signed messages as Standard Webhooks has them: an HMAC over id, time and body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The prefix of a secret in Base64.
const BASE64_MARK: &str = "whsec_";

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadSigningSecret {
    #[error("a signing secret may not be empty")]
    Empty,
    #[error("what follows `whsec_` in a signing secret is Base64")]
    NotBase64,
}

/// The signature of a body: `v1,` and Base64. The secret is `whsec_` and Base64, or any other text as its own bytes, as
/// everywhere in the gateway.
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &[u8]) -> Result<String, BadSigningSecret> {
    let key = match secret.strip_prefix(BASE64_MARK) {
        Some(encoded) => BASE64_STANDARD.decode(encoded).map_err(|_| BadSigningSecret::NotBase64)?,
        None => secret.as_bytes().to_vec(),
    };
    if key.is_empty() {
        return Err(BadSigningSecret::Empty);
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("HMAC takes a key of any length");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    Ok(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
}

/// The three headers of a signed message. The same id again is the same message, which receivers take once.
pub fn signature_headers(
    secret: &str,
    id: &str,
    timestamp: i64,
    body: &[u8],
) -> Result<[(&'static str, String); 3], BadSigningSecret> {
    let signature = sign(secret, id, timestamp, body)?;
    Ok([
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", timestamp.to_string()),
        ("webhook-signature", signature),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;

    #[test]
    fn the_signature_is_the_one_of_the_standard() {
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign(SECRET, ID, 1_614_265_330, BODY).as_deref(), Ok(expected));
        let headers = signature_headers(SECRET, ID, 1_614_265_330, BODY).expect("a good secret");
        assert_eq!(
            headers.map(|(_, value)| value),
            [ID.to_owned(), "1614265330".to_owned(), expected.to_owned()]
        );
    }

    #[test]
    fn another_id_time_or_body_is_another_signature() {
        let first = sign(SECRET, ID, 1, BODY);
        for other in [sign(SECRET, "msg_2", 1, BODY), sign(SECRET, ID, 2, BODY), sign(SECRET, ID, 1, b"{}")] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_secret_is_base64_after_its_mark_and_its_own_bytes_without() {
        let marked = sign("whsec_c2VjcmV0", ID, 1, BODY);
        assert_eq!(marked, sign("secret", ID, 1, BODY));
        for (bad, why) in [
            ("", BadSigningSecret::Empty),
            ("whsec_", BadSigningSecret::Empty),
            ("whsec_%%%", BadSigningSecret::NotBase64),
        ] {
            assert_eq!(sign(bad, ID, 1, BODY), Err(why), "{bad}");
        }
    }
}
