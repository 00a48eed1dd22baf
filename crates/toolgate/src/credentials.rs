//! Credentials for sites, as the API uses them.

use toolgate_api::{CredentialKeeper, CredentialSpec, FieldInput};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Principal, Refusal};
use toolgate_credentials::{CredentialDesk, CredentialDraft, DraftValue, FieldDraft, Secret};
use toolgate_store::StoredCredential;

/// The desk behind the API.
pub(crate) struct DeskCredentials(pub(crate) CredentialDesk);

impl CredentialKeeper for DeskCredentials {
    fn list(&self) -> BoxFuture<'static, Result<Vec<StoredCredential>, Refusal>> {
        let desk = self.0.clone();
        Box::pin(async move { desk.list().await })
    }

    fn find(&self, which: &str) -> BoxFuture<'static, Result<StoredCredential, Refusal>> {
        let (desk, which) = (self.0.clone(), which.to_owned());
        Box::pin(async move { desk.find(&which).await })
    }

    fn create(
        &self,
        by: &Principal,
        spec: CredentialSpec,
    ) -> BoxFuture<'static, Result<StoredCredential, Refusal>> {
        let (desk, by) = (self.0.clone(), by.id.clone());
        Box::pin(async move { desk.create(&by, draft(spec)).await })
    }

    fn rotate(
        &self,
        by: &Principal,
        which: &str,
        field: &str,
        value: FieldInput,
    ) -> BoxFuture<'static, Result<StoredCredential, Refusal>> {
        let (desk, by) = (self.0.clone(), by.id.clone());
        let (which, field) = (which.to_owned(), field.to_owned());
        Box::pin(async move { desk.rotate(&by, &which, &field, given(value)).await })
    }

    fn erase(&self, by: &Principal, which: &str) -> BoxFuture<'static, Result<(), Refusal>> {
        let (desk, by, which) = (self.0.clone(), by.id.clone(), which.to_owned());
        Box::pin(async move { desk.erase(&by, &which).await.map(drop) })
    }
}

fn draft(spec: CredentialSpec) -> CredentialDraft {
    let CredentialSpec { name, origin, fields, users, servers, expires_at_ms } = spec;
    let fields = fields.into_iter().map(|(name, value)| FieldDraft { name, value: given(value) });
    CredentialDraft { name, origin, fields: fields.collect(), users, servers, expires_at_ms }
}

fn given(value: FieldInput) -> DraftValue {
    match value {
        FieldInput::Value(value) => DraftValue::Value(Secret::new(value)),
        FieldInput::Secret(name) => DraftValue::Secret(name),
    }
}
