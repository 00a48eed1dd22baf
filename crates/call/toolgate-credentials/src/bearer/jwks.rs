//! The issuer's keys: fetched when they are first needed, again when a token names an unknown one, and every
//! hour. While the issuer is down the last known ones stay valid.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey};
use parking_lot::RwLock;
use serde_json::Value;
use tokio_util::task::TaskTracker;
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use url::Url;

use super::refusal::BearerRefused;
use crate::outbound::OutboundClient;

/// Tokens with made-up key ids cannot make the gateway ask more often.
const ASK_EVERY: Duration = Duration::from_secs(5);
/// Without any known key no one can be authenticated, so the issuer is asked sooner.
const ASK_EVERY_AT_FIRST: Duration = Duration::from_secs(1);
const FRESH: Duration = Duration::from_secs(60 * 60);
const KEYS_MAX: usize = 64;

pub(crate) struct Jwks {
    issuer: String,
    url: Option<String>,
    outbound: OutboundClient,
    keys: RwLock<Arc<KeySet>>,
    times: RwLock<FetchTimes>,
    asking: tokio::sync::Mutex<()>,
    refetching: TaskTracker,
}

#[derive(Clone, Copy, Default)]
struct FetchTimes {
    fetched: Option<Instant>,
    asked: Option<Instant>,
}

#[derive(Default)]
struct KeySet {
    /// Counts up when the keys change.
    version: u64,
    keys: Vec<IssuerKey>,
}

struct IssuerKey {
    /// As received: two keys are equal if this is.
    jwk: Value,
    id: Option<String>,
    algorithms: &'static [Algorithm],
    key: DecodingKey,
}

/// The keys that may have signed a token, and the version of the set that they are from.
pub(crate) struct CandidateKeys {
    pub(super) version: u64,
    pub(crate) keys: Vec<DecodingKey>,
}

#[derive(Debug, thiserror::Error)]
enum FetchError {
    #[error("{url}: {why}")]
    Exchange { url: String, why: String },
    #[error("{url} answered with HTTP status {status}")]
    Status { url: String, status: u16 },
    #[error("{url} is no JSON document with {what}")]
    Content { url: String, what: &'static str },
    #[error("{url} is the metadata of another issuer")]
    Issuer { url: String },
}

impl Jwks {
    pub(crate) fn new(issuer: &str, url: Option<&str>, egress: &Arc<Egress>) -> Self {
        Self {
            issuer: issuer.to_owned(),
            url: url.map(str::to_owned),
            // The operator wrote the issuer down.
            outbound: OutboundClient::new(Reach::Anywhere, egress),
            keys: RwLock::default(),
            times: RwLock::default(),
            asking: tokio::sync::Mutex::new(()),
            refetching: TaskTracker::new(),
        }
    }

    pub(super) fn version(&self) -> u64 {
        self.set().version
    }

