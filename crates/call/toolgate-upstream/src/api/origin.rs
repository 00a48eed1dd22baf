//! The origin of an API, and the credentials that it is shown. They go nowhere else.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use connector_file::{AuthRule, signature_headers};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use toolgate_core::port::{NoKey, SecretViewer};
use toolgate_core::server::{ApiSpec, OAuthFlow};
use url::Url;

use super::masks::SecretMasks;
use super::sign_in;
use crate::client::BadAddress;
use crate::context::ServerContext;
use crate::http::Endpoint;
use crate::keys::{GrantTemplate, SecretTemplate, SecretUser, TokenSource};

pub(super) struct ApiOrigin {
    pub(super) endpoint: Endpoint,
    /// The base address without a slash at its end.
    pub(super) base: String,
    /// Names of headers that the operator, the connector file or a sign-in sets.
    pub(super) header_names: Vec<String>,
    pub(super) query: Vec<(String, SecretTemplate)>,
    /// All templates that have secrets, those of headers too.
    secret: Vec<SecretTemplate>,
    signing: RequestSigning,
}

/// Headers that are made of secrets and, for a signature, of the request.
enum RequestSigning {
    Nothing,
    Basic { user: SecretTemplate, password: SecretTemplate },
    Signature { secret: SecretTemplate },
}

/// The credentials of one request.
#[derive(Default)]
pub(super) struct RequestCredentials {
    pub(super) query: Vec<(String, String)>,
    basic: Option<HeaderValue>,
    signing_secret: Option<String>,
    pub(super) masks: SecretMasks,
}

/// The parts of a request that are signed.
pub(super) struct SignedParts<'a> {
    pub(super) id: &'a str,
    pub(super) now_ms: i64,
    pub(super) body: &'a [u8],
}

impl ApiOrigin {
    pub(super) fn new(
        ctx: &ServerContext,
        base: &Url,
        spec: &ApiSpec,
        auth: &AuthRule,
    ) -> Result<Self, BadAddress> {
        let headers = with_defaults(&spec.headers, auth.headers());
        let query = with_defaults(&spec.query, auth.query());
        let query = query.iter().map(|(name, value)| Ok((name.clone(), template(name, value)?)));
        let query = query.collect::<Result<Vec<_>, BadAddress>>()?;
        let mut secret: Vec<SecretTemplate> = query.iter().map(|(_, template)| template.clone()).collect();
        for (name, value) in &headers {
            secret.push(template(name, value)?);
        }
        let signing = signing(auth)?;
        match &signing {
            RequestSigning::Nothing => {}
            RequestSigning::Basic { user, password } => secret.extend([user.clone(), password.clone()]),
            RequestSigning::Signature { secret: key } => secret.push(key.clone()),
        }
        secret.retain(SecretTemplate::has_secrets);
        let tokens = tokens(spec, auth, &headers)?;
        let mut header_names: Vec<String> = headers.keys().cloned().collect();
        let has_token = matches!(signing, RequestSigning::Basic { .. }) || tokens != TokenSource::SignIn;
        if has_token && !names_authorization(&headers) {
            header_names.push("authorization".to_owned());
        }
        Ok(Self {
            endpoint: Endpoint::of_api(ctx, base, &headers, tokens)?,
            base: base.as_str().trim_end_matches('/').to_owned(),
            header_names,
            query,
            secret,
            signing,
        })
    }

    /// True for addresses that may be shown the credentials.
    pub(super) fn covers(&self, url: &Url) -> bool {
        url.origin() == self.endpoint.url.origin()
    }

    /// The credentials for a request of `who`.
    pub(super) async fn credentials(
        &self,
        ctx: &ServerContext,
        who: SecretUser<'_>,
    ) -> Result<RequestCredentials, NoKey> {
        let (keyring, server) = (&*ctx.house.keyring, ctx.name());
        let address = self.endpoint.url.to_string();
        let viewer = SecretViewer::Address(&address);
        let mut credentials = RequestCredentials::default();
        for (name, template) in &self.query {
            credentials.query.push((name.clone(), template.filled(keyring, server, who, viewer).await?));
        }
        let mut values = Vec::new();
        for template in &self.secret {
            values.extend(template.secrets(keyring, server, who, viewer).await?);
        }
        match &self.signing {
            RequestSigning::Nothing => {}
            RequestSigning::Basic { user, password } => {
                let user = user.filled(keyring, server, who, viewer).await?;
                let password = password.filled(keyring, server, who, viewer).await?;
                let encoded = BASE64_STANDARD.encode(format!("{user}:{password}"));
                credentials.basic = Some(sensitive(&format!("Basic {encoded}"))?);
                values.push(encoded);
            }
            RequestSigning::Signature { secret } => {
                credentials.signing_secret = Some(secret.filled(keyring, server, who, viewer).await?);
            }
        }
        values.extend(self.endpoint.bearer_token(who).await?);
        credentials.masks = SecretMasks::of(values);
        Ok(credentials)
    }
}

