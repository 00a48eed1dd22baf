//! The keyring: secrets and access tokens at the moment they are needed. Values are opened once and forgotten
//! when the vault changes; their existence is known without a query.

mod clients;
mod holder;
mod index;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use rmcp::transport::auth::WWWAuthenticateParams;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::port::{BoxFuture, ClientGrant, Keyring, NoKey, SecretViewer};
use toolgate_core::{PrincipalId, ServerName};
use toolgate_outbound::OutboundSettings;
use toolgate_store::SecretOrigin;
use url::Url;

use crate::oauth::{SignInOwner, StoredSignIn};
use crate::outbound::OutboundClient;
use crate::outside::ExternalSecrets;
use crate::secret::Secret;
use crate::vault::{Vault, VaultError, origin_of};

use clients::ClientTokens;
use holder::TokenHolder;
use index::SecretIndex;

const SECRETS_MAX: usize = 10_000;
/// The number of attempts to read a secret while the vault changes.
const ATTEMPTS_MAX: usize = 5;

/// The requested secret, its requester, and its viewer.
struct SecretRequest {
    server: ServerName,
    principal: Option<PrincipalId>,
    name: String,
    /// None is a program of this machine.
    url: Option<String>,
}

/// The instance of a server that a token is for, and the way to its authorization server. A token for another
/// address is never shown to it, regardless of other instances.
struct TokenAccess {
    way: OutboundSettings,
    url: String,
}

/// Clones share everything.
#[derive(Clone)]
pub struct Keys {
    inner: Arc<KeysInner>,
}

struct KeysInner {
    vault: Vault,
    outside: ExternalSecrets,
    index: RwLock<Arc<SecretIndex>>,
    /// One task at a time rebuilds the index.
    refreshing: tokio::sync::Mutex<()>,
    secrets: Mutex<HashMap<(SignInOwner, String), OpenedSecret>>,
    holders: Mutex<HashMap<SignInOwner, Arc<TokenHolder>>>,
    clients: ClientTokens,
    servers: RwLock<BTreeMap<ServerName, OutboundSettings>>,
}

/// A secret as it was when the index had this generation.
struct OpenedSecret {
    generation: u64,
    value: Secret,
}

impl Keys {
    pub async fn open(vault: Vault, outside: ExternalSecrets) -> Result<Self, VaultError> {
        let inner = KeysInner {
            vault,
            outside,
            index: RwLock::default(),
            refreshing: tokio::sync::Mutex::new(()),
            secrets: Mutex::default(),
            holders: Mutex::default(),
            clients: ClientTokens::default(),
            servers: RwLock::default(),
        };
        let keys = Self { inner: Arc::new(inner) };
        keys.refresh().await?;
        Ok(keys)
    }

    /// Sets the servers and the ways to them. An unlisted server may be reached at public addresses only.
    pub fn know(&self, servers: BTreeMap<ServerName, OutboundSettings>) {
        *self.inner.servers.write() = servers;
    }

    /// Checks whether the vault has changed, in any process, and forgets the opened values if so.
    pub async fn refresh(&self) -> Result<(), VaultError> {
        self.inner.refresh().await
    }

    /// The same for whoever looks again and again: with one query together with others who do.
    pub async fn look(&self) -> Result<(), VaultError> {
        match self.inner.index().revision == Some(self.inner.vault.look().await?) {
            true => Ok(()),
            false => self.refresh().await,
        }
    }

    /// The time to rest before the next look.
    pub fn until_next_look(&self) -> Duration {
        self.inner.vault.store().until_next_look()
    }

    /// Reads used secrets from outside again when their cache time is over. Never ends.
    pub async fn follow_outside(&self) {
        self.inner.outside.follow().await;
    }
}

impl Keyring for Keys {
    fn secret(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        viewer: SecretViewer<'_>,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let inner = Arc::clone(&self.inner);
        let asked = SecretRequest {
            server: server.clone(),
            principal: principal.cloned(),
            name: name.to_owned(),
            url: match viewer {
                SecretViewer::Program => None,
                SecretViewer::Address(url) => Some(url.to_owned()),
            },
        };
        Box::pin(async move { inner.find(&asked).await })
    }

