//! Credentials for sites outside: who may use them, and values that were sealed elsewhere. Nothing here can open one.

mod change;
mod row;
mod stored;

use toolgate_core::id::{CredentialId, SessionId};

use crate::clock::now_ms;
use crate::error::doing;
use crate::{Store, StoreError};

use row::{CredentialRow, FieldRow};

pub use change::{CREDENTIALS_MAX, NewCredential, NewCredentialError};
pub use stored::{CredentialField, FieldValue, SealedField, StoredCredential};

const LIST: &str = "SELECT id, name, origin, users, servers, created_by, created_at_ms, expires_at_ms, last_used_at_ms, erased_at_ms
    FROM credentials WHERE tenant = $1 AND erased_at_ms IS NULL ORDER BY name, id";
const GET: &str = "SELECT id, name, origin, users, servers, created_by, created_at_ms, expires_at_ms, last_used_at_ms, erased_at_ms
    FROM credentials WHERE tenant = $1 AND id = $2";
const FIELDS: &str = "SELECT credential, name, secret, updated_at_ms FROM credential_fields
    WHERE tenant = $1 ORDER BY credential, name";
const FIELDS_OF: &str = "SELECT credential, name, secret, updated_at_ms FROM credential_fields
    WHERE tenant = $1 AND credential = $2 ORDER BY name";
const VALUE: &str =
    "SELECT sealed, secret FROM credential_fields WHERE tenant = $1 AND credential = $2 AND name = $3";
const ANY_SEALED: &str = "SELECT fields.credential, credentials.origin, fields.name, fields.sealed
    FROM credential_fields AS fields
    JOIN credentials ON credentials.tenant = fields.tenant AND credentials.id = fields.credential
    WHERE fields.tenant = $1 AND fields.sealed IS NOT NULL ORDER BY fields.credential, fields.name LIMIT 1";
const HAS_USED: &str =
    "SELECT first_at_ms FROM credential_uses WHERE tenant = $1 AND credential = $2 AND session = $3";
const TOUCH: &str = "UPDATE credentials SET last_used_at_ms = $3
    WHERE tenant = $1 AND id = $2 AND (last_used_at_ms IS NULL OR last_used_at_ms < $4)";

/// A use is noted again after this time, and not for every call.
const TOUCH_EVERY_MS: i64 = 60_000;

impl Store {
    /// All that are not erased, by name.
    pub async fn list_credentials(&self) -> Result<Vec<StoredCredential>, StoreError> {
        const DOING: &str = "list the credentials";
        let rows: Vec<CredentialRow> =
            self.db.sql(LIST).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        let fields: Vec<FieldRow> =
            self.db.sql(FIELDS).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        let whole = |row: CredentialRow| {
            let start = fields.partition_point(|field| field.credential < row.id);
            let own = fields[start..].iter().take_while(|field| field.credential == row.id);
            let own = own.map(FieldRow::read).collect();
            row.read(own, DOING)
        };
        rows.into_iter().map(whole).collect()
    }

    /// Erased ones too, as long as they are remembered.
    pub async fn get_credential(&self, id: &CredentialId) -> Result<Option<StoredCredential>, StoreError> {
        const DOING: &str = "read a credential";
        let get = self.db.sql(GET).bind(self.tenant).bind(id.as_str());
        let row: Option<CredentialRow> = get.fetch_optional().await.map_err(doing(DOING))?;
        let Some(row) = row else { return Ok(None) };
        let fields = self.db.sql(FIELDS_OF).bind(self.tenant).bind(id.as_str());
        let fields: Vec<FieldRow> = fields.fetch_all().await.map_err(doing(DOING))?;
        row.read(fields.iter().map(FieldRow::read).collect(), DOING).map(Some)
    }

    pub async fn credential_value(
        &self,
        id: &CredentialId,
        field: &str,
    ) -> Result<Option<FieldValue>, StoreError> {
        let get = self.db.sql(VALUE).bind(self.tenant).bind(id.as_str()).bind(field);
        let row: Option<(Option<Vec<u8>>, Option<String>)> =
            get.fetch_optional().await.map_err(doing("read the value of a credential"))?;
        Ok(row.and_then(|(sealed, secret)| {
            sealed.map(FieldValue::Sealed).or_else(|| secret.map(FieldValue::Secret))
        }))
    }

    /// Any sealed value, with what it was sealed for, if there is one.
    pub async fn any_sealed_field(&self) -> Result<Option<SealedField>, StoreError> {
        let row: Option<(String, String, String, Vec<u8>)> = self
            .db
            .sql(ANY_SEALED)
            .bind(self.tenant)
            .fetch_optional()
            .await
            .map_err(doing("try the vault's key"))?;
        Ok(row.map(|(id, origin, name, sealed)| SealedField {
            id: CredentialId::new(id),
            origin,
            name,
            sealed,
        }))
    }

    /// True if a call of the session used it before.
    pub async fn has_used_credential(
        &self,
        id: &CredentialId,
        session: &SessionId,
    ) -> Result<bool, StoreError> {
        let get = self.db.sql(HAS_USED).bind(self.tenant).bind(id.as_str()).bind(session.as_str());
        let row: Option<(i64,)> =
            get.fetch_optional().await.map_err(doing("look for uses of a credential"))?;
        Ok(row.is_some())
    }

    /// Notes that it is in use.
    pub async fn touch_credential(&self, id: &CredentialId) -> Result<(), StoreError> {
        let now_ms = now_ms();
        let touch = self.db.sql(TOUCH).bind(self.tenant).bind(id.as_str());
        let touch = touch.bind(now_ms).bind(now_ms.saturating_sub(TOUCH_EVERY_MS));
        touch.execute().await.map(drop).map_err(doing("note the use of a credential"))
    }
}
