//! Pointers and moves as columns.

use toolgate_core::PrincipalId;
use toolgate_core::id::{ApprovalId, CallId, PointerId};
use toolgate_core::pointer::{MoveOperation, Pointer, PointerKind, PointerMove, PointerPath};
use toolgate_core::substrate::ManifestDigest;

use super::stamp::MoveStamp;
use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;

/// In the order of `push`.
pub(super) const INSERT: &str =
    "INSERT INTO pointers (tenant, id, namespace, name, kind, manifest, description, version,
        created_by, created_at_ms, moved_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING";
/// In the order of `push_move`.
pub(super) const INSERT_MOVE: &str =
    "INSERT INTO pointer_moves (tenant, pointer, version, operation, old_manifest,
        new_manifest, principal, call, approval, reason, at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

pub(super) const BY_ID: &str =
    "SELECT id, namespace, name, kind, manifest, description, version, created_by, created_at_ms,
        moved_at_ms, deleted_at_ms
    FROM pointers WHERE tenant = $1 AND id = $2";
pub(super) const BY_NAME: &str =
    "SELECT id, namespace, name, kind, manifest, description, version, created_by,
        created_at_ms, moved_at_ms, deleted_at_ms
    FROM pointers WHERE tenant = $1 AND namespace = $2 AND name = $3 AND deleted_at_ms IS NULL";
/// The names that the index `pointers_by_name` holds.
pub(super) const WITH_TAKEN_NAME: &str =
    "SELECT id, namespace, name, kind, manifest, description, version, created_by,
        created_at_ms, moved_at_ms, deleted_at_ms
    FROM pointers WHERE tenant = $1 AND namespace = $2 AND name = $3
        AND (deleted_at_ms IS NULL OR kind = 'snapshot')";

pub(super) fn push(tenant: &'static str, pointer: &Pointer, to: &mut SqlStatement<'_>) {
    to.push(tenant);
    to.push(without_nul(pointer.id.as_str()));
    to.push(pointer.path.namespace());
    to.push(pointer.path.name());
    to.push(pointer.kind.as_str());
    to.push(stored_manifest(pointer.manifest));
    to.push(without_nul(&pointer.description));
    to.push(stored_count(pointer.version));
    to.push(without_nul(pointer.created_by.as_str()));
    to.push(pointer.created_at_ms);
    to.push(pointer.moved_at_ms);
}

/// The move that led to this state of the pointer.
pub(super) fn push_move(
    tenant: &'static str,
    operation: MoveOperation,
    old: Option<ManifestDigest>,
    after: &Pointer,
    stamp: &MoveStamp,
    to: &mut SqlStatement<'_>,
) {
    to.push(tenant);
    to.push(without_nul(after.id.as_str()));
    to.push(stored_count(after.version));
    to.push(operation.as_str());
    to.push(stored_manifest(old));
    to.push(stored_manifest(after.manifest));
    to.push(without_nul(stamp.by.principal.as_str()));
    to.push(stamp.by.call.as_ref().map(|call| without_nul(call.as_str())));
    to.push(stamp.approval.as_ref().map(|approval| without_nul(approval.as_str())));
    to.push(without_nul(&stamp.reason));
    to.push(stamp.at_ms);
}

pub(super) fn stored_manifest(manifest: Option<ManifestDigest>) -> Option<Vec<u8>> {
    manifest.map(|digest| digest.as_bytes().to_vec())
}

fn read_manifest(stored: Option<Vec<u8>>, doing: &'static str) -> Result<Option<ManifestDigest>, StoreError> {
    let read = |bytes: Vec<u8>| bytes.try_into().map(ManifestDigest::from_bytes);
    stored.map(read).transpose().map_err(|_| unreadable(doing, "digest"))
}

row! {
    pub(super) struct PointerRow {
        id: String,
        namespace: String,
        name: String,
        kind: String,
        manifest: Option<Vec<u8>>,
        description: String,
        version: i64,
        created_by: String,
        created_at_ms: i64,
        moved_at_ms: i64,
        deleted_at_ms: Option<i64>,
    }
}

impl PointerRow {
    pub(super) fn read(self, doing: &'static str) -> Result<Pointer, StoreError> {
        let path = PointerPath::new(&self.namespace, &self.name);
        Ok(Pointer {
            id: PointerId::new(self.id),
            path: path.map_err(|_| unreadable(doing, "name of a pointer"))?,
            kind: PointerKind::parse(&self.kind).ok_or_else(|| unreadable(doing, "kind of a pointer"))?,
            manifest: read_manifest(self.manifest, doing)?,
            description: self.description,
            version: read_count(self.version),
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            moved_at_ms: self.moved_at_ms,
            deleted_at_ms: self.deleted_at_ms,
        })
    }
}

row! {
    pub(super) struct MoveRow {
        version: i64,
        operation: String,
        old_manifest: Option<Vec<u8>>,
        new_manifest: Option<Vec<u8>>,
        principal: String,
        call: Option<String>,
        approval: Option<String>,
        reason: String,
        at_ms: i64,
    }
}

impl MoveRow {
    pub(super) fn read(self, doing: &'static str) -> Result<PointerMove, StoreError> {
        let operation = MoveOperation::parse(&self.operation);
        Ok(PointerMove {
            version: read_count(self.version),
            operation: operation.ok_or_else(|| unreadable(doing, "move of a pointer"))?,
            old: read_manifest(self.old_manifest, doing)?,
            new: read_manifest(self.new_manifest, doing)?,
            principal: PrincipalId::new(&self.principal),
            call: self.call.map(CallId::new),
            approval: self.approval.map(ApprovalId::new),
            reason: self.reason,
            at_ms: self.at_ms,
        })
    }
}
