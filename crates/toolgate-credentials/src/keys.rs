//! The keyring: secrets and access tokens at the moment they are needed. Values are opened once and forgotten when the
//! vault changes; what exists is known without asking.

mod holder;
mod index;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use rmcp::transport::auth::WWWAuthenticateParams;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::port::{BoxFuture, Keyring, NoKey};
use toolgate_core::{PrincipalId, ServerName};
use url::Url;

use crate::oauth::{Kept, Owner};
use crate::outbound::Outbound;
use crate::secret::Secret;
use crate::vault::{Vault, VaultError};

use holder::Holder;
use index::Index;

const SECRETS_MAX: usize = 10_000;

/// The instance of a server that a token is for, and where the way to its authorization server may lead. A token that was
/// given for another address is not shown to it, whatever other instances there are.
struct Access {
    reach: Reach,
    url: String,
}

/// Clones share everything.
#[derive(Clone)]
pub struct Keys {
    inner: Arc<Inner>,
}

struct Inner {
    vault: Vault,
    index: RwLock<Arc<Index>>,
    /// One at a time rebuilds the index.
    refreshing: tokio::sync::Mutex<()>,
    secrets: Mutex<HashMap<(Owner, String), Opened>>,
    holders: Mutex<HashMap<Owner, Arc<Holder>>>,
    servers: RwLock<BTreeMap<ServerName, Reach>>,
}

/// A secret as it was when the index had this generation.
struct Opened {
    generation: u64,
    value: Secret,
}

impl Keys {
    pub async fn open(vault: Vault) -> Result<Self, VaultError> {
        let inner = Inner {
            vault,
            index: RwLock::default(),
            refreshing: tokio::sync::Mutex::new(()),
            secrets: Mutex::default(),
            holders: Mutex::default(),
            servers: RwLock::default(),
        };
        let keys = Self { inner: Arc::new(inner) };
        keys.refresh().await?;
        Ok(keys)
    }

    /// Says which servers there are and where the way to them may lead. A server that is not among them may be reached at
    /// public addresses only.
    pub fn know(&self, servers: BTreeMap<ServerName, Reach>) {
        *self.inner.servers.write().unwrap_or_else(PoisonError::into_inner) = servers;
    }

    /// Looks whether the vault has changed, in whichever process, and forgets what was opened if so.
    pub async fn refresh(&self) -> Result<(), VaultError> {
        self.inner.refresh().await
    }
}

impl Keyring for Keys {
    fn secret(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let (inner, index) = (Arc::clone(&self.inner), self.inner.index());
        let owner = index.holder_of(server, principal, name);
        let (server, name) = (server.clone(), name.to_owned());
        Box::pin(async move {
            let Some(owner) = owner else { return Err(no_secret(&server, &name)) };
            inner.open_secret(index.generation, owner, name).await
        })
    }

    fn signs_in(&self, server: &ServerName) -> bool {
        self.inner.index().signs_in(server)
    }

    fn access_token(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        url: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let (inner, signed_in) = (Arc::clone(&self.inner), self.inner.sign_in_of(server, principal, url));
        Box::pin(async move {
            let (holder, generation, access) = signed_in?;
            let token = holder.token(&access, generation).await?;
            inner.follow_own_change(&holder).await;
            Ok(token)
        })
    }

    fn token_refused(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        url: &str,
        challenge: Option<&str>,
    ) -> BoxFuture<'static, Result<(), NoKey>> {
        let (inner, signed_in) = (Arc::clone(&self.inner), self.inner.sign_in_of(server, principal, url));
        let challenge = challenge.map(str::to_owned);
        Box::pin(async move {
            let (holder, generation, access) = signed_in?;
            let answered = match missing_scopes(challenge.as_deref(), &access) {
                Some(scopes) => Err(holder.lacks(scopes).await),
                None => holder.renew_refused(&access, generation, challenge.as_deref()).await,
            };
            inner.follow_own_change(&holder).await;
            answered
        })
    }

    fn generation(&self) -> u64 {
        self.inner.index().generation
    }
}

