//! Settings: values that operators change while the gateway runs, and their earlier values.

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
const KEEP: &str = "INSERT INTO setting_versions (tenant, key, version, value, reason, set_at_ms, set_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";
const FORGET: &str = "DELETE FROM setting_versions WHERE tenant = $1 AND key = $2 AND version <= $3";
const READ_VERSIONS: &str =
    "SELECT version, value, reason, set_at_ms, set_by FROM setting_versions WHERE tenant = $1 AND key = $2
    ORDER BY version DESC";

/// Versions of one setting that are kept: those before are forgotten.
pub const SETTING_VERSIONS_MAX: u64 = 50;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredSetting {
    pub key: String,
    pub value: RawJson,
    /// 1 when it was first set.
    pub version: u64,
    pub updated_at_ms: i64,
    pub updated_by: PrincipalId,
}

/// A value that a setting has or had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingVersion {
    pub version: u64,
    pub value: RawJson,
    /// The reason that was given with it.
    pub reason: Option<String>,
    pub set_at_ms: i64,
    pub set_by: PrincipalId,
}

/// A new value of a setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingWrite<'a> {
    pub key: &'a str,
    pub value: &'a RawJson,
    /// The version that it must still have; 0 is a setting that was never set, and `None` is any.
    pub expected: Option<u64>,
    pub by: &'a PrincipalId,
    pub reason: Option<&'a str>,
    /// Secrets may be sent there from then on.
    pub allowed: &'a [SecretOrigin],
}

impl<'a> SettingWrite<'a> {
    /// A value for whatever version there is, without a reason.
    pub fn plain(key: &'a str, value: &'a RawJson, by: &'a PrincipalId) -> Self {
        Self { key, value, expected: None, by, reason: None, allowed: &[] }
    }
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

    /// The kept versions of a setting, the latest first. Those that were set before versions were kept are not there.
    pub async fn read_setting_versions(&self, key: &str) -> Result<Vec<SettingVersion>, StoreError> {
        const DOING: &str = "read the versions of a setting";
        let read = self.db.sql(READ_VERSIONS).bind(self.tenant).bind(without_nul(key));
        let rows: Vec<VersionRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}

impl Books {
    /// Sets a value if its version is still the expected one. Tells the new version, which `events` is given too.
    pub async fn write_setting(
        &self,
        write: SettingWrite<'_>,
        events: impl FnOnce(u64) -> Vec<Event>,
    ) -> Result<u64, WriteSettingError> {
        let SettingWrite { key, value, expected, by, reason, allowed } = write;
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
        let (now_ms, author) = (now_ms(), without_nul(by.as_str()));
        let write = change.tx.sql(WRITE).bind(change.tenant).bind(&key).bind(value.as_str());
        let write = write.bind(stored_count(version)).bind(now_ms).bind(&author);
        write.execute().await.map_err(&doing)?;
        let keep = change.tx.sql(KEEP).bind(change.tenant).bind(&key).bind(stored_count(version));
        let keep = keep.bind(value.as_str()).bind(reason.map(without_nul)).bind(now_ms).bind(&author);
        keep.execute().await.map_err(&doing)?;
        let forgotten = stored_count(version.saturating_sub(SETTING_VERSIONS_MAX));
        let forget = change.tx.sql(FORGET).bind(change.tenant).bind(&key).bind(forgotten);
        forget.execute().await.map_err(&doing)?;
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

row! {
    struct VersionRow {
        version: i64,
        value: String,
        reason: Option<String>,
        set_at_ms: i64,
        set_by: String,
    }
}

impl VersionRow {
    fn read(self, doing: &'static str) -> Result<SettingVersion, StoreError> {
        Ok(SettingVersion {
            version: read_count(self.version),
            value: read_raw(self.value, doing, "setting")?,
            reason: self.reason,
            set_at_ms: self.set_at_ms,
            set_by: PrincipalId::new(&self.set_by),
        })
    }
}
