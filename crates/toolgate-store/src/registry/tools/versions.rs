//! Every definition that a tool was seen with. What is pinned or offered is noted in the transaction that writes its row.

use std::sync::LazyLock;

use toolgate_core::CanonicalName;
use toolgate_core::registry::Definition;

use super::row::definition;
use super::{ToolRowChange, key};
use crate::db::{Statement, Transaction};
use crate::error::doing;
use crate::rows::Rows;
use crate::{Store, StoreError};

/// Definitions that are kept of one tool; of a server that changes all the time the oldest go.
pub const VERSIONS_PER_TOOL_MAX: i64 = 100;

const READ: &str = "SELECT version, definition, first_seen_ms FROM tool_versions
    WHERE tenant = $1 AND key = $2 ORDER BY first_seen_ms, version";
const FORGET: &str = "DELETE FROM tool_versions WHERE tenant = $1 AND key = $2 AND version NOT IN
    (SELECT version FROM tool_versions WHERE tenant = $1 AND key = $2 ORDER BY first_seen_ms DESC LIMIT $3)";
const COLUMN_COUNT: usize = 5;
static WRITE: LazyLock<Rows> = LazyLock::new(|| {
    let before = "INSERT INTO tool_versions (tenant, key, version, definition, first_seen_ms) VALUES ";
    Rows::new(before, COLUMN_COUNT, " ON CONFLICT DO NOTHING")
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
        let rows: Vec<(Vec<u8>, String, i64)> = read.fetch_all().await.map_err(doing(DOING))?;
        let stored = |(version, json, first_seen_ms): (Vec<u8>, String, i64)| {
            Ok(StoredVersion { definition: definition(json, &version, DOING)?, first_seen_ms })
        };
        rows.into_iter().map(stored).collect()
    }
}

/// Within the transaction of the rows.
pub(super) async fn note(
    tx: &mut Transaction,
    tenant: &'static str,
    changes: &[ToolRowChange],
) -> Result<(), sqlx::Error> {
    let seen: Vec<(&ToolRowChange, &Definition)> = changes
        .iter()
        .flat_map(|change| [Some(&change.row.pinned), change.row.candidate.as_ref()].map(|one| (change, one)))
        .filter_map(|(change, one)| Some((change, one?)))
        .collect();
    let push = |to: &mut Statement<'_>, (change, definition): &(&ToolRowChange, &Definition)| {
        to.push(tenant);
        to.push(key(&change.row.name));
        to.push(&definition.version.as_bytes()[..]);
        to.push(definition.json.as_str());
        to.push(change.row.last_seen_ms);
    };
    WRITE.execute(tx, &seen, push).await?;
    // Of a tool that is new there cannot be too many.
    for change in changes.iter().filter(|change| change.after.is_some()) {
        let forget = tx.sql(FORGET).bind(tenant).bind(key(&change.row.name));
        forget.bind(VERSIONS_PER_TOOL_MAX).execute().await?;
    }
    Ok(())
}
