//! Knowledge bases, as rows. The `Store` reads them; changes are methods of the `Books`, which write the ledger's event in the same
//! transaction.

mod error;
mod events;
mod row;
mod write;

pub use error::KnowledgeBaseError;
pub use row::KnowledgeBase;
pub use write::{KNOWLEDGE_BASES_MAX, KnowledgeBaseWrite};

use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::PageQuery;
use crate::{Store, StoreError};
use row::{BY_ID, BY_NAME, KnowledgeBaseRow, SELECT};

/// The maximum number of knowledge bases on a page.
pub const KNOWLEDGE_BASES_PAGE_MAX: usize = 200;

impl Store {
    /// The knowledge base with this id, or with this name if it was not deleted.
    pub async fn knowledge_base(&self, id_or_name: &str) -> Result<Option<KnowledgeBase>, StoreError> {
        const DOING: &str = "read a knowledge base";
        for text in [BY_ID, BY_NAME] {
            let read = self.db.sql(text).bind(self.tenant).bind(without_nul(id_or_name));
            let row: Option<KnowledgeBaseRow> = read.fetch_optional().await.map_err(doing(DOING))?;
            if let Some(row) = row {
                return row.read(DOING).map(Some);
            }
        }
        Ok(None)
    }

    /// One page of those that were not deleted, newest first, and the cursor of the next one.
    pub async fn knowledge_bases(
        &self,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<KnowledgeBase>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the knowledge bases";
        let page = PageQuery::new(cursor, limit, KNOWLEDGE_BASES_PAGE_MAX);
        let (rows, more) = page.fetch::<KnowledgeBaseRow>(self, SELECT).await.map_err(doing(DOING))?;
        let listed: Vec<KnowledgeBase> =
            rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = listed.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((listed, next))
    }
}
