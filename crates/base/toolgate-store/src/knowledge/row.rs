//! The row of a knowledge base.

use toolgate_core::PrincipalId;
use toolgate_core::id::KnowledgeBaseId;
use toolgate_core::pointer::PointerPath;

use crate::StoreError;
use crate::registry::{read_count, unreadable};
use crate::row::row;
use crate::run::json;

macro_rules! select {
    ($from:literal) => {
        concat!(
            "SELECT id, name, title, description, pointers, profile, manner, version, created_by, created_at_ms, changed_by, \
             changed_at_ms, deleted_at_ms FROM ",
            $from
        )
    };
}

/// Pages add their conditions.
pub(super) const SELECT: &str =
    select!("(SELECT * FROM knowledge_bases WHERE deleted_at_ms IS NULL) AS living");
pub(super) const BY_ID: &str = select!("knowledge_bases WHERE tenant = $1 AND id = $2");
pub(super) const BY_NAME: &str =
    select!("knowledge_bases WHERE tenant = $1 AND name = $2 AND deleted_at_ms IS NULL");

/// A governed set of pointers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnowledgeBase {
    pub id: KnowledgeBaseId,
    /// No other has it, of those that were not deleted.
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub pointers: Vec<PointerPath>,
    /// The name of the profile that its indexes have.
    pub profile: String,
    pub manner: String,
    /// 1 is the first.
    pub version: u64,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    pub changed_by: PrincipalId,
    pub changed_at_ms: i64,
    pub deleted_at_ms: Option<i64>,
}

row! {
    pub(super) struct KnowledgeBaseRow {
        id: String,
        name: String,
        title: Option<String>,
        description: Option<String>,
        pointers: String,
        profile: String,
        manner: String,
        version: i64,
        created_by: String,
        created_at_ms: i64,
        changed_by: String,
        changed_at_ms: i64,
        deleted_at_ms: Option<i64>,
    }
}

impl KnowledgeBaseRow {
    pub(super) fn read(self, doing: &'static str) -> Result<KnowledgeBase, StoreError> {
        let pointers = read_pointers(&self.pointers);
        Ok(KnowledgeBase {
            id: KnowledgeBaseId::new(self.id),
            name: self.name,
            title: self.title,
            description: self.description,
            pointers: pointers.ok_or_else(|| unreadable(doing, "pointers of a knowledge base"))?,
            profile: self.profile,
            manner: self.manner,
            version: read_count(self.version),
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            changed_by: PrincipalId::new(&self.changed_by),
            changed_at_ms: self.changed_at_ms,
            deleted_at_ms: self.deleted_at_ms,
        })
    }
}

/// Pairs of a namespace and a name, as JSON.
pub(super) fn stored_pointers(pointers: &[PointerPath]) -> String {
    let pairs: Vec<(&str, &str)> = pointers.iter().map(|path| (path.namespace(), path.name())).collect();
    json(&pairs)
}

fn read_pointers(text: &str) -> Option<Vec<PointerPath>> {
    let pairs: Vec<(String, String)> = serde_json::from_str(text).ok()?;
    pairs.iter().map(|(namespace, name)| PointerPath::new(namespace, name).ok()).collect()
}
