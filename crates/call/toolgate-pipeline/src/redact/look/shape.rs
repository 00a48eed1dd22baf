//! The shapes of credentials after their beginning.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolgate_core::Role;

/// Characters of a Toolgate token behind its role: 32 bytes in base64 without padding.
const TOKEN_CHARS: usize = 43;
/// The minimum number of characters after `Bearer` in the middle of a text that make a credential and not a
/// word.
const BEARER_CHARS_MIN: usize = 20;
/// Shorter ones are words.
const BASIC_CHARS_MIN: usize = 8;
/// The minimum length of each of the three parts of a JSON Web Token.
const WEB_TOKEN_PART_MIN: usize = 10;
/// The head names the algorithm and the key.
const WEB_TOKEN_HEAD_MAX: usize = 1024;
/// A credential has all kinds of characters within this many of its first.
const MIXED_WITHIN: usize = 128;
/// The number of bytes after `://` in which a password is searched for.
pub(super) const ADDRESS_BYTES_MAX: usize = 256;
/// A line of a private key; only the last may be shorter.
const KEY_LINE_BYTES_MIN: usize = 16;
const KEY_LABEL_BYTES_MAX: usize = 64;
const DASHES: &str = "-----";
const KEY_END: &str = "-----END ";
/// The headers of an encrypted key.
const KEY_HEADERS: [&str; 2] = ["Proc-Type: ", "DEK-Info: "];

type ByteClass = fn(u8) -> bool;

#[derive(Clone, Copy, Debug)]
pub(super) enum CredentialShape {
    /// The beginning and at least this many of these characters.
    Run {
        of: ByteClass,
        bytes_min: usize,
    },
    /// The same, with a digit, a lower-case and an upper-case letter among them: the beginning alone is not
    /// enough.
    Mixed {
        of: ByteClass,
        bytes_min: usize,
    },
    /// The beginning and exactly this many of these characters.
    Exactly {
        of: ByteClass,
        bytes: usize,
    },
    /// The text after the beginning, without it.
    Behind {
        of: ByteClass,
        bytes_min: usize,
    },
    Toolgate,
    Bearer,
    Basic,
    WebToken,
    PrivateKey,
    /// The password of `scheme://name:password@host`.
    Address,
}

