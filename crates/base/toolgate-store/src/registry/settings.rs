//! Settings: values that operators change while the gateway runs.

use toolgate_core::event::Event;
use toolgate_core::{PrincipalId, RawJson};

use super::columns::{read_count, read_raw, stored_count};
use super::origins::{SecretOrigin, allow};
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::without_nul;
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};
use crate::row::row;
use crate::{Store, StoreError};

const READ_ALL: &str =
    "SELECT key, value, version, updated_at_ms, updated_by FROM settings WHERE tenant = $1 ORDER BY key";
const READ: &str =
    "SELECT key, value, version, updated_at_ms, updated_by FROM settings WHERE tenant = $1 AND key = $2";
const READ_VERSION: &str = "SELECT version FROM settings WHERE tenant = $1 AND key = $2";
const WRITE: &str = "INSERT INTO settings (tenant, key, value, version, updated_at_ms, updated_by)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (tenant, key) DO UPDATE SET value = excluded.value, version = excluded.version,
        updated_at_ms = excluded.updated_at_ms, updated_by = excluded.updated_by";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredSetting {
    pub key: String,
    pub value: RawJson,
    /// 1 when it was first set.
    pub version: u64,
    pub updated_at_ms: i64,
    pub updated_by: PrincipalId,
}

#[derive(Debug, thiserror::Error)]
pub enum WriteSettingError {
    #[error("the setting is at version {current} now")]
    Stale { current: u64 },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// By key.
    pub async fn read_settings(&self) -> Result<Vec<StoredSetting>, StoreError> {
        const DOING: &str = "read the settings";
        let rows: Vec<SettingRow> =
            self.db.sql(READ_ALL).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    pub async fn read_setting(&self, key: &str) -> Result<Option<StoredSetting>, StoreError> {
        const DOING: &str = "read a setting";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(key));
        let row: Option<SettingRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }
}

impl Books {
    /// Sets a value if its version is still the `expected` one; 0 is a setting that was never set, and `None` is any.
    /// Tells the new version, which `events` is given too. Secrets may be sent to `allowed` from then on.
    pub async fn write_setting(
        &self,
        key: &str,
        value: &RawJson,
        expected: Option<u64>,
        by: &PrincipalId,
        allowed: &[SecretOrigin],
        events: impl FnOnce(u64) -> Vec<Event>,
    ) -> Result<u64, WriteSettingError> {
        let doing = doing("write a setting");
        let key = without_nul(key);
        let mut change = TopicChange::begin(self, RevisionTopic::Settings).await.map_err(&doing)?;
        let read = change.tx.sql(READ_VERSION).bind(change.tenant).bind(&key);
        let current: Option<(i64,)> = read.fetch_optional().await.map_err(&doing)?;
        let current = current.map_or(0, |(version,)| read_count(version));
        if expected.is_some_and(|expected| expected != current) {
            return Err(WriteSettingError::Stale { current });
        }
        let version = current + 1;
        let write = change.tx.sql(WRITE).bind(change.tenant).bind(&key).bind(value.as_str());
        let write = write.bind(stored_count(version)).bind(now_ms()).bind(without_nul(by.as_str()));
        write.execute().await.map_err(&doing)?;
        for SecretOrigin { server, whose, name, origin } in allowed {
            let tenant = change.tenant;
            allow(&mut change.tx, tenant, (server, whose, name), origin).await.map_err(&doing)?;
        }
        if !allowed.is_empty() {
            change.touch(RevisionTopic::Vault).await.map_err(&doing)?;
        }
        change.finish(events(version)).await.map_err(&doing)?;
        Ok(version)
    }
}

row! {
    struct SettingRow {
        key: String,
        value: String,
        version: i64,
        updated_at_ms: i64,
        updated_by: String,
    }
}

impl SettingRow {
    fn read(self, doing: &'static str) -> Result<StoredSetting, StoreError> {
        Ok(StoredSetting {
            key: self.key,
            value: read_raw(self.value, doing, "setting")?,
            version: read_count(self.version),
            updated_at_ms: self.updated_at_ms,
            updated_by: PrincipalId::new(&self.updated_by),
        })
    }
}
