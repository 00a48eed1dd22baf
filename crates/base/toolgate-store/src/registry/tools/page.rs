//! Pinned tools a page at a time: names are gone through, and only the rows of the page are read whole.

use toolgate_core::registry::ToolStatus;
use toolgate_core::{CanonicalName, RawJson};

use super::row::{self, ToolText, in_order};
use super::stored::{StoredTool, key};
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::columns::{read_server, unreadable};
use crate::{Store, StoreError};

const DOING: &str = "read a page of the pinned tools";
/// An empty text matches anything.
const NAMES: &str = "SELECT server, own FROM registry_tools
    WHERE tenant = $1 AND ($2 = '' OR status = $2) AND ($3 = '' OR server = $3)";
/// Takes the tenant and the keys, as a JSON array.
const ROWS_SQLITE: &str = "WHERE tools.tenant = $1 AND tools.key IN (SELECT value FROM json_each($2))";
const ROWS_POSTGRES: &str =
    "WHERE tools.tenant = $1 AND tools.key IN (SELECT json_array_elements_text($2::json))";

/// A filter for pinned tools. `None` matches anything.
#[derive(Clone, Debug, Default)]
pub struct ToolRowFilter {
    pub status: Option<ToolStatus>,
    pub server: Option<String>,
    /// Only names that come after this one.
    pub after: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ToolRowPage {
    /// By name.
    pub tools: Vec<StoredTool>,
    pub has_more: bool,
}

impl Store {
    pub async fn read_tool_page(
        &self,
        filter: &ToolRowFilter,
        limit: usize,
    ) -> Result<ToolRowPage, StoreError> {
        let mut names = self.names_of(filter).await?;
        names.sort_unstable();
        let has_more = names.len() > limit;
        names.truncate(limit);
        let keys: Vec<String> = names.iter().map(key).collect();
        let condition = self.db.dialect().pick(ROWS_SQLITE, ROWS_POSTGRES);
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(condition))).bind(self.tenant);
        let read = read.bind(RawJson::from_serialize(&keys).as_str().to_owned());
        let rows: Vec<ToolText> = read.fetch_all().await.map_err(doing(DOING))?;
        Ok(ToolRowPage { tools: in_order(rows, DOING)?, has_more })
    }

    async fn names_of(&self, filter: &ToolRowFilter) -> Result<Vec<CanonicalName>, StoreError> {
        let status = filter.status.map_or("", ToolStatus::as_str);
        let server = without_nul(filter.server.as_deref().unwrap_or_default());
        let read = self.db.sql(NAMES).bind(self.tenant).bind(status).bind(server);
        let rows: Vec<(String, String)> = read.fetch_all().await.map_err(doing(DOING))?;
        let after = filter.after.as_deref().unwrap_or_default();
        let names = rows.iter().map(|(server, own)| name(server, own));
        names.filter(|name| !matches!(name, Ok(name) if name.as_str() <= after)).collect()
    }
}

fn name(server: &str, own: &str) -> Result<CanonicalName, StoreError> {
    let own: String = serde_json::from_str(own).map_err(|_| unreadable(DOING, "name of a tool"))?;
    Ok(CanonicalName::of(&read_server(server, DOING)?, &own))
}
