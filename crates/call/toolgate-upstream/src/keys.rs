//! The credentials shown to a server: secrets of the vault in headers and environments (`${vault:NAME}`), and
//! OAuth tokens. Each principal's own if it has one; the gateway's if it acts on its own account.
//!
//! A server without any costs one comparison per request. Values are never logged: the headers are marked as
//! sensitive, and errors name the secret and not its value.

mod environment;
mod grant;
mod template;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use parking_lot::{Mutex, MutexGuard};
use toolgate_core::port::{Keyring, NoKey, SecretViewer};
use toolgate_core::server::{Isolation, ServerSpec, TransportSpec};
use toolgate_core::{PrincipalId, ServerName};

use crate::cache::CacheSharing;
use crate::client::ServerResponse;
pub(crate) use environment::{GivenEnvironment, filled_env, gives_secrets};
pub(crate) use grant::GrantTemplate;
pub(crate) use template::{SecretTemplate, SecretUser};
pub use template::{secret_names, with_secrets};

/// The number of principals whose header values are cached.
const PRINCIPALS_MAX: usize = 1024;
/// The interval for checking whether credentials changed, while a task waits for that.
pub(crate) const LOOK: Duration = Duration::from_millis(250);
/// No generation has this number.
const NEVER: u64 = u64::MAX;

/// The credentials of one server, as shown to one of its instances.
pub(crate) struct ServerKeys {
    server: ServerName,
    /// The address of the instance.
    url: String,
    keyring: Arc<dyn Keyring>,
    /// Headers with secrets in them.
    headers: Vec<(HeaderName, SecretTemplate)>,
    tokens: TokenSource,
    /// The generation in which there was no sign-in here.
    unsigned_in: AtomicU64,
    known: Mutex<KnownHeaders>,
    /// Held while a token is replaced.
    replacing: tokio::sync::Mutex<()>,
}

/// The source of the bearer tokens for one server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenSource {
    /// A person's sign-in, where there is one.
    SignIn,
    /// A person's sign-in, without which nothing is sent.
    RequiredSignIn,
    Client(GrantTemplate),
}

type HeaderValues = Arc<[(HeaderName, HeaderValue)]>;

/// Header values of one generation of the credentials.
#[derive(Default)]
struct KnownHeaders {
    generation: u64,
    values: BTreeMap<Option<PrincipalId>, HeaderValues>,
}

/// The credentials of one request.
pub(crate) struct ShownCredentials {
    values: HeaderValues,
    token: Option<HeaderValue>,
}

impl ServerKeys {
    pub(crate) fn new(
        server: ServerName,
        url: String,
        keyring: Arc<dyn Keyring>,
        headers: Vec<(HeaderName, SecretTemplate)>,
        tokens: TokenSource,
    ) -> Arc<Self> {
        Arc::new(Self {
            server,
            url,
            keyring,
            headers,
            tokens,
            unsigned_in: AtomicU64::new(NEVER),
            known: Mutex::default(),
            replacing: tokio::sync::Mutex::default(),
        })
    }

    /// True if there is nothing to show, as for most servers.
    pub(crate) fn are_none(&self) -> bool {
        if !self.headers.is_empty() || self.tokens != TokenSource::SignIn {
            return false;
        }
        let generation = self.keyring.generation();
        if self.unsigned_in.load(Ordering::Acquire) == generation {
            return true;
        }
        if self.keyring.signs_in(&self.server) {
            return false;
        }
        self.unsigned_in.store(generation, Ordering::Release);
        true
    }

    pub(crate) async fn shown(&self, who: SecretUser<'_>) -> Result<ShownCredentials, NoKey> {
        let values = self.values(who).await?;
        Ok(ShownCredentials { values, token: self.token(who).await? })
    }

    /// The bearer token itself, if the server gets one.
    pub(crate) async fn bearer_token(&self, who: SecretUser<'_>) -> Result<Option<String>, NoKey> {
        match &self.tokens {
            TokenSource::SignIn if !self.keyring.signs_in(&self.server) => Ok(None),
            TokenSource::SignIn | TokenSource::RequiredSignIn => {
                self.keyring.access_token(&self.server, who, &self.url).await.map(Some)
            }
            TokenSource::Client(grant) => {
                let grant = grant.filled(&*self.keyring, &self.server, who, &self.url).await?;
                self.keyring.client_token(&self.server, &grant).await.map(Some)
            }
        }
    }

    async fn token(&self, who: SecretUser<'_>) -> Result<Option<HeaderValue>, NoKey> {
        let Some(token) = self.bearer_token(who).await? else { return Ok(None) };
        sensitive(&format!("Bearer {token}"), "Authorization").map(Some)
    }

