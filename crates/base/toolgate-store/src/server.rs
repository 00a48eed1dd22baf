//! The data about each server: its era, its health, its last listing, its complaints.

use serde::{Deserialize, Serialize};
use toolgate_core::event::Durability;
use toolgate_core::server::{Era, InstanceId, InstanceState, ServerHealth, ServerListing, ServerState};
use toolgate_core::{RawJson, ServerName};

use crate::clock::now_ms;
use crate::db::without_nul;
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

const REMEMBER_ERA: &str = "INSERT INTO server_eras (tenant, server, fingerprint, era, protocol_version)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (tenant, server) DO UPDATE SET
        fingerprint = excluded.fingerprint, era = excluded.era, protocol_version = excluded.protocol_version";
const READ_ERAS: &str =
    "SELECT server, fingerprint, era, protocol_version FROM server_eras WHERE tenant = $1";
const WRITE_STATUS: &str =
    "INSERT INTO server_statuses (tenant, server, health, reason, era, protocol_version,
        transport, pid, restarts, tool_count, prompt_count, resource_count, instances, updated_at_ms,
        since_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
    ON CONFLICT (tenant, server) DO UPDATE SET
        health = excluded.health, reason = excluded.reason, era = excluded.era,
        protocol_version = excluded.protocol_version, transport = excluded.transport, pid = excluded.pid,
        restarts = excluded.restarts, tool_count = excluded.tool_count, prompt_count = excluded.prompt_count,
        resource_count = excluded.resource_count, instances = excluded.instances,
        updated_at_ms = excluded.updated_at_ms,
        since_ms = CASE WHEN server_statuses.health = excluded.health
            THEN server_statuses.since_ms ELSE excluded.since_ms END";
const READ_STATUSES: &str = "SELECT server, health, reason, era, protocol_version, transport, pid, restarts,
        tool_count, prompt_count, resource_count, instances, updated_at_ms, since_ms
    FROM server_statuses WHERE tenant = $1 ORDER BY server";
const WRITE_LISTING: &str = "INSERT INTO server_listings (tenant, server, fingerprint, listing, updated_at_ms)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (tenant, server) DO UPDATE SET
        fingerprint = excluded.fingerprint, listing = excluded.listing, updated_at_ms = excluded.updated_at_ms";
const READ_LISTINGS: &str = "SELECT server, fingerprint, listing, updated_at_ms FROM server_listings WHERE tenant = $1 ORDER BY server";
const WRITE_STDERR: &str = "INSERT INTO server_stderr (tenant, server, lines, updated_at_ms)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, server) DO UPDATE SET lines = excluded.lines, updated_at_ms = excluded.updated_at_ms";
const READ_STDERR: &str = "SELECT lines FROM server_stderr WHERE tenant = $1 AND server = $2";
/// Each takes the tenant and the names to keep, as a JSON array.
const FORGET_OTHERS_SQLITE: [&str; 4] = [
    "DELETE FROM server_eras WHERE tenant = $1 AND server NOT IN (SELECT value FROM json_each($2))",
    "DELETE FROM server_statuses WHERE tenant = $1 AND server NOT IN (SELECT value FROM json_each($2))",
    "DELETE FROM server_listings WHERE tenant = $1 AND server NOT IN (SELECT value FROM json_each($2))",
    "DELETE FROM server_stderr WHERE tenant = $1 AND server NOT IN (SELECT value FROM json_each($2))",
];
const FORGET_OTHERS_POSTGRES: [&str; 4] = [
    "DELETE FROM server_eras WHERE tenant = $1 AND server NOT IN (SELECT json_array_elements_text($2::json))",
    "DELETE FROM server_statuses WHERE tenant = $1 AND server NOT IN (SELECT json_array_elements_text($2::json))",
    "DELETE FROM server_listings WHERE tenant = $1 AND server NOT IN (SELECT json_array_elements_text($2::json))",
    "DELETE FROM server_stderr WHERE tenant = $1 AND server NOT IN (SELECT json_array_elements_text($2::json))",
];

/// The sizes of a server's lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct ListCounts {
    pub tools: usize,
    pub prompts: usize,
    pub resources: usize,
}

impl ListCounts {
    pub fn of(listing: &ServerListing) -> Self {
        Self {
            tools: listing.tools.len(),
            prompts: listing.prompts.len(),
            resources: listing.resources.len() + listing.templates.len(),
        }
    }
}

/// The health of a server at the last check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerStatus {
    pub name: ServerName,
    pub state: ServerState,
    pub counts: ListCounts,
    pub updated_at_ms: i64,
    /// The time since which its health has been the same.
    pub since_ms: i64,
}

/// The last listing of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredListing {
    pub name: ServerName,
    pub fingerprint: String,
    pub listing: ServerListing,
    pub updated_at_ms: i64,
}

