//! Pointers and their moves as tools show them. Times are RFC 3339.

use schemars::JsonSchema;
use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::pointer::{Pointer, PointerMove};
use toolgate_core::substrate::ManifestDigest;
use toolgate_store::MovedPointer;

#[derive(Serialize, JsonSchema)]
pub(super) struct PointerOutput {
    id: String,
    namespace: String,
    name: String,
    /// bundle, corpus or snapshot
    pointer_type: &'static str,
    /// Missing while it is empty
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The number of its last move, from 1
    version: u64,
    created_by: String,
    created_at: String,
    moved_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListPointersOutput {
    pub(super) pointers: Vec<PointerOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct MovedPointerOutput {
    /// False if it led there already
    moved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_sha256: Option<String>,
    pointer: PointerOutput,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PointerHistoryOutput {
    pub(super) pointer: PointerOutput,
    /// The last one first
    pub(super) moves: Vec<PointerMoveOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct PointerMoveOutput {
    version: u64,
    /// create, advance, promote, revert or delete
    operation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_sha256: Option<String>,
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The approval that people gave for it
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    at: String,
}

impl From<&Pointer> for PointerOutput {
    fn from(pointer: &Pointer) -> Self {
        Self {
            id: pointer.id.to_string(),
            namespace: pointer.path.namespace().to_owned(),
            name: pointer.path.name().to_owned(),
            pointer_type: pointer.kind.as_str(),
            manifest_sha256: pointer.manifest.map(|digest| digest.to_string()),
            description: said(&pointer.description),
            version: pointer.version,
            created_by: pointer.created_by.to_string(),
            created_at: rfc3339(pointer.created_at_ms),
            moved_at: rfc3339(pointer.moved_at_ms),
            deleted_at: pointer.deleted_at_ms.map(rfc3339),
        }
    }
}

impl From<&MovedPointer> for MovedPointerOutput {
    fn from(moved: &MovedPointer) -> Self {
        Self {
            moved: moved.is_moved,
            old_sha256: moved.old.map(|digest| digest.to_string()),
            new_sha256: moved.pointer.manifest.map(|digest| digest.to_string()),
            pointer: PointerOutput::from(&moved.pointer),
        }
    }
}

impl From<&PointerMove> for PointerMoveOutput {
    fn from(one: &PointerMove) -> Self {
        Self {
            version: one.version,
            operation: one.operation.as_str(),
            old_sha256: one.old.map(|digest| digest.to_string()),
            new_sha256: one.new.map(|digest| digest.to_string()),
            principal: one.principal.to_string(),
            call: one.call.as_ref().map(ToString::to_string),
            approval: one.approval.as_ref().map(ToString::to_string),
            reason: said(&one.reason),
            at: rfc3339(one.at_ms),
        }
    }
}

fn said(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// The names of a pointer and of what it leads to.
pub(super) fn refs(pointer: &Pointer) -> Vec<ObjectRef> {
    let named = ObjectRef::Pointer { id: pointer.id.clone() };
    [named].into_iter().chain(pointer.manifest.map(manifest_ref)).collect()
}

fn manifest_ref(manifest: ManifestDigest) -> ObjectRef {
    ObjectRef::Manifest { sha256: manifest.digest() }
}
