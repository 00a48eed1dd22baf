//! Pointers for other parts of the gateway: the head of any, and moves of its own, which lie in namespaces that no session mounts.

use toolgate_core::Refusal;
use toolgate_core::id::PointerId;
use toolgate_core::pointer::{ExpectedHead, MoveOperation, Pointer, PointerKind, PointerPath};
use toolgate_core::substrate::ManifestDigest;
use toolgate_store::{Actor, MoveStamp, NewHead, PointerError};

use super::arguments::{self, path};
use super::moving::FIRST_VERSION;
use super::refusal;
use crate::refusal::down;
use crate::state::Substrate;

/// A pointer as it is now. The caller has checked the mounts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerHead {
    /// None while it is empty.
    pub manifest: Option<ManifestDigest>,
    /// The number of its last move.
    pub version: u64,
    pub kind: PointerKind,
}

impl Substrate {
    /// The head of a pointer, if there is one of this name.
    pub async fn pointer_head(&self, namespace: &str, name: &str) -> Result<Option<PointerHead>, Refusal> {
        let found = self.store.pointer_named(&path(namespace, name)?).await.map_err(down)?;
        Ok(found.map(|Pointer { manifest, version, kind, .. }| PointerHead { manifest, version, kind }))
    }

    /// Moves a pointer of the gateway's own from the manifest that it is expected to lead to. One that is not there is created, if none
    /// is expected. A lost race is `pointer_moved`; a pointer that leads there already stays as it is.
    pub async fn move_own_pointer(
        &self,
        namespace: &str,
        name: &str,
        expected: Option<ManifestDigest>,
        new: ManifestDigest,
        author: &Actor,
        reason: &str,
    ) -> Result<(), Refusal> {
        let path = path(namespace, name)?;
        if !path.is_own() {
            return Err(refusal::not_of_gateway(&path));
        }
        self.lead(&path, expected, new, author, reason).await
    }

    /// The same for a bundle that others use too, and that a domain keeps up to date. A corpus moves by its tools alone.
    pub async fn advance_bundle(
        &self,
        namespace: &str,
        name: &str,
        expected: Option<ManifestDigest>,
        new: ManifestDigest,
        author: &Actor,
        reason: &str,
    ) -> Result<(), Refusal> {
        let path = path(namespace, name)?;
        if path.is_own() {
            return Err(refusal::of_gateway(&path));
        }
        self.lead(&path, expected, new, author, reason).await
    }

    async fn lead(
        &self,
        path: &PointerPath,
        expected: Option<ManifestDigest>,
        new: ManifestDigest,
        author: &Actor,
        reason: &str,
    ) -> Result<(), Refusal> {
        let reason = arguments::reason(Some(reason.to_owned()))?;
        let stamp = MoveStamp { by: author.clone(), approval: None, reason, at_ms: self.clock.now_ms() };
        let found = self.store.pointer_named(path).await.map_err(down)?;
        let moved = match found {
            Some(pointer) => {
                let (operation, expected) = (MoveOperation::Advance, ExpectedHead::Exactly(expected));
                let head = NewHead { pointer: pointer.id, operation, expected, manifest: new };
                self.books.move_pointer(&head, &stamp).await.map(drop)
            }
            None if expected.is_none() => {
                self.books.create_pointer(self.first_head(path, new, &stamp), &stamp).await.map(drop)
            }
            None => Err(PointerError::Unknown),
        };
        moved.or_else(|error| match error {
            PointerError::NameTaken(now) if now.manifest == Some(new) => Ok(()),
            PointerError::Moved(now) | PointerError::NameTaken(now) => {
                Err(refusal::moved(&now, expected, None))
            }
            error => Err(refusal::unchanged(path, error)),
        })
    }

    fn first_head(&self, path: &PointerPath, manifest: ManifestDigest, stamp: &MoveStamp) -> Pointer {
        Pointer {
            id: PointerId::new(self.clock.fresh_id(PointerId::PREFIX)),
            path: path.clone(),
            kind: PointerKind::Bundle,
            manifest: Some(manifest),
            description: String::new(),
            version: FIRST_VERSION,
            created_by: stamp.by.principal.clone(),
            created_at_ms: stamp.at_ms,
            moved_at_ms: stamp.at_ms,
            deleted_at_ms: None,
        }
    }
}
