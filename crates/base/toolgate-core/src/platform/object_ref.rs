//! The names of platform objects in an answer, which clients turn into links.

use crate::Digest;
use crate::id::{AutomationId, ClaimId, InputId, KnowledgeBaseId, PointerId, RunId, TaskId};

/// An object that an answer is about: `{"type":"run","id":"run_…"}`.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ObjectRef {
    Artifact {
        sha256: Digest,
    },
    Manifest {
        sha256: Digest,
    },
    Pointer {
        id: PointerId,
    },
    Schema {
        id: String,
    },
    Run {
        id: RunId,
    },
    Input {
        id: InputId,
    },
    Task {
        id: TaskId,
    },
    Automation {
        id: AutomationId,
    },
    KnowledgeBase {
        id: KnowledgeBaseId,
    },
    Claim {
        id: ClaimId,
    },
    /// Characters of an item of a document.
    Citation {
        artifact: Digest,
        docir: Digest,
        item: String,
        start: u64,
        end: u64,
    },
}
