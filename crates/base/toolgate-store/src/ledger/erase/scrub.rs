//! Erased content in the files of SQLite. A deleted row stays in its page until another takes its place, and in the
//! write-ahead log until that begins again; an erasure waits for neither.

use crate::db::{Dialect, Transaction};
use crate::error::doing;
use crate::{Store, StoreError};

/// For all that the connection deletes from here on, also where that writes more pages.
const OVERWRITE: &str = "PRAGMA secure_delete = ON";
/// Copies the log into the database and empties it: the log has the pages as they were before.
const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// Makes a transaction overwrite what it deletes.
pub(super) async fn overwrite(tx: &mut Transaction) -> Result<(), sqlx::Error> {
    if tx.dialect() == Dialect::Sqlite {
        tx.sql(OVERWRITE).execute().await?;
    }
    Ok(())
}

impl Store {
    /// Finishes an erasure that could not empty the write-ahead log.
    pub async fn scrub_erased(&self) -> Result<(), StoreError> {
        self.empty_log().await.map_err(doing("empty the write-ahead log"))
    }

    /// Removes what was erased from the write-ahead log. A reader that does not end prevents it for some seconds.
    pub(super) async fn empty_log(&self) -> Result<(), sqlx::Error> {
        if self.db.dialect() == Dialect::Postgres {
            return Ok(());
        }
        let (is_busy, ..): (i64, i64, i64) = self.db.sql(EMPTY_LOG).fetch_one().await?;
        if is_busy != 0 {
            tracing::warn!(
                "what was erased is still in the database's write-ahead log, which others are reading; \
                 erase once more to remove it"
            );
        }
        Ok(())
    }
}
