//! Registering, promoting and deprecating versions.

use toolgate_core::id::SchemaId;
use toolgate_core::schema::{CompatibilityMode, SchemaKind, SchemaRecord, SchemaState};
use toolgate_core::{Digest, RawJson, stop_point};

use super::error::SchemaChangeError;
use super::row::{SchemaRow, read_kind, read_mode, select};
use super::{ACTIVE, BY_VERSION, events};
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::file::Actor;
use crate::registry::{read_count, stored_count};
use crate::row::row;

/// Versions of one name.
pub const SCHEMA_VERSIONS_MAX: u64 = 1_000;

const BEGIN_NAME: &str =
    "INSERT INTO schema_names (tenant, namespace, name, kind, mode, versions, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT DO NOTHING";
const READ_NAME: &str =
    "SELECT kind, mode, versions FROM schema_names WHERE tenant = $1 AND namespace = $2 AND name = $3";
const COUNT_NAME: &str =
    "UPDATE schema_names SET versions = $4 WHERE tenant = $1 AND namespace = $2 AND name = $3";
const BY_CONTENT: &str = select!(" WHERE tenant = $1 AND namespace = $2 AND name = $3 AND digest = $4");
const INSERT: &str =
    "INSERT INTO schemas (tenant, namespace, name, version, id, kind, mode, state, digest, definition, description,
        created_by, created_at_ms, state_by, state_since_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
const LAST_ACTIVE: &str = "SELECT version, state_since_ms FROM schemas
    WHERE tenant = $1 AND namespace = $2 AND name = $3 AND state <> 'draft'
    ORDER BY CASE WHEN state = 'active' THEN 0 ELSE 1 END, state_since_ms DESC, version DESC LIMIT 1";
const STEP: &str = "UPDATE schemas SET state = $5, state_by = $6, state_since_ms = $7
    WHERE tenant = $1 AND namespace = $2 AND name = $3 AND version = $4";

/// A version on its way in.
#[derive(Clone, PartialEq, Debug)]
pub struct NewSchema {
    pub id: SchemaId,
    pub namespace: String,
    pub name: String,
    /// Nothing means that of the name, or the usual one.
    pub kind: Option<SchemaKind>,
    pub mode: Option<CompatibilityMode>,
    pub digest: Digest,
    pub definition: RawJson,
    pub description: Option<String>,
    pub at_ms: i64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct RegisteredSchema {
    pub schema: SchemaRecord,
    /// True if a version of the name has the same definition; it is that one.
    pub is_duplicate: bool,
}

/// A draft that becomes the active version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaPromotion<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    pub version: u64,
    /// The version that was active when it was compared; it must still be.
    pub active: Option<u64>,
    /// The version that was active last, which is `active` if there is one; it must still be.
    pub last: Option<u64>,
    pub at_ms: i64,
}

/// The active version, which ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchemaDeprecation<'a> {
    pub namespace: &'a str,
    pub name: &'a str,
    pub version: u64,
    pub reason: Option<&'a str>,
    pub at_ms: i64,
}

impl Books {
    /// Keeps a version as a draft, unless the name has its definition already.
    pub async fn register_schema(
        &self,
        new: &NewSchema,
        by: &Actor,
    ) -> Result<RegisteredSchema, SchemaChangeError> {
        const DOING: &str = "register a schema";
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (kind, mode) = (new.kind.unwrap_or_default(), new.mode.unwrap_or_default());
        let begin =
            tx.sql(BEGIN_NAME).bind(tenant).bind(without_nul(&new.namespace)).bind(without_nul(&new.name));
        let begin = begin.bind(kind.as_str()).bind(mode.as_str()).bind(new.at_ms);
        begin.execute().await.map_err(doing(DOING))?;
        let known = hold(&mut tx, tenant, &new.namespace, &new.name, DOING).await?;
        let known = known.ok_or(SchemaChangeError::Unknown)?;
        let is_other = new.kind.is_some_and(|kind| kind != known.kind)
            || new.mode.is_some_and(|mode| mode != known.mode);
        if is_other {
            return Err(SchemaChangeError::OtherName { kind: known.kind, mode: known.mode });
        }
        let same =
            tx.sql(BY_CONTENT).bind(tenant).bind(without_nul(&new.namespace)).bind(without_nul(&new.name));
        let same = same.bind(&new.digest.as_bytes()[..]);
        let same: Option<SchemaRow> = same.fetch_optional().await.map_err(doing(DOING))?;
        if let Some(same) = same {
            return Ok(RegisteredSchema { schema: same.read(DOING)?, is_duplicate: true });
        }
        if known.versions >= SCHEMA_VERSIONS_MAX {
            return Err(SchemaChangeError::TooManyVersions { max: SCHEMA_VERSIONS_MAX });
        }
        let schema = drafted(new, &known, by);
        insert(&mut tx, tenant, &schema).await.map_err(doing(DOING))?;
        stop_point::reach("schema written");
        self.record(tx, vec![events::registered(&schema, by)]).await.map_err(doing(DOING))?;
        Ok(RegisteredSchema { schema, is_duplicate: false })
    }