    async fn token_refused(
        &self,
        refused: Option<&HeaderValue>,
        who: SecretUser<'_>,
        challenge: Option<&str>,
    ) -> Result<(), NoKey> {
        let TokenSource::Client(grant) = &self.tokens else {
            return self.keyring.token_refused(&self.server, who, &self.url, challenge).await;
        };
        let grant = grant.filled(&*self.keyring, &self.server, who, &self.url).await?;
        let token = refused.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        self.keyring.client_token_refused(&self.server, &grant, token.unwrap_or_default());
        Ok(())
    }

    /// The server refused the token. Returns the replacement, if there is one. Of many requests that are
    /// refused at once the first replaces the token and the others find it replaced.
    pub(crate) async fn instead_of(
        &self,
        refused: &ShownCredentials,
        who: SecretUser<'_>,
        challenge: Option<&str>,
    ) -> Result<ShownCredentials, NoKey> {
        let _one_at_a_time = self.replacing.lock().await;
        if self.token(who).await? == refused.token {
            self.token_refused(refused.token.as_ref(), who, challenge).await?;
        }
        self.shown(who).await
    }

    /// The server refused the secrets. Returns the replacements, if they have changed.
    pub(crate) async fn instead_of_values(
        &self,
        who: SecretUser<'_>,
    ) -> Result<Option<ShownCredentials>, NoKey> {
        if !self.keyring.secrets_refused(&self.server).await {
            return Ok(None);
        }
        self.shown(who).await.map(Some)
    }

    async fn values(&self, who: SecretUser<'_>) -> Result<HeaderValues, NoKey> {
        if self.headers.is_empty() {
            return Ok(Arc::default());
        }
        let (who, generation) = (who.cloned(), self.keyring.generation());
        if let Some(values) = self.known(generation).values.get(&who) {
            return Ok(values.clone());
        }
        let mut values = Vec::with_capacity(self.headers.len());
        for (name, template) in &self.headers {
            let viewer = SecretViewer::Address(&self.url);
            let text = template.filled(&*self.keyring, &self.server, who.as_ref(), viewer).await?;
            values.push((name.clone(), sensitive(&text, name.as_str())?));
        }
        let values: HeaderValues = values.into();
        let mut known = self.known(generation);
        if known.values.len() >= PRINCIPALS_MAX {
            known.values.clear();
        }
        known.values.insert(who, values.clone());
        Ok(values)
    }

    /// The cached data of this generation; that of another is useless.
    fn known(&self, generation: u64) -> MutexGuard<'_, KnownHeaders> {
        let mut known = self.known.lock();
        if known.generation != generation {
            *known = KnownHeaders { generation, values: BTreeMap::new() };
        }
        known
    }
}

impl ShownCredentials {
    pub(crate) fn put_on(&self, headers: &mut HeaderMap) {
        for (name, value) in self.values.iter() {
            headers.insert(name, value.clone());
        }
        if let Some(token) = &self.token {
            headers.insert(header::AUTHORIZATION, token.clone());
        }
    }

    /// True if another token may help.
    pub(crate) fn is_refused_by(&self, answered: &ServerResponse) -> bool {
        self.token.is_some() && wants_credential(answered)
    }

    /// True if other secrets may help.
    pub(crate) fn are_values_refused_by(&self, answered: &ServerResponse) -> bool {
        self.token.is_none() && !self.values.is_empty() && wants_credential(answered)
    }
}

/// True if an answer says that the credential was missing or insufficient. Nothing has been done then.
pub(crate) fn wants_credential(answered: &ServerResponse) -> bool {
    match answered.status {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => {
            answered.header("www-authenticate").is_some_and(|text| text.contains("insufficient_scope"))
        }
        _ => false,
    }
}

fn sensitive(text: &str, name: &str) -> Result<HeaderValue, NoKey> {
    let mut value = HeaderValue::from_str(text)
        .map_err(|_| NoKey(format!("what {name} has to say has characters that no header allows")))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The permission to show one principal's results to others: not if the server may know whose they are.
pub(crate) fn sharing(spec: &ServerSpec, keyring: &dyn Keyring) -> CacheSharing {
    let has_secrets = match &spec.transport {
        TransportSpec::Stdio { env, .. } => env.values().any(|value| template::has_secret(value)),
        TransportSpec::Http { headers, .. } => headers.values().any(|value| template::has_secret(value)),
        // The connector file may name further ones.
        TransportSpec::Api(api) => {
            api.connector.is_some()
                || api.oauth.flow.is_some()
                || api.templates().any(|value| template::has_secret(value))
        }
    };
    let personal = spec.isolation == Isolation::Principal || has_secrets || keyring.signs_in(&spec.name);
    if personal { CacheSharing::Never } else { CacheSharing::Allowed }
}

/// Resolves when credentials have changed since `generation`: a failure for lack of one is worth another
/// attempt.
pub(crate) async fn changed_since(keyring: &dyn Keyring, generation: u64) {
    while keyring.generation() == generation {
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
pub(crate) mod tests;
