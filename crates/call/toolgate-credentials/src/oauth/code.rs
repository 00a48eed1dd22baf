//! The authorization-code flow with addresses that the configuration or a connector file names: a person agrees in a
//! browser, and the code is exchanged for tokens. PKCE protects the code, whether or not the client has a secret.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rmcp::transport::auth::StoredCredentials;
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::Url;

use super::endpoint::{OAuthEndpoints, TokenClient, TokenEndpoint, TokenRefusal};
use super::kept::{SignIn, StoredClient};
use crate::clock::now_seconds;
use crate::outbound::OutboundClient;
use crate::secret::{Secret, random_text};

/// A sign-in that waits for its code. The verifier stays in memory.
pub(super) struct CodeFlow {
    outbound: OutboundClient,
    endpoints: OAuthEndpoints,
    client: StoredClient,
    /// The API, which the token is for.
    url: String,
    scopes: Vec<String>,
    verifier: Secret,
    pub(super) state: String,
    /// The address for the person.
    pub(super) authorization_url: String,
}

impl CodeFlow {
    /// `None` if the address is none, or if the system has no random numbers.
    pub(super) fn begin(
        outbound: OutboundClient,
        endpoints: OAuthEndpoints,
        client: StoredClient,
        url: String,
        scopes: Vec<String>,
    ) -> Option<Self> {
        let (verifier, state) = (random_text()?, random_text()?);
        let mut address = Url::parse(&endpoints.authorization_url).ok()?;
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &client.redirect_uri)
            .append_pair("state", &state)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if !scopes.is_empty() {
            address.query_pairs_mut().append_pair("scope", &scopes.join(" "));
        }
        let authorization_url = address.into();
        let verifier = Secret::new(verifier);
        Some(Self { outbound, endpoints, client, url, scopes, verifier, state, authorization_url })
    }

    /// The sign-in for a code. A code is good once.
    pub(super) async fn exchange(&self, code: &str) -> Result<SignIn, TokenRefusal> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.client.redirect_uri),
            ("code_verifier", self.verifier.expose()),
        ];
        let members = endpoint(&self.outbound, &self.endpoints, &self.client).ask(&form).await?;
        let granted = granted(&members).unwrap_or_else(|| self.scopes.clone());
        Ok(SignIn {
            url: self.url.clone(),
            client: self.client.clone(),
            wanted_scopes: Vec::new(),
            endpoints: Some(self.endpoints.clone()),
            credentials: Some(credentials(&self.client, members, granted)?),
        })
    }
}

/// The sign-in with new tokens.
pub(super) async fn refreshed(
    outbound: &OutboundClient,
    endpoints: &OAuthEndpoints,
    old: &SignIn,
    refresh_token: &str,
) -> Result<SignIn, TokenRefusal> {
    let form = [("grant_type", "refresh_token"), ("refresh_token", refresh_token)];
    let mut members = endpoint(outbound, endpoints, &old.client).ask(&form).await?;
    // A server that gives no other leaves the old one as it is.
    if members["refresh_token"].is_null() {
        members["refresh_token"] = refresh_token.into();
    }
    let before = || old.credentials.iter().flat_map(|before| before.granted_scopes.clone()).collect();
    let granted = granted(&members).unwrap_or_else(before);
    let credentials = credentials(&old.client, members, granted)?;
    Ok(SignIn { credentials: Some(credentials), ..old.clone() })
}

fn endpoint<'e>(
    outbound: &'e OutboundClient,
    endpoints: &'e OAuthEndpoints,
    client: &'e StoredClient,
) -> TokenEndpoint<'e> {
    let client =
        TokenClient { id: &client.id, secret: client.secret.as_deref(), auth: endpoints.client_auth };
    TokenEndpoint { outbound, url: &endpoints.token_url, client }
}

/// The scopes of an answer; `None` if it names none, which means that they are those of the request.
fn granted(members: &Value) -> Option<Vec<String>> {
    let words = members["scope"].as_str()?.split([' ', ',']).filter(|word| !word.is_empty());
    Some(words.map(str::to_owned).collect())
}

fn credentials(
    client: &StoredClient,
    members: Value,
    granted: Vec<String>,
) -> Result<StoredCredentials, TokenRefusal> {
    let unreadable =
        |_| TokenRefusal::Unusable("the token endpoint answered with a token of no known form".to_owned());
    let response = serde_json::from_value(members).map_err(unreadable)?;
    Ok(StoredCredentials::new(client.id.clone(), Some(response), granted, Some(now_seconds())))
}
