//! Every definition that a tool was seen with, recorded in the transaction that writes its row. Most tools
//! never change: the first definition is only in the row until there is a second one.

use std::sync::LazyLock;

use toolgate_core::registry::Definition;
use toolgate_core::{CanonicalName, RawJson};

use super::row::definition;
use super::stored::{ToolRowChange, key};
use crate::clock::since_1970;
use crate::db::{SqlStatement, Transaction};
use crate::error::doing;
use crate::row::row;
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};

/// Definitions that are kept of one tool; of a server that changes all the time the oldest go.
pub const VERSIONS_PER_TOOL_MAX: i64 = 100;

const READ: &str = "SELECT version, definition, first_seen_us FROM tool_versions
    WHERE tenant = $1 AND key = $2
    UNION ALL SELECT pinned_version, pinned, first_seen_ms * 1000 FROM registry_tools
    WHERE tenant = $1 AND key = $2 AND NOT EXISTS (SELECT 1 FROM tool_versions
        WHERE tool_versions.tenant = registry_tools.tenant AND tool_versions.key = registry_tools.key
            AND tool_versions.version = registry_tools.pinned_version)
    ORDER BY 3, 1";
/// Take the tenant and the keys as a JSON array.
const KEEP_FIRST_SQLITE: &str = "INSERT INTO tool_versions (tenant, key, version, definition, first_seen_us)
    SELECT tenant, key, pinned_version, pinned, first_seen_ms * 1000 FROM registry_tools
    WHERE tenant = $1 AND key IN (SELECT value FROM json_each($2)) ON CONFLICT DO NOTHING";
const KEEP_FIRST_POSTGRES: &str =
    "INSERT INTO tool_versions (tenant, key, version, definition, first_seen_us)
    SELECT tenant, key, pinned_version, pinned, first_seen_ms * 1000 FROM registry_tools
    WHERE tenant = $1 AND key IN (SELECT json_array_elements_text($2::json)) ON CONFLICT DO NOTHING";
/// Take the tenant, the keys as a JSON array, and how many of each stay.
const FORGET_SQLITE: &str = "DELETE FROM tool_versions
    WHERE tenant = $1 AND key IN (SELECT value FROM json_each($2))
        AND $3 <= (SELECT COUNT(*) FROM tool_versions AS newer
            WHERE newer.tenant = tool_versions.tenant AND newer.key = tool_versions.key
                AND newer.first_seen_us > tool_versions.first_seen_us)";
const FORGET_POSTGRES: &str = "DELETE FROM tool_versions
    WHERE tenant = $1 AND key IN (SELECT json_array_elements_text($2::json))
        AND $3 <= (SELECT COUNT(*) FROM tool_versions AS newer
            WHERE newer.tenant = tool_versions.tenant AND newer.key = tool_versions.key
                AND newer.first_seen_us > tool_versions.first_seen_us)";
const COLUMN_COUNT: usize = 5;
static WRITE: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let before = "INSERT INTO tool_versions (tenant, key, version, definition, first_seen_us) VALUES ";
    MultiRowInsert::new(before, COLUMN_COUNT, " ON CONFLICT DO NOTHING")
});

/// A definition that a tool was seen with.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredVersion {
    pub definition: Definition,
    pub first_seen_ms: i64,
}

impl Store {
    /// All that are kept of a tool, the oldest first.
    pub async fn read_tool_versions(&self, name: &CanonicalName) -> Result<Vec<StoredVersion>, StoreError> {
        const DOING: &str = "read the versions of a tool";
        let read = self.db.sql(READ).bind(self.tenant).bind(key(name));
        let rows: Vec<VersionRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let stored = |row: VersionRow| {
            let definition = definition(row.definition, &row.version, DOING)?;
            Ok(StoredVersion { definition, first_seen_ms: row.first_seen_us / 1000 })
        };
        rows.into_iter().map(stored).collect()
    }
}

row! {
    struct VersionRow {
        version: Vec<u8>,
        definition: String,
        first_seen_us: i64,
    }
}

/// Stores the definitions of rows that are about to change. Must be called before they are written.
pub(super) async fn keep_first(
    tx: &mut Transaction,
    tenant: &'static str,
    changes: &[ToolRowChange],
) -> Result<(), sqlx::Error> {
    let Some(keys) = changed_keys(changes) else { return Ok(()) };
    let text = tx.dialect().pick(KEEP_FIRST_SQLITE, KEEP_FIRST_POSTGRES);
    tx.sql(text).bind(tenant).bind(keys).execute().await.map(drop)
}

/// Records the definitions of changed rows, and removes the oldest.
pub(super) async fn note(
    tx: &mut Transaction,
    tenant: &'static str,
    changes: &[ToolRowChange],
) -> Result<(), sqlx::Error> {
    let Some(keys) = changed_keys(changes) else { return Ok(()) };
    // Changes follow each other faster than milliseconds; the offered definition comes after the pinned one.
    let now_us = now_us();
    let seen: Vec<(&ToolRowChange, &Definition, i64)> = changed(changes)
        .flat_map(|change| {
            let pinned = Some((change, &change.row.pinned, now_us));
            [pinned, change.row.candidate.as_ref().map(|offered| (change, offered, now_us + 1))]
        })
        .flatten()
        .collect();
    let push = |to: &mut SqlStatement<'_>,
                (change, definition, at_us): &(&ToolRowChange, &Definition, i64)| {
        to.push(tenant);
        to.push(key(&change.row.name));
        to.push(&definition.version.as_bytes()[..]);
        to.push(definition.json.as_str());
        to.push(*at_us);
    };
    WRITE.execute(tx, &seen, push).await?;
    let text = tx.dialect().pick(FORGET_SQLITE, FORGET_POSTGRES);
    tx.sql(text).bind(tenant).bind(keys).bind(VERSIONS_PER_TOOL_MAX).execute().await.map(drop)
}

/// A new tool has one definition, unless its server offers another one at once.
fn changed(changes: &[ToolRowChange]) -> impl Iterator<Item = &ToolRowChange> {
    changes.iter().filter(|change| change.after.is_some() || change.row.candidate.is_some())
}

/// As a JSON array, if there are any.
fn changed_keys(changes: &[ToolRowChange]) -> Option<String> {
    let keys: Vec<String> = changed(changes).map(|change| key(&change.row.name)).collect();
    (!keys.is_empty()).then(|| RawJson::from_serialize(&keys).as_str().to_owned())
}

fn now_us() -> i64 {
    i64::try_from(since_1970().as_micros()).unwrap_or(i64::MAX)
}
