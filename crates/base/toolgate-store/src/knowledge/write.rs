//! Creating, changing and deleting knowledge bases.

use toolgate_core::id::KnowledgeBaseId;
use toolgate_core::pointer::PointerPath;
use toolgate_core::stop_point;

use super::error::KnowledgeBaseError;
use super::events::{self, KnowledgeBaseStep};
use super::row::{BY_ID, BY_NAME, KnowledgeBase, KnowledgeBaseRow, stored_pointers};
use crate::books::Books;
use crate::db::{SqlStatement, Transaction, without_nul};
use crate::error::doing;
use crate::file::Actor;
use crate::registry::{read_count, stored_count};

/// The maximum number of knowledge bases, deleted ones apart.
pub const KNOWLEDGE_BASES_MAX: u64 = 1_000;

const COUNT: &str = "SELECT COUNT(*) FROM knowledge_bases WHERE tenant = $1 AND deleted_at_ms IS NULL";
const INSERT: &str =
    "INSERT INTO knowledge_bases (tenant, id, name, title, description, pointers, profile, manner, version, changed_by,
        changed_at_ms, created_by, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT DO NOTHING";
const CHANGE: &str =
    "UPDATE knowledge_bases SET name = $3, title = $4, description = $5, pointers = $6, profile = $7, manner = $8,
        version = $9, changed_by = $10, changed_at_ms = $11
    WHERE tenant = $1 AND id = $2";
const DELETE: &str =
    "UPDATE knowledge_bases SET version = $3, changed_by = $4, changed_at_ms = $5, deleted_at_ms = $5
    WHERE tenant = $1 AND id = $2";

/// A knowledge base as it shall be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnowledgeBaseWrite {
    /// Of a new one, or of the one that is changed.
    pub id: KnowledgeBaseId,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub pointers: Vec<PointerPath>,
    pub profile: String,
    pub manner: String,
    /// The version that the caller saw. `None` for a new one.
    pub seen: Option<u64>,
    pub at_ms: i64,
}

impl Books {
    /// Creates a knowledge base, or changes the one whose version the caller saw.
    pub async fn put_knowledge_base(
        &self,
        write: &KnowledgeBaseWrite,
        by: &Actor,
    ) -> Result<KnowledgeBase, KnowledgeBaseError> {
        match write.seen {
            None => self.create_knowledge_base(write, by).await,
            Some(seen) => self.change_knowledge_base(write, seen, by).await,
        }
    }