impl RequestCredentials {
    /// Writes those that the endpoint does not write itself.
    pub(super) fn put_on(&self, headers: &mut HeaderMap, parts: &SignedParts<'_>) -> Result<(), NoKey> {
        if let Some(basic) = &self.basic {
            headers.insert(header::AUTHORIZATION, basic.clone());
        }
        let Some(secret) = &self.signing_secret else { return Ok(()) };
        let seconds = parts.now_ms.div_euclid(1000);
        let signed = signature_headers(secret, parts.id, seconds, parts.body);
        for (name, value) in signed.map_err(|bad| NoKey(bad.to_string()))? {
            headers.insert(HeaderName::from_static(name), sensitive(&value)?);
        }
        Ok(())
    }
}

/// What is configured wins over what the connector file says.
fn with_defaults(
    configured: &BTreeMap<String, String>,
    defaults: Vec<(String, String)>,
) -> BTreeMap<String, String> {
    let mut all = configured.clone();
    for (name, value) in defaults {
        if !configured.keys().any(|own| own.eq_ignore_ascii_case(&name)) {
            all.insert(name, value);
        }
    }
    all
}

fn signing(auth: &AuthRule) -> Result<RequestSigning, BadAddress> {
    let secret = |name: &str| template(name, &format!("${{vault:{name}}}"));
    Ok(match auth {
        AuthRule::Basic { user, password } => {
            RequestSigning::Basic { user: secret(user)?, password: secret(password)? }
        }
        AuthRule::Signature { secret: name } => RequestSigning::Signature { secret: secret(name)? },
        AuthRule::Open | AuthRule::Key { .. } | AuthRule::Bearer { .. } | AuthRule::OAuth2(_) => {
            RequestSigning::Nothing
        }
    })
}

/// A header that the operator wrote has precedence over everything that makes a token.
fn tokens(
    spec: &ApiSpec,
    auth: &AuthRule,
    headers: &BTreeMap<String, String>,
) -> Result<TokenSource, BadAddress> {
    if names_authorization(headers) {
        return Ok(TokenSource::SignIn);
    }
    let oauth = sign_in::merged(&spec.oauth, auth);
    match oauth.flow {
        None => Ok(TokenSource::SignIn),
        // Without addresses it is up to the API whether it wants a sign-in.
        Some(OAuthFlow::Code) if oauth.token_url.is_none() => Ok(TokenSource::SignIn),
        Some(OAuthFlow::Code) => Ok(TokenSource::RequiredSignIn),
        Some(OAuthFlow::ClientCredentials) => {
            let said = |name: &str, said: Option<String>| {
                let reason = format!("the flow client_credentials needs `{name}`");
                said.ok_or(BadAddress::Header { name: "authorization".to_owned(), reason })
            };
            Ok(TokenSource::Client(GrantTemplate {
                token_url: said("token_url", oauth.token_url)?,
                client_id: template("client_id", &said("client_id", oauth.client_id)?)?,
                client_secret: template("client_secret", &said("client_secret", oauth.client_secret)?)?,
                scopes: oauth.scopes,
                client_auth: oauth.client_auth.unwrap_or_default(),
            }))
        }
    }
}

fn names_authorization(headers: &BTreeMap<String, String>) -> bool {
    headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"))
}

fn template(name: &str, value: &str) -> Result<SecretTemplate, BadAddress> {
    SecretTemplate::parse(value)
        .map_err(|error| BadAddress::Header { name: name.to_owned(), reason: error.to_string() })
}

fn sensitive(text: &str) -> Result<HeaderValue, NoKey> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| NoKey("a credential has characters that no header allows".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}
