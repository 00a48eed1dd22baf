//! Changes of credentials, each with its event in one transaction.

use toolgate_core::credential::CredentialUser;
use toolgate_core::event::Event;
use toolgate_core::id::{CredentialId, SessionId};
use toolgate_core::{PrincipalId, ServerName};

use super::stored::FieldValue;
use crate::StoreError;
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};

const COUNT: &str = "SELECT count(*) FROM credentials WHERE tenant = $1 AND erased_at_ms IS NULL";
const NAMESAKE: &str = "SELECT id FROM credentials WHERE tenant = $1 AND name = $2 AND erased_at_ms IS NULL";
const INSERT: &str = "INSERT INTO credentials (tenant, id, name, origin, users, servers, created_by, created_at_ms, expires_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const INSERT_FIELD: &str =
    "INSERT INTO credential_fields (tenant, credential, name, sealed, secret, updated_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6)";
const ROTATE: &str = "UPDATE credential_fields SET sealed = $4, secret = $5, updated_at_ms = $6
    WHERE tenant = $1 AND credential = $2 AND name = $3";
const ERASE: &str =
    "UPDATE credentials SET erased_at_ms = $3 WHERE tenant = $1 AND id = $2 AND erased_at_ms IS NULL";
const ERASE_FIELDS: &str = "DELETE FROM credential_fields WHERE tenant = $1 AND credential = $2";
const ERASE_USES: &str = "DELETE FROM credential_uses WHERE tenant = $1 AND credential = $2";
const FORGET_ERASED: &str = "DELETE FROM credentials WHERE tenant = $1 AND erased_at_ms < $2";
const USE: &str = "INSERT INTO credential_uses (tenant, credential, session, first_at_ms)
    VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
const FORGET_USES: &str = "DELETE FROM credential_uses WHERE tenant = $1 AND first_at_ms < $2";

/// The number of credentials that are kept.
pub const CREDENTIALS_MAX: i64 = 2_000;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// An erased credential is remembered for this time.
const ERASED_KEEP_MS: i64 = 365 * DAY_MS;
/// A session that is older counts as one that has not used it.
const USES_KEEP_MS: i64 = 90 * DAY_MS;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewCredential {
    pub id: CredentialId,
    pub name: String,
    pub origin: String,
    pub users: Vec<CredentialUser>,
    pub servers: Vec<ServerName>,
    /// Each name once.
    pub fields: Vec<(String, FieldValue)>,
    pub created_by: PrincipalId,
    pub expires_at_ms: Option<i64>,
}

#[derive(Debug, thiserror::Error)]
pub enum NewCredentialError {
    #[error("there is a credential {name:?} already: {id}")]
    Taken { name: String, id: CredentialId },
    #[error("there are {CREDENTIALS_MAX} credentials already")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Books {
    pub async fn create_credential(
        &self,
        new: &NewCredential,
        events: Vec<Event>,
    ) -> Result<(), NewCredentialError> {
        let doing = doing("create a credential");
        let mut change = TopicChange::begin(self, RevisionTopic::Vault).await.map_err(&doing)?;
        let tenant = change.tenant;
        let namesake = change.tx.sql(NAMESAKE).bind(tenant).bind(without_nul(&new.name));
        let namesake: Option<(String,)> = namesake.fetch_optional().await.map_err(&doing)?;
        if let Some((id,)) = namesake {
            return Err(NewCredentialError::Taken { name: new.name.clone(), id: CredentialId::new(id) });
        }
        let count = change.tx.sql(COUNT).bind(tenant);
        let (count,): (i64,) = count.fetch_one().await.map_err(&doing)?;
        if count >= CREDENTIALS_MAX {
            return Err(NewCredentialError::TooMany);
        }
        insert(&mut change.tx, tenant, new).await.map_err(&doing)?;
        change.finish(events).await.map_err(&doing)?;
        Ok(())
    }

