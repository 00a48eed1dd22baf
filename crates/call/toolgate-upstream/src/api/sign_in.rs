//! Where a person signs in for an API: what the operator says, and what the connector file adds.

use std::time::Duration;

use connector_file::{AuthRule, OAuthFlowRule, OAuthRule};
use toolgate_core::server::{ApiOAuth, ApiSpec, ClientAuth, OAuthFlow};
use toolgate_outbound::OutboundSettings;

use super::opened::ApiSources;

/// For descriptions that are read on behalf of a person who waits.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The sign-in of an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiSignIn {
    /// The address of the API, which the token is for.
    pub url: String,
    pub oauth: ApiOAuth,
}

/// Reads as much of the descriptions of an API as a sign-in needs. The error is in words for the person who signs in.
pub async fn api_sign_in(way: &OutboundSettings, spec: &ApiSpec) -> Result<ApiSignIn, String> {
    let sources = ApiSources::new(way, READ_TIMEOUT, spec);
    let found = sources.sign_in().await.map_err(|trouble| trouble.to_string())?;
    let oauth = merged(&spec.oauth, found.file.as_ref().map_or(&AuthRule::Open, |file| file.auth()));
    Ok(ApiSignIn { url: found.base.to_string(), oauth })
}

/// What is configured wins over what the connector file says.
pub(super) fn merged(configured: &ApiOAuth, rule: &AuthRule) -> ApiOAuth {
    let mut oauth = configured.clone();
    let is_named = oauth.authorization_url.is_some() || oauth.token_url.is_some();
    let AuthRule::OAuth2(rule) = rule else {
        oauth.flow = oauth.flow.or(is_named.then_some(OAuthFlow::Code));
        return oauth;
    };
    let OAuthRule { flow, token_url, scopes, client_id, client_secret, client_in_body } = rule.clone();
    let (flow, authorization_url) = match flow {
        OAuthFlowRule::Code { authorization_url } => (OAuthFlow::Code, Some(authorization_url)),
        OAuthFlowRule::ClientCredentials => (OAuthFlow::ClientCredentials, None),
    };
    // A client is an id with its secret: one is not combined with the other of somebody else.
    if oauth.client_id.is_none() {
        oauth.client_id = client_id.map(reference);
        oauth.client_secret = oauth.client_secret.or(client_secret.map(reference));
    }
    if oauth.scopes.is_empty() {
        oauth.scopes = scopes;
    }
    oauth.flow.get_or_insert(flow);
    oauth.authorization_url = oauth.authorization_url.or(authorization_url);
    oauth.token_url.get_or_insert(token_url);
    oauth.client_auth.get_or_insert(if client_in_body { ClientAuth::Body } else { ClientAuth::Header });
    oauth
}

fn reference(secret: String) -> String {
    format!("${{vault:{secret}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> AuthRule {
        AuthRule::OAuth2(OAuthRule {
            flow: OAuthFlowRule::Code { authorization_url: "https://id.example/authorize".into() },
            token_url: "https://id.example/token".into(),
            scopes: vec!["read".into()],
            client_id: Some("desk_id".into()),
            client_secret: Some("desk_secret".into()),
            client_in_body: true,
        })
    }

    #[test]
    fn the_file_says_what_the_operator_left_out() {
        let oauth = merged(&ApiOAuth::default(), &rule());
        assert_eq!(oauth.flow, Some(OAuthFlow::Code));
        assert_eq!(oauth.token_url.as_deref(), Some("https://id.example/token"));
        assert_eq!(oauth.client_id.as_deref(), Some("${vault:desk_id}"));
        assert_eq!(oauth.client_auth, Some(ClientAuth::Body));
        let own = ApiOAuth { client_id: Some("mine".into()), ..ApiOAuth::default() };
        let oauth = merged(&own, &rule());
        assert_eq!((oauth.client_id.as_deref(), oauth.client_secret), (Some("mine"), None));
        assert_eq!(oauth.scopes, ["read"]);
    }

    #[test]
    fn an_api_without_oauth_has_none_unless_the_operator_names_addresses() {
        assert_eq!(merged(&ApiOAuth::default(), &AuthRule::Open), ApiOAuth::default());
        let named = ApiOAuth { token_url: Some("https://id.example/token".into()), ..ApiOAuth::default() };
        assert_eq!(merged(&named, &AuthRule::Open).flow, Some(OAuthFlow::Code));
    }
}