    /// Makes a draft the active version, and supersedes the one before. Returns both.
    pub async fn promote_schema(
        &self,
        promotion: &SchemaPromotion<'_>,
        by: &Actor,
    ) -> Result<(SchemaRecord, Option<SchemaRecord>), SchemaChangeError> {
        const DOING: &str = "promote a schema";
        let tenant = self.store().tenant;
        let SchemaPromotion { namespace, name, version, active, last, at_ms } = *promotion;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (mut schema, before) = held(&mut tx, tenant, (namespace, name, version), DOING).await?;
        if schema.state != SchemaState::Draft {
            return Err(SchemaChangeError::State { state: schema.state });
        }
        let active_now = before.as_ref().map(|before| before.version);
        let last_now = last_active(&mut tx, tenant, namespace, name).await.map_err(doing(DOING))?;
        // A version that was promoted and deprecated meanwhile was not compared.
        if active_now != active || last_now.map(|(version, _)| version) != last {
            return Err(SchemaChangeError::Stale { active: active_now });
        }
        let at_ms = last_now.map_or(at_ms, |(_, since_ms)| after(since_ms, at_ms));
        let before = match before {
            Some(mut before) => {
                step(&mut tx, tenant, &mut before, SchemaState::Superseded, by, at_ms)
                    .await
                    .map_err(doing(DOING))?;
                Some(before)
            }
            None => None,
        };
        step(&mut tx, tenant, &mut schema, SchemaState::Active, by, at_ms).await.map_err(doing(DOING))?;
        stop_point::reach("schema written");
        let event = events::promoted(&schema, before.as_ref(), by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok((schema, before))
    }

    /// Ends the active version. Afterwards the name has none.
    pub async fn deprecate_schema(
        &self,
        deprecation: &SchemaDeprecation<'_>,
        by: &Actor,
    ) -> Result<SchemaRecord, SchemaChangeError> {
        const DOING: &str = "deprecate a schema";
        let tenant = self.store().tenant;
        let SchemaDeprecation { namespace, name, version, reason, at_ms } = *deprecation;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (mut schema, _) = held(&mut tx, tenant, (namespace, name, version), DOING).await?;
        if schema.state != SchemaState::Active {
            return Err(SchemaChangeError::State { state: schema.state });
        }
        let at_ms = after(schema.state_since_ms, at_ms);
        step(&mut tx, tenant, &mut schema, SchemaState::Deprecated, by, at_ms).await.map_err(doing(DOING))?;
        let event = events::deprecated(&schema, reason, by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok(schema)
    }
}

row! {
    struct SchemaNameRow {
        kind: String,
        mode: String,
        versions: i64,
    }
}

/// A name whose row is locked.
struct HeldName {
    kind: SchemaKind,
    mode: CompatibilityMode,
    versions: u64,
}

/// Locks a name until the end of the transaction.
async fn hold(
    tx: &mut Transaction,
    tenant: &'static str,
    namespace: &str,
    name: &str,
    what: &'static str,
) -> Result<Option<HeldName>, SchemaChangeError> {
    let read = tx.sql_for_update(READ_NAME).bind(tenant).bind(without_nul(namespace)).bind(without_nul(name));
    let row: Option<SchemaNameRow> = read.fetch_optional().await.map_err(doing(what))?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(HeldName {
        kind: read_kind(&row.kind, what)?,
        mode: read_mode(&row.mode, what)?,
        versions: read_count(row.versions),
    }))
}

/// Locks a name, and reads a version of it and the active one.
async fn held(
    tx: &mut Transaction,
    tenant: &'static str,
    (namespace, name, version): (&str, &str, u64),
    what: &'static str,
) -> Result<(SchemaRecord, Option<SchemaRecord>), SchemaChangeError> {
    hold(tx, tenant, namespace, name, what).await?.ok_or(SchemaChangeError::Unknown)?;
    let read = tx.sql(BY_VERSION).bind(tenant).bind(without_nul(namespace)).bind(without_nul(name));
    let row: Option<SchemaRow> =
        read.bind(stored_count(version)).fetch_optional().await.map_err(doing(what))?;
    let schema = row.ok_or(SchemaChangeError::Unknown)?.read(what)?;
    let active = tx.sql(ACTIVE).bind(tenant).bind(without_nul(namespace)).bind(without_nul(name));
    let active: Option<SchemaRow> = active.fetch_optional().await.map_err(doing(what))?;
    let active = active.map(|row| row.read(what)).transpose()?;
    Ok((schema, active))
}

/// The steps of a name have rising times, whichever gateway's clock they are of: the last one to end is known.
fn after(before_ms: i64, at_ms: i64) -> i64 {
    at_ms.max(before_ms.saturating_add(1))
}

/// The version that is active or was last, and since when.
async fn last_active(
    tx: &mut Transaction,
    tenant: &'static str,
    namespace: &str,
    name: &str,
) -> Result<Option<(u64, i64)>, sqlx::Error> {
    let read = tx.sql(LAST_ACTIVE).bind(tenant).bind(without_nul(namespace)).bind(without_nul(name));
    let last: Option<(i64, i64)> = read.fetch_optional().await?;
    Ok(last.map(|(version, since_ms)| (read_count(version), since_ms)))
}

fn drafted(new: &NewSchema, known: &HeldName, by: &Actor) -> SchemaRecord {
    SchemaRecord {
        id: new.id.clone(),
        namespace: without_nul(&new.namespace),
        name: without_nul(&new.name),
        version: known.versions + 1,
        kind: known.kind,
        mode: known.mode,
        state: SchemaState::Draft,
        digest: new.digest,
        definition: new.definition.clone(),
        description: new.description.as_deref().map(without_nul),
        created_by: by.principal.clone(),
        created_at_ms: new.at_ms,
        state_by: by.principal.clone(),
        state_since_ms: new.at_ms,
    }
}

async fn insert(
    tx: &mut Transaction,
    tenant: &'static str,
    schema: &SchemaRecord,
) -> Result<(), sqlx::Error> {
    let count = tx.sql(COUNT_NAME).bind(tenant).bind(&*schema.namespace).bind(&*schema.name);
    count.bind(stored_count(schema.version)).execute().await?;
    let mut insert = tx.sql(INSERT).bind(tenant).bind(&*schema.namespace).bind(&*schema.name);
    insert = insert.bind(stored_count(schema.version)).bind(schema.id.as_str()).bind(schema.kind.as_str());
    insert =
        insert.bind(schema.mode.as_str()).bind(schema.state.as_str()).bind(&schema.digest.as_bytes()[..]);
    insert = insert.bind(schema.definition.as_str()).bind(schema.description.as_deref());
    insert = insert.bind(without_nul(schema.created_by.as_str())).bind(schema.created_at_ms);
    insert = insert.bind(without_nul(schema.state_by.as_str())).bind(schema.state_since_ms);
    insert.execute().await.map(drop)
}

/// Brings a version into another state.
async fn step(
    tx: &mut Transaction,
    tenant: &'static str,
    schema: &mut SchemaRecord,
    state: SchemaState,
    by: &Actor,
    at_ms: i64,
) -> Result<(), sqlx::Error> {
    schema.state = state;
    schema.state_by = by.principal.clone();
    schema.state_since_ms = at_ms;
    let save = tx.sql(STEP).bind(tenant).bind(&*schema.namespace).bind(&*schema.name);
    let save = save.bind(stored_count(schema.version)).bind(state.as_str());
    save.bind(without_nul(schema.state_by.as_str())).bind(at_ms).execute().await.map(drop)
}
