//! Knowledge bases as tools show them. Times are RFC 3339.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::moment::rfc3339;
use toolgate_core::platform::ObjectRef;
use toolgate_core::pointer::PointerPath;
use toolgate_store::KnowledgeBase;

use crate::checks;
use crate::ports::SearchedIndex;

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct KnowledgePointer {
    namespace: String,
    name: String,
}

impl KnowledgePointer {
    pub(super) fn of(path: &PointerPath) -> Self {
        Self { namespace: path.namespace().to_owned(), name: path.name().to_owned() }
    }

    fn read(&self) -> Result<PointerPath, Refusal> {
        checks::pointer(&self.namespace, &self.name)
    }
}

/// The pointers of an argument.
pub(super) fn read_pointers(all: &[KnowledgePointer]) -> Result<Vec<PointerPath>, Refusal> {
    let read: Vec<PointerPath> = all.iter().map(KnowledgePointer::read).collect::<Result<_, _>>()?;
    checks::pointers(read)
}

#[derive(Serialize, JsonSchema)]
pub(super) struct KnowledgeBaseOutput {
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    pointers: Vec<KnowledgePointer>,
    profile: String,
    /// fast-skim, legal-citations or strict-evidence
    manner: String,
    version: u64,
    created_by: String,
    created_at: String,
    changed_by: String,
    changed_at: String,
}

impl KnowledgeBaseOutput {
    pub(super) fn of(base: &KnowledgeBase) -> Self {
        Self {
            id: base.id.to_string(),
            name: base.name.clone(),
            title: base.title.clone(),
            description: base.description.clone(),
            pointers: base.pointers.iter().map(KnowledgePointer::of).collect(),
            profile: base.profile.clone(),
            manner: base.manner.clone(),
            version: base.version,
            created_by: base.created_by.to_string(),
            created_at: rfc3339(base.created_at_ms),
            changed_by: base.changed_by.to_string(),
            changed_at: rfc3339(base.changed_at_ms),
        }
    }
}

pub(super) fn object_ref(base: &KnowledgeBase) -> ObjectRef {
    ObjectRef::KnowledgeBase { id: base.id.clone() }
}

/// An index that an answer comes from.
#[derive(Serialize, JsonSchema)]
pub(super) struct KnowledgeIndex {
    pointer: KnowledgePointer,
    /// The manifest of the index
    sha256: String,
    /// With its version: docs.default@1
    profile: String,
    /// True if the pointer has moved since then
    is_behind: bool,
}

impl KnowledgeIndex {
    pub(super) fn all(indexes: &[SearchedIndex]) -> Vec<Self> {
        let shown = indexes.iter().map(|one| Self {
            pointer: KnowledgePointer::of(&one.pointer),
            sha256: one.manifest.clone(),
            profile: one.profile.clone(),
            is_behind: one.is_behind,
        });
        shown.collect()
    }
}
