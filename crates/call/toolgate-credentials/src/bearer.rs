//! The gateway as a resource server: access tokens of callers are checked against their issuer's keys, and
//! become a principal or a refusal.

pub(crate) mod claims;
mod jwks;
mod known;
mod provider;
mod refusal;
mod settings;

use std::sync::Arc;

use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolgate_core::Principal;
use toolgate_core::egress::Egress;

use crate::clock::now_seconds;

use claims::{VerifiedToken, judge};
pub(crate) use jwks::Jwks;
use known::VerifiedTokens;
pub(crate) use provider::install as install_provider;
pub use refusal::{BearerRefused, RefusalCode};
pub use settings::{BearerAlgorithm, BearerSettings, SettingsProblem};

const TOKEN_BYTES_MAX: usize = 16 << 10;
/// An access token, or a token from before types were distinguished.
const TYPES: [&str; 3] = ["at+jwt", "application/at+jwt", "jwt"];

/// Clones share the keys and the cached tokens.
#[derive(Clone)]
pub struct Bearer {
    inner: Arc<BearerInner>,
}

struct BearerInner {
    settings: BearerSettings,
    keys: Arc<Jwks>,
    known: VerifiedTokens,
}

impl Bearer {
    pub fn new(settings: BearerSettings, egress: &Arc<Egress>) -> Result<Self, SettingsProblem> {
        settings.check()?;
        install_provider();
        let keys = Jwks::new(&settings.issuer, settings.jwks_url.as_deref(), egress);
        Ok(Self {
            inner: Arc::new(BearerInner { settings, keys: Arc::new(keys), known: VerifiedTokens::default() }),
        })
    }

    /// Tells tokens of an issuer from those that the gateway gave out itself.
    pub fn looks_like_jwt(presented: &str) -> bool {
        let encoded = |part: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            !part.is_empty() && part.bytes().all(fits)
        };
        presented.starts_with("ey") && presented.split('.').count() == 3 && presented.split('.').all(encoded)
    }

    /// The verdict on a token that was checked before, without waiting for anything: `None` means that
    /// [`Bearer::check`] has to say.
    pub fn check_known(&self, presented: &str) -> Option<Result<Principal, BearerRefused>> {
        if self.inner.keys.is_refetch_due() {
            return None;
        }
        self.inner.known.verdict(&digest(presented), self.inner.keys.version(), now())
    }

    pub async fn check(&self, presented: &str) -> Result<Principal, BearerRefused> {
        let digest = digest(presented);
        self.inner.keys.refetch_in_background();
        if let Some(verdict) = self.inner.known.verdict(&digest, self.inner.keys.version(), now()) {
            return verdict;
        }
        let (version, VerifiedToken { principal, expires }) = self.inner.verify(presented).await?;
        self.inner.known.keep(digest, version, principal.clone(), expires, now());
        Ok(principal)
    }

    /// The metadata for a refused client (RFC 9728). `resource` is this gateway's own address.
    pub fn protected_resource_metadata(&self, resource: &str) -> Value {
        let settings = &self.inner.settings;
        json!({
            "resource": resource,
            "authorization_servers": [settings.issuer],
            "scopes_supported": settings.scopes.keys().collect::<Vec<_>>(),
            "bearer_methods_supported": ["header"],
            "resource_name": "Toolgate",
        })
    }

    /// The scopes that a client should request to call tools, separated by blanks. More powerful scopes are
    /// never suggested.
    pub fn wanted_scopes(&self) -> String {
        self.inner.settings.wanted_scopes().join(" ")
    }
}

impl BearerInner {
    /// With the version of the keys that it was verified with.
    async fn verify(&self, presented: &str) -> Result<(u64, VerifiedToken), BearerRefused> {
        let header = self.read_header(presented)?;
        let fitting = self.keys.fitting(header.kid.as_deref(), header.alg).await?;
        let claims = fitting.keys.iter().find_map(|key| verified_claims(presented, key, header.alg));
        let claims =
            claims.ok_or_else(|| BearerRefused::invalid("the signature of the token is not good"))?;
        Ok((fitting.version, judge(&self.settings, &claims, now())?))
    }

    fn read_header(&self, presented: &str) -> Result<Header, BearerRefused> {
        if presented.len() > TOKEN_BYTES_MAX {
            return Err(BearerRefused::invalid(format!("a token has at most {TOKEN_BYTES_MAX} bytes")));
        }
        // An algorithm that the library does not know, including `none`, is not parsed at all.
        let header = jsonwebtoken::decode_header(presented)
            .map_err(|_| BearerRefused::invalid("the token is not a signed JWT"))?;
        if !self.settings.accepts(header.alg) {
            return Err(BearerRefused::invalid("the token is signed with an algorithm that is not accepted"));
        }
        let other_type = |typ: &str| !TYPES.contains(&typ.to_ascii_lowercase().as_str());
        if header.typ.as_deref().is_some_and(other_type) {
            return Err(BearerRefused::invalid("the token is not an access token"));
        }
        if header.crit.is_some() {
            return Err(BearerRefused::invalid("the token demands an extension that is not known here"));
        }
        Ok(header)
    }
}

/// The signature only: [`claims`] judges the claims, since it knows the time.
pub(crate) fn verified_claims(
    presented: &str,
    key: &DecodingKey,
    algorithm: Algorithm,
) -> Option<Map<String, Value>> {
    let mut validation = Validation::new(algorithm);
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    jsonwebtoken::decode(presented, key, &validation).ok().map(|token| token.claims)
}

fn digest(presented: &str) -> [u8; 32] {
    Sha256::digest(presented.as_bytes()).into()
}

fn now() -> f64 {
    // Seconds are exact in a float for the next hundred million years.
    now_seconds() as f64
}

#[cfg(test)]
mod tests;
