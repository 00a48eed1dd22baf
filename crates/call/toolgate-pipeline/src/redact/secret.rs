//! Secrets by the name of their key, independent of the operator's rules.

/// The endings of secret keys.
const SECRET_ENDINGS: [&str; 18] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "api-key",
    "apikey",
    "access_key",
    "access-key",
    "accesskey",
    "private_key",
    "private-key",
    "privatekey",
    "authorization",
    "credential",
    "credentials",
    "cookie",
];

/// Every text with a secret key has one of these words, in any case, unless it is written with
/// escapes. Keys are found by their last word and the quote after it, plain or inside a string.
pub(super) const TRACES: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "key\"",
    "key\\",
    "authorization",
    "credential",
    "cookie",
];

/// True if the value under this key is a secret: `password`, `db_password`, `apiKey`, `X-Api-Key`.
pub(crate) fn is_secret_key(key: &str) -> bool {
    SECRET_ENDINGS.iter().any(|ending| ends_with(key, ending))
}

fn ends_with(key: &str, ending: &str) -> bool {
    let start = key.len().checked_sub(ending.len());
    start.is_some_and(|start| key.as_bytes()[start..].eq_ignore_ascii_case(ending.as_bytes()))
}
