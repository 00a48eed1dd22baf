//! The checks of every request: Host and Origin against DNS rebinding, and the bearer token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
use toolgate_core::governance::StoreDown;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;
use toolgate_core::{Refusal, codes};

/// The interval at which a secret that holds something open is checked again.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Verifies secrets that callers present.
pub trait Credentials: Send + Sync {
    /// The verdict where it is known without looking it up.
    fn check_known(&self, secret: &str) -> Option<Result<Credential, CredentialError>>;
    /// Fails where it cannot be found out now.
    fn check(&self, secret: String) -> BoxFuture<'_, Result<Result<Credential, CredentialError>, StoreDown>>;
}

/// The reason why a secret opens nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CredentialError {
    /// It is not one of ours, or was revoked.
    Unknown,
    /// An OAuth access token that does not hold.
    Token(String),
    /// An OAuth access token that is good and gives no role here.
    Scope(String),
}

/// The gateway's metadata as an OAuth resource server (RFC 9728).
#[derive(Clone, Debug)]
pub struct ProtectedResource {
    pub document: Bytes,
    pub metadata_url: String,
    /// The scopes for a client that calls tools, separated by blanks.
    pub scopes: String,
}

impl ProtectedResource {
    pub const PATH: &str = "/.well-known/oauth-protected-resource";
}

/// The Host and Origin headers that are served.
#[derive(Clone, Debug)]
pub struct AllowedHosts {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl AllowedHosts {
    /// Loopback names are always served; `hosts` (with or without port) and `origins` come from the operator. An
    /// address to listen on that is not loopback is served under that very address too.
    pub fn new(listen: SocketAddr, hosts: &[String], origins: &[String]) -> Self {
        let mut hosts: Vec<String> = hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
        if !listen.ip().is_unspecified() {
            hosts.push(host_of(&listen.to_string()).to_owned());
        }
        Self { hosts, origins: origins.iter().map(|origin| origin.to_ascii_lowercase()).collect() }
    }

    pub(crate) fn check(&self, headers: &HeaderMap, authority: Option<&str>) -> Result<(), NotAdmitted> {
        let host = authority.or_else(|| headers.get(header::HOST)?.to_str().ok()).unwrap_or_default();
        if !self.serves_host(host) {
            return Err(NotAdmitted::host(host));
        }
        match headers.get(header::ORIGIN) {
            None => Ok(()),
            Some(origin) if self.serves_origin(origin) => Ok(()),
            Some(origin) => Err(NotAdmitted::origin(&String::from_utf8_lossy(origin.as_bytes()))),
        }
    }

    fn serves_host(&self, host: &str) -> bool {
        let name = host_of(host);
        is_loopback_name(name)
            || self.hosts.iter().any(|one| one.eq_ignore_ascii_case(host) || one.eq_ignore_ascii_case(name))
    }

