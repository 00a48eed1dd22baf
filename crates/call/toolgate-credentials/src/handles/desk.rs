//! The desk where people create, rotate and erase credentials. A value goes in and does not come out.

use toolgate_core::credential::CredentialHandle;
use toolgate_core::id::CredentialId;
use toolgate_core::moment::rfc3339;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_store::{FieldValue, NewCredential, NewCredentialError, Store, StoreError, StoredCredential};

use super::draft::{CredentialDraft, DraftValue, invalid};
use super::events;
use crate::clock::now_ms;
use crate::seal::{self, FieldSealContext, UnsealError};
use crate::secret::Secret;
use crate::vault::{TENANT, Vault};

const ID_BYTES: usize = 16;

/// Clones share everything.
#[derive(Clone)]
pub struct CredentialDesk {
    vault: Vault,
}

impl CredentialDesk {
    pub fn new(vault: Vault) -> Self {
        Self { vault }
    }

    pub async fn create(
        &self,
        by: &PrincipalId,
        draft: CredentialDraft,
    ) -> Result<StoredCredential, Refusal> {
        let CredentialDraft { name, origin, fields, users, servers, expires_at_ms } =
            draft.checked(now_ms())?;
        let id = fresh_id()?;
        let mut kept = Vec::with_capacity(fields.len());
        for field in fields {
            let value = self.sealed(&id, &origin, &field.name, field.value)?;
            kept.push((field.name, value));
        }
        let new = NewCredential {
            id: id.clone(),
            name,
            origin,
            users,
            servers,
            fields: kept,
            created_by: by.clone(),
            expires_at_ms,
        };
        let created = self.vault.books().create_credential(&new, vec![events::created(&new)]).await;
        created.map_err(not_created)?;
        self.find(id.as_str()).await
    }

    pub async fn list(&self) -> Result<Vec<StoredCredential>, Refusal> {
        self.vault.store().list_credentials().await.map_err(down)
    }

    /// By id or name.
    pub async fn find(&self, which: &str) -> Result<StoredCredential, Refusal> {
        find_credential(self.vault.store(), which).await
    }

    /// Gives a field another value. The handle stays, and calls have the new value from now on.
    pub async fn rotate(
        &self,
        by: &PrincipalId,
        which: &str,
        field: &str,
        value: DraftValue,
    ) -> Result<StoredCredential, Refusal> {
        let credential = self.find(which).await?;
        value.check()?;
        let kept = self.sealed(&credential.id, &credential.origin, field, value)?;
        let told = vec![events::rotated(by, &credential, field)];
        let rotated = self.vault.books().rotate_credential(&credential.id, field, &kept, told).await;
        if !rotated.map_err(down)? {
            return Err(no_field(&credential, field));
        }
        self.find(credential.id.as_str()).await
    }

    /// Erases it with its values, and returns what is left of it.
    pub async fn erase(&self, by: &PrincipalId, which: &str) -> Result<StoredCredential, Refusal> {
        let credential = self.find(which).await?;
        let told = vec![events::erased(by, &credential)];
        let erased = self.vault.books().erase_credential(&credential.id, told).await;
        match erased.map_err(down)? {
            true => Ok(credential),
            false => Err(unknown(which)),
        }
    }

    pub(super) fn vault(&self) -> &Vault {
        &self.vault
    }

    /// The value of a field, which opens for its own credential and origin only.
    pub(super) fn open(
        &self,
        (id, origin, field): (&CredentialId, &str, &str),
        sealed: &[u8],
    ) -> Result<Secret, Refusal> {
        let place = FieldSealContext { tenant: TENANT, id, origin, field };
        seal::open(self.vault.key(), place, sealed).map_err(|why| {
            let why = match why {
                UnsealError::OtherKey => "the vault was sealed with another key",
                UnsealError::Tampered => "it was changed behind the vault's back",
            };
            unreadable(&format!("{id}.{field}"), why)
        })
    }

    fn sealed(
        &self,
        id: &CredentialId,
        origin: &str,
        field: &str,
        value: DraftValue,
    ) -> Result<FieldValue, Refusal> {
        let value = match value {
            DraftValue::Secret(name) => return Ok(FieldValue::Secret(name)),
            DraftValue::Value(value) => value,
        };
        let place = FieldSealContext { tenant: TENANT, id, origin, field };
        seal::seal(self.vault.key(), place, &value).map(FieldValue::Sealed).map_err(no_random)
    }
}

/// A credential by its id or its name. One that was erased is told so.
pub async fn find_credential(store: &Store, which: &str) -> Result<StoredCredential, Refusal> {
    let found = match CredentialHandle::parse(which) {
        Some(CredentialHandle { id, field: None }) => {
            store.get_credential(&CredentialId::new(id)).await.map_err(down)?
        }
        _ => {
            let all = store.list_credentials().await.map_err(down)?;
            all.into_iter().find(|one| one.name == which)
        }
    };
    let found = found.ok_or_else(|| unknown(which))?;
    match found.erased_at_ms {
        None => Ok(found),
        Some(at_ms) => Err(erased(&found.id, at_ms)),
    }
}

pub(super) fn unknown(which: &str) -> Refusal {
    Refusal::new(&codes::UNKNOWN_CREDENTIAL, format!("there is no credential {which}"))
}

pub(super) fn erased(id: &CredentialId, at_ms: i64) -> Refusal {
    Refusal::new(&codes::CREDENTIAL_ERASED, format!("{id} was erased at {}", rfc3339(at_ms)))
}

pub(super) fn unreadable(handle: &str, why: &str) -> Refusal {
    let message = format!("the value of {handle} cannot be read: {why}");
    Refusal::new(&codes::CREDENTIAL_UNREADABLE, message)
}

pub(super) fn down(error: StoreError) -> Refusal {
    Refusal::new(&codes::STORE_DOWN, error.to_string())
}

fn no_random(error: getrandom::Error) -> Refusal {
    let message = format!("no random numbers from the operating system: {error}");
    Refusal::new(&codes::CREDENTIAL_UNREADABLE, message)
}

fn no_field(credential: &StoredCredential, field: &str) -> Refusal {
    let names: Vec<&str> = credential.fields.iter().map(|field| field.name.as_str()).collect();
    let message = format!("{} has no field {field:?}; its fields are {}", credential.id, names.join(", "));
    invalid("field", message, "create another credential for other fields")
}

fn not_created(error: NewCredentialError) -> Refusal {
    let message = error.to_string();
    match error {
        NewCredentialError::Taken { .. } => Refusal::new(&codes::CREDENTIAL_TAKEN, message).field("name"),
        NewCredentialError::TooMany => invalid("name", message, "remove those that nobody needs"),
        NewCredentialError::Store(error) => down(error),
    }
}

/// An id that cannot be guessed, though it is a name and no permission.
fn fresh_id() -> Result<CredentialId, Refusal> {
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).map_err(no_random)?;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(CredentialId::new(format!("{}{hex}", CredentialId::PREFIX)))
}
