//! Versions of schemas, as rows. The `Store` reads them; changes are methods of the `Books`, which write the ledger's event in the same
//! transaction and hold the row of the schema's name meanwhile.

mod error;
mod events;
mod row;
mod write;

use toolgate_core::id::SchemaId;
use toolgate_core::schema::{SchemaKind, SchemaRecord, SchemaState};

pub use error::SchemaChangeError;
pub use write::{NewSchema, RegisteredSchema, SCHEMA_VERSIONS_MAX, SchemaDeprecation, SchemaPromotion};

use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::PageQuery;
use crate::registry::stored_count;
use crate::{Store, StoreError};
use row::{LISTED, SchemaRow};

/// The maximum number of versions on a page.
pub const SCHEMAS_PAGE_MAX: usize = 200;
/// Earlier versions that a promotion is compared with.
pub const SCHEMAS_COMPARED_MAX: usize = 100;

const BY_VERSION: &str = row::select!(" WHERE tenant = $1 AND namespace = $2 AND name = $3 AND version = $4");
const BY_ID: &str = row::select!(" WHERE tenant = $1 AND id = $2");
const ACTIVE: &str = row::select!(" WHERE tenant = $1 AND namespace = $2 AND name = $3 AND state = 'active'");
const ONCE_ACTIVE: &str = row::select!(
    " WHERE tenant = $1 AND namespace = $2 AND name = $3 AND state <> 'draft'
    ORDER BY CASE WHEN state = 'active' THEN 0 ELSE 1 END, state_since_ms DESC, version DESC LIMIT $4"
);

/// A filter for versions of schemas. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaFilter {
    pub namespace: Option<String>,
    pub name: Option<String>,
    pub kind: Option<SchemaKind>,
    pub state: Option<SchemaState>,
}

impl Store {
    pub async fn schema_version(
        &self,
        namespace: &str,
        name: &str,
        version: u64,
    ) -> Result<Option<SchemaRecord>, StoreError> {
        const DOING: &str = "read a version of a schema";
        let read = self.db.sql(BY_VERSION).bind(self.tenant).bind(without_nul(namespace));
        let read = read.bind(without_nul(name)).bind(stored_count(version));
        let row: Option<SchemaRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    pub async fn schema_by_id(&self, id: &SchemaId) -> Result<Option<SchemaRecord>, StoreError> {
        const DOING: &str = "read a schema";
        let read = self.db.sql(BY_ID).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<SchemaRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    pub async fn active_schema(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<Option<SchemaRecord>, StoreError> {
        const DOING: &str = "read the active version of a schema";
        let read = self.db.sql(ACTIVE).bind(self.tenant).bind(without_nul(namespace)).bind(without_nul(name));
        let row: Option<SchemaRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The versions that are active or were: the active one first, then the one that ended last.
    pub async fn promoted_schemas(
        &self,
        namespace: &str,
        name: &str,
        limit: usize,
    ) -> Result<Vec<SchemaRecord>, StoreError> {
        const DOING: &str = "read the promoted versions of a schema";
        let limit = i64::try_from(limit.min(SCHEMAS_COMPARED_MAX)).unwrap_or(i64::MAX);
        let read = self.db.sql(ONCE_ACTIVE).bind(self.tenant).bind(without_nul(namespace));
        let read = read.bind(without_nul(name)).bind(limit);
        let rows: Vec<SchemaRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// One page of versions, newest first, and the cursor of the next one. Their definitions are left out: each is `{}`.
    pub async fn schemas(
        &self,
        filter: &SchemaFilter,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<SchemaRecord>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the schemas";
        let page = PageQuery::new(cursor, limit, SCHEMAS_PAGE_MAX)
            .text(" AND namespace = ?", filter.namespace.as_deref())
            .text(" AND name = ?", filter.name.as_deref())
            .text(" AND kind = ?", filter.kind.map(SchemaKind::as_str))
            .text(" AND state = ?", filter.state.map(SchemaState::as_str));
        let (rows, more) = page.fetch::<SchemaRow>(self, LISTED).await.map_err(doing(DOING))?;
        let records: Vec<SchemaRecord> =
            rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = records.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((records, next))
    }
}