impl Store {
    /// `fingerprint` identifies the configuration of the server: with another one, it is another server.
    pub async fn remember_era(
        &self,
        server: &ServerName,
        fingerprint: &str,
        era: Era,
        protocol_version: &str,
    ) -> Result<(), StoreError> {
        let query = self.db.sql(REMEMBER_ERA).bind(self.tenant).bind(server.as_str()).bind(fingerprint);
        let query = query.bind(era_name(era)).bind(protocol_version);
        query.execute().await.map_err(doing("remember the era of a server"))?;
        Ok(())
    }

    /// The last known era of every server, with its fingerprint.
    pub async fn read_eras(&self) -> Result<Vec<(ServerName, String, Era, String)>, StoreError> {
        const DOING: &str = "read the eras of the servers";
        let query = self.db.sql(READ_ERAS).bind(self.tenant);
        let rows: Vec<EraRow> = query.fetch_all().await.map_err(doing(DOING))?;
        let read = |row: EraRow| {
            let (name, era) = (read_name(&row.server, DOING)?, read_era(&row.era, DOING)?);
            Ok((name, row.fingerprint, era, row.protocol_version))
        };
        rows.into_iter().map(read).collect()
    }

    pub async fn write_status(
        &self,
        name: &ServerName,
        state: &ServerState,
        counts: ListCounts,
        updated_at_ms: i64,
    ) -> Result<(), StoreError> {
        let query = self
            .db
            .sql(WRITE_STATUS)
            .bind(self.tenant)
            .bind(name.as_str())
            .bind(health_name(state.health))
            .bind(state.reason.as_deref().map(without_nul))
            .bind(state.era.map(era_name))
            .bind(&state.protocol_version)
            .bind(state.transport)
            .bind(state.pid.map(i64::from))
            .bind(i64::from(state.restarts))
            .bind(as_stored(counts.tools))
            .bind(as_stored(counts.prompts))
            .bind(as_stored(counts.resources))
            .bind(RawJson::from_serialize(&state.instances).as_str().to_owned())
            .bind(updated_at_ms);
        query.execute().await.map_err(doing("write the status of a server"))?;
        Ok(())
    }

