//! A new access token for an old sign-in, without a person.

use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{AuthError, AuthorizationManager};

use super::endpoint::{OAuthEndpoints, TokenRefusal};
use super::kept::{SignIn, SignInCredentials, StoredSignIn, StoredSignInError};
use super::{challenge, code};
use crate::outbound::OutboundClient;

/// Another gateway may have used the refresh token a moment ago and not have stored the result yet.
const LOOK_AGAIN: usize = 5;
const LOOK_EVERY: Duration = Duration::from_millis(200);

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RenewalError {
    /// Only a person can help.
    SignInAgain(String),
    /// Later may be better.
    Later(String),
}

/// Renews the sign-in of one owner. The caller ensures that this happens once at a time.
pub(crate) struct TokenRenewal<'r> {
    pub(crate) kept: &'r StoredSignIn,
    pub(crate) outbound: OutboundClient,
    /// The server's challenge when it refused the old token.
    pub(crate) challenge: Option<&'r str>,
}

impl TokenRenewal<'_> {
    /// New tokens are in the vault before they are used: a lost refresh token cannot be fetched again.
    pub(crate) async fn run(&self, old: &SignIn) -> Result<SignIn, RenewalError> {
        if let Some(endpoints) = &old.endpoints {
            return self.run_at(endpoints, old).await;
        }
        let manager = self.manager(old).await?;
        match manager.refresh_token().await {
            Ok(_) => self.read().await,
            Err(AuthError::TokenRefreshRejected(_)) => self.look_again(old).await,
            Err(AuthError::AuthorizationRequired) => {
                Err(RenewalError::SignInAgain("the token has run out and cannot be renewed".into()))
            }
            Err(error) => Err(RenewalError::Later(error.to_string())),
        }
    }

    /// The addresses that were kept with the sign-in, whatever the configuration says by now: a refresh token is for no other.
    async fn run_at(&self, endpoints: &OAuthEndpoints, old: &SignIn) -> Result<SignIn, RenewalError> {
        let Some(refresh_token) = old.refresh_token() else {
            return Err(RenewalError::SignInAgain("the token has run out and cannot be renewed".into()));
        };
        match code::refreshed(&self.outbound, endpoints, old, refresh_token.expose()).await {
            Ok(renewed) => {
                let written = self.kept.write(&renewed).await;
                written.map_err(|error| RenewalError::Later(error.to_string()))?;
                Ok(renewed)
            }
            Err(refusal) if refusal.is("invalid_grant") => self.look_again(old).await,
            Err(refusal @ TokenRefusal::Refused { .. }) => {
                Err(RenewalError::SignInAgain(refusal.to_string()))
            }
            Err(refusal) => Err(RenewalError::Later(refusal.to_string())),
        }
    }

    /// Asks the server again for its authorization server: the credentials of one are never shown to another.
    async fn manager(&self, old: &SignIn) -> Result<AuthorizationManager, RenewalError> {
        let later = |error: AuthError| RenewalError::Later(error.to_string());
        let challenge = match self.challenge {
            Some(challenge) => Some(challenge.to_owned()),
            None => challenge::of_server(&self.outbound, &old.url).await,
        };
        let outbound = Arc::new(self.outbound.clone());
        let manager = AuthorizationManager::new_with_oauth_http_client(old.url.as_str(), outbound).await;
        let mut manager = manager.map_err(later)?;
        manager.set_credential_store(SignInCredentials { kept: self.kept.clone(), first: None });
        let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await.map_err(later)?;
        let issuer = old.credentials.as_ref().and_then(|credentials| credentials.issuer.as_ref());
        // Guessed addresses are the server's own, and the refresh token is not for the server.
        if issuer.is_some() && !found.source.is_discovered() {
            return Err(RenewalError::Later(
                "the server does not say where its authorization server is".into(),
            ));
        }
        manager.set_metadata(found.metadata);
        if !manager.initialize_from_store().await.map_err(later)? {
            let moved = "the server has another authorization server now".to_owned();
            return Err(RenewalError::SignInAgain(moved));
        }
        manager.configure_client(old.client.config()).map_err(later)?;
        Ok(manager)
    }

    async fn look_again(&self, old: &SignIn) -> Result<SignIn, RenewalError> {
        for _ in 0..LOOK_AGAIN {
            let kept = self.read().await?;
            if kept.token() != old.token() {
                return Ok(kept);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Err(RenewalError::SignInAgain(
            "the authorization server does not accept the refresh token any more".into(),
        ))
    }

    async fn read(&self) -> Result<SignIn, RenewalError> {
        match self.kept.read().await {
            Ok(Some(sign_in)) => Ok(sign_in),
            Ok(None) => Err(RenewalError::SignInAgain("the sign-in was removed meanwhile".into())),
            Err(StoredSignInError::Vault(error)) => Err(RenewalError::Later(error.to_string())),
            Err(error @ StoredSignInError::Unreadable(_)) => {
                Err(RenewalError::SignInAgain(error.to_string()))
            }
        }
    }
}