    fn serves_origin(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        if self.origins.iter().any(|one| one == "*" || one.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|authority| self.serves_host(authority))
    }
}

/// True if the Host header names this very machine, as that of a request through a proxy does not.
pub(crate) fn names_loopback(headers: &HeaderMap) -> bool {
    headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .is_some_and(|host| is_loopback_name(host_of(host)))
}

fn host_of(authority: &str) -> &str {
    if let Some(end) = authority.strip_prefix('[').and_then(|rest| rest.find(']')) {
        return &authority[..end + 2];
    }
    authority.split(':').next().unwrap_or_default()
}

fn is_loopback_name(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name == "[::1]"
        || name.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// The refusal of a request before it is read.
#[derive(Debug)]
pub(crate) struct NotAdmitted {
    pub(crate) refusal: Refusal,
    /// The error's name in RFC 6750, for clients that bring OAuth tokens.
    pub(crate) error: Option<&'static str>,
}

impl NotAdmitted {
    fn host(host: &str) -> Self {
        Refusal::new(&codes::HOST_NOT_SERVED, format!("host {host:?} is not served here")).into()
    }

    fn origin(origin: &str) -> Self {
        Refusal::new(&codes::ORIGIN_NOT_ALLOWED, format!("origin {origin:?} is not allowed")).into()
    }

    fn unchecked() -> Self {
        Refusal::new(&codes::STORE_DOWN, "the token cannot be checked now")
            .hint("try again in a moment; the operator sees the cause in the log")
            .into()
    }

    fn token(message: &str) -> Self {
        Refusal::new(&codes::UNAUTHORIZED, message).into()
    }

    fn not_let_in(why: CredentialError) -> Self {
        match why {
            CredentialError::Unknown => Self {
                error: Some("invalid_token"),
                ..Self::token("the token is not known, has expired or was revoked")
            },
            CredentialError::Token(why) => Self {
                refusal: Refusal::new(&codes::UNAUTHORIZED, why)
                    .hint("get a new access token from the authorization server"),
                error: Some("invalid_token"),
            },
            CredentialError::Scope(why) => Self {
                refusal: Refusal::new(&codes::INSUFFICIENT_SCOPE, why),
                error: Some("insufficient_scope"),
            },
        }
    }
}

impl From<Refusal> for NotAdmitted {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, error: None }
    }
}

/// The credential in the `Authorization` header.
pub(crate) async fn authenticate(
    credentials: &Arc<dyn Credentials>,
    headers: &HeaderMap,
) -> Result<Credential, NotAdmitted> {
    let Some(shown) = headers.get(header::AUTHORIZATION) else {
        return Err(NotAdmitted::token("a token is required"));
    };
    let Some(secret) = secret_of(shown) else {
        return Err(NotAdmitted::token("the Authorization header is not a bearer token"));
    };
    let verdict = look(credentials, secret).await.map_err(|_| NotAdmitted::unchecked())?;
    verdict.map_err(NotAdmitted::not_let_in)
}

/// The bearer token that an `Authorization` header shows.
pub(crate) fn secret_of(shown: &HeaderValue) -> Option<&str> {
    let (scheme, secret) = shown.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

async fn look(
    credentials: &Arc<dyn Credentials>,
    secret: &str,
) -> Result<Result<Credential, CredentialError>, StoreDown> {
    match credentials.check_known(secret) {
        Some(verdict) => Ok(verdict),
        None => credentials.check(secret.to_owned()).await,
    }
}

/// Returns once a secret that was good is good no more. While that cannot be checked, it stays good.
pub(crate) async fn until_revoked(credentials: Arc<dyn Credentials>, secret: String) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if let Ok(Err(_)) = look(&credentials, &secret).await {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(host: &str, origin: Option<&str>) -> bool {
        let hosts = AllowedHosts::new(
            "127.0.0.1:8700".parse().expect("address"),
            &["gate.example.com".into()],
            &["https://app.example.com".into()],
        );
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("header"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("header"));
        }
        hosts.check(&headers, None).is_ok()
    }

    #[test]
    fn loopback_and_configured_names_are_served() {
        for host in [
            "localhost:8700",
            "127.0.0.1",
            "127.0.0.1:1",
            "[::1]:8700",
            "gate.example.com",
            "gate.example.com:443",
        ] {
            assert!(allowed(host, None), "{host}");
        }
    }

    #[test]
    fn foreign_hosts_and_origins_are_refused() {
        for host in ["evil.example.com", "localhost.evil.com", "127.0.0.1.evil.com", "", "10.0.0.1"] {
            assert!(!allowed(host, None), "{host}");
        }
        for origin in
            ["http://evil.example.com", "null", "https://app.example.com.evil.com", "ftp://localhost"]
        {
            assert!(!allowed("localhost", Some(origin)), "{origin}");
        }
        for origin in ["http://localhost:3000", "https://app.example.com", "http://127.0.0.1"] {
            assert!(allowed("localhost", Some(origin)), "{origin}");
        }
    }
}
