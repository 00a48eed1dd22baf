//! Filters of the list of calls that people keep under a name, each person their own. They are bookmarks and change nothing, so
//! the ledger has no events of them.

use toolgate_core::PrincipalId;
use toolgate_core::event::Durability;

use crate::db::without_nul;
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

/// The maximum number of views of one person.
pub const SAVED_VIEWS_MAX: usize = 50;
pub const SAVED_VIEW_NAME_CHARS_MAX: usize = 60;
pub const SAVED_VIEW_QUERY_BYTES_MAX: usize = 2_000;

const LIST: &str = "SELECT name, query FROM saved_views WHERE tenant = $1 AND principal = $2 ORDER BY name";
const COUNT: &str = "SELECT COUNT(*) FROM saved_views WHERE tenant = $1 AND principal = $2 AND name <> $3";
const SAVE: &str = "INSERT INTO saved_views (tenant, principal, name, query, saved_at_ms)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (tenant, principal, name) DO UPDATE SET query = excluded.query, saved_at_ms = excluded.saved_at_ms";
const REMOVE: &str = "DELETE FROM saved_views WHERE tenant = $1 AND principal = $2 AND name = $3";

row! {
    /// A filter under a name.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub struct SavedView {
        pub name: String,
        /// The query of the list's address.
        pub query: String,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SavedViewOutcome {
    Saved,
    /// This person has as many as there may be.
    TooMany,
}

impl Store {
    pub async fn saved_views(&self, of: &PrincipalId) -> Result<Vec<SavedView>, StoreError> {
        let list = self.db.sql(LIST).bind(self.tenant).bind(without_nul(of.as_str()));
        list.fetch_all().await.map_err(doing("list saved views"))
    }

    /// A view of the same name is replaced.
    pub async fn save_view(
        &self,
        of: &PrincipalId,
        view: &SavedView,
        now_ms: i64,
    ) -> Result<SavedViewOutcome, StoreError> {
        const DOING: &str = "save a view";
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        let (person, name) = (without_nul(of.as_str()), without_nul(&view.name));
        let count = tx.sql(COUNT).bind(self.tenant).bind(&*person).bind(&*name);
        let (others,): (i64,) = count.fetch_one().await.map_err(doing(DOING))?;
        if usize::try_from(others).unwrap_or(usize::MAX) >= SAVED_VIEWS_MAX {
            return Ok(SavedViewOutcome::TooMany);
        }
        let save = tx.sql(SAVE).bind(self.tenant).bind(&*person).bind(&*name);
        save.bind(without_nul(&view.query)).bind(now_ms).execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(SavedViewOutcome::Saved)
    }

    /// True if there was one.
    pub async fn remove_view(&self, of: &PrincipalId, name: &str) -> Result<bool, StoreError> {
        const DOING: &str = "remove a saved view";
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        let remove = tx.sql(REMOVE).bind(self.tenant).bind(without_nul(of.as_str())).bind(without_nul(name));
        let removed = remove.execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        Ok(removed > 0)
    }
}
