//! Reading work.

use toolgate_core::id::{RunId, WorkId};

use super::row::{BY_ID, OPEN_OF_KEY, SELECT, StoredWork, WorkRow, WorkState};
use crate::db::without_nul;
use crate::error::doing;
use crate::page::PageQuery;
use crate::{Store, StoreError};

/// The maximum number of works on a page.
pub const WORKS_PAGE_MAX: usize = 200;

/// A filter for work. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkFilter {
    pub kind: Option<String>,
    pub key: Option<String>,
    pub run: Option<RunId>,
    pub state: Option<WorkState>,
}

impl Store {
    pub async fn work(&self, id: &WorkId) -> Result<Option<WorkRow>, StoreError> {
        const DOING: &str = "read work";
        let read = self.db.sql(BY_ID).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<StoredWork> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The work of a kind and key that has not ended.
    pub async fn open_work_of(&self, kind: &str, key: &str) -> Result<Option<WorkRow>, StoreError> {
        const DOING: &str = "look for open work";
        let read = self.db.sql(OPEN_OF_KEY).bind(self.tenant).bind(without_nul(kind)).bind(without_nul(key));
        let row: Option<StoredWork> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// Newest first.
    pub async fn works(&self, filter: &WorkFilter, limit: usize) -> Result<Vec<WorkRow>, StoreError> {
        const DOING: &str = "list work";
        let page = PageQuery::new(None, limit, WORKS_PAGE_MAX)
            .text(" AND kind = ?", filter.kind.as_deref())
            .text(" AND key = ?", filter.key.as_deref())
            .text(" AND run = ?", filter.run.as_ref().map(RunId::as_str))
            .text(" AND state = ?", filter.state.map(WorkState::as_str));
        let (rows, _) = page.fetch::<StoredWork>(self, SELECT).await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }
}
