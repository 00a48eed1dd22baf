//! The public data of pointers and their moves. Times are RFC 3339.

use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_core::pointer::{Pointer, PointerMove};
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PointersPage {
    pub(super) pointers: Vec<PointerView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// A name that leads to a manifest
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Pointer)]
pub(crate) struct PointerView {
    #[schema(example = "ptr_0198f5c2a4b07c3d8e1f")]
    id: String,
    #[schema(example = "project/a")]
    namespace: String,
    #[schema(example = "handbook")]
    name: String,
    /// bundle, corpus or snapshot
    #[serde(rename = "type")]
    kind: &'static str,
    /// Absent while it is empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// The number of its last move, from 1.
    version: u64,
    /// True if the gateway alone moves it.
    own: bool,
    created_by: String,
    created_at: String,
    moved_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PointerMovesPage {
    /// The last one first.
    pub(super) moves: Vec<PointerMoveView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_cursor: Option<String>,
}

/// A move of a pointer, which stays in its history
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PointerMove)]
pub(crate) struct PointerMoveView {
    version: u64,
    /// create, advance, promote, revert or delete
    operation: &'static str,
    /// The manifest that it led to before.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// The manifest that it leads to since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<String>,
    by: String,
    /// The call that moved it.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The approval that people gave for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
    at: String,
}

impl From<Pointer> for PointerView {
    fn from(pointer: Pointer) -> Self {
        Self {
            id: pointer.id.to_string(),
            namespace: pointer.path.namespace().to_owned(),
            name: pointer.path.name().to_owned(),
            kind: pointer.kind.as_str(),
            manifest: pointer.manifest.map(|digest| digest.to_string()),
            own: pointer.path.is_own(),
            description: pointer.description,
            version: pointer.version,
            created_by: pointer.created_by.to_string(),
            created_at: rfc3339(pointer.created_at_ms),
            moved_at: rfc3339(pointer.moved_at_ms),
            deleted_at: pointer.deleted_at_ms.map(rfc3339),
        }
    }
}

impl From<PointerMove> for PointerMoveView {
    fn from(one: PointerMove) -> Self {
        Self {
            version: one.version,
            operation: one.operation.as_str(),
            old: one.old.map(|digest| digest.to_string()),
            new: one.new.map(|digest| digest.to_string()),
            by: one.principal.to_string(),
            call: one.call.map(|call| call.to_string()),
            approval: one.approval.map(|approval| approval.to_string()),
            reason: one.reason,
            at: rfc3339(one.at_ms),
        }
    }
}
