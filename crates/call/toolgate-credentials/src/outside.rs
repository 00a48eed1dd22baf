//! Secrets that are kept elsewhere: in a file, by a command, in OpenBao or HashiCorp Vault. The operator's
//! file names the place of each. A value is cached in memory for a stated time and never written down; errors
//! name the kind of the source and the secret, never the value, a path or an argument.

mod command;
mod file;
mod openbao;
mod unanswered;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Mutex;
use toolgate_core::ServerName;
use toolgate_core::port::NoKey;
use toolgate_store::SecretOrigin;

use crate::secret::Secret;
use openbao::OpenBao;
pub use openbao::{OpenBaoCredential, OpenBaoLogin, OpenBaoSettings};
pub use unanswered::SecretSourceError;
use unanswered::VALUE_BYTES_MAX;

/// The pause after a failure of a source.
const AFTER_FAILURE: Duration = Duration::from_secs(2);
/// The time for which a value is not read again after a server refused it: refusals can come by the hundred.
const AFTER_REFUSAL: Duration = Duration::from_secs(1);
/// The interval for checking expired values.
const LOOK: Duration = Duration::from_millis(250);

/// One secret of a server that is kept elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideSecret {
    pub server: ServerName,
    pub name: String,
    pub source: OutsideSource,
    /// The time for which a value is cached.
    pub cache: Duration,
    /// The addresses it may be sent to besides those of the server in the operator's file.
    pub origins: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideSource {
    /// Absolute.
    File(PathBuf),
    /// A program and its arguments, without a shell.
    Command(Vec<String>),
    /// A field of a secret in a KV engine of version 2.
    OpenBao { path: String, field: String },
}

impl OutsideSource {
    /// The kind of source, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            OutsideSource::File(_) => "file",
            OutsideSource::Command(_) => "command",
            OutsideSource::OpenBao { .. } => "openbao",
        }
    }
}

/// All secrets that are kept elsewhere. Clones share everything.
#[derive(Clone, Default)]
pub struct ExternalSecrets {
    inner: Arc<ExternalInner>,
}

#[derive(Default)]
struct ExternalInner {
    secrets: BTreeMap<(ServerName, String), CachedSecret>,
    openbao: Option<OpenBao>,
    /// Incremented when a value changes, disappears or reappears.
    generation: AtomicU64,
}

struct CachedSecret {
    secret: OutsideSecret,
    /// Locked while the source is asked: of many concurrent requests, one asks.
    state: Mutex<SecretState>,
}

enum SecretState {
    /// It was never needed.
    Unread,
    Read {
        value: Secret,
        at: Instant,
    },
    Failed {
        why: String,
        at: Instant,
    },
}

impl ExternalSecrets {
    pub fn new(secrets: Vec<OutsideSecret>, openbao: Option<OpenBaoSettings>) -> Self {
        let kept = |secret: OutsideSecret| {
            let key = (secret.server.clone(), secret.name.clone());
            (key, CachedSecret { secret, state: Mutex::new(SecretState::Unread) })
        };
        let secrets = secrets.into_iter().map(kept).collect();
        let inner =
            ExternalInner { secrets, openbao: openbao.map(OpenBao::new), generation: AtomicU64::new(0) };
        Self { inner: Arc::new(inner) }
    }

    /// All of them, by server and name.
    pub fn list(&self) -> impl Iterator<Item = &OutsideSecret> {
        self.inner.secrets.values().map(|kept| &kept.secret)
    }

    /// The present value of a secret of the gateway's own. No server gets it.
    pub async fn own_secret(&self, source: &OutsideSource) -> Result<Secret, SecretSourceError> {
        self.inner.read(source).await
    }

    /// Asks the source now, regardless of the cache, and reports only whether it answers.
    pub async fn try_source(&self, secret: &OutsideSecret) -> Result<(), SecretSourceError> {
        self.inner.read(&secret.source).await.map(drop)
    }

    pub(crate) fn has(&self, server: &ServerName, name: &str) -> bool {
        self.kept(server, name).is_some()
    }

    /// True if the operator's file allows sending it to an address from another source.
    pub(crate) fn allows(&self, server: &ServerName, name: &str, origin: &str) -> bool {
        let allowed = |one: &String| one == origin || one == SecretOrigin::ANYWHERE;
        self.kept(server, name).is_some_and(|kept| kept.secret.origins.iter().any(allowed))
    }

    pub(crate) fn generation(&self) -> u64 {
        self.inner.generation.load(Ordering::Acquire)
    }

