//! The creation and removal of files.

use toolgate_core::PrincipalId;
use toolgate_core::file::File;
use toolgate_core::id::FileId;

use super::row::{self, FileRow};
use super::shared::{Actor, FileEnd, READ, stored_limit};
use super::{blob, event};
use crate::StoreError;
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::{Transaction, without_nul};
use crate::error::doing;

const DELETE: &str = "DELETE FROM files WHERE tenant = $1 AND id = $2";
const DUE: &str = "WHERE tenant = $1 AND expires_at_ms <= $2 ORDER BY expires_at_ms, id LIMIT $3";

/// The number of files that are removed in one transaction.
const DUE_MAX: usize = 100;

impl Books {
    /// Stores a new file, whose bytes are written already.
    pub async fn store_file(&self, file: &File, by: &Actor) -> Result<(), StoreError> {
        const DOING: &str = "store a file";
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(doing(DOING))?;
        blob::hold(&mut transaction, tenant, &file.digest, DOING).await?;
        let mut insert = transaction.sql(row::INSERT);
        row::push(tenant, file, &mut insert);
        insert.execute().await.map_err(doing(DOING))?;
        self.record(transaction, vec![event::file_stored(file, by)]).await.map_err(doing(DOING))
    }

    /// Removes a file and returns it. `None` if it does not exist; then there is no event either.
    pub async fn delete_file(
        &self,
        id: &FileId,
        by: &Actor,
        why: FileEnd,
    ) -> Result<Option<File>, StoreError> {
        const DOING: &str = "delete a file";
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(doing(DOING))?;
        let read = transaction.sql(sqlx::AssertSqlSafe(row::select(READ))).bind(tenant);
        let row: Option<FileRow> =
            read.bind(without_nul(id.as_str())).fetch_optional().await.map_err(doing(DOING))?;
        let Some(file) = row.map(|row| row.read(DOING)).transpose()? else { return Ok(None) };
        if !remove(&mut transaction, tenant, &file).await.map_err(doing(DOING))? {
            return Ok(None);
        }
        let told = event::file_deleted(&file, by, why, now_ms());
        self.record(transaction, vec![told]).await.map_err(doing(DOING))?;
        Ok(Some(file))
    }

    /// Removes files that have expired at this time: `max` at most, and as many as fit into one transaction.
    pub async fn expire_files(&self, now_ms: i64, max: usize) -> Result<Vec<File>, StoreError> {
        const DOING: &str = "remove files whose time is over";
        let tenant = self.store().tenant;
        let due = self.store().db.sql(sqlx::AssertSqlSafe(row::select(DUE))).bind(tenant).bind(now_ms);
        let due = due.bind(stored_limit(max.min(DUE_MAX)));
        // Most of the time there are none, so no lock is taken for that.
        let rows: Vec<FileRow> = due.fetch_all().await.map_err(doing(DOING))?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut transaction = self.begin().await.map_err(doing(DOING))?;
        let gateway = Actor::person(&PrincipalId::gateway());
        let (mut files, mut events) = (Vec::new(), Vec::new());
        for row in rows {
            let file = row.read(DOING)?;
            // Another gateway may have been faster, and tells of it.
            if remove(&mut transaction, tenant, &file).await.map_err(doing(DOING))? {
                events.push(event::file_deleted(&file, &gateway, FileEnd::Expired, now_ms));
                files.push(file);
            }
        }
        self.record(transaction, events).await.map_err(doing(DOING))?;
        Ok(files)
    }
}

/// True if it existed. Of several concurrent removals, one returns true.
async fn remove(transaction: &mut Transaction, tenant: &str, file: &File) -> Result<bool, sqlx::Error> {
    let delete = transaction.sql(DELETE).bind(tenant).bind(without_nul(file.id.as_str()));
    Ok(delete.execute().await? > 0)
}
