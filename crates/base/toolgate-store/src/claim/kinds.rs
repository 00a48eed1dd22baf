//! Types of claims: registered by operators, and changed by those who saw the version that they change.

use toolgate_core::claim::{ClaimEscalation, ClaimType, ResolutionOption};

use super::error::ClaimTypeError;
use super::events;
use super::row::ClaimTypeRow;
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::file::Actor;
use crate::registry::{read_count, stored_count};
use crate::run::json;

/// The maximum number of types of claims.
pub const CLAIM_TYPES_MAX: u64 = 200;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT name, title, description, options, escalation, version, changed_by, changed_at_ms FROM claim_types",
            $conditions
        )
    };
}

pub(super) const BY_NAME: &str = select!(" WHERE tenant = $1 AND name = $2");
pub(super) const ALL_KINDS: &str = select!(" WHERE tenant = $1 ORDER BY name");
const COUNT: &str = "SELECT COUNT(*) FROM claim_types WHERE tenant = $1";
const INSERT: &str =
    "INSERT INTO claim_types (tenant, name, title, description, options, escalation, version, changed_by, changed_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";
const CHANGE: &str =
    "UPDATE claim_types SET title = $3, description = $4, options = $5, escalation = $6, version = $7, changed_by = $8,
        changed_at_ms = $9
    WHERE tenant = $1 AND name = $2 AND version = $7 - 1";

/// A type as it shall be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimTypeWrite {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub options: Vec<ResolutionOption>,
    pub escalation: Vec<ClaimEscalation>,
    /// The version that the caller saw. `None` for a new one.
    pub seen: Option<u64>,
    pub at_ms: i64,
}

impl Books {
    /// Registers a type, or changes the one whose version the caller saw. Claims keep their type by its name.
    pub async fn put_claim_type(
        &self,
        write: &ClaimTypeWrite,
        by: &Actor,
    ) -> Result<ClaimType, ClaimTypeError> {
        const DOING: &str = "register a type of claims";
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (count,): (i64,) = tx.sql(COUNT).bind(tenant).fetch_one().await.map_err(doing(DOING))?;
        if write.seen.is_none() && read_count(count) >= CLAIM_TYPES_MAX {
            return Err(ClaimTypeError::TooMany { max: CLAIM_TYPES_MAX });
        }
        let kind = written(write, by);
        let mut save = tx.sql(if write.seen.is_some() { CHANGE } else { INSERT });
        save = save.bind(tenant).bind(&*kind.name).bind(kind.title.as_deref());
        save = save.bind(kind.description.as_deref()).bind(json(&kind.options)).bind(json(&kind.escalation));
        save = save.bind(stored_count(kind.version)).bind(without_nul(kind.changed_by.as_str()));
        let saved = save.bind(kind.changed_at_ms).execute().await.map_err(doing(DOING))?;
        if saved == 0 {
            let read = tx.sql(BY_NAME).bind(tenant).bind(&*kind.name);
            let row: Option<ClaimTypeRow> = read.fetch_optional().await.map_err(doing(DOING))?;
            let other = row.ok_or(ClaimTypeError::Unknown)?.read(DOING)?;
            return Err(ClaimTypeError::Other(Box::new(other)));
        }
        let event = events::type_changed(&kind, by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok(kind)
    }
}

fn written(write: &ClaimTypeWrite, by: &Actor) -> ClaimType {
    ClaimType {
        name: without_nul(&write.name),
        title: write.title.as_deref().map(without_nul),
        description: write.description.as_deref().map(without_nul),
        options: write.options.clone(),
        escalation: write.escalation.clone(),
        version: write.seen.unwrap_or_default() + 1,
        changed_by: by.principal.clone(),
        changed_at_ms: write.at_ms,
    }
}
