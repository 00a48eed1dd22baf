//! Credentials for sites, from the view of the API: values go in, and only names come out.

use toolgate_core::credential::CredentialUser;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Principal, Refusal, ServerName};
use toolgate_store::StoredCredential;

/// A credential to be created.
pub struct CredentialSpec {
    pub name: String,
    /// An address of the site.
    pub origin: String,
    /// By name.
    pub fields: Vec<(String, FieldInput)>,
    pub users: Vec<CredentialUser>,
    pub servers: Vec<ServerName>,
    pub expires_at_ms: Option<i64>,
}

/// The value of a field, as somebody gives it.
pub enum FieldInput {
    Value(String),
    /// The name of a secret of the gateway's own, which has the value.
    Secret(String),
}

/// Implementations record in the ledger what was created, rotated and erased, and by whom. A credential is found by its
/// id or its name.
pub trait CredentialKeeper: Send + Sync {
    fn list(&self) -> BoxFuture<'static, Result<Vec<StoredCredential>, Refusal>>;

    fn find(&self, which: &str) -> BoxFuture<'static, Result<StoredCredential, Refusal>>;

    fn create(
        &self,
        by: &Principal,
        spec: CredentialSpec,
    ) -> BoxFuture<'static, Result<StoredCredential, Refusal>>;

    fn rotate(
        &self,
        by: &Principal,
        which: &str,
        field: &str,
        value: FieldInput,
    ) -> BoxFuture<'static, Result<StoredCredential, Refusal>>;

    fn erase(&self, by: &Principal, which: &str) -> BoxFuture<'static, Result<(), Refusal>>;
}