    pub(crate) async fn get(&self, server: &ServerName, name: &str) -> Result<Secret, NoKey> {
        let Some(kept) = self.kept(server, name) else {
            return Err(NoKey(format!("no source has the secret \"{name}\" of \"{server}\"")));
        };
        let mut state = kept.state.lock().await;
        match &*state {
            SecretState::Read { value, at } if at.elapsed() < kept.secret.cache => return Ok(value.clone()),
            SecretState::Failed { why, at } if at.elapsed() < AFTER_FAILURE => return Err(kept.no_key(why)),
            _ => {}
        }
        self.inner.read_anew(kept, &mut state).await;
        match &*state {
            SecretState::Read { value, .. } => Ok(value.clone()),
            SecretState::Failed { why, .. } => Err(kept.no_key(why)),
            SecretState::Unread => Err(kept.no_key("it was not read")),
        }
    }

    /// A server refused the value. Returns `true` if a source has another one by now.
    pub(crate) async fn refused(&self, server: &ServerName) -> bool {
        let mut changed = false;
        for kept in self.inner.secrets.values().filter(|kept| kept.secret.server == *server) {
            let mut state = kept.state.lock().await;
            let SecretState::Read { at, .. } = &*state else { continue };
            if at.elapsed() >= AFTER_REFUSAL {
                changed |= self.inner.read_anew(kept, &mut state).await;
            }
        }
        changed
    }

    /// Reads used values whose time is over, and those that failed before. Never ends.
    pub(crate) async fn follow(&self) {
        if self.inner.secrets.is_empty() {
            return std::future::pending().await;
        }
        loop {
            tokio::time::sleep(LOOK).await;
            for kept in self.inner.secrets.values() {
                // Its holder is reading it.
                let Ok(mut state) = kept.state.try_lock() else { continue };
                if state.is_over(kept.secret.cache) {
                    self.inner.read_anew(kept, &mut state).await;
                }
            }
        }
    }

    fn kept(&self, server: &ServerName, name: &str) -> Option<&CachedSecret> {
        // Most gateways have none, and this runs for every call.
        if self.inner.secrets.is_empty() {
            return None;
        }
        self.inner.secrets.get(&(server.clone(), name.to_owned()))
    }
}

impl SecretState {
    fn is_over(&self, cache: Duration) -> bool {
        match self {
            SecretState::Unread => false,
            SecretState::Read { at, .. } => at.elapsed() >= cache,
            SecretState::Failed { at, .. } => at.elapsed() >= AFTER_FAILURE.max(cache / 10),
        }
    }
}

impl CachedSecret {
    fn no_key(&self, why: &str) -> NoKey {
        let OutsideSecret { server, name, source, .. } = &self.secret;
        let kind = source.kind();
        NoKey(format!(
            "the source of the secret \"{name}\" of \"{server}\" (a {kind}) gives none: {why}; `toolgate doctor` tries it"
        ))
    }
}

impl ExternalInner {
    /// Asks the source. Returns true if the value has changed.
    async fn read_anew(&self, kept: &CachedSecret, state: &mut SecretState) -> bool {
        let at = Instant::now();
        let OutsideSecret { server, name, source, .. } = &kept.secret;
        let next = match self.read(source).await {
            Ok(value) => SecretState::Read { value, at },
            Err(error) => SecretState::Failed { why: error.to_string(), at },
        };
        let differs = match (&*state, &next) {
            (SecretState::Read { value: before, .. }, SecretState::Read { value, .. }) => before != value,
            (SecretState::Read { .. }, SecretState::Failed { .. })
            | (SecretState::Failed { .. }, SecretState::Read { .. }) => true,
            _ => false,
        };
        match (&*state, &next) {
            (SecretState::Unread | SecretState::Read { .. }, SecretState::Failed { why, .. }) => {
                tracing::warn!(%server, secret = name, source = source.kind(), "a secret cannot be read: {why}");
            }
            (SecretState::Failed { .. }, SecretState::Read { .. }) => {
                tracing::info!(%server, secret = name, "a secret can be read again");
            }
            _ => {}
        }
        *state = next;
        if differs {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        differs && matches!(state, SecretState::Read { .. })
    }

    async fn read(&self, source: &OutsideSource) -> Result<Secret, SecretSourceError> {
        let text = match source {
            OutsideSource::File(path) => file::read(path).await?,
            OutsideSource::Command(words) => command::run(words).await?,
            OutsideSource::OpenBao { path, field } => match &self.openbao {
                Some(openbao) => openbao.read(path, field).await?,
                None => return Err(SecretSourceError::NotConfigured),
            },
        };
        checked(text)
    }
}

/// A secret that fits into a header. A line break at the end, from an editor or `echo`, is not part of it.
fn checked(text: Secret) -> Result<Secret, SecretSourceError> {
    let plain = text.expose().strip_suffix('\n').unwrap_or(text.expose());
    let plain = plain.strip_suffix('\r').unwrap_or(plain);
    match plain {
        "" => Err(SecretSourceError::Empty),
        _ if plain.len() > VALUE_BYTES_MAX => Err(SecretSourceError::TooLong),
        _ if plain.contains(['\0', '\n', '\r']) => Err(SecretSourceError::NotText),
        _ => Ok(Secret::new(plain)),
    }
}

#[cfg(test)]
mod tests;