    /// More than one key only if the token does not say which.
    pub(crate) async fn fitting(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<CandidateKeys, BearerRefused> {
        let found = self.find(id, algorithm);
        if !found.keys.is_empty() {
            return Ok(found);
        }
        self.ask().await;
        let found = self.find(id, algorithm);
        if found.keys.is_empty() && self.times().fetched.is_none() {
            return Err(BearerRefused::unavailable("the keys of the issuer cannot be fetched right now"));
        }
        if found.keys.is_empty() {
            return Err(BearerRefused::invalid(
                "the token is signed with a key that its issuer does not have",
            ));
        }
        Ok(found)
    }

    /// True if the keys are old and the issuer was not asked a moment ago.
    pub(super) fn is_refetch_due(&self) -> bool {
        let times = self.times();
        times.fetched.is_some_and(|fetched| fetched.elapsed() >= FRESH) && times.may_ask()
    }

    /// No request waits for keys that are only old.
    pub(super) fn refetch_in_background(self: &Arc<Self>) {
        if self.is_refetch_due() {
            let own = Arc::clone(self);
            self.refetching.spawn(async move { own.ask().await });
        }
    }

    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> CandidateKeys {
        let set = self.set();
        let fits = |key: &&IssuerKey| {
            key.algorithms.contains(&algorithm) && (id.is_none() || key.id.as_deref() == id)
        };
        let keys = set.keys.iter().filter(fits).map(|key| key.key.clone()).collect();
        CandidateKeys { version: set.version, keys }
    }

    fn set(&self) -> Arc<KeySet> {
        Arc::clone(&self.keys.read())
    }

    /// Asks the issuer, unless it was asked a moment ago. Concurrent callers wait for the same answer.
    async fn ask(&self) {
        let _turn = self.asking.lock().await;
        if !self.times().may_ask() {
            return;
        }
        self.note(|times| times.asked = Some(Instant::now()));
        match self.fetch().await {
            Ok(keys) => {
                self.take(keys);
                self.note(|times| times.fetched = Some(Instant::now()));
            }
            Err(error) => {
                tracing::warn!(issuer = self.issuer, %error, "the keys of the issuer could not be fetched");
            }
        }
    }

    fn take(&self, fresh: Vec<IssuerKey>) {
        let mut set = self.keys.write();
        if !set.keys.iter().map(|key| &key.jwk).eq(fresh.iter().map(|key| &key.jwk)) {
            *set = Arc::new(KeySet { version: set.version + 1, keys: fresh });
        }
    }

    async fn fetch(&self) -> Result<Vec<IssuerKey>, FetchError> {
        let url = match &self.url {
            Some(url) => url.clone(),
            None => self.discover().await?,
        };
        let document = self.fetch_json(&url).await?;
        let Some(keys) = document.get("keys").and_then(Value::as_array) else {
            return Err(FetchError::Content { url, what: "keys" });
        };
        // A key of a kind that is not known here is no reason to do without the others.
        Ok(keys.iter().take(KEYS_MAX).filter_map(IssuerKey::read).collect())
    }

    async fn discover(&self) -> Result<String, FetchError> {
        let mut last = None;
        for url in metadata_urls(&self.issuer) {
            match self.fetch_json(&url).await {
                Ok(document) => return self.jwks_uri(url, &document),
                Err(error) => last = Some(error),
            }
        }
        Err(last.expect("there is always an address to ask"))
    }

    fn jwks_uri(&self, url: String, document: &Value) -> Result<String, FetchError> {
        if document.get("issuer").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(FetchError::Issuer { url });
        }
        let uri = document.get("jwks_uri").and_then(Value::as_str).map(str::to_owned);
        uri.ok_or(FetchError::Content { url, what: "a jwks_uri" })
    }

    async fn fetch_json(&self, url: &str) -> Result<Value, FetchError> {
        let answer = self.outbound.get(url).await;
        let url = url.to_owned();
        let answer =
            answer.map_err(|error| FetchError::Exchange { url: url.clone(), why: error.to_string() })?;
        if !answer.status().is_success() {
            return Err(FetchError::Status { url, status: answer.status().as_u16() });
        }
        serde_json::from_slice(answer.body()).map_err(|_| FetchError::Content { url, what: "an object" })
    }

    fn times(&self) -> FetchTimes {
        *self.times.read()
    }

    fn note(&self, change: impl FnOnce(&mut FetchTimes)) {
        change(&mut self.times.write());
    }

