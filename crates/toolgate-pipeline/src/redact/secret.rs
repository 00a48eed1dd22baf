//! What is a secret by the name of its key or by its look, whatever the operator's rules say.

use toolgate_core::Role;

/// Characters of a Toolgate token behind its role: 32 bytes in base64 without padding.
const TOKEN_CHARS: usize = 43;
const TOKEN_PREFIX: &str = "tg_";
const BEARER: &str = "bearer ";
/// So many characters behind `Bearer` in the middle of a text are a credential and not a word.
const BEARER_CHARS_MIN: usize = 20;

/// What the key of a secret ends with.
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

/// What occurs, in any case, in every text that has a secret key or a secret value in it, unless it is written with
/// escapes. The kinds of keys are found by their last word and the quote behind it, plain or inside a string.
pub(super) const TRACES: [&str; 12] = [
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
    BEARER,
    TOKEN_PREFIX,
];

/// Whether what stands under this key is a secret: `password`, `db_password`, `apiKey`, `X-Api-Key`.
pub(crate) fn is_secret_key(key: &str) -> bool {
    SECRET_ENDINGS.iter().any(|ending| ends_with(key, ending))
}

fn ends_with(key: &str, ending: &str) -> bool {
    let start = key.len().checked_sub(ending.len());
    start.is_some_and(|start| key.as_bytes()[start..].eq_ignore_ascii_case(ending.as_bytes()))
}

/// Whether a text holds a credential that gives itself away: a token of ours, or one after `Bearer`.
pub(crate) fn is_secret_text(text: &str) -> bool {
    holds_token(text) || holds_bearer(text)
}

fn holds_token(text: &str) -> bool {
    text.match_indices(TOKEN_PREFIX).any(|(at, _)| {
        let rest = &text[at + TOKEN_PREFIX.len()..];
        let secret = Role::ALL.iter().find_map(|role| rest.strip_prefix(role.as_str())?.strip_prefix('_'));
        secret.is_some_and(|secret| run_of(secret, is_token_byte) >= TOKEN_CHARS)
    })
}

fn holds_bearer(text: &str) -> bool {
    let starts = text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'b' | b'B'));
    starts.map(|(at, _)| at).any(|at| {
        let word = text.as_bytes().get(at..at + BEARER.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(BEARER.as_bytes())) && is_bearer_at(text, at)
    })
}

fn is_bearer_at(text: &str, at: usize) -> bool {
    let rest = &text[at + BEARER.len()..];
    let chars = run_of(rest, is_credential_byte);
    chars >= BEARER_CHARS_MIN || (at == 0 && chars > 0 && chars == rest.len())
}

fn run_of(text: &str, belongs: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| belongs(*byte)).count()
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

fn is_credential_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}
