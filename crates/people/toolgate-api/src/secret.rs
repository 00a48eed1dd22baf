//! The vault, as the API sees it: secrets go in, and only their names come out.

use toolgate_core::port::BoxFuture;
use toolgate_core::server::InstanceId;
use toolgate_core::{Principal, PrincipalId, ServerName};
use toolgate_registry::Refusal;

/// Which secret.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SecretPlace {
    pub server: ServerName,
    /// Whose it is; nobody's is everybody's.
    pub principal: Option<PrincipalId>,
    pub name: String,
}

/// What may be told of a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredSecret {
    pub place: SecretPlace,
    pub source: SecretSource,
    /// Where it may be sent beside the addresses that the operator's file has; `*` is everywhere.
    pub origins: Vec<String>,
}

/// Where a secret is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecretSource {
    Vault {
        updated_at_ms: i64,
    },
    /// Where the operator's file says: `file`, `command` or `openbao`.
    Outside(&'static str),
}

/// What an instance wants to be shown, and where it is.
pub struct InstanceToken {
    pub server: ServerName,
    pub instance: InstanceId,
    pub url: String,
    pub token: String,
}

/// Why the vault did not do it; told as the registry's refusals are.
pub type SecretRefused = Refusal;

/// Whoever implements it writes down in the ledger what was stored and removed, and by whom.
pub trait SecretKeeper: Send + Sync {
    fn list(&self, server: &ServerName) -> BoxFuture<'static, Result<Vec<StoredSecret>, SecretRefused>>;

    fn store(
        &self,
        by: &Principal,
        place: SecretPlace,
        value: String,
    ) -> BoxFuture<'static, Result<(), SecretRefused>>;

    /// Keeps what an instance brought when it registered.
    fn keep_token(
        &self,
        by: &Principal,
        token: InstanceToken,
    ) -> BoxFuture<'static, Result<(), SecretRefused>>;

    /// Says where all secrets of a name may be sent, in the place of what was said before. Tells what that is.
    fn allow(
        &self,
        by: &Principal,
        server: ServerName,
        name: String,
        origins: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<String>, SecretRefused>>;

    /// `false` if there was none.
    fn remove(&self, by: &Principal, place: SecretPlace) -> BoxFuture<'static, Result<bool, SecretRefused>>;
}