impl Inner {
    async fn refresh(&self) -> Result<(), VaultError> {
        let _turn = self.refreshing.lock().await;
        // The revision first: what changes in between is found the next time.
        let revision = self.vault.revision().await?;
        let old = self.index();
        if old.revision == Some(revision) {
            return Ok(());
        }
        let fresh = Index::new(old.generation + 1, revision, &self.vault.list(None).await?);
        lock(&self.holders).retain(|owner, _| fresh.has_signed_in(owner));
        *self.index.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(fresh);
        lock(&self.secrets).clear();
        Ok(())
    }

    fn index(&self) -> Arc<Index> {
        Arc::clone(&self.index.read().unwrap_or_else(PoisonError::into_inner))
    }

    async fn open_secret(&self, generation: u64, owner: Owner, name: String) -> Result<String, NoKey> {
        let key = (owner, name);
        if let Some(opened) = lock(&self.secrets).get(&key).filter(|opened| opened.generation == generation) {
            return Ok(opened.value.expose().to_owned());
        }
        let (Owner { server, principal }, name) = &key;
        let opened = self.vault.get(server, principal.as_ref(), name).await;
        let value = opened.map_err(|error| NoKey(error.to_string()))?;
        let value = value.ok_or_else(|| no_secret(server, name))?;
        let text = value.expose().to_owned();
        let mut secrets = lock(&self.secrets);
        if secrets.len() >= SECRETS_MAX {
            secrets.clear();
        }
        secrets.insert(key, Opened { generation, value });
        Ok(text)
    }

    fn sign_in_of(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        url: &str,
    ) -> Result<(Arc<Holder>, u64, Access), NoKey> {
        let index = self.index();
        let owner = index.sign_in_of(server, principal).ok_or_else(|| {
            NoKey(format!("nobody has signed in at \"{server}\"; `toolgate servers login {server}` does"))
        })?;
        Ok((self.holder(owner), index.generation, Access { reach: self.reach(server), url: url.to_owned() }))
    }

    fn holder(&self, owner: Owner) -> Arc<Holder> {
        let mut holders = lock(&self.holders);
        let make = |owner: &Owner| {
            let kept = Kept { vault: self.vault.clone(), owner: owner.clone(), by: PrincipalId::gateway() };
            Arc::new(Holder::new(kept))
        };
        Arc::clone(holders.entry(owner).or_insert_with_key(make))
    }

    fn reach(&self, server: &ServerName) -> Reach {
        let servers = self.servers.read().unwrap_or_else(PoisonError::into_inner);
        servers.get(server).copied().unwrap_or_else(|| Reach::Within(AddressRules::default()))
    }

    /// What this process wrote itself is not news to it for long.
    async fn follow_own_change(&self, holder: &Holder) {
        if holder.take_written()
            && let Err(error) = self.refresh().await
        {
            tracing::warn!(%error, "the vault could not be read again");
        }
    }
}

impl Access {
    fn outbound(&self) -> Outbound {
        Outbound::new(self.reach)
    }

    /// Whether a token that was given for `url` belongs here: scheme, host and port have to be the same.
    fn is_at(&self, url: &str) -> bool {
        let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin());
        origin(&self.url).is_some_and(|here| Some(here) == origin(url))
    }
}

/// The scopes that a server misses, if that is why it refused.
fn missing_scopes(challenge: Option<&str>, access: &Access) -> Option<Vec<String>> {
    let base = Url::parse(&access.url).ok()?;
    let params = WWWAuthenticateParams::parse(challenge?, &base);
    let scopes = params.scope.as_deref().unwrap_or_default();
    params.is_insufficient_scope().then(|| scopes.split_ascii_whitespace().map(str::to_owned).collect())
}

fn no_secret(server: &ServerName, name: &str) -> NoKey {
    NoKey(format!(
        "the vault has no secret \"{name}\" for \"{server}\"; `toolgate secrets set {server} {name}` stores it"
    ))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is one insert, removal or sweep: a panic elsewhere leaves nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
