//! The secret of every form of a login: it proves that our own page sent the form.

use http::StatusCode;
use sha2::{Digest, Sha256};
use toolgate_core::codes;

use crate::problem::{ApiProblem, PageResult};

/// Follows from the secret of the login, and does not tell it.
pub(crate) fn csrf_of(secret: &str) -> String {
    use base64::Engine;
    let digest = Sha256::new().chain_update(b"toolgate console form\0").chain_update(secret.as_bytes());
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(digest.finalize())
}

/// The hidden field that proves the origin of a form.
pub(crate) const CSRF: &str = "csrf";

pub(crate) fn check_csrf(given: Option<&str>, expected: Option<&str>) -> PageResult<()> {
    let good = matches!((given, expected), (Some(given), Some(expected)) if same(given, expected));
    if good {
        return Ok(());
    }
    Err(ApiProblem::new(
        StatusCode::FORBIDDEN,
        &codes::FORM_FOREIGN,
        "this form does not come from your login",
    ))
}

/// In a time that does not tell how much of it fits.
fn same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (one, other)| differ | (one ^ other));
    one.len() == other.len() && differ == 0
}
