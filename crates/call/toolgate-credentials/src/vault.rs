//! The vault: secrets for servers, sealed before they reach the store. Lists never contain a value.

use std::sync::Arc;

use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::id::CredentialId;
use toolgate_core::server::{INSTANCE_TOKEN, InstanceId, InstanceSpec};
use toolgate_core::{PrincipalId, RawJson, ServerName};
use toolgate_store::{Books, SealedSecret, SecretOrigin, Store, StoreError};
use url::Url;

use crate::clock::now_ms;
use crate::key::{KeySource, VaultKey};
use crate::seal::{self, FieldSealContext, SealContext, UnsealError};
use crate::secret::Secret;

/// The vault's name for the result of signing in at a server.
pub const SIGN_IN: &str = "oauth";

pub(crate) const TENANT: &str = "default";
const NAME_CHARS_MAX: usize = 128;
const ORIGINS_MAX: usize = 64;
const PRINCIPAL_CHARS_MAX: usize = 256;
const VALUE_BYTES_MAX: usize = 64 << 10;

#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    #[error("a secret's name has 1 to {NAME_CHARS_MAX} of the characters A-Z a-z 0-9 . _ -")]
    Name,
    #[error("the name \"{SIGN_IN}\" is kept for signing in\nhint: toolgate servers login {0}")]
    Kept(ServerName),
    #[error(
        "names that begin with \"{INSTANCE_TOKEN}\" are kept for tokens that instances register\nhint: choose another name"
    )]
    OfInstances,
    #[error(
        "{0:?} is not where a secret can be sent\nhint: write scheme, host and port, such as https://example.com, or `*` for everywhere"
    )]
    Origin(String),
    #[error(
        "a secret can be sent to {ORIGINS_MAX} origins at most\nhint: `*` allows every address that the server has"
    )]
    Origins,
    #[error("a principal has 1 to {PRINCIPAL_CHARS_MAX} printable characters")]
    Principal,
    #[error("a secret has 1 to {VALUE_BYTES_MAX} bytes")]
    Value,
    #[error(
        "the vault was sealed with another key than the one from {key}: secret \"{name}\" of server \"{server}\" does not open\n\
         hint: give back the key it was sealed with, or store the secret again with `toolgate secrets set {server} {name}`"
    )]
    OtherKey { key: KeySource, server: ServerName, name: String },
    #[error(
        "the vault was sealed with another key than the one from {key}: {id}.{field} does not open\n\
         hint: give back the key it was sealed with, or remove the credential with `toolgate credentials remove {id}` and create it again"
    )]
    OtherKeyOfField { key: KeySource, id: CredentialId, field: String },
    #[error(
        "secret \"{name}\" of server \"{server}\" was changed behind the vault's back and does not open\n\
         hint: store it again with `toolgate secrets set {server} {name}`"
    )]
    Tampered { server: ServerName, name: String },
    #[error("no random numbers from the operating system: {0}")]
    Random(getrandom::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The existence and the age of a secret.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct SecretInfo {
    pub server: String,
    /// The owner; `None` for the shared one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<PrincipalId>,
    pub name: String,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
}

/// Clones share everything.
#[derive(Clone)]
pub struct Vault {
    store: Store,
    books: Arc<Books>,
    key: VaultKey,
}

impl Vault {
    pub fn new(store: Store, books: Arc<Books>, key: VaultKey) -> Self {
        Self { store, books, key }
    }

    /// Tries the key on the existing entries: a wrong key is better found at the start than at the first
    /// call. A single entry that was tampered with is not the key's fault and blocks nothing.
    pub async fn check_key(&self) -> Result<(), VaultError> {
        let Some(any) = self.store.list_sealed(None).await?.into_iter().next() else {
            return self.check_fields().await;
        };
        match self.get(&any.server, any.principal.as_ref(), &any.name).await {
            Ok(_) | Err(VaultError::Tampered { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The same by a field of a credential.
    async fn check_fields(&self) -> Result<(), VaultError> {
        let Some(any) = self.store.any_sealed_field().await? else { return Ok(()) };
        let place = FieldSealContext { tenant: TENANT, id: &any.id, origin: &any.origin, field: &any.name };
        match seal::open(&self.key, place, &any.sealed) {
            Ok(_) | Err(UnsealError::Tampered) => Ok(()),
            Err(UnsealError::OtherKey) => Err(VaultError::OtherKeyOfField {
                key: self.key.source().clone(),
                id: any.id,
                field: any.name,
            }),
        }
    }

    /// Stores a secret, replacing an existing one. `by` is the author, for the ledger. It may be sent to
    /// `origins` besides those that an admin allowed for the name: a person who knows the value may allow
    /// that for it, and for no other.
    pub async fn set(
        &self,
        by: &PrincipalId,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        value: &Secret,
        origins: &[String],
    ) -> Result<(), VaultError> {
        if name == SIGN_IN {
            return Err(VaultError::Kept(server.clone()));
        }
        if name.starts_with(INSTANCE_TOKEN) {
            return Err(VaultError::OfInstances);
        }
        check(principal, name, value)?;
        self.seal(by, server, principal, name, value, origins).await
    }

    /// Stores the token that an instance expects at its own address, and only for that address.
    pub async fn keep_token(
        &self,
        by: &PrincipalId,
        server: &ServerName,
        instance: &InstanceId,
        url: &str,
        token: &Secret,
    ) -> Result<(), VaultError> {
        let name = InstanceSpec::token_name(instance);
        if token.expose().is_empty() || token.expose().len() > VALUE_BYTES_MAX {
            return Err(VaultError::Value);
        }
        let origin = origin_of(url).ok_or_else(|| VaultError::Origin(url.to_owned()))?;
        let known = self.get(server, None, &name).await?;
        let is_allowed = |one: &SecretOrigin| one.allows(server, None, &name, &origin);
        if known.as_ref() == Some(token) && self.origins().await?.iter().any(is_allowed) {
            return Ok(());
        }
        self.seal(by, server, None, &name, token, &[origin]).await
    }

    /// Sets the addresses that all secrets of a name may be sent to, replacing an admin's earlier ones.
    pub async fn allow(
        &self,
        by: &PrincipalId,
        server: &ServerName,
        name: &str,
        origins: &[String],
    ) -> Result<Vec<String>, VaultError> {
        check_name(name)?;
        if origins.len() > ORIGINS_MAX {
            return Err(VaultError::Origins);
        }
        let mut read = origins.iter().map(|text| read_origin(text)).collect::<Result<Vec<_>, _>>()?;
        read.sort();
        read.dedup();
        let about = EventSubject { server: Some(server.clone()), ..EventSubject::default() };
        let detail = serde_json::json!({ "server": server.as_str(), "name": name, "origins": read });
        let mut event = Event::new(EventKind::CredentialAllowed, now_ms(), by.clone(), Arc::new(about));
        event.detail = Some(RawJson::from_serialize(&detail));
        self.books.set_secret_origins(server, name, &read, vec![event]).await?;
        Ok(read)
    }

    /// The addresses that secrets may be sent to, besides those in the file.
    pub async fn origins(&self) -> Result<Vec<SecretOrigin>, VaultError> {
        Ok(self.store.list_secret_origins().await?)
    }

    /// The secret of exactly this principal, or the shared one. One does not replace the other.
    pub async fn get(
        &self,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
    ) -> Result<Option<Secret>, VaultError> {
        let Some(sealed) = self.store.get_sealed(server, principal, name).await? else { return Ok(None) };
        let place = SealContext { tenant: TENANT, server, principal, name };
        seal::open(&self.key, place, &sealed).map(Some).map_err(|why| self.unopened(why, server, name))
    }

    /// The secrets of one server, or of all, by server, principal and name.
    pub async fn list(&self, server: Option<&ServerName>) -> Result<Vec<SecretInfo>, VaultError> {
        Ok(self.store.list_sealed(server).await?.into_iter().map(SecretInfo::from).collect())
    }

    /// `false` if there was none.
    pub async fn remove(
        &self,
        by: &PrincipalId,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
    ) -> Result<bool, VaultError> {
        let event = event(EventKind::CredentialRemoved, by, server, principal, name);
        Ok(self.books.remove_sealed(server, principal, name, vec![event]).await?)
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn books(&self) -> &Books {
        &self.books
    }

    pub(crate) fn key(&self) -> &VaultKey {
        &self.key
    }

    /// Counts the changes of the vault, whichever process made them.
    pub async fn revision(&self) -> Result<u64, VaultError> {
        Ok(self.store.read_revisions().await?.vault)
    }

    /// The same as it was read in this beat (`Store::look_at_revisions`).
    pub(crate) async fn look(&self) -> Result<u64, VaultError> {
        Ok(self.store.look_at_revisions().await?.vault)
    }

    pub(crate) async fn put(
        &self,
        by: &PrincipalId,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        value: &Secret,
    ) -> Result<(), VaultError> {
        check(principal, name, value)?;
        self.seal(by, server, principal, name, value, &[]).await
    }

    async fn seal(
        &self,
        by: &PrincipalId,
        server: &ServerName,
        principal: Option<&PrincipalId>,
        name: &str,
        value: &Secret,
        origins: &[String],
    ) -> Result<(), VaultError> {
        let place = SealContext { tenant: TENANT, server, principal, name };
        let sealed = seal::seal(&self.key, place, value).map_err(VaultError::Random)?;
        let event = event(EventKind::CredentialStored, by, server, principal, name);
        Ok(self.books.put_sealed(server, principal, name, &sealed, origins, vec![event]).await?)
    }

    fn unopened(&self, why: UnsealError, server: &ServerName, name: &str) -> VaultError {
        let (server, name) = (server.clone(), name.to_owned());
        match why {
            UnsealError::OtherKey => VaultError::OtherKey { key: self.key.source().clone(), server, name },
            UnsealError::Tampered => VaultError::Tampered { server, name },
        }
    }
}

impl From<SealedSecret> for SecretInfo {
    fn from(row: SealedSecret) -> Self {
        let SealedSecret { server, principal, name, created_at_ms, updated_at_ms } = row;
        Self { server: server.as_str().to_owned(), principal, name, created_at_ms, updated_at_ms }
    }
}

fn check(principal: Option<&PrincipalId>, name: &str, value: &Secret) -> Result<(), VaultError> {
    check_name(name)?;
    if let Some(principal) = principal {
        let chars = principal.as_str().chars().count();
        if !(1..=PRINCIPAL_CHARS_MAX).contains(&chars) || principal.as_str().chars().any(char::is_control) {
            return Err(VaultError::Principal);
        }
    }
    if !(1..=VALUE_BYTES_MAX).contains(&value.expose().len()) {
        return Err(VaultError::Value);
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), VaultError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    match (1..=NAME_CHARS_MAX).contains(&name.len()) && name.bytes().all(fits) {
        true => Ok(()),
        false => Err(VaultError::Name),
    }
}

/// Scheme, host and port of an address; `None` for other schemes.
pub fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

/// Parses an origin; everything after the host and the port is ignored.
fn read_origin(text: &str) -> Result<String, VaultError> {
    if text == SecretOrigin::ANYWHERE {
        return Ok(text.to_owned());
    }
    origin_of(text).ok_or_else(|| VaultError::Origin(text.to_owned()))
}

fn event(
    kind: EventKind,
    by: &PrincipalId,
    server: &ServerName,
    principal: Option<&PrincipalId>,
    name: &str,
) -> Event {
    let about = EventSubject { server: Some(server.clone()), ..EventSubject::default() };
    let detail = serde_json::json!({ "server": server.as_str(), "name": name, "principal": principal });
    let mut event = Event::new(kind, now_ms(), by.clone(), Arc::new(about));
    event.detail = Some(RawJson::from_serialize(&detail));
    event
}

#[cfg(test)]
mod tests;
