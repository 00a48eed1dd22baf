//! The stored data of a sign-in: rmcp's credentials and everything needed to use them again.

use async_trait::async_trait;
use rmcp::transport::auth::{AuthError, CredentialStore, OAuthClientConfig, StoredCredentials};
use toolgate_core::{PrincipalId, ServerName};

use super::endpoint::OAuthEndpoints;
use crate::secret::Secret;
use crate::vault::{SIGN_IN, Vault, VaultError};

/// The owner of a sign-in: a principal at a server, or all.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SignInOwner {
    pub(crate) server: ServerName,
    pub(crate) principal: Option<PrincipalId>,
}

/// One entry of the vault, as JSON.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct SignIn {
    /// The address of the sign-in: the token is for that one.
    pub(crate) url: String,
    pub(crate) client: StoredClient,
    /// Scopes that the server required and that were not granted yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wanted_scopes: Vec<String>,
    /// The addresses of the authorization server, if they were written down. `None` if the server publishes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) endpoints: Option<OAuthEndpoints>,
    /// `None` if the authorization server revoked it: a person has to sign in again.
    pub(crate) credentials: Option<StoredCredentials>,
}

/// The client as the authorization server knows it.
#[derive(Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct StoredClient {
    pub(crate) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<String>,
    pub(crate) redirect_uri: String,
}

impl StoredClient {
    pub(crate) fn config(&self) -> OAuthClientConfig {
        let config = OAuthClientConfig::new(&self.id, &self.redirect_uri);
        match &self.secret {
            Some(secret) => config.with_client_secret(secret),
            None => config,
        }
    }
}

/// A token is renewed when it is good for less than this, or for less than a quarter of its time if that is shorter.
const RENEW_BEFORE_SECONDS: u64 = 60;

/// The token itself, and how long it is good.
#[derive(PartialEq, Eq)]
pub(crate) struct AccessToken {
    pub(crate) value: Secret,
    /// `None` if the authorization server did not say.
    pub(crate) span: Option<TokenLifetime>,
}

/// In seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenLifetime {
    pub(crate) renew_at: u64,
    pub(crate) expires: u64,
}

impl AccessToken {
    /// The token of a token answer that came at a time.
    pub(crate) fn of(response: &serde_json::Value, received_at: Option<u64>) -> Option<Self> {
        let value = Secret::new(response.get("access_token")?.as_str()?);
        let lasts = response.get("expires_in").and_then(serde_json::Value::as_u64);
        let span = lasts.zip(received_at).map(|(lasts, since)| {
            let expires = since.saturating_add(lasts);
            TokenLifetime { expires, renew_at: expires.saturating_sub(RENEW_BEFORE_SECONDS.min(lasts / 4)) }
        });
        Some(Self { value, span })
    }

    pub(crate) fn is_good(&self, now: u64) -> bool {
        self.span.is_none_or(|span| now < span.expires)
    }

    pub(crate) fn is_fresh(&self, now: u64) -> bool {
        self.span.is_none_or(|span| now < span.renew_at)
    }
}

impl SignIn {
    pub(crate) fn token(&self) -> Option<AccessToken> {
        let credentials = self.credentials.as_ref()?;
        let response = serde_json::to_value(credentials.token_response.as_ref()?).ok()?;
        AccessToken::of(&response, credentials.token_received_at)
    }

    pub(crate) fn renews(&self) -> bool {
        self.refresh_token().is_some()
    }

    pub(crate) fn refresh_token(&self) -> Option<Secret> {
        let response = self.credentials.as_ref()?.token_response.as_ref()?;
        let response = serde_json::to_value(response).ok()?;
        response.get("refresh_token")?.as_str().map(Secret::new)
    }
}

/// Reads and writes the sign-in of one owner.
#[derive(Clone)]
pub(crate) struct StoredSignIn {
    pub(crate) vault: Vault,
    pub(crate) owner: SignInOwner,
    /// The recorded author.
    pub(crate) by: PrincipalId,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum StoredSignInError {
    #[error(transparent)]
    Vault(#[from] VaultError),
    #[error("the sign-in at server \"{0}\" that the vault holds cannot be read")]
    Unreadable(ServerName),
}

impl StoredSignIn {
    pub(crate) async fn read(&self) -> Result<Option<SignIn>, StoredSignInError> {
        let SignInOwner { server, principal } = &self.owner;
        let Some(text) = self.vault.get(server, principal.as_ref(), SIGN_IN).await? else { return Ok(None) };
        let read = serde_json::from_str(text.expose());
        read.map(Some).map_err(|_| StoredSignInError::Unreadable(server.clone()))
    }

    pub(crate) async fn write(&self, sign_in: &SignIn) -> Result<(), StoredSignInError> {
        let SignInOwner { server, principal } = &self.owner;
        let text = Secret::new(serde_json::to_string(sign_in).expect("texts and numbers are JSON"));
        Ok(self.vault.put(&self.by, server, principal.as_ref(), SIGN_IN, &text).await?)
    }
}

/// rmcp's view of it. Before the first sign-in there is only the data of the login itself.
pub(crate) struct SignInCredentials {
    pub(crate) kept: StoredSignIn,
    /// The data to write with the first credentials; `None` if an entry must exist.
    pub(crate) first: Option<(String, StoredClient)>,
}

#[async_trait]
impl CredentialStore for SignInCredentials {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.kept.read().await.map_err(failed)?.and_then(|sign_in| sign_in.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let sign_in = match &self.first {
            Some((url, client)) => SignIn {
                url: url.clone(),
                client: client.clone(),
                wanted_scopes: Vec::new(),
                endpoints: None,
                credentials: Some(credentials),
            },
            None => {
                let kept = self.kept.read().await.map_err(failed)?;
                let kept = kept.ok_or(AuthError::AuthorizationRequired)?;
                SignIn { credentials: Some(credentials), ..kept }
            }
        };
        self.kept.write(&sign_in).await.map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        match self.kept.read().await.map_err(failed)? {
            Some(kept) => self.kept.write(&SignIn { credentials: None, ..kept }).await.map_err(failed),
            None => Ok(()),
        }
    }
}

fn failed(error: StoredSignInError) -> AuthError {
    AuthError::CredentialStoreError(error.to_string())
}