impl PartialEq for CredentialShape {
    /// Compares the kind only; functions cannot be compared.
    fn eq(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl CredentialShape {
    /// The range of the credential whose beginning, in any case of letters, is at `at`.
    pub(super) fn at(self, text: &str, at: usize, start: &str) -> Option<Range<usize>> {
        let behind = at + start.len();
        let rest = &text[behind..];
        match self {
            CredentialShape::Bearer => bearer(text, at, behind),
            CredentialShape::Basic if is_within_word(text.as_bytes(), at) => None,
            CredentialShape::Basic => basic(rest).map(|length| behind..behind + length),
            CredentialShape::Address => password(rest).map(|range| behind + range.start..behind + range.end),
            // All others are written in one way only.
            _ if !text[at..].starts_with(start) || is_within_word(text.as_bytes(), at) => None,
            CredentialShape::Run { of, bytes_min } => {
                long_run(rest, of, bytes_min).map(|length| at..behind + length)
            }
            CredentialShape::Mixed { of, bytes_min } => {
                let is_it = is_mixed(rest, of);
                is_it.then(|| long_run(rest, of, bytes_min).map(|length| at..behind + length)).flatten()
            }
            CredentialShape::Exactly { of, bytes } => {
                let is_it = run_of(rest, is_alphanumeric) == bytes && run_of(rest, of) == bytes;
                is_it.then_some(at..behind + bytes)
            }
            CredentialShape::Behind { of, bytes_min } => {
                long_run(rest, of, bytes_min).map(|length| behind..behind + length)
            }
            CredentialShape::Toolgate => token(rest).map(|length| at..behind + length),
            CredentialShape::WebToken => web_token(&text[at..]).map(|length| at..at + length),
            CredentialShape::PrivateKey => {
                private_key(rest).map(|range| behind + range.start..behind + range.end)
            }
        }
    }

    /// The same in JSON, where escapes make it a possibility only.
    pub(super) fn may_be_at(self, json: &[u8], at: usize, start: &str) -> bool {
        let rest = &json[(at + start.len()).min(json.len())..];
        let longer = |of: ByteClass, bytes_min: usize| {
            rest.iter().take_while(|byte| of(**byte) || **byte == b'\\').take(bytes_min).count() == bytes_min
        };
        // An apparent letter may be the end of an escape.
        let is_within = is_within_word(json, at) && json[..at].iter().nth_back(1) != Some(&b'\\');
        match self {
            CredentialShape::Bearer => true,
            _ if is_within => false,
            CredentialShape::Run { of, bytes_min }
            | CredentialShape::Mixed { of, bytes_min }
            | CredentialShape::Exactly { of, bytes: bytes_min }
            | CredentialShape::Behind { of, bytes_min } => longer(of, bytes_min),
            CredentialShape::Basic => longer(is_base64, BASIC_CHARS_MIN),
            CredentialShape::WebToken => longer(is_word, WEB_TOKEN_PART_MIN - "eyJ".len()),
            CredentialShape::Toolgate | CredentialShape::PrivateKey | CredentialShape::Address => true,
        }
    }
}

fn bearer(text: &str, at: usize, behind: usize) -> Option<Range<usize>> {
    let rest = &text[behind..];
    let length = run_of(rest, is_credential);
    let is_it = length >= BEARER_CHARS_MIN || (at == 0 && length > 0 && length == rest.len());
    is_it.then_some(behind..behind + length)
}

/// A name and a password, as HTTP writes them.
fn basic(rest: &str) -> Option<usize> {
    let length = long_run(rest, is_base64, BASIC_CHARS_MIN)?;
    let decoded = STANDARD.decode(&rest[..length]).ok()?;
    let is_it = decoded.contains(&b':') && decoded.iter().all(|byte| matches!(byte, b' '..=b'~'));
    is_it.then_some(length)
}

fn token(rest: &str) -> Option<usize> {
    let secret = Role::ALL.iter().find_map(|role| rest.strip_prefix(role.as_str())?.strip_prefix('_'))?;
    let length = long_run(secret, is_word, TOKEN_CHARS)?;
    Some(rest.len() - secret.len() + length)
}

/// Three parts with dots between them; the first two are JSON objects.
fn web_token(text: &str) -> Option<usize> {
    let head = text.bytes().take(WEB_TOKEN_HEAD_MAX).take_while(|byte| is_word(*byte)).count();
    let body = text[head..]
        .strip_prefix('.')
        .filter(|body| head >= WEB_TOKEN_PART_MIN && body.starts_with("eyJ"))?;
    let claims = long_run(body, is_word, WEB_TOKEN_PART_MIN)?;
    let signature = body[claims..].strip_prefix('.')?;
    Some(head + 1 + claims + 1 + run_of(signature, is_word))
}

/// The content between the first and the last line of a private key. Prose after a first line does not count:
/// key lines have no spaces and are long.
fn private_key(rest: &str) -> Option<Range<usize>> {
    let near = &rest.as_bytes()[..rest.len().min(KEY_LABEL_BYTES_MAX)];
    let label = near.windows(DASHES.len()).position(|window| window == DASHES.as_bytes())?;
    if !rest[..label].contains("PRIVATE KEY") {
        return None;
    }
    let start = label + DASHES.len();
    let mut end = start;
    let mut at = start;
    loop {
        at += gap(&rest[at..]);
        let line = &rest[at..];
        if let Some(value) = KEY_HEADERS.iter().find_map(|header| line.strip_prefix(header)) {
            at += line.len() - value.len() + run_of(value, is_header);
            continue;
        }
        let length = run_of(line, is_base64_standard);
        let after = &line[length..];
        let is_last = after[gap(after)..].starts_with(KEY_END);
        if length == 0 || (length < KEY_LINE_BYTES_MIN && !is_last) {
            break;
        }
        at += length;
        end = at;
    }
    (end > start).then_some(start..end)
}

/// White space, and lines' ends that are written as escapes.
fn gap(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += match rest.as_bytes() {
            [byte, ..] if byte.is_ascii_whitespace() => 1,
            [b'\\', b'n' | b'r', ..] => 2,
            _ => return at,
        };
    }
}

fn password(rest: &str) -> Option<Range<usize>> {
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace() || matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`')
    };
    let authority = rest.bytes().take(ADDRESS_BYTES_MAX).take_while(|byte| !ends(byte)).count();
    let authority = &rest.as_bytes()[..authority];
    let host = authority.iter().rposition(|byte| *byte == b'@')?;
    let name = authority[..host].iter().position(|byte| *byte == b':')?;
    (name + 1 < host).then_some(name + 1..host)
}

/// The length of a run that has at least this many characters. Short runs are abandoned early: a text may be
/// full of beginnings.
fn long_run(text: &str, belongs: ByteClass, least: usize) -> Option<usize> {
    let begins = text.bytes().take(least).take_while(|byte| belongs(*byte)).count() == least;
    begins.then(|| run_of(text, belongs))
}

fn run_of(text: &str, belongs: ByteClass) -> usize {
    text.bytes().take_while(|byte| belongs(*byte)).count()
}

fn is_mixed(text: &str, belongs: ByteClass) -> bool {
    let run = || text.bytes().take(MIXED_WITHIN).take_while(|byte| belongs(*byte));
    let holds = |kind: fn(&u8) -> bool| run().any(|byte| kind(&byte));
    [u8::is_ascii_digit as fn(&u8) -> bool, u8::is_ascii_lowercase, u8::is_ascii_uppercase]
        .into_iter()
        .all(holds)
}

/// True if a letter or a digit directly precedes this position.
fn is_within_word(text: &[u8], at: usize) -> bool {
    text[at].is_ascii_alphanumeric() && text[..at].last().is_some_and(u8::is_ascii_alphanumeric)
}

pub(super) fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(super) fn is_capital(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(super) fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

pub(super) fn is_dotted(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

pub(super) fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'/'
}

pub(super) fn is_base64(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'+' | b'/' | b'=')
}

fn is_base64_standard(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn is_header(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b',')
}

fn is_credential(byte: u8) -> bool {
    is_base64(byte) || matches!(byte, b'.' | b'~')
}
