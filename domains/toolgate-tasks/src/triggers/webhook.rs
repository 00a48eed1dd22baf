//! A signed request from outside, as Standard Webhooks has it.

use toolgate_core::signature::SigningKey;
use toolgate_core::{Refusal, codes};

use crate::view::WebhookRequest;

/// A request's timestamp may differ from the gateway's clock by this much.
const TOLERANCE_MS: i64 = 5 * 60 * 1_000;
const BODY_BYTES_MAX: usize = 256 << 10;
const ID_CHARS_MAX: usize = 200;

/// Refuses a request that is too large, is not signed with the secret, or was signed at another time.
pub(crate) fn check(request: &WebhookRequest, secret: &str, now_ms: i64) -> Result<(), Refusal> {
    let WebhookRequest { id, timestamp, signature, body } = request;
    let is_named = (1..=ID_CHARS_MAX).contains(&id.chars().count());
    let key = SigningKey::parse(secret).map_err(|_| wrong())?;
    if !is_named || !key.verifies(id, timestamp, body, signature) {
        return Err(wrong());
    }
    let at_ms = timestamp.parse().ok().and_then(|seconds: i64| seconds.checked_mul(1_000));
    let age_ms = at_ms.map(|at_ms| now_ms.saturating_sub(at_ms).saturating_abs());
    match age_ms.is_some_and(|age_ms| age_ms <= TOLERANCE_MS) {
        true => Ok(()),
        false => Err(Refusal::new(
            &codes::SIGNATURE_STALE,
            "the message was signed more than five minutes ago, or ahead of time",
        )),
    }
}

/// Before anything is looked up: a large body costs nothing but its transfer.
pub(crate) fn check_size(request: &WebhookRequest) -> Result<(), Refusal> {
    match request.body.len() <= BODY_BYTES_MAX {
        true => Ok(()),
        false => {
            let message = format!("the body is larger than the limit of {BODY_BYTES_MAX} bytes");
            Err(Refusal::new(&codes::BODY_TOO_LARGE, message)
                .hint("send less: upload the contents as a file, and send its id"))
        }
    }
}

/// Unknown automations and wrong secrets look the same, so that names cannot be guessed.
pub(crate) fn wrong() -> Refusal {
    let message = "the signature is not that of a webhook with this name";
    Refusal::new(&codes::SIGNATURE_WRONG, message)
}