    /// Gives a field another value. `false` if there is no such field; then there are no events either.
    pub async fn rotate_credential(
        &self,
        id: &CredentialId,
        field: &str,
        value: &FieldValue,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let doing = doing("rotate a field of a credential");
        let mut change = TopicChange::begin(self, RevisionTopic::Vault).await.map_err(&doing)?;
        let (sealed, secret) = columns(value);
        let rotate = change.tx.sql(ROTATE).bind(change.tenant).bind(id.as_str()).bind(field);
        let rotate = rotate.bind(sealed).bind(secret).bind(now_ms());
        if rotate.execute().await.map_err(&doing)? == 0 {
            return Ok(false);
        }
        change.finish(events).await.map_err(&doing)?;
        Ok(true)
    }

    /// Erases it with its values. `false` if there is none; then there are no events either.
    pub async fn erase_credential(&self, id: &CredentialId, events: Vec<Event>) -> Result<bool, StoreError> {
        let doing = doing("erase a credential");
        let mut change = TopicChange::begin(self, RevisionTopic::Vault).await.map_err(&doing)?;
        let tenant = change.tenant;
        let erase = change.tx.sql(ERASE).bind(tenant).bind(id.as_str()).bind(now_ms());
        if erase.execute().await.map_err(&doing)? == 0 {
            return Ok(false);
        }
        for erase in [ERASE_FIELDS, ERASE_USES] {
            change.tx.sql(erase).bind(tenant).bind(id.as_str()).execute().await.map_err(&doing)?;
        }
        change.finish(events).await.map_err(&doing)?;
        Ok(true)
    }

    /// Notes the first use by a session, with its event. A later use adds nothing.
    pub async fn use_credential(
        &self,
        id: &CredentialId,
        session: &SessionId,
        events: Vec<Event>,
    ) -> Result<(), StoreError> {
        let doing = doing("note the use of a credential");
        let tenant = self.store().tenant;
        let now_ms = now_ms();
        let mut tx = self.begin().await.map_err(&doing)?;
        let forget = tx.sql(FORGET_USES).bind(tenant).bind(now_ms.saturating_sub(USES_KEEP_MS));
        forget.execute().await.map_err(&doing)?;
        let first = tx.sql(USE).bind(tenant).bind(id.as_str()).bind(session.as_str()).bind(now_ms);
        let is_first = first.execute().await.map_err(&doing)? > 0;
        self.record(tx, if is_first { events } else { Vec::new() }).await.map_err(&doing)
    }
}

async fn insert(tx: &mut Transaction, tenant: &'static str, new: &NewCredential) -> Result<(), sqlx::Error> {
    let now_ms = now_ms();
    tx.sql(FORGET_ERASED).bind(tenant).bind(now_ms.saturating_sub(ERASED_KEEP_MS)).execute().await?;
    let servers: Vec<&str> = new.servers.iter().map(ServerName::as_str).collect();
    let put = tx.sql(INSERT).bind(tenant).bind(new.id.as_str()).bind(without_nul(&new.name));
    let put = put.bind(without_nul(&new.origin)).bind(list(&new.users)).bind(list(&servers));
    let put = put.bind(without_nul(new.created_by.as_str())).bind(now_ms).bind(new.expires_at_ms);
    put.execute().await?;
    for (name, value) in &new.fields {
        let (sealed, secret) = columns(value);
        let put = tx.sql(INSERT_FIELD).bind(tenant).bind(new.id.as_str()).bind(without_nul(name));
        put.bind(sealed).bind(secret).bind(now_ms).execute().await?;
    }
    Ok(())
}

/// A list of texts, as it is stored.
fn list(texts: &impl serde::Serialize) -> String {
    serde_json::to_string(texts).expect("a list of texts is plain data")
}

/// The columns of a value: sealed, or the name of a secret.
fn columns(value: &FieldValue) -> (Option<Vec<u8>>, Option<String>) {
    match value {
        FieldValue::Sealed(sealed) => (Some(sealed.clone()), None),
        FieldValue::Secret(name) => (None, Some(without_nul(name))),
    }
}
