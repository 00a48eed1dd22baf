//! The vault, as the API sees it: secrets go in, and only their names come out.

use toolgate_core::port::BoxFuture;
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
    pub updated_at_ms: i64,
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

    /// `false` if there was none.
    fn remove(&self, by: &Principal, place: SecretPlace) -> BoxFuture<'static, Result<bool, SecretRefused>>;
}
