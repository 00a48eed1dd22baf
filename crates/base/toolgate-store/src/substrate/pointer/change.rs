//! The life of a pointer. Each change locks the row, applies the rule of the pointer's kind, and writes head, move and event
//! together: of many moves from the same head exactly one succeeds.

use toolgate_core::id::PointerId;
use toolgate_core::pointer::{ExpectedHead, MoveOperation, Pointer};
use toolgate_core::stop_point;
use toolgate_core::substrate::ManifestDigest;

use super::super::hold::hold_manifest;
use super::error::PointerError;
use super::event;
use super::row::{self, PointerRow};
use super::stamp::MoveStamp;
use crate::StoreError;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::stored_count;

const SET_HEAD: &str = "UPDATE pointers SET manifest = $3, version = $4, moved_at_ms = $5, deleted_at_ms = $6 WHERE tenant = $1 AND id = $2";

const CREATING: &str = "create a pointer";
const MOVING: &str = "move a pointer";
const DELETING: &str = "delete a pointer";

/// A move that is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewHead {
    pub pointer: PointerId,
    pub operation: MoveOperation,
    pub expected: ExpectedHead,
    pub manifest: ManifestDigest,
}

/// The pointer after a change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MovedPointer {
    pub pointer: Pointer,
    pub old: Option<ManifestDigest>,
    /// False if it led there already; then nothing was written.
    pub is_moved: bool,
}

impl Books {
    /// Creates a pointer, whose version is 1. Of several with one name, one is created.
    pub async fn create_pointer(&self, pointer: Pointer, stamp: &MoveStamp) -> Result<Pointer, PointerError> {
        pointer.kind.may_begin(pointer.manifest.is_none()).map_err(PointerError::Refused)?;
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(doing(CREATING))?;
        if let Some(manifest) = pointer.manifest {
            hold_target(&mut transaction, tenant, manifest, stamp.at_ms).await?;
        }
        let mut insert = transaction.sql(row::INSERT);
        row::push(tenant, &pointer, &mut insert);
        if insert.execute().await.map_err(doing(CREATING))? == 0 {
            let taken = named(&mut transaction, tenant, &pointer).await?;
            return Err(PointerError::NameTaken(Box::new(taken.unwrap_or(pointer))));
        }
        self.write_move(transaction, MoveOperation::Create, None, &pointer, stamp, CREATING).await?;
        Ok(pointer)
    }

    /// Moves a pointer. One that leads there already stays as it is, so that a repeated call is no conflict.
    pub async fn move_pointer(
        &self,
        head: &NewHead,
        stamp: &MoveStamp,
    ) -> Result<MovedPointer, PointerError> {
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(doing(MOVING))?;
        hold_target(&mut transaction, tenant, head.manifest, stamp.at_ms).await?;
        let before = locked(&mut transaction, tenant, &head.pointer, MOVING).await?;
        let may = before.kind.may_move(head.expected, stamp.approval.is_some());
        may.map_err(PointerError::Refused)?;
        let old = before.manifest;
        if old == Some(head.manifest) {
            return Ok(MovedPointer { pointer: before, old, is_moved: false });
        }
        if !head.expected.fits(old) {
            return Err(PointerError::Moved(Box::new(before)));
        }
        let after = Pointer { manifest: Some(head.manifest), ..next(before, stamp) };
        set_head(&mut transaction, tenant, &after, MOVING).await?;
        self.write_move(transaction, head.operation, old, &after, stamp, MOVING).await?;
        Ok(MovedPointer { pointer: after, old, is_moved: true })
    }

    /// Ends a pointer. Its history stays, and its name is free.
    pub async fn delete_pointer(
        &self,
        id: &PointerId,
        expected: ExpectedHead,
        stamp: &MoveStamp,
    ) -> Result<MovedPointer, PointerError> {
        let tenant = self.store().tenant;
        let mut transaction = self.begin().await.map_err(doing(DELETING))?;
        let before = locked(&mut transaction, tenant, id, DELETING).await?;
        before.kind.may_end(stamp.approval.is_some()).map_err(PointerError::Refused)?;
        let old = before.manifest;
        if !expected.fits(old) {
            return Err(PointerError::Moved(Box::new(before)));
        }
        let after = Pointer { manifest: None, deleted_at_ms: Some(stamp.at_ms), ..next(before, stamp) };
        set_head(&mut transaction, tenant, &after, DELETING).await?;
        self.write_move(transaction, MoveOperation::Delete, old, &after, stamp, DELETING).await?;
        Ok(MovedPointer { pointer: after, old, is_moved: true })
    }

    /// Adds the move that led to this state, and commits it with its event.
    async fn write_move(
        &self,
        mut transaction: Transaction,
        operation: MoveOperation,
        old: Option<ManifestDigest>,
        after: &Pointer,
        stamp: &MoveStamp,
        at: &'static str,
    ) -> Result<(), StoreError> {
        let mut insert = transaction.sql(row::INSERT_MOVE);
        row::push_move(self.store().tenant, operation, old, after, stamp, &mut insert);
        insert.execute().await.map_err(doing(at))?;
        stop_point::reach("pointer written");
        let told = event::told(operation, old, after, stamp);
        self.record(transaction, vec![told]).await.map_err(doing(at))
    }
}

/// The pointer with the number and time of the next move.
fn next(pointer: Pointer, stamp: &MoveStamp) -> Pointer {
    Pointer { version: pointer.version + 1, moved_at_ms: stamp.at_ms, ..pointer }
}

/// The manifest is there, and is not collected before the end of the transaction.
async fn hold_target(
    transaction: &mut Transaction,
    tenant: &'static str,
    manifest: ManifestDigest,
    at_ms: i64,
) -> Result<(), PointerError> {
    match hold_manifest(transaction, tenant, &manifest.as_bytes()[..], at_ms).await.map_err(doing(MOVING))? {
        true => Ok(()),
        false => Err(PointerError::UnknownManifest(manifest)),
    }
}

/// A pointer that nobody else changes until the end of the transaction.
async fn locked(
    transaction: &mut Transaction,
    tenant: &'static str,
    id: &PointerId,
    at: &'static str,
) -> Result<Pointer, PointerError> {
    let read = transaction.sql_for_update(row::BY_ID).bind(tenant).bind(without_nul(id.as_str()));
    let row: Option<PointerRow> = read.fetch_optional().await.map_err(doing(at))?;
    let pointer = row.map(|row| row.read(at)).transpose()?;
    pointer.filter(|one| one.deleted_at_ms.is_none()).ok_or(PointerError::Unknown)
}

/// The pointer that has the name.
async fn named(
    transaction: &mut Transaction,
    tenant: &'static str,
    like: &Pointer,
) -> Result<Option<Pointer>, StoreError> {
    let read = transaction.sql(row::WITH_TAKEN_NAME).bind(tenant);
    let read = read.bind(like.path.namespace()).bind(like.path.name());
    let row: Option<PointerRow> = read.fetch_optional().await.map_err(doing(CREATING))?;
    row.map(|row| row.read(CREATING)).transpose()
}

async fn set_head(
    transaction: &mut Transaction,
    tenant: &'static str,
    after: &Pointer,
    at: &'static str,
) -> Result<(), StoreError> {
    let mut update = transaction.sql(SET_HEAD);
    update.push(tenant);
    update.push(without_nul(after.id.as_str()));
    update.push(row::stored_manifest(after.manifest));
    update.push(stored_count(after.version));
    update.push(after.moved_at_ms);
    update.push(after.deleted_at_ms);
    update.execute().await.map(drop).map_err(doing(at))
}
