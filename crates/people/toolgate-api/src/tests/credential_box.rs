//! Keeps credentials unsealed, in the store of a gate.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolgate_core::id::CredentialId;
use toolgate_core::port::BoxFuture;
use toolgate_core::{Principal, Refusal, codes};
use toolgate_store::{Books, FieldValue, NewCredential, Store, StoredCredential};

use crate::{CredentialKeeper, CredentialSpec, FieldInput};

#[derive(Clone)]
pub(super) struct CredentialBox {
    store: Store,
    books: Arc<Books>,
    numbers: Arc<AtomicUsize>,
}

impl CredentialBox {
    pub(super) fn new(store: &Store, books: &Arc<Books>) -> Self {
        Self { store: store.clone(), books: books.clone(), numbers: Arc::default() }
    }

    async fn found(&self, which: String) -> Result<StoredCredential, Refusal> {
        let found = self.store.get_credential(&CredentialId::new(which.as_str())).await.expect("read");
        match found {
            None => Err(Refusal::new(&codes::UNKNOWN_CREDENTIAL, format!("there is no credential {which}"))),
            Some(one) if one.erased_at_ms.is_some() => {
                Err(Refusal::new(&codes::CREDENTIAL_ERASED, format!("{which} was erased")))
            }
            Some(one) => Ok(one),
        }
    }
}

fn kept(value: FieldInput) -> FieldValue {
    match value {
        FieldInput::Value(value) => FieldValue::Sealed(value.into_bytes()),
        FieldInput::Secret(name) => FieldValue::Secret(name),
    }
}

impl CredentialKeeper for CredentialBox {
    fn list(&self) -> BoxFuture<'static, Result<Vec<StoredCredential>, Refusal>> {
        let store = self.store.clone();
        Box::pin(async move { Ok(store.list_credentials().await.expect("listed")) })
    }

    fn find(&self, which: &str) -> BoxFuture<'static, Result<StoredCredential, Refusal>> {
        let (own, which) = (self.clone(), which.to_owned());
        Box::pin(async move { own.found(which).await })
    }

    fn create(
        &self,
        by: &Principal,
        spec: CredentialSpec,
    ) -> BoxFuture<'static, Result<StoredCredential, Refusal>> {
        let CredentialSpec { name, origin, fields, users, servers, expires_at_ms } = spec;
        let id = format!("cred_{}", self.numbers.fetch_add(1, Ordering::Relaxed) + 1);
        let new = NewCredential {
            id: CredentialId::new(id.as_str()),
            name,
            origin,
            users,
            servers,
            fields: fields.into_iter().map(|(name, value)| (name, kept(value))).collect(),
            created_by: by.id.clone(),
            expires_at_ms,
        };
        let own = self.clone();
        Box::pin(async move {
            own.books.create_credential(&new, Vec::new()).await.expect("created");
            own.found(id).await
        })
    }

    fn rotate(
        &self,
        _: &Principal,
        which: &str,
        field: &str,
        value: FieldInput,
    ) -> BoxFuture<'static, Result<StoredCredential, Refusal>> {
        let (own, which, field) = (self.clone(), which.to_owned(), field.to_owned());
        Box::pin(async move {
            let id = own.found(which.clone()).await?.id;
            own.books.rotate_credential(&id, &field, &kept(value), Vec::new()).await.expect("rotated");
            own.found(which).await
        })
    }

    fn erase(&self, _: &Principal, which: &str) -> BoxFuture<'static, Result<(), Refusal>> {
        let (own, which) = (self.clone(), which.to_owned());
        Box::pin(async move {
            let id = own.found(which).await?.id;
            own.books.erase_credential(&id, Vec::new()).await.expect("erased");
            Ok(())
        })
    }
}
