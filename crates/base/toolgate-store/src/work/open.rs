//! Opening work, or joining the one that is open.

use serde_json::Value;
use toolgate_core::event::Durability;
use toolgate_core::id::{RunId, WorkId};

use super::row::{BY_ID, OPEN_OF_KEY, StoredWork, WorkRow};
use crate::db::{SqlStatement, without_nul};
use crate::error::doing;
use crate::file::Actor;
use crate::run::json;
use crate::{Store, StoreError};

const INSERT: &str =
    "INSERT INTO platform_work (tenant, id, kind, key, input, run, principal, session, asked_in_run, asked_by_call, state,
        lease_until_ms, attempts, done, total, created_at_ms, updated_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'queued', 0, 0, 0, 0, $11, $11) ON CONFLICT DO NOTHING";

/// Tries to open work while others of its key come and go.
const OPENINGS_MAX: usize = 8;

const DOING: &str = "open work";

/// Work on its way in.
#[derive(Clone, PartialEq, Debug)]
pub struct NewWork {
    pub id: WorkId,
    pub kind: String,
    pub key: String,
    pub input: Value,
    /// Its own run.
    pub run: RunId,
    pub actor: Actor,
    pub at_ms: i64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct OpenedWork {
    pub work: WorkRow,
    /// True if work of this kind and key was open; it is that one.
    pub joined: bool,
}

impl Store {
    /// Opens work, unless some of its kind and key is open already.
    pub async fn open_work(&self, new: &NewWork) -> Result<OpenedWork, StoreError> {
        for _ in 0..OPENINGS_MAX {
            if let Some(opened) = self.try_to_open(new).await? {
                return Ok(opened);
            }
        }
        Err(StoreError::Query { doing: DOING, cause: sqlx::Error::RowNotFound })
    }

    /// `None` if the open one ended between the two looks.
    async fn try_to_open(&self, new: &NewWork) -> Result<Option<OpenedWork>, StoreError> {
        let mut tx = self.db.begin(Durability::OnDisk).await.map_err(doing(DOING))?;
        let mut insert = tx.sql(INSERT);
        push_new(self.tenant, new, &mut insert);
        let is_new = insert.execute().await.map_err(doing(DOING))? > 0;
        let read = match is_new {
            true => tx.sql(BY_ID).bind(self.tenant).bind(without_nul(new.id.as_str())),
            false => {
                tx.sql(OPEN_OF_KEY).bind(self.tenant).bind(without_nul(&new.kind)).bind(without_nul(&new.key))
            }
        };
        let row: Option<StoredWork> = read.fetch_optional().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))?;
        let work = row.map(|row| row.read(DOING)).transpose()?;
        Ok(work.map(|work| OpenedWork { work, joined: !is_new }))
    }
}

/// In the order of `INSERT`.
fn push_new(tenant: &'static str, new: &NewWork, to: &mut SqlStatement<'_>) {
    let actor = &new.actor;
    to.push(tenant);
    to.push(without_nul(new.id.as_str()));
    to.push(without_nul(&new.kind));
    to.push(without_nul(&new.key));
    to.push(json(&new.input));
    to.push(without_nul(new.run.as_str()));
    to.push(without_nul(actor.principal.as_str()));
    to.push(actor.session.as_ref().map(|session| without_nul(session.as_str())));
    to.push(actor.run.as_ref().map(|run| without_nul(run.as_str())));
    to.push(actor.call.as_ref().map(|call| without_nul(call.as_str())));
    to.push(new.at_ms);
}
