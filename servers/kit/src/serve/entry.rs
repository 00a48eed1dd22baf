//! Authentication over HTTP. On loopback addresses there is none, unless a token was given: Host and Origin
//! are checked, so that no page in a browser gets there. Elsewhere callers send a token.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};

use crate::home::ServerHome;
use crate::settings::CallerEntry;

/// Health check: answers whether the server is running.
const HEALTH: &str = "/healthz";
const FILE: &str = "http-token";
const TOKEN_BYTES: usize = 32;
const REFUSED: &str = "this server requires a token\nhint: send `Authorization: Bearer TOKEN`; the operator \
    of the server has the token\n";

/// The requirement for callers.
pub(super) struct EntryGuard {
    token: Option<String>,
    told: TokenNotice,
}

/// The way people learn of a created token.
enum TokenNotice {
    Nothing,
    OnTerminal,
    InFile(PathBuf),
}

impl EntryGuard {
    pub(super) fn open(entry: &CallerEntry, home: &ServerHome) -> io::Result<Self> {
        match entry {
            CallerEntry::Anyone => Ok(Self { token: None, told: TokenNotice::Nothing }),
            CallerEntry::Token(token) => {
                Ok(Self { token: Some(given(token.read()?)?), told: TokenNotice::Nothing })
            }
            CallerEntry::NewToken => {
                let token = new_token()?;
                let told = match io::stderr().is_terminal() {
                    true => TokenNotice::OnTerminal,
                    // Output without a terminal is stored somewhere: logs are no place for a token.
                    false => TokenNotice::InFile(home.keep(FILE, &token)?),
                };
                Ok(Self { token: Some(token), told })
            }
        }
    }

    pub(super) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Scripts and people read it; it is printed at every log level.
    pub(super) fn announce(&self) {
        match (&self.told, &self.token) {
            (TokenNotice::OnTerminal, Some(token)) => eprintln!("callers must send the token {token}"),
            (TokenNotice::InFile(path), _) => eprintln!("callers must send the token in {}", path.display()),
            (TokenNotice::Nothing | TokenNotice::OnTerminal, _) => {}
        }
    }

    fn lets_in(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| value.split_once(' '));
        shown.is_some_and(|(scheme, shown)| {
            scheme.eq_ignore_ascii_case("bearer") && is_same(shown.trim().as_bytes(), token.as_bytes())
        })
    }
}

pub(super) async fn check(State(door): State<Arc<EntryGuard>>, request: Request, next: Next) -> Response {
    if request.uri().path() == HEALTH || door.lets_in(request.headers()) {
        return next.run(request).await;
    }
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], REFUSED).into_response()
}

/// In constant time.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |differing, (one, other)| differing | (one ^ other));
    std::hint::black_box(differing) == 0 && one.len() == other.len()
}

fn given(token: String) -> io::Result<String> {
    match token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => {
            Err(io::Error::other("the token is empty, or contains characters that a header cannot carry"))
        }
        false => Ok(token),
    }
}

fn new_token() -> io::Result<String> {
    let mut bytes = [0_u8; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_same() {
        for (one, other, same) in [
            ("abc", "abc", true),
            ("abc", "abd", false),
            ("ab", "abc", false),
            ("abcd", "abc", false),
            ("", "a", false),
        ] {
            assert_eq!(is_same(one.as_bytes(), other.as_bytes()), same, "{one} {other}");
        }
    }

    #[test]
    fn a_token_is_never_made_twice() {
        let (one, two) = (new_token().unwrap(), new_token().unwrap());
        assert!(one != two && one.len() == 2 * TOKEN_BYTES);
    }
}
