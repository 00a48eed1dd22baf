//! Where a person signs in for an API: its own address, and those that its connector file or `[servers.oauth]` names.

use anyhow::{anyhow, bail};
use toolgate_core::PrincipalId;
use toolgate_core::port::SecretViewer;
use toolgate_core::server::{ApiOAuth, ApiSpec, OAuthFlow};
use toolgate_credentials::{Keys, OAuthEndpoints, OAuthSpec, Secret};
use toolgate_outbound::OutboundSettings;
use toolgate_upstream::{ApiSignIn, api_sign_in, secret_names, with_secrets};

use super::super::roster::RosterServer;
use crate::command::records::RecordsContext;
use crate::keyring;

/// The address of an API, and the arrangement with its authorization server.
pub(super) async fn place(
    room: &RecordsContext,
    known: &RosterServer,
    api: &ApiSpec,
    way: &OutboundSettings,
    principal: Option<&PrincipalId>,
) -> anyhow::Result<(String, OAuthSpec)> {
    let name = &known.name;
    let described = api_sign_in(way, api).await;
    let ApiSignIn { url, oauth } =
        described.map_err(|why| anyhow!("what {name:?} is cannot be read: {why}"))?;
    if oauth.flow == Some(OAuthFlow::ClientCredentials) {
        let secrets = [&oauth.client_id, &oauth.client_secret].into_iter().flatten();
        let commands: Vec<String> = secrets
            .flat_map(|template| secret_names(template))
            .map(|secret| format!("`toolgate secrets set {name} {secret}`"))
            .collect();
        let hint = match &commands[..] {
            [] => "its client is in [servers.oauth]".to_owned(),
            commands => format!("store its client with {}", commands.join(" and ")),
        };
        bail!("nobody signs in at {name:?}: the gateway gets its tokens by itself\nhint: {hint}");
    }
    let keys = Keys::open(room.vault()?, keyring::outside(&room.config)?).await?;
    keys.know([(name.clone(), way.clone())].into());
    let viewer = SecretViewer::Address(oauth.token_url.as_deref().unwrap_or(&url));
    let filled = async |template: &Option<String>| match template {
        Some(template) => with_secrets(template, &keys, name, principal, viewer).await.map(Some),
        None => Ok(None),
    };
    let client_id = filled(&oauth.client_id).await?;
    let client_secret = filled(&oauth.client_secret).await?.map(Secret::new);
    let endpoints = endpoints(&oauth);
    let scopes = oauth.scopes.clone();
    let spec = OAuthSpec { client_id, client_secret, scopes, endpoints, ..OAuthSpec::default() };
    Ok((url, spec))
}

fn endpoints(oauth: &ApiOAuth) -> Option<OAuthEndpoints> {
    let (authorization_url, token_url) = oauth.authorization_url.clone().zip(oauth.token_url.clone())?;
    let client_auth = oauth.client_auth.unwrap_or_default();
    Some(OAuthEndpoints { authorization_url, token_url, client_auth })
}
