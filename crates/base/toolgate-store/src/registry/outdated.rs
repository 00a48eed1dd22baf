//! What looks at MCP registries have found about the servers that came from there: one row for each server that is not up to date.

use toolgate_core::ServerName;
use toolgate_core::event::Event;

use super::columns::read_server;
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

const READ: &str = "SELECT server, version, state, latest, found_at_ms FROM outdated_servers
    WHERE tenant = $1 ORDER BY server";
/// Changes no row that says the same already.
const KEEP: &str = "INSERT INTO outdated_servers (tenant, server, version, state, latest, found_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (tenant, server) DO UPDATE SET version = excluded.version, state = excluded.state,
        latest = excluded.latest, found_at_ms = excluded.found_at_ms
    WHERE outdated_servers.version <> excluded.version OR outdated_servers.state <> excluded.state
        OR outdated_servers.latest <> excluded.latest";
const FORGET: &str = "DELETE FROM outdated_servers WHERE tenant = $1 AND server = $2 AND version = $3";
const REMOVE: &str = "DELETE FROM outdated_servers WHERE tenant = $1 AND server = $2";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutdatedServer {
    pub server: ServerName,
    /// The version that it was added from.
    pub version: String,
    /// In a word of whoever compares.
    pub state: String,
    /// The latest version in the registry; `None` if it has none.
    pub latest: Option<String>,
    pub found_at_ms: i64,
}

impl Store {
    /// By name.
    pub async fn read_outdated_servers(&self) -> Result<Vec<OutdatedServer>, StoreError> {
        const DOING: &str = "read which servers are outdated";
        let rows: Vec<OutdatedRow> =
            self.db.sql(READ).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        let read = |row: OutdatedRow| {
            Ok(OutdatedServer {
                server: read_server(&row.server, DOING)?,
                version: row.version,
                state: row.state,
                latest: Some(row.latest).filter(|latest| !latest.is_empty()),
                found_at_ms: row.found_at_ms,
            })
        };
        rows.into_iter().map(read).collect()
    }
}

impl Books {
    /// Keeps what was found about a server. `false` if it was known, here or at another gateway; then there are no events
    /// either.
    pub async fn keep_outdated_server(
        &self,
        found: &OutdatedServer,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let doing = doing("note that a server is outdated");
        let mut tx = self.begin().await.map_err(&doing)?;
        let keep = tx.sql(KEEP).bind(self.store().tenant).bind(found.server.as_str());
        let keep = keep.bind(without_nul(&found.version)).bind(without_nul(&found.state));
        let keep = keep.bind(without_nul(found.latest.as_deref().unwrap_or_default()));
        if keep.bind(found.found_at_ms).execute().await.map_err(&doing)? == 0 {
            return Ok(false);
        }
        self.record(tx, events).await.map_err(&doing)?;
        Ok(true)
    }

    /// A server that was added from this version is up to date.
    pub async fn forget_outdated_server(&self, server: &ServerName, version: &str) -> Result<(), StoreError> {
        let forget = self.store().db.sql(FORGET).bind(self.store().tenant).bind(server.as_str());
        let forgotten = forget.bind(without_nul(version)).execute().await;
        forgotten.map(drop).map_err(doing("note that a server is up to date"))
    }

    /// A server that is gone takes with it what was found about any of its versions.
    pub async fn remove_outdated_server(&self, server: &ServerName) -> Result<(), StoreError> {
        let remove = self.store().db.sql(REMOVE).bind(self.store().tenant).bind(server.as_str());
        remove.execute().await.map(drop).map_err(doing("forget whether a server is outdated"))
    }
}

row! {
    struct OutdatedRow {
        server: String,
        version: String,
        state: String,
        latest: String,
        found_at_ms: i64,
    }
}
