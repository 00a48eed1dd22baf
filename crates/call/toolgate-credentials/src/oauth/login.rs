//! A person signs the gateway in at a server: discover, register, send the person there, take the response.

use std::sync::Arc;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationRequest, AuthorizationSession,
};
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use toolgate_core::{PrincipalId, ServerName};
use url::Url;

use super::code::CodeFlow;
use super::kept::{SignIn, SignInCredentials, SignInOwner, StoredClient, StoredSignIn, StoredSignInError};
use super::{OAuthSpec, challenge};
use crate::outbound::OutboundClient;
use crate::vault::Vault;

const CLIENT_NAME: &str = "Toolgate";
/// The number of characters of an authorization server's message that are repeated.
const SAID_CHARS_MAX: usize = 200;

/// The server, the principal, and the operator's settings.
#[derive(Clone, Debug)]
pub struct LoginOptions {
    pub server: ServerName,
    /// The owner of the token; `None` means everyone without their own.
    pub principal: Option<PrincipalId>,
    /// The author, for the ledger.
    pub by: PrincipalId,
    /// The server's address.
    pub url: String,
    /// The rules for that address and those that it leads to.
    pub reach: Reach,
    /// The connection settings.
    pub egress: Arc<Egress>,
    pub spec: OAuthSpec,
}

#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error(
        "server \"{server}\" does not say where to sign in: {why}\nhint: if it wants an API key, store one with `toolgate secrets set {server} NAME`"
    )]
    NoOAuth { server: ServerName, why: String },
    #[error(
        "the authorization server of \"{server}\" does not protect sign-ins with PKCE (S256), so the gateway does not sign in there"
    )]
    NoPkce { server: ServerName },
    #[error(
        "the gateway could not register with the authorization server of \"{server}\": {why}\nhint: register a client there by hand and write its client_id into [servers.oauth]"
    )]
    Registration { server: ServerName, why: String },
    #[error("`client_metadata_url` is not an https address with a path: {url}")]
    MetadataUrl { url: String },
    #[error(
        "server \"{server}\" wants its sign-in at {url}, which is not an https address: the gateway sends no one there"
    )]
    Address { server: ServerName, url: String },
    #[error(
        "a sign-in at \"{server}\" needs a client\nhint: register one with the provider and name it: `client_id` under [servers.oauth], or the secret that the connector file names, with `toolgate secrets set {server} NAME`"
    )]
    NoClient { server: ServerName },
    #[error("the authorization server said no: {said}")]
    Denied { said: String },
    #[error(
        "what came back does not belong to this sign-in\nhint: start again with `toolgate servers login {server}`"
    )]
    Foreign { server: ServerName },
    #[error("the sign-in at server \"{server}\" failed: {why}")]
    Failed { server: ServerName, why: String },
    #[error("the sign-in could not be kept: {0}")]
    Vault(String),
}

/// The granted access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedIn {
    pub scopes: Vec<String>,
    /// True if the token can be renewed without a person.
    pub renews: bool,
}

/// A pending sign-in. The secrets of the exchange stay in memory: they are worthless afterwards.
pub struct PendingLogin {
    exchange: LoginExchange,
    kept: StoredSignIn,
    state: String,
}

/// The rest of a sign-in, once the person has agreed.
enum LoginExchange {
    /// At the authorization server that the server publishes.
    Published(Box<AuthorizationSession>),
    /// At addresses that are written down.
    Named(Box<CodeFlow>),
}

impl LoginExchange {
    fn authorization_url(&self) -> &str {
        match self {
            LoginExchange::Published(session) => &session.auth_url,
            LoginExchange::Named(flow) => &flow.authorization_url,
        }
    }
}

impl PendingLogin {
    /// Finds the authorization server and registers there. `redirect_uri` is the browser's return address: a
    /// loopback address at which the caller listens.
    pub async fn open(
        vault: &Vault,
        options: LoginOptions,
        redirect_uri: &str,
    ) -> Result<PendingLogin, LoginError> {
        let owner = SignInOwner { server: options.server.clone(), principal: options.principal.clone() };
        let kept = StoredSignIn { vault: vault.clone(), owner, by: options.by.clone() };
        let earlier = kept.read().await.or_else(unreadable_is_none)?;
        let exchange = match options.spec.endpoints.is_some() {
            true => LoginExchange::Named(Box::new(named(&options, earlier.as_ref(), redirect_uri)?)),
            false => {
                let mut opening = SignInStart::find(options, redirect_uri).await?;
                let scopes = opening.scopes(earlier.as_ref()).await;
                let client = opening.client(&scopes).await?;
                LoginExchange::Published(Box::new(opening.session(&kept, client, scopes).await?))
            }
        };
        let url = exchange.authorization_url();
        if !is_for_a_browser(url) {
            return Err(LoginError::Address { server: kept.owner.server, url: shown(url) });
        }
        let state = match &exchange {
            LoginExchange::Published(session) => parameter(&session.auth_url, "state").unwrap_or_default(),
            LoginExchange::Named(flow) => flow.state.clone(),
        };
        Ok(PendingLogin { exchange, kept, state })
    }