    fn secrets_refused(&self, server: &ServerName) -> BoxFuture<'static, bool> {
        let (inner, server) = (Arc::clone(&self.inner), server.clone());
        Box::pin(async move { inner.outside.refused(&server).await })
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

    fn client_token(
        &self,
        server: &ServerName,
        grant: &ClientGrant,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let (holder, way) = (self.inner.clients.holder(server, grant), self.inner.way(server));
        let (server, grant) = (server.clone(), grant.clone());
        Box::pin(async move { holder.token(&way, &server, &grant).await })
    }

    fn client_token_refused(&self, server: &ServerName, grant: &ClientGrant, token: &str) {
        self.inner.clients.holder(server, grant).refused(token);
    }

    fn may_get(&self, server: &ServerName, credential: &str) -> bool {
        // Programs and addresses of the operator's file have no rules.
        matches!(self.inner.way(server).reach, Reach::Anywhere)
            || self.inner.index().allows_all(server, credential, SecretOrigin::ANYWHERE)
    }

    /// Both only ever increase, so a change of either changes their sum.
    fn generation(&self) -> u64 {
        self.inner.index().generation + self.inner.outside.generation()
    }
}

impl KeysInner {
    async fn refresh(&self) -> Result<(), VaultError> {
        let _turn = self.refreshing.lock().await;
        // The revision first: a change in between is found the next time.
        let revision = self.vault.revision().await?;
        let old = self.index();
        if old.revision == Some(revision) {
            return Ok(());
        }
        let fresh = SecretIndex::new(
            old.generation + 1,
            revision,
            &self.vault.list(None).await?,
            self.vault.origins().await?,
        );
        self.holders.lock().retain(|owner, _| fresh.has_signed_in(owner));
        *self.index.write() = Arc::new(fresh);
        self.secrets.lock().clear();
        Ok(())
    }

    fn index(&self) -> Arc<SecretIndex> {
        Arc::clone(&self.index.read())
    }

    async fn find(&self, asked: &SecretRequest) -> Result<String, NoKey> {
        for _ in 0..ATTEMPTS_MAX {
            let index = self.index();
            let owner = self.check_viewer(&index, asked)?;
            if self.comes_from_outside(&index, asked) {
                return Ok(self.outside.get(&asked.server, &asked.name).await?.expose().to_owned());
            }
            let key = (owner, asked.name.clone());
            if let Some(known) = self.opened(&index, &key) {
                return Ok(known);
            }
            let value = self.vault.get(&asked.server, key.0.principal.as_ref(), &asked.name).await;
            let value = value.map_err(unreadable)?.ok_or_else(|| no_secret(&asked.server, &asked.name))?;
            // Another value may have been stored since the index was made, with another owner.
            if index.revision == Some(self.vault.revision().await.map_err(unreadable)?) {
                return Ok(self.remember(&index, key, value));
            }
            self.refresh().await.map_err(unreadable)?;
        }
        Err(NoKey("the vault keeps changing; the next call finds it quiet".into()))
    }

    /// True if the operator's file names the source of the shared secret, and the principal has none of its
    /// own.
    fn comes_from_outside(
        &self,
        index: &SecretIndex,
        SecretRequest { server, principal, name, .. }: &SecretRequest,
    ) -> bool {
        let stored = index.holder_of(server, principal.as_ref(), name);
        let is_own = stored.is_some_and(|owner| owner.principal.is_some());
        !is_own && self.outside.has(server, name)
    }

