//! The rows of credentials.

use serde::de::DeserializeOwned;
use toolgate_core::credential::CredentialUser;
use toolgate_core::id::CredentialId;
use toolgate_core::{PrincipalId, ServerName};

use super::stored::{CredentialField, StoredCredential};
use crate::StoreError;
use crate::registry::unreadable;
use crate::row::row;

row! {
    pub(super) struct CredentialRow {
        pub(super) id: String,
        name: String,
        origin: String,
        users: String,
        servers: String,
        created_by: String,
        created_at_ms: i64,
        expires_at_ms: Option<i64>,
        last_used_at_ms: Option<i64>,
        erased_at_ms: Option<i64>,
    }
}

row! {
    pub(super) struct FieldRow {
        pub(super) credential: String,
        name: String,
        secret: Option<String>,
        updated_at_ms: i64,
    }
}

impl CredentialRow {
    pub(super) fn read(
        self,
        fields: Vec<CredentialField>,
        doing: &'static str,
    ) -> Result<StoredCredential, StoreError> {
        let users: Vec<CredentialUser> = texts(&self.users, doing, "users of a credential")?;
        let servers: Vec<String> = texts(&self.servers, doing, "servers of a credential")?;
        let server =
            |name: &String| ServerName::new(name).map_err(|_| unreadable(doing, "server of a credential"));
        Ok(StoredCredential {
            id: CredentialId::new(self.id),
            name: self.name,
            origin: self.origin,
            users,
            servers: servers.iter().map(server).collect::<Result<_, _>>()?,
            fields,
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            expires_at_ms: self.expires_at_ms,
            last_used_at_ms: self.last_used_at_ms,
            erased_at_ms: self.erased_at_ms,
        })
    }
}

impl FieldRow {
    pub(super) fn read(&self) -> CredentialField {
        CredentialField {
            name: self.name.clone(),
            secret: self.secret.clone(),
            updated_at_ms: self.updated_at_ms,
        }
    }
}

fn texts<T: DeserializeOwned>(
    stored: &str,
    doing: &'static str,
    what: &'static str,
) -> Result<Vec<T>, StoreError> {
    serde_json::from_str(stored).map_err(|_| unreadable(doing, what))
}