    /// The address for the person.
    pub fn authorization_url(&self) -> &str {
        self.exchange.authorization_url()
    }

    /// Takes the full address to which the browser was redirected, and fetches the token. After an error that
    /// the address is not from this sign-in, the right one may still come.
    pub async fn finish(&self, callback: &str) -> Result<SignedIn, LoginError> {
        let server = &self.kept.owner.server;
        if parameter(callback, "state").as_deref() != Some(&self.state) {
            return Err(LoginError::Foreign { server: server.clone() });
        }
        if let Some(error) = parameter(callback, "error") {
            let description = parameter(callback, "error_description").unwrap_or_default();
            return Err(LoginError::Denied { said: shown(&format!("{error} {description}")) });
        }
        match &self.exchange {
            LoginExchange::Published(session) => {
                session.handle_callback_url(callback).await.map_err(|error| failed(server, &error))?;
            }
            LoginExchange::Named(flow) => {
                let why = |why: String| LoginError::Failed { server: server.clone(), why };
                let code = parameter(callback, "code").ok_or_else(|| why("there is no code".into()))?;
                let sign_in = flow.exchange(&code).await.map_err(|refusal| why(refusal.to_string()))?;
                self.kept.write(&sign_in).await.map_err(unkept)?;
            }
        }
        let sign_in = self.kept.read().await.map_err(unkept)?;
        let sign_in = sign_in.ok_or_else(|| LoginError::Vault("it is not there any more".into()))?;
        let renews = sign_in.renews();
        let scopes = sign_in.credentials.map(|credentials| credentials.granted_scopes).unwrap_or_default();
        Ok(SignedIn { scopes, renews })
    }
}

/// A sign-in at addresses that are written down. Nothing is asked before the person has agreed.
fn named(
    options: &LoginOptions,
    earlier: Option<&SignIn>,
    redirect_uri: &str,
) -> Result<CodeFlow, LoginError> {
    let LoginOptions { server, url, reach, egress, spec, .. } = options;
    let no_client = || LoginError::NoClient { server: server.clone() };
    let id = spec.client_id.clone().ok_or_else(no_client)?;
    let secret = spec.client_secret.as_ref().map(|secret| secret.expose().to_owned());
    let client = StoredClient { id, secret, redirect_uri: redirect_uri.to_owned() };
    let scopes = with_earlier(spec.scopes.clone(), earlier);
    let endpoints = spec.endpoints.clone().ok_or_else(no_client)?;
    let address = shown(&endpoints.authorization_url);
    let flow = CodeFlow::begin(OutboundClient::new(*reach, egress), endpoints, client, url.clone(), scopes);
    flow.ok_or_else(|| LoginError::Address { server: server.clone(), url: address })
}

