//! Pointers and their history, as they are read.

use toolgate_core::id::PointerId;
use toolgate_core::pointer::{Pointer, PointerKind, PointerMove, PointerPath};
use toolgate_core::substrate::ManifestDigest;

use super::row::{BY_ID, BY_NAME, MoveRow, PointerRow};
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::registry::stored_count;
use crate::{Store, StoreError};

/// The maximum number of pointers on a page.
pub const POINTERS_PAGE_MAX: usize = 500;
/// The maximum number of moves on a page.
pub const POINTER_MOVES_PAGE_MAX: usize = 500;

const READING: &str = "read a pointer";

/// The one there is, or else the one that had the name last.
const EVER_NAMED: &str =
    "SELECT id, namespace, name, kind, manifest, description, version, created_by, created_at_ms,
        moved_at_ms, deleted_at_ms
    FROM pointers WHERE tenant = $1 AND namespace = $2 AND name = $3
    ORDER BY CASE WHEN deleted_at_ms IS NULL THEN 0 ELSE 1 END, created_at_ms DESC, id DESC LIMIT 1";
const PAGE: &str = "SELECT id, namespace, name, kind, manifest, description, version, created_by, created_at_ms,
        moved_at_ms, deleted_at_ms
    FROM pointers WHERE tenant = $1 AND deleted_at_ms IS NULL AND namespace >= $2 AND (namespace, name) > ($3, $4)
        AND ($5 = '' OR kind = $5)
    ORDER BY namespace, name LIMIT $6";
const MOVES: &str =
    "SELECT version, operation, old_manifest, new_manifest, principal, call, approval, reason, at_ms
    FROM pointer_moves WHERE tenant = $1 AND pointer = $2 AND version < $3 ORDER BY version DESC LIMIT $4";
/// A manifest is left with the move that has it as its old one.
const LAST_AT: &str = "SELECT MAX(at_ms) FROM pointer_moves
    WHERE tenant = $1 AND pointer = $2 AND (old_manifest = $3 OR new_manifest = $3)";

/// A filter for pointers, in the order of their namespaces and names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PointerFilter {
    pub kind: Option<PointerKind>,
    /// Namespaces before this text are left out.
    pub from_namespace: String,
    /// The end of the previous page.
    pub after: Option<PointerPath>,
}

impl Store {
    /// A pointer by its id, deleted or not.
    pub async fn pointer(&self, id: &PointerId) -> Result<Option<Pointer>, StoreError> {
        read_one(self.db.sql(BY_ID).bind(self.tenant).bind(without_nul(id.as_str()))).await
    }

    /// The pointer that has this name.
    pub async fn pointer_named(&self, path: &PointerPath) -> Result<Option<Pointer>, StoreError> {
        read_one(self.db.sql(BY_NAME).bind(self.tenant).bind(path.namespace()).bind(path.name())).await
    }

    /// The pointer that has this name, or the last one that had it.
    pub async fn pointer_ever_named(&self, path: &PointerPath) -> Result<Option<Pointer>, StoreError> {
        read_one(self.db.sql(EVER_NAMED).bind(self.tenant).bind(path.namespace()).bind(path.name())).await
    }

    /// Pointers that are not deleted, in the order of their namespaces and names.
    pub async fn pointers(&self, filter: &PointerFilter, limit: usize) -> Result<Vec<Pointer>, StoreError> {
        const DOING: &str = "list the pointers";
        let (namespace, name) = match &filter.after {
            Some(path) => (path.namespace(), path.name()),
            None => ("", ""),
        };
        let page = self.db.sql(PAGE).bind(self.tenant).bind(without_nul(&filter.from_namespace));
        let page = page.bind(namespace).bind(name).bind(filter.kind.map_or("", PointerKind::as_str));
        let page = page.bind(stored_limit(limit, POINTERS_PAGE_MAX));
        let rows: Vec<PointerRow> = page.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// The moves of a pointer before this one, the last first.
    pub async fn pointer_moves(
        &self,
        id: &PointerId,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<PointerMove>, StoreError> {
        const DOING: &str = "read the moves of a pointer";
        let moves = self.db.sql(MOVES).bind(self.tenant).bind(without_nul(id.as_str()));
        let moves = moves.bind(before.map_or(i64::MAX, stored_count));
        let moves = moves.bind(stored_limit(limit, POINTER_MOVES_PAGE_MAX));
        let rows: Vec<MoveRow> = moves.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    /// The time of the last move to this manifest or away from it. `None` if it was never there.
    pub async fn pointer_last_at(
        &self,
        id: &PointerId,
        manifest: ManifestDigest,
    ) -> Result<Option<i64>, StoreError> {
        let last = self.db.sql(LAST_AT).bind(self.tenant).bind(without_nul(id.as_str()));
        let last = last.bind(&manifest.as_bytes()[..]);
        let (at_ms,): (Option<i64>,) = last.fetch_one().await.map_err(doing(READING))?;
        Ok(at_ms)
    }
}

async fn read_one(read: SqlStatement<'_>) -> Result<Option<Pointer>, StoreError> {
    let row: Option<PointerRow> = read.fetch_optional().await.map_err(doing(READING))?;
    row.map(|row| row.read(READING)).transpose()
}

fn stored_limit(limit: usize, max: usize) -> i64 {
    i64::try_from(limit.clamp(1, max)).expect("a page is limited")
}