    /// The owner of the secret, if the viewer may see it. Programs and addresses of the operator's file may,
    /// since the author of the file has the vault too; other origins need a permission.
    fn check_viewer(&self, index: &SecretIndex, asked: &SecretRequest) -> Result<SignInOwner, NoKey> {
        let SecretRequest { server, principal, name, url } = asked;
        let comes_from_outside = self.comes_from_outside(index, asked);
        let owner = match comes_from_outside {
            true => SignInOwner { server: server.clone(), principal: None },
            false => {
                index.holder_of(server, principal.as_ref(), name).ok_or_else(|| no_secret(server, name))?
            }
        };
        let Some(url) = url else { return Ok(owner) };
        // Addresses from the network have rules; those of the file have none.
        if matches!(self.way(server).reach, Reach::Anywhere) {
            return Ok(owner);
        }
        let origin = origin_of(url).unwrap_or_default();
        let is_allowed = match comes_from_outside {
            true => index.allows_all(server, name, &origin) || self.outside.allows(server, name, &origin),
            false => index.allows(&owner, name, &origin),
        };
        if is_allowed {
            return Ok(owner);
        }
        Err(NoKey(format!(
            "the secret \"{name}\" of \"{server}\" may not be sent to {origin}; an admin allows it with \
             `toolgate secrets allow {server} {name} {origin}`"
        )))
    }

    fn opened(&self, index: &SecretIndex, key: &(SignInOwner, String)) -> Option<String> {
        let secrets = self.secrets.lock();
        let known = secrets.get(key).filter(|opened| opened.generation == index.generation)?;
        Some(known.value.expose().to_owned())
    }

    fn remember(&self, index: &SecretIndex, key: (SignInOwner, String), value: Secret) -> String {
        let text = value.expose().to_owned();
        let mut secrets = self.secrets.lock();
        if secrets.len() >= SECRETS_MAX {
            secrets.clear();
        }
        secrets.insert(key, OpenedSecret { generation: index.generation, value });
        text
    }

    fn sign_in_of(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        url: &str,
    ) -> Result<(Arc<TokenHolder>, u64, TokenAccess), NoKey> {
        let index = self.index();
        let owner = index.sign_in_of(server, principal).ok_or_else(|| {
            NoKey(format!("there is no sign-in at \"{server}\"; `toolgate servers login {server}` makes one"))
        })?;
        Ok((self.holder(owner), index.generation, TokenAccess { way: self.way(server), url: url.to_owned() }))
    }

    fn holder(&self, owner: SignInOwner) -> Arc<TokenHolder> {
        let mut holders = self.holders.lock();
        let make = |owner: &SignInOwner| {
            let kept =
                StoredSignIn { vault: self.vault.clone(), owner: owner.clone(), by: PrincipalId::gateway() };
            Arc::new(TokenHolder::new(kept))
        };
        Arc::clone(holders.entry(owner).or_insert_with_key(make))
    }

    fn way(&self, server: &ServerName) -> OutboundSettings {
        let servers = self.servers.read();
        servers.get(server).cloned().unwrap_or_else(|| Reach::Within(AddressRules::default()).into())
    }

    /// This process takes note of its own change at once.
    async fn follow_own_change(&self, holder: &TokenHolder) {
        if holder.take_written()
            && let Err(error) = self.refresh().await
        {
            tracing::warn!(%error, "the vault could not be read again");
        }
    }
}

impl TokenAccess {
    fn outbound(&self) -> OutboundClient {
        OutboundClient::new(self.way.reach, &self.way.egress)
    }

    /// True if a token for `url` belongs here: scheme, host and port must be equal.
    fn is_at(&self, url: &str) -> bool {
        let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin());
        origin(&self.url).is_some_and(|here| Some(here) == origin(url))
    }
}

/// The scopes that a server misses, if that is why it refused.
fn missing_scopes(challenge: Option<&str>, access: &TokenAccess) -> Option<Vec<String>> {
    let base = Url::parse(&access.url).ok()?;
    let params = WWWAuthenticateParams::parse(challenge?, &base);
    let scopes = params.scope.as_deref().unwrap_or_default();
    params.is_insufficient_scope().then(|| scopes.split_ascii_whitespace().map(str::to_owned).collect())
}

fn unreadable(error: VaultError) -> NoKey {
    NoKey(error.to_string())
}

fn no_secret(server: &ServerName, name: &str) -> NoKey {
    NoKey(format!(
        "the vault has no secret \"{name}\" for \"{server}\"; `toolgate secrets set {server} {name}` stores it"
    ))
}

#[cfg(test)]
mod tests;
