//! Files, refs and artifacts as rows, and the bytes that they share. The `Store` reads them; changes that the
//! ledger records are methods of the `Books`, which write both in the same transaction. The bytes themselves
//! are elsewhere.
//!
//! A content has one row (`blob.rs`). A writer of bytes first touches it, then writes the bytes, then inserts
//! the row that uses them, which fails if the bytes have been given up meanwhile. A deleter of bytes marks
//! the row first.

mod artifact;
mod blob;
mod event;
mod extraction;
mod parsed;
mod reference;
mod row;
mod shared;
mod upload;
mod write;

use toolgate_core::event::Durability;
use toolgate_core::file::{File, FileName};
use toolgate_core::id::FileId;
use toolgate_core::{Digest, PrincipalId};

pub(crate) use artifact::insert_artifact_in;
pub use artifact::{ArtifactOutcome, StoreArtifactError};
pub use blob::{BlobReservation, CONDEMNED_LEASE_MS};
pub use parsed::ParsedDocument;
pub use shared::{Actor, FileEnd};
pub use upload::{NewUpload, Upload, UploadClaim};

use crate::cursor::PageCursor;
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::page::PageQuery;
use crate::{Store, StoreError};
use row::FileRow;
use shared::READ;

const BYTES_OF: &str = "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM files
    WHERE tenant = $1 AND owner = $2 AND (expires_at_ms IS NULL OR expires_at_ms > $3)";

const OF_DIGEST: &str = "WHERE tenant = $1 AND digest = $2 ORDER BY created_at_ms, id LIMIT 1";

/// The maximum number of files on a page.
pub const FILES_PAGE_MAX: usize = 500;

/// A filter for files. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileFilter {
    pub owner: Option<PrincipalId>,
    pub name: Option<FileName>,
    /// Only files that have not expired at this time.
    pub alive_at_ms: Option<i64>,
    /// The end of the previous page.
    pub cursor: Option<PageCursor>,
}

impl Store {
    /// The total size of a principal's files that exist at a given time.
    pub async fn bytes_of_files(&self, owner: &PrincipalId, at_ms: i64) -> Result<u64, StoreError> {
        let owner = without_nul(owner.as_str());
        let sum = self.db.sql(BYTES_OF).bind(self.tenant).bind(owner.as_str()).bind(at_ms);
        let (bytes,): (i64,) = sum.fetch_one().await.map_err(doing("count the bytes of files"))?;
        Ok(bytes.unsigned_abs())
    }

    /// An expired file exists until it is removed.
    pub async fn file(&self, id: &FileId) -> Result<Option<File>, StoreError> {
        const DOING: &str = "read a file's row";
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(READ))).bind(self.tenant);
        let row: Option<FileRow> =
            read.bind(without_nul(id.as_str())).fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The oldest file with these bytes.
    pub async fn file_of(&self, digest: &Digest) -> Result<Option<File>, StoreError> {
        const DOING: &str = "read the file of a digest";
        let read = self.db.sql(sqlx::AssertSqlSafe(row::select(OF_DIGEST))).bind(self.tenant);
        let row: Option<FileRow> =
            read.bind(&digest.as_bytes()[..]).fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// One page, newest first, and the cursor of the next one. A cursor stays valid while rows come and go.
    pub async fn files(
        &self,
        filter: &FileFilter,
        limit: usize,
    ) -> Result<(Vec<File>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the files";
        let page = PageQuery::new(filter.cursor.as_ref(), limit, FILES_PAGE_MAX)
            .text(" AND owner = ?", filter.owner.as_ref().map(PrincipalId::as_str))
            .text(" AND name = ?", filter.name.as_ref().map(FileName::as_str))
            .number(" AND (expires_at_ms IS NULL OR expires_at_ms > ?)", filter.alive_at_ms);
        let (rows, more) = page.fetch::<FileRow>(self, &row::select("")).await.map_err(doing(DOING))?;
        let files: Vec<File> = rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = files.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((files, next))
    }
}

/// Runs one writing statement in turn with all others. Returns the number of changed rows.
async fn write(
    store: &Store,
    text: &'static str,
    push: impl FnOnce(&mut SqlStatement<'_>),
) -> Result<u64, sqlx::Error> {
    let mut transaction = store.db.begin(Durability::Written).await?;
    let mut statement = transaction.sql(text);
    push(&mut statement);
    let changed = statement.execute().await?;
    transaction.commit().await?;
    Ok(changed)
}