/// The scopes with those that an earlier sign-in had, if a server asked for more since.
fn with_earlier(mut scopes: Vec<String>, earlier: Option<&SignIn>) -> Vec<String> {
    let Some(earlier) = earlier.filter(|earlier| !earlier.wanted_scopes.is_empty()) else { return scopes };
    let granted = earlier.credentials.iter().flat_map(|credentials| &credentials.granted_scopes);
    for scope in granted.chain(&earlier.wanted_scopes) {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    scopes
}

/// A sign-in with a known authorization server.
struct SignInStart {
    manager: AuthorizationManager,
    metadata: AuthorizationMetadata,
    was_discovered: DiscoveryKind,
    options: LoginOptions,
    redirect_uri: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DiscoveryKind {
    Yes,
    /// The server published nothing; the addresses are those that servers of 2025-03-26 had.
    Guessed,
}

impl SignInStart {
    async fn find(options: LoginOptions, redirect_uri: &str) -> Result<Self, LoginError> {
        let outbound = Arc::new(OutboundClient::new(options.reach, &options.egress));
        let no_oauth = |error: AuthError| {
            let why = shown(&error.to_string());
            LoginError::NoOAuth { server: options.server.clone(), why }
        };
        let challenge = challenge::of_server(&outbound, &options.url).await;
        let manager = AuthorizationManager::new_with_oauth_http_client(options.url.as_str(), outbound).await;
        let mut manager = manager.map_err(no_oauth)?;
        let found = manager.resolve_metadata_from_challenge(challenge.as_deref()).await;
        let found = found.map_err(no_oauth)?;
        manager.set_metadata(found.metadata.clone());
        let was_discovered =
            if found.source.is_discovered() { DiscoveryKind::Yes } else { DiscoveryKind::Guessed };
        let redirect_uri = redirect_uri.to_owned();
        let opening = Self { manager, metadata: found.metadata, was_discovered, options, redirect_uri };
        opening.check_pkce()?;
        Ok(opening)
    }

    /// According to the specification, a server that does not mention PKCE has none.
    fn check_pkce(&self) -> Result<(), LoginError> {
        let methods = self.metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
        if self.was_discovered == DiscoveryKind::Yes && !methods.iter().any(|method| method == "S256") {
            return Err(LoginError::NoPkce { server: self.options.server.clone() });
        }
        Ok(())
    }

    /// The operator's scopes, otherwise the server's; and those that an earlier sign-in had or lacked.
    async fn scopes(&self, earlier: Option<&SignIn>) -> Vec<String> {
        let scopes = match &self.options.spec.scopes[..] {
            [] => self.manager.select_initial_scopes(&[]).await,
            written => written.to_vec(),
        };
        with_earlier(scopes, earlier)
    }

    /// Registered by hand, else the metadata document if the authorization server reads such, else registered now.
    async fn client(&mut self, scopes: &[String]) -> Result<StoredClient, LoginError> {
        let redirect_uri = self.redirect_uri.clone();
        let OAuthSpec { client_id, client_secret, client_metadata_url, .. } = &self.options.spec;
        if let Some(id) = client_id {
            let secret = client_secret.as_ref().map(|secret| secret.expose().to_owned());
            return Ok(StoredClient { id: id.clone(), secret, redirect_uri });
        }
        if let Some(url) = client_metadata_url.as_ref().filter(|_| self.reads_metadata_documents()) {
            if !is_document_address(url) {
                return Err(LoginError::MetadataUrl { url: url.clone() });
            }
            return Ok(StoredClient { id: url.clone(), secret: None, redirect_uri });
        }
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let registered = self.manager.register_client(CLIENT_NAME, &redirect_uri, &scopes).await;
        let registered = registered.map_err(|error| self.unregistered(&error))?;
        Ok(StoredClient { id: registered.client_id, secret: registered.client_secret, redirect_uri })
    }

    fn unregistered(&self, error: &AuthError) -> LoginError {
        let (server, why) = (self.options.server.clone(), shown(&error.to_string()));
        match self.was_discovered {
            DiscoveryKind::Yes => LoginError::Registration { server, why },
            DiscoveryKind::Guessed => {
                let why = format!("it publishes nothing about it, and where older servers have it: {why}");
                LoginError::NoOAuth { server, why }
            }
        }
    }

    fn reads_metadata_documents(&self) -> bool {
        let said = self.metadata.additional_fields.get("client_id_metadata_document_supported");
        said.and_then(serde_json::Value::as_bool).unwrap_or(false)
    }

    async fn session(
        mut self,
        kept: &StoredSignIn,
        client: StoredClient,
        scopes: Vec<String>,
    ) -> Result<AuthorizationSession, LoginError> {
        let server = self.options.server.clone();
        let mut request = AuthorizationRequest::new(&self.redirect_uri).with_initial_scope_selection();
        request = request.with_scopes(scopes).with_preregistered_client(&client.id);
        if let Some(secret) = &client.secret {
            request = request.with_client_secret(secret);
        }
        let first = Some((self.options.url.clone(), client));
        self.manager.set_credential_store(SignInCredentials { kept: kept.clone(), first });
        let session = AuthorizationSession::new(self.manager, request).await;
        session.map_err(|(_, error)| failed(&server, &error))
    }
}

/// An entry that does not open or cannot be read is replaced by the sign-in.
fn unreadable_is_none(error: StoredSignInError) -> Result<Option<SignIn>, LoginError> {
    use crate::vault::VaultError::{OtherKey, Tampered};
    match error {
        StoredSignInError::Unreadable(_) | StoredSignInError::Vault(Tampered { .. } | OtherKey { .. }) => {
            Ok(None)
        }
        StoredSignInError::Vault(error) => Err(LoginError::Vault(error.to_string())),
    }
}

fn unkept(error: StoredSignInError) -> LoginError {
    LoginError::Vault(error.to_string())
}

fn failed(server: &ServerName, error: &AuthError) -> LoginError {
    let server = server.clone();
    match error {
        AuthError::PkceUnsupported => LoginError::NoPkce { server },
        AuthError::CredentialStoreError(why) => LoginError::Vault(why.clone()),
        error => LoginError::Failed { server, why: shown(&error.to_string()) },
    }
}

/// Other schemes start programs, and plain HTTP leaves this machine unencrypted.
fn is_for_a_browser(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let is_local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_local)
}

/// A client id that is an address: https, and not just a host.
fn is_document_address(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.scheme() == "https" && url.has_host() && url.path() != "/")
}

fn parameter(url: &str, name: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    let found = url.query_pairs().find(|(key, _)| key == name);
    found.map(|(_, value)| value.into_owned())
}

/// Foreign text, made safe for a terminal.
fn shown(said: &str) -> String {
    let said: String = said.chars().filter(|c| !c.is_control()).take(SAID_CHARS_MAX).collect();
    said.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::is_for_a_browser;

    #[test]
    fn a_person_is_sent_to_pages_only() {
        for good in [
            "https://id.example.com/authorize?x=1",
            "http://127.0.0.1:80/a",
            "http://[::1]/a",
            "http://localhost/a",
        ] {
            assert!(is_for_a_browser(good), "{good}");
        }
        for bad in [
            "vscode://evil.ext/run",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "http://id.example.com/a",
            "data:text/html,x",
            "x",
        ] {
            assert!(!is_for_a_browser(bad), "{bad}");
        }
    }
}