    async fn create_knowledge_base(
        &self,
        write: &KnowledgeBaseWrite,
        by: &Actor,
    ) -> Result<KnowledgeBase, KnowledgeBaseError> {
        const DOING: &str = "create a knowledge base";
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (count,): (i64,) = tx.sql(COUNT).bind(tenant).fetch_one().await.map_err(doing(DOING))?;
        if read_count(count) >= KNOWLEDGE_BASES_MAX {
            return Err(KnowledgeBaseError::TooMany { max: KNOWLEDGE_BASES_MAX });
        }
        let base = written(write, 1, by);
        let mut insert = tx.sql(INSERT).bind(tenant).bind(without_nul(base.id.as_str()));
        push_changing(&base, &mut insert);
        let insert = insert.bind(without_nul(base.created_by.as_str())).bind(base.created_at_ms);
        if insert.execute().await.map_err(doing(DOING))? == 0 {
            return Err(taken(&mut tx, tenant, &base.name, DOING).await);
        }
        stop_point::reach("knowledge base written");
        let event = events::changed(&base, KnowledgeBaseStep::Created, by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok(base)
    }

    async fn change_knowledge_base(
        &self,
        write: &KnowledgeBaseWrite,
        seen: u64,
        by: &Actor,
    ) -> Result<KnowledgeBase, KnowledgeBaseError> {
        const DOING: &str = "change a knowledge base";
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let before = hold(&mut tx, tenant, &write.id, seen, DOING).await?;
        let base = KnowledgeBase {
            created_by: before.created_by,
            created_at_ms: before.created_at_ms,
            ..written(write, seen + 1, by)
        };
        let named = tx.sql(BY_NAME).bind(tenant).bind(base.name.as_str());
        let named: Option<KnowledgeBaseRow> = named.fetch_optional().await.map_err(doing(DOING))?;
        let named = named.map(|row| row.read(DOING)).transpose()?;
        if let Some(other) = named.filter(|named| named.id != base.id) {
            return Err(KnowledgeBaseError::NameTaken(Box::new(other)));
        }
        let mut change = tx.sql(CHANGE).bind(tenant).bind(without_nul(base.id.as_str()));
        push_changing(&base, &mut change);
        change.execute().await.map_err(doing(DOING))?;
        let event = events::changed(&base, KnowledgeBaseStep::Changed, by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok(base)
    }

    /// Deletes a knowledge base whose version the caller saw. Its row stays, and its name is free.
    pub async fn delete_knowledge_base(
        &self,
        id: &KnowledgeBaseId,
        seen: u64,
        at_ms: i64,
        by: &Actor,
    ) -> Result<KnowledgeBase, KnowledgeBaseError> {
        const DOING: &str = "delete a knowledge base";
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let base = KnowledgeBase {
            version: seen + 1,
            changed_by: by.principal.clone(),
            changed_at_ms: at_ms,
            deleted_at_ms: Some(at_ms),
            ..hold(&mut tx, tenant, id, seen, DOING).await?
        };
        let delete = tx.sql(DELETE).bind(tenant).bind(without_nul(id.as_str()));
        let delete = delete.bind(stored_count(base.version)).bind(without_nul(base.changed_by.as_str()));
        delete.bind(at_ms).execute().await.map_err(doing(DOING))?;
        let event = events::changed(&base, KnowledgeBaseStep::Deleted, by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok(base)
    }
}

/// Locks a knowledge base that is at this version.
async fn hold(
    tx: &mut Transaction,
    tenant: &'static str,
    id: &KnowledgeBaseId,
    seen: u64,
    what: &'static str,
) -> Result<KnowledgeBase, KnowledgeBaseError> {
    let read = tx.sql_for_update(BY_ID).bind(tenant).bind(without_nul(id.as_str()));
    let row: Option<KnowledgeBaseRow> = read.fetch_optional().await.map_err(doing(what))?;
    let base = row.map(|row| row.read(what)).transpose()?;
    match base.filter(|base| base.deleted_at_ms.is_none()) {
        None => Err(KnowledgeBaseError::Unknown(id.to_string())),
        Some(base) if base.version != seen => Err(KnowledgeBaseError::Stale { current: base.version }),
        Some(base) => Ok(base),
    }
}

/// The refusal of a name that another one has.
async fn taken(
    tx: &mut Transaction,
    tenant: &'static str,
    name: &str,
    what: &'static str,
) -> KnowledgeBaseError {
    let read = tx.sql(BY_NAME).bind(tenant).bind(name);
    let row: Option<KnowledgeBaseRow> = match read.fetch_optional().await.map_err(doing(what)) {
        Ok(row) => row,
        Err(error) => return error.into(),
    };
    match row.map(|row| row.read(what)) {
        Some(Ok(base)) => KnowledgeBaseError::NameTaken(Box::new(base)),
        Some(Err(error)) => error.into(),
        // It was deleted at this very moment.
        None => KnowledgeBaseError::Unknown(name.to_owned()),
    }
}

fn written(write: &KnowledgeBaseWrite, version: u64, by: &Actor) -> KnowledgeBase {
    KnowledgeBase {
        id: write.id.clone(),
        name: without_nul(&write.name),
        title: write.title.as_deref().map(without_nul),
        description: write.description.as_deref().map(without_nul),
        pointers: write.pointers.clone(),
        profile: without_nul(&write.profile),
        manner: without_nul(&write.manner),
        version,
        created_by: by.principal.clone(),
        created_at_ms: write.at_ms,
        changed_by: by.principal.clone(),
        changed_at_ms: write.at_ms,
        deleted_at_ms: None,
    }
}

/// The columns that a change may set, in their order.
fn push_changing(base: &KnowledgeBase, to: &mut SqlStatement<'_>) {
    to.push(base.name.as_str());
    to.push(base.title.as_deref());
    to.push(base.description.as_deref());
    to.push(stored_pointers(&base.pointers));
    to.push(base.profile.as_str());
    to.push(base.manner.as_str());
    to.push(stored_count(base.version));
    to.push(without_nul(base.changed_by.as_str()));
    to.push(base.changed_at_ms);
}
