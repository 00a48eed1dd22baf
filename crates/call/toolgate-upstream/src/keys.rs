//! What a server is shown to be let in: secrets of the vault in headers and environments (`${vault:NAME}`), and OAuth
//! tokens. Each principal's own where it has one; the gateway's where it acts on its own account.
//!
//! A server without any costs one comparison per request. Values are never logged: the headers are marked as
//! sensitive, and errors name the secret and not what it is.

mod environment;
mod template;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use toolgate_core::port::{Keyring, NoKey, Viewer};
use toolgate_core::server::{Isolation, ServerSpec, TransportSpec};
use toolgate_core::{PrincipalId, ServerName};

use crate::cache::Sharing;
use crate::client::Answered;
pub(crate) use environment::{Given, filled_env, gives_secrets};
pub(crate) use template::Template;

/// On whose behalf: a principal's, or the gateway's own.
pub(crate) type Who<'a> = Option<&'a PrincipalId>;

/// Principals whose header values are remembered.
const PRINCIPALS_MAX: usize = 1024;
/// How often it is looked whether credentials changed, while somebody waits for that.
pub(crate) const LOOK: Duration = Duration::from_millis(250);
/// No generation has this number.
const NEVER: u64 = u64::MAX;

/// The credentials of one server, as they are shown to one of its instances.
pub(crate) struct Keys {
    server: ServerName,
    /// Where the instance is.
    url: String,
    keyring: Arc<dyn Keyring>,
    /// Headers with secrets in them.
    headers: Vec<(HeaderName, Template)>,
    /// The generation in which it was seen that nobody signs in here.
    unsigned_in: AtomicU64,
    known: Mutex<Known>,
    /// Held while a token is replaced.
    replacing: tokio::sync::Mutex<()>,
}

type Values = Arc<[(HeaderName, HeaderValue)]>;

/// Header values as they were in one generation of the credentials.
#[derive(Default)]
struct Known {
    generation: u64,
    values: BTreeMap<Option<PrincipalId>, Values>,
}

/// What one request shows.
pub(crate) struct Shown {
    values: Values,
    token: Option<HeaderValue>,
}

impl Keys {
    pub(crate) fn new(
        server: ServerName,
        url: String,
        keyring: Arc<dyn Keyring>,
        headers: Vec<(HeaderName, Template)>,
    ) -> Arc<Self> {
        Arc::new(Self {
            server,
            url,
            keyring,
            headers,
            unsigned_in: AtomicU64::new(NEVER),
            known: Mutex::default(),
            replacing: tokio::sync::Mutex::default(),
        })
    }

    /// Whether there is nothing to show, which is so for most servers.
    pub(crate) fn are_none(&self) -> bool {
        if !self.headers.is_empty() {
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

    pub(crate) async fn shown(&self, who: Who<'_>) -> Result<Shown, NoKey> {
        let values = self.values(who).await?;
        Ok(Shown { values, token: self.token(who).await? })
    }

    async fn token(&self, who: Who<'_>) -> Result<Option<HeaderValue>, NoKey> {
        if !self.keyring.signs_in(&self.server) {
            return Ok(None);
        }
        let token = self.keyring.access_token(&self.server, who, &self.url).await?;
        sensitive(&format!("Bearer {token}"), "Authorization").map(Some)
    }

    /// The server did not take the token that was shown. What to show instead, if there is anything. Of many requests
    /// that are refused at once the first replaces the token and the others find it replaced.
    pub(crate) async fn instead_of(
        &self,
        refused: &Shown,
        who: Who<'_>,
        challenge: Option<&str>,
    ) -> Result<Shown, NoKey> {
        let _one_at_a_time = self.replacing.lock().await;
        if self.token(who).await? == refused.token {
            self.keyring.token_refused(&self.server, who, &self.url, challenge).await?;
        }
        self.shown(who).await
    }

    /// The server did not take the secrets that were shown. What to show instead, if there is anything else by now.
    pub(crate) async fn instead_of_values(&self, who: Who<'_>) -> Result<Option<Shown>, NoKey> {
        if !self.keyring.secrets_refused(&self.server).await {
            return Ok(None);
        }
        self.shown(who).await.map(Some)
    }

    async fn values(&self, who: Who<'_>) -> Result<Values, NoKey> {
        if self.headers.is_empty() {
            return Ok(Arc::default());
        }
        let (who, generation) = (who.cloned(), self.keyring.generation());
        if let Some(values) = self.known(generation).values.get(&who) {
            return Ok(values.clone());
        }
        let mut values = Vec::with_capacity(self.headers.len());
        for (name, template) in &self.headers {
            let viewer = Viewer::Address(&self.url);
            let text = template.filled(&*self.keyring, &self.server, who.as_ref(), viewer).await?;
            values.push((name.clone(), sensitive(&text, name.as_str())?));
        }
        let values: Values = values.into();
        let mut known = self.known(generation);
        if known.values.len() >= PRINCIPALS_MAX {
            known.values.clear();
        }
        known.values.insert(who, values.clone());
        Ok(values)
    }

    /// What is known of this generation; what was known of another is of no use.
    fn known(&self, generation: u64) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.generation != generation {
            *known = Known { generation, values: BTreeMap::new() };
        }
        known
    }
}

impl Shown {
    pub(crate) fn put_on(&self, headers: &mut HeaderMap) {
        for (name, value) in self.values.iter() {
            headers.insert(name, value.clone());
        }
        if let Some(token) = &self.token {
            headers.insert(header::AUTHORIZATION, token.clone());
        }
    }

    /// Whether another token may help where this one did not.
    pub(crate) fn is_refused_by(&self, answered: &Answered) -> bool {
        self.token.is_some() && wants_credential(answered)
    }

    /// Whether other secrets may help where these did not.
    pub(crate) fn are_values_refused_by(&self, answered: &Answered) -> bool {
        self.token.is_none() && !self.values.is_empty() && wants_credential(answered)
    }
}

/// Whether an answer says that the credential was none or not enough. Nothing has been done then.
pub(crate) fn wants_credential(answered: &Answered) -> bool {
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

/// Whether one principal's results may be shown to others: not where the server may know whose they are.
pub(crate) fn sharing(spec: &ServerSpec, keyring: &dyn Keyring) -> Sharing {
    let mut values = match &spec.transport {
        TransportSpec::Stdio { env, .. } => env.values(),
        TransportSpec::Http { headers, .. } => headers.values(),
    };
    let personal = spec.isolation == Isolation::Principal
        || values.any(|value| template::has_secret(value))
        || keyring.signs_in(&spec.name);
    if personal { Sharing::Never } else { Sharing::Allowed }
}

/// Ends when credentials have changed since `generation`: what failed for want of one is worth another attempt.
pub(crate) async fn changed_since(keyring: &dyn Keyring, generation: u64) {
    while keyring.generation() == generation {
        tokio::time::sleep(LOOK).await;
    }
}

#[cfg(test)]
pub(crate) mod tests;
