//! The vault, from the view of the API: secrets go in, and only their names come out.

use toolgate_core::port::BoxFuture;
use toolgate_core::server::InstanceId;
use toolgate_core::{Principal, PrincipalId, ServerName};
use toolgate_registry::Refusal;

/// The identity of a secret.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SecretIdentity {
    pub server: ServerName,
    /// The owner; `None` for the shared one.
    pub principal: Option<PrincipalId>,
    pub name: String,
}

/// The public data of a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredSecret {
    pub place: SecretIdentity,
    pub source: SecretSource,
    /// The addresses it may be sent to besides those in the operator's file; `*` is everywhere.
    pub origins: Vec<String>,
}

/// The place of a secret.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecretSource {
    Vault {
        updated_at_ms: i64,
    },
    /// In the place that the operator's file names: `file`, `command` or `openbao`.
    Outside(&'static str),
}

/// The token that an instance expects, and the instance's address.
pub struct InstanceToken {
    pub server: ServerName,
    pub instance: InstanceId,
    pub url: String,
    pub token: String,
}

/// Implementations record in the ledger what was stored and removed, and by whom.
pub trait SecretKeeper: Send + Sync {
    fn list(&self, server: &ServerName) -> BoxFuture<'static, Result<Vec<StoredSecret>, Refusal>>;

    fn store(
        &self,
        by: &Principal,
        place: SecretIdentity,
        value: String,
    ) -> BoxFuture<'static, Result<(), Refusal>>;

    /// Stores the token that an instance provided when it registered.
    fn keep_token(&self, by: &Principal, token: InstanceToken) -> BoxFuture<'static, Result<(), Refusal>>;

    /// Sets the addresses that all secrets of a name may be sent to, replacing the earlier ones. Returns
    /// them.
    fn allow(
        &self,
        by: &Principal,
        server: ServerName,
        name: String,
        origins: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<String>, Refusal>>;

    /// `false` if there was none.
    fn remove(&self, by: &Principal, place: SecretIdentity) -> BoxFuture<'static, Result<bool, Refusal>>;
}