    /// By name.
    pub async fn read_statuses(&self) -> Result<Vec<ServerStatus>, StoreError> {
        const DOING: &str = "read the status of the servers";
        let rows: Vec<StatusRow> =
            self.db.sql(READ_STATUSES).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    pub async fn write_listing(
        &self,
        name: &ServerName,
        fingerprint: &str,
        listing: &ServerListing,
    ) -> Result<(), StoreError> {
        let text = serde_json::to_vec(&ListingText::from(listing)).expect("raw JSON and text serialise");
        let query = self.db.sql(WRITE_LISTING).bind(self.tenant).bind(name.as_str()).bind(fingerprint);
        let query = query.bind(text).bind(now_ms());
        query.execute().await.map_err(doing("store what a server lists"))?;
        Ok(())
    }

    /// The last listing of every server, by name.
    pub async fn read_listings(&self) -> Result<Vec<StoredListing>, StoreError> {
        const DOING: &str = "read what the servers list";
        let query = self.db.sql(READ_LISTINGS).bind(self.tenant);
        let rows: Vec<ListingRow> = query.fetch_all().await.map_err(doing(DOING))?;
        let read = |row: ListingRow| {
            Ok(StoredListing {
                name: read_name(&row.server, DOING)?,
                fingerprint: row.fingerprint,
                listing: read_listing(&row.listing, DOING)?,
                updated_at_ms: row.updated_at_ms,
            })
        };
        rows.into_iter().map(read).collect()
    }

    /// The last lines a server wrote to its standard error, oldest first.
    pub async fn write_stderr(&self, name: &ServerName, lines: &[String]) -> Result<(), StoreError> {
        let query = self.db.sql(WRITE_STDERR).bind(self.tenant).bind(name.as_str());
        let query = query.bind(without_nul(&lines.join("\n"))).bind(now_ms());
        query.execute().await.map_err(doing("store what a server wrote to its standard error"))?;
        Ok(())
    }

    pub async fn read_stderr(&self, name: &ServerName) -> Result<Vec<String>, StoreError> {
        const DOING: &str = "read what a server wrote to its standard error";
        let query = self.db.sql(READ_STDERR).bind(self.tenant).bind(name.as_str());
        let text: Option<(String,)> = query.fetch_optional().await.map_err(doing(DOING))?;
        let text = text.map(|(text,)| text).unwrap_or_default();
        Ok(text.lines().map(str::to_owned).collect())
    }

    /// Forgets every server that is not among `names`.
    pub async fn keep_only_servers(&self, names: &[ServerName]) -> Result<(), StoreError> {
        const DOING: &str = "forget servers that are no longer configured";
        let names = RawJson::from_serialize(&names);
        let mut transaction = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        for statement in transaction.dialect().pick(FORGET_OTHERS_SQLITE, FORGET_OTHERS_POSTGRES) {
            let delete = transaction.sql(statement).bind(self.tenant).bind(names.as_str());
            delete.execute().await.map_err(doing(DOING))?;
        }
        transaction.commit().await.map_err(doing(DOING))
    }
}

row! {
    struct EraRow {
        server: String,
        fingerprint: String,
        era: String,
        protocol_version: String,
    }
}

row! {
    struct ListingRow {
        server: String,
        fingerprint: String,
        listing: Vec<u8>,
        updated_at_ms: i64,
    }
}

row! {
    struct StatusRow {
        server: String,
        health: String,
        reason: Option<String>,
        era: Option<String>,
        protocol_version: Option<String>,
        transport: Option<String>,
        pid: Option<i64>,
        restarts: i64,
        tool_count: i64,
        prompt_count: i64,
        resource_count: i64,
        instances: String,
        updated_at_ms: i64,
        since_ms: i64,
    }
}

impl StatusRow {
    fn read(self, doing: &'static str) -> Result<ServerStatus, StoreError> {
        let state = ServerState {
            health: read_health(&self.health, doing)?,
            reason: self.reason,
            era: self.era.map(|era| read_era(&era, doing)).transpose()?,
            protocol_version: self.protocol_version,
            transport: self.transport.as_deref().and_then(known_transport),
            pid: self.pid.and_then(|pid| u32::try_from(pid).ok()),
            restarts: u32::try_from(self.restarts).unwrap_or_default(),
            instances: read_instances(&self.instances, doing)?,
        };
        let counts = ListCounts {
            tools: as_read(self.tool_count),
            prompts: as_read(self.prompt_count),
            resources: as_read(self.resource_count),
        };
        Ok(ServerStatus {
            name: read_name(&self.server, doing)?,
            state,
            counts,
            updated_at_ms: self.updated_at_ms,
            since_ms: self.since_ms,
        })
    }
}

/// The state of an instance, as text.
#[derive(Deserialize)]
struct InstanceText {
    id: String,
    version: Option<String>,
    health: ServerHealth,
    reason: Option<String>,
}

fn read_instances(text: &str, doing: &'static str) -> Result<Vec<InstanceState>, StoreError> {
    let bad = || StoreError::Unreadable { doing, what: "state of an instance" };
    let texts: Vec<InstanceText> = serde_json::from_str(text).map_err(|_| bad())?;
    let read = |InstanceText { id, version, health, reason }| {
        let id = InstanceId::new(&id).map_err(|_| bad())?;
        Ok(InstanceState { id, version, health, reason })
    };
    texts.into_iter().map(read).collect()
}

/// A listing as text. Raw JSON is stored byte for byte. Contradictions within one listing are not stored:
/// they end when the server is read again.
#[derive(Serialize, Deserialize)]
struct ListingText {
    capabilities: Option<RawJson>,
    server_info: Option<RawJson>,
    instructions: Option<String>,
    tools: Vec<RawJson>,
    prompts: Vec<RawJson>,
    resources: Vec<RawJson>,
    templates: Vec<RawJson>,
}

impl From<&ServerListing> for ListingText {
    fn from(listing: &ServerListing) -> Self {
        let ServerListing {
            capabilities,
            server_info,
            instructions,
            tools,
            prompts,
            resources,
            templates,
            conflicts: _,
        } = listing.clone();
        Self { capabilities, server_info, instructions, tools, prompts, resources, templates }
    }
}

impl From<ListingText> for ServerListing {
    fn from(text: ListingText) -> Self {
        let ListingText { capabilities, server_info, instructions, tools, prompts, resources, templates } =
            text;
        let conflicts = Vec::new();
        Self { capabilities, server_info, instructions, tools, prompts, resources, templates, conflicts }
    }
}

fn read_listing(text: &[u8], doing: &'static str) -> Result<ServerListing, StoreError> {
    let text: ListingText =
        serde_json::from_slice(text).map_err(|_| StoreError::Unreadable { doing, what: "listing" })?;
    Ok(text.into())
}

fn read_name(name: &str, doing: &'static str) -> Result<ServerName, StoreError> {
    ServerName::new(name).map_err(|_| StoreError::Unreadable { doing, what: "server name" })
}

fn era_name(era: Era) -> &'static str {
    match era {
        Era::Legacy => "legacy",
        Era::Modern => "modern",
    }
}

fn read_era(era: &str, doing: &'static str) -> Result<Era, StoreError> {
    let known = [Era::Legacy, Era::Modern].into_iter().find(|known| era_name(*known) == era);
    known.ok_or(StoreError::Unreadable { doing, what: "era" })
}

fn health_name(health: ServerHealth) -> &'static str {
    match health {
        ServerHealth::Starting => "starting",
        ServerHealth::Healthy => "healthy",
        ServerHealth::Degraded => "degraded",
    }
}

fn read_health(health: &str, doing: &'static str) -> Result<ServerHealth, StoreError> {
    let all = [ServerHealth::Starting, ServerHealth::Healthy, ServerHealth::Degraded];
    let known = all.into_iter().find(|known| health_name(*known) == health);
    known.ok_or(StoreError::Unreadable { doing, what: "health" })
}

fn known_transport(transport: &str) -> Option<&'static str> {
    ["stdio", "streamable-http", "http+sse"].into_iter().find(|known| *known == transport)
}

fn as_stored(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn as_read(count: i64) -> usize {
    usize::try_from(count).unwrap_or_default()
}