    /// As if this much time had passed.
    #[cfg(test)]
    pub(super) fn age(&self, by: Duration) {
        let back = |time: &mut Option<Instant>| *time = time.and_then(|time| time.checked_sub(by));
        self.note(|times| {
            back(&mut times.fetched);
            back(&mut times.asked);
        });
    }
}

impl FetchTimes {
    fn may_ask(&self) -> bool {
        let pause = if self.fetched.is_some() { ASK_EVERY } else { ASK_EVERY_AT_FIRST };
        self.asked.is_none_or(|asked| asked.elapsed() >= pause)
    }
}

impl IssuerKey {
    fn read(jwk: &Value) -> Option<Self> {
        let read: Jwk = serde_json::from_value(jwk.clone()).ok()?;
        if !matches!(read.common.public_key_use, None | Some(PublicKeyUse::Signature)) {
            return None;
        }
        let algorithms = algorithms(&read.algorithm, jwk.get("alg").and_then(Value::as_str))?;
        let key = DecodingKey::from_jwk(&read).ok()?;
        Some(Self { jwk: jwk.clone(), id: read.common.key_id, algorithms, key })
    }
}

/// The algorithms of a key: its declared one, if that fits its kind. A shared secret has none here.
fn algorithms(key: &AlgorithmParameters, said: Option<&str>) -> Option<&'static [Algorithm]> {
    use Algorithm::{ES256, ES384, EdDSA, PS256, RS256};
    let fitting: &'static [Algorithm] = match key {
        AlgorithmParameters::RSA(_) => &[RS256, PS256],
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => &[ES256],
        AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P384 => &[ES384],
        AlgorithmParameters::OctetKeyPair(key) if key.curve == EllipticCurve::Ed25519 => &[EdDSA],
        _ => return None,
    };
    match said {
        None => Some(fitting),
        // RFC 9864 gave the algorithm of this curve its own name.
        Some("Ed25519") => Some(fitting).filter(|fitting| fitting.contains(&EdDSA)),
        Some(said) => {
            let said: Algorithm = said.parse().ok()?;
            let place = fitting.iter().position(|one| *one == said)?;
            Some(&fitting[place..=place])
        }
    }
}

/// The possible URLs of an issuer's metadata: RFC 8414 first, then OpenID Connect in both its forms.
fn metadata_urls(issuer: &str) -> Vec<String> {
    let plain = issuer.trim_end_matches('/');
    let appended = format!("{plain}/.well-known/openid-configuration");
    let Ok(url) = Url::parse(plain) else { return vec![appended] };
    let inserted = |kind: &str| {
        let mut url = url.clone();
        url.set_path(&format!("/.well-known/{kind}{}", url.path().trim_end_matches('/')));
        url.to_string()
    };
    let mut urls = vec![inserted("oauth-authorization-server"), appended];
    if !url.path().trim_matches('/').is_empty() {
        urls.push(inserted("openid-configuration"));
    }
    urls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_looked_for_where_the_standards_say() {
        assert_eq!(
            metadata_urls("https://id.example/"),
            [
                "https://id.example/.well-known/oauth-authorization-server",
                "https://id.example/.well-known/openid-configuration",
            ]
        );
        assert_eq!(
            metadata_urls("https://id.example/realms/a"),
            [
                "https://id.example/.well-known/oauth-authorization-server/realms/a",
                "https://id.example/realms/a/.well-known/openid-configuration",
                "https://id.example/.well-known/openid-configuration/realms/a",
            ]
        );
    }

    #[test]
    fn a_shared_secret_and_a_key_for_encryption_are_no_keys() {
        let read = |text: &str| IssuerKey::read(&serde_json::from_str(text).unwrap());
        assert!(read(r#"{"kty":"oct","k":"c2VjcmV0","alg":"HS256"}"#).is_none());
        assert!(read(r#"{"kty":"RSA","use":"enc","n":"AQAB","e":"AQAB"}"#).is_none());
        assert!(read(r#"{"kty":"RSA","alg":"ES256","n":"AQAB","e":"AQAB"}"#).is_none());
        let read = read(r#"{"kty":"RSA","alg":"RS256","n":"AQAB","e":"AQAB","kid":"a"}"#).unwrap();
        assert_eq!((read.id.as_deref(), read.algorithms), (Some("a"), &[Algorithm::RS256][..]));
    }
}
