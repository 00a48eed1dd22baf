//! Signed messages as Standard Webhooks has them: an HMAC over id, time and body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The prefix that secrets have where they are shown.
const PREFIX: &str = "whsec_";

/// Shorter keys can be guessed, longer ones are none of this standard.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a signing secret is `whsec_` and Base64 of 24 to 64 bytes")]
pub struct BadSigningSecret;

/// The signature of a body: `v1,` and Base64.
pub fn sign(secret: &str, id: &str, timestamp: i64, body: &[u8]) -> Result<String, BadSigningSecret> {
    let key = BASE64_STANDARD.decode(secret.strip_prefix(PREFIX).unwrap_or(secret));
    let key = key.ok().filter(|key| KEY_BYTES.contains(&key.len())).ok_or(BadSigningSecret)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| BadSigningSecret)?;
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
        let bare = SECRET.trim_start_matches("whsec_");
        assert_eq!(sign(bare, ID, 1_614_265_330, BODY).as_deref(), Ok(expected));
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
    fn a_secret_that_is_none_is_refused() {
        for bad in ["", "whsec_", "whsec_%%%", "whsec_c2hvcnQ="] {
            assert_eq!(sign(bad, ID, 1, BODY), Err(BadSigningSecret), "{bad}");
        }
        let long = BASE64_STANDARD.encode([7; 65]);
        assert_eq!(sign(&long, ID, 1, BODY), Err(BadSigningSecret));
    }
}
