//! Pinned tools as rows. All changes of one reading of a server, or of one review, happen together with their
//! events, and only if none of these rows has changed since it was read.

mod page;
mod row;
mod stored;
mod versions;

use std::collections::HashMap;
use std::sync::LazyLock;

use toolgate_core::event::Event;
use toolgate_core::{CanonicalName, RawJson, ServerName};

pub use page::{ToolRowFilter, ToolRowPage};
use row::{COLUMN_COUNT, COLUMNS, ToolText};
pub use stored::{StoredTool, ToolRowChange, ToolTraits};
pub use versions::{StoredVersion, VERSIONS_PER_TOOL_MAX};

use super::columns::stored_count;
use crate::books::Books;
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};
use row::in_order;
use stored::key;

const READ_ALL: &str = "WHERE tools.tenant = $1";
const READ_OF: &str = "WHERE tools.tenant = $1 AND tools.server = $2";
const READ: &str = "WHERE tools.tenant = $1 AND tools.key = $2";
/// Takes the tenant and the keys, as a JSON array.
const VERSIONS_SQLITE: &str = "SELECT key, row_version FROM registry_tools
    WHERE tenant = $1 AND key IN (SELECT value FROM json_each($2))";
const VERSIONS_POSTGRES: &str = "SELECT key, row_version FROM registry_tools
    WHERE tenant = $1 AND key IN (SELECT json_array_elements_text($2::json))";
static WRITE: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let before = format!("INSERT INTO registry_tools ({COLUMNS}) VALUES ");
    MultiRowInsert::new(&before, COLUMN_COUNT, row::OVERWRITE)
});
const TOUCH: &str = "INSERT INTO registry_readings (tenant, server, read_ms) VALUES ($1, $2, $3)
    ON CONFLICT (tenant, server) DO UPDATE SET read_ms = excluded.read_ms
    WHERE registry_readings.read_ms < excluded.read_ms";

#[derive(Clone, PartialEq, Eq, Debug)]
#[must_use = "what was not written must be read and decided again"]
pub enum ToolRowsWritten {
    All,
    /// Another writer was faster with these, so nothing was written, not even the others: the events cover
    /// all of them.
    Nothing {
        outdated: Vec<CanonicalName>,
    },
}

impl Store {
    /// All tools, by name.
    pub async fn read_tool_rows(&self) -> Result<Vec<StoredTool>, StoreError> {
        const DOING: &str = "read the pinned tools";
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(READ_ALL))).bind(self.tenant);
        in_order(read.fetch_all().await.map_err(doing(DOING))?, DOING)
    }

    /// The tools of one server, by name.
    pub async fn read_tool_rows_of(&self, server: &ServerName) -> Result<Vec<StoredTool>, StoreError> {
        const DOING: &str = "read the pinned tools of a server";
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(READ_OF))).bind(self.tenant);
        in_order(read.bind(server.as_str()).fetch_all().await.map_err(doing(DOING))?, DOING)
    }

    pub async fn read_tool_row(&self, name: &CanonicalName) -> Result<Option<StoredTool>, StoreError> {
        const DOING: &str = "read a pinned tool";
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(READ))).bind(self.tenant).bind(key(name));
        let row: Option<ToolText> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// Records that a server was listed completely: all its tools that are not retired were seen then.
    /// Readers are not notified.
    pub async fn touch_tool_rows(&self, server: &ServerName, seen_ms: i64) -> Result<(), StoreError> {
        let touch = self.db.sql(TOUCH).bind(self.tenant).bind(server.as_str()).bind(seen_ms);
        touch.execute().await.map_err(doing("note that the tools of a server were seen"))?;
        Ok(())
    }
}

impl Books {
    /// Writes all of it with its events, or nothing.
    pub async fn write_tool_rows(
        &self,
        changes: &[ToolRowChange],
        events: Vec<Event>,
    ) -> Result<ToolRowsWritten, StoreError> {
        let doing = doing("write pinned tools");
        let mut change = TopicChange::begin(self, RevisionTopic::Tools).await.map_err(&doing)?;
        let outdated = outdated(&mut change, changes).await.map_err(&doing)?;
        if !outdated.is_empty() {
            return Ok(ToolRowsWritten::Nothing { outdated });
        }
        let tenant = change.tenant;
        versions::keep_first(&mut change.tx, tenant, changes).await.map_err(&doing)?;
        let write = WRITE.execute(&mut change.tx, changes, |to, one| row::push(tenant, one, to));
        write.await.map_err(&doing)?;
        versions::note(&mut change.tx, tenant, changes).await.map_err(&doing)?;
        change.finish(events).await.map_err(&doing)?;
        Ok(ToolRowsWritten::All)
    }
}

/// The names of rows that have changed since the change was prepared. Rows are locked meanwhile.
async fn outdated(
    change: &mut TopicChange<'_>,
    changes: &[ToolRowChange],
) -> Result<Vec<CanonicalName>, sqlx::Error> {
    let keys: Vec<String> = changes.iter().map(|one| key(&one.row.name)).collect();
    let text = change.tx.dialect().pick(VERSIONS_SQLITE, VERSIONS_POSTGRES);
    let read = change.tx.sql(text).bind(change.tenant);
    let rows: Vec<(String, i64)> =
        read.bind(RawJson::from_serialize(&keys).as_str().to_owned()).fetch_all().await?;
    let versions: HashMap<String, i64> = rows.into_iter().collect();
    let is_outdated =
        |(one, key): &(&ToolRowChange, &String)| versions.get(*key).copied() != one.after.map(stored_count);
    let outdated = changes.iter().zip(&keys).filter(is_outdated);
    Ok(outdated.map(|(one, _)| one.row.name.clone()).collect())
}
