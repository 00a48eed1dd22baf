//! The identity of callers: the gateway's own tokens, and OAuth access tokens if an issuer is configured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::Principal;
use toolgate_core::governance::StoreDown;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;
use toolgate_credentials::{Bearer, BearerRefused, RefusalCode};
use toolgate_edge::{CredentialError, Credentials, ProtectedResource};
use toolgate_store::Store;

use crate::config::Config;

/// The time for which a valid token still counts as valid while the store is down. Calls that may change
/// something are refused then in any case.
const LAST_KNOWN_MAX: Duration = Duration::from_secs(300);

pub(crate) struct Callers {
    pub(crate) store: Store,
    pub(crate) bearer: Option<Arc<Bearer>>,
}

impl Callers {
    /// The judge of this secret, if it is another issuer's access token.
    fn judge(&self, secret: &str) -> Option<&Arc<Bearer>> {
        self.bearer.as_ref().filter(|_| Bearer::looks_like_jwt(secret))
    }
}

impl Credentials for Callers {
    fn check_known(&self, secret: &str) -> Option<Result<Credential, CredentialError>> {
        match self.judge(secret) {
            Some(bearer) => Some(told(bearer.check_known(secret)?).ok()?),
            None => self.store.check_cached(secret).map(|found| found.ok_or(CredentialError::Unknown)),
        }
    }

    fn check(&self, secret: String) -> BoxFuture<'_, Result<Result<Credential, CredentialError>, StoreDown>> {
        Box::pin(async move {
            if let Some(bearer) = self.judge(&secret) {
                return told(bearer.check(&secret).await);
            }
            let found = self.store.verify_or_last_known(&secret, LAST_KNOWN_MAX).await.map_err(|error| {
                tracing::error!(%error, "a token could not be checked and was refused");
                StoreDown(error.to_string())
            })?;
            Ok(found.ok_or(CredentialError::Unknown))
        })
    }
}

/// The verdict of the judge of access tokens, in the door's terms. It fails if there is no verdict right now.
fn told(verdict: Result<Principal, BearerRefused>) -> Result<Result<Credential, CredentialError>, StoreDown> {
    match verdict {
        Ok(principal) => Ok(Ok(Credential::of(principal))),
        Err(refused) => match refused.code {
            RefusalCode::InvalidToken => Ok(Err(CredentialError::Token(refused.description))),
            RefusalCode::InsufficientScope => Ok(Err(CredentialError::Scope(refused.description))),
            RefusalCode::Unavailable => Err(StoreDown(refused.description)),
        },
    }
}

/// The judge of access tokens, if an issuer is configured.
pub(crate) fn bearer(config: &Config) -> anyhow::Result<Option<Arc<Bearer>>> {
    let Some(settings) = &config.oauth else { return Ok(None) };
    Ok(Some(Arc::new(Bearer::new(settings.clone(), &config.egress)?)))
}

/// The gateway's metadata for clients with access tokens. Its name is the audience if that is an address, as
/// RFC 8707 requires.
pub(crate) fn protected_resource(
    config: &Config,
    listen: SocketAddr,
    bearer: Option<&Bearer>,
) -> Option<ProtectedResource> {
    let (bearer, oauth) = (bearer?, config.oauth.as_ref()?);
    let own = || url::Url::parse(&format!("http://{listen}/mcp")).expect("an address and a path are a URL");
    let resource = url::Url::parse(&oauth.audience).ok().filter(|url| url.has_host()).unwrap_or_else(own);
    let mut metadata = resource.clone();
    metadata.set_path(&format!("{}{}", ProtectedResource::PATH, resource.path().trim_end_matches('/')));
    let document = bearer.protected_resource_metadata(resource.as_str());
    Some(ProtectedResource {
        document: document.to_string().into(),
        metadata_url: metadata.into(),
        scopes: bearer.wanted_scopes(),
    })
}
