//! Servers that registered themselves, and their instances.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::event::Event;
use toolgate_core::server::{InstanceId, InstanceSpec};
use toolgate_core::tool::ToolExtra;
use toolgate_core::{RawJson, ServerName};

use super::columns::{read_count, read_raw, read_server, stored_count, unreadable};
use crate::books::Books;
use crate::clock::now_ms;
use crate::db::without_nul;
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};
use crate::row::row;
use crate::{Store, StoreError};

const READ_SERVERS: &str =
    "SELECT server, first_registered_ms, settings FROM registered_servers WHERE tenant = $1 ORDER BY server";
const COUNT_SERVERS: &str = "SELECT COUNT(*) FROM registered_servers WHERE tenant = $1";
const KEEP_SERVER: &str = "INSERT INTO registered_servers (tenant, server, first_registered_ms)
    VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const SET_SERVER: &str = "UPDATE registered_servers SET settings = $3
    WHERE tenant = $1 AND server = $2 AND settings <> $3";
const REMOVE_SERVER: &str = "DELETE FROM registered_servers WHERE tenant = $1 AND server = $2";

const READ_ALL: &str =
    "SELECT server, instance, url, version, concurrency_max, lease_ms, wants_token, extras,
        registered_at_ms, beat
    FROM instances WHERE tenant = $1 ORDER BY server, registered_at_ms, instance";
const READ_OF: &str = "SELECT server, instance, url, version, concurrency_max, lease_ms, wants_token, extras,
        registered_at_ms, beat
    FROM instances WHERE tenant = $1 AND server = $2";
const WRITE: &str =
    "INSERT INTO instances (tenant, server, instance, url, version, concurrency_max, lease_ms,
        wants_token, extras, registered_at_ms, beat)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (tenant, server, instance) DO UPDATE SET url = excluded.url, version = excluded.version,
        concurrency_max = excluded.concurrency_max, lease_ms = excluded.lease_ms,
        wants_token = excluded.wants_token, extras = excluded.extras, beat = instances.beat + 1
    RETURNING beat";
const READ_BEATS: &str = "SELECT server, instance, beat FROM instances WHERE tenant = $1";
const BUMP_BEAT: &str =
    "UPDATE instances SET beat = beat + 1 WHERE tenant = $1 AND server = $2 AND instance = $3
    RETURNING beat";
const REMOVE: &str = "DELETE FROM instances WHERE tenant = $1 AND server = $2 AND instance = $3";
const REMOVE_AT_BEAT: &str =
    "DELETE FROM instances WHERE tenant = $1 AND server = $2 AND instance = $3 AND beat = $4";
/// Tokens that instances brought go with them. No other secret has such a name.
const FORGET_TOKEN: &str = "DELETE FROM vault WHERE tenant = $1 AND server = $2 AND name = $3";
const FORGET_TOKENS: &str =
    "DELETE FROM vault WHERE tenant = $1 AND server = $2 AND substr(name, 1, 9) = 'instance.'";
const REMOVE_ALL_OF: &str = "DELETE FROM instances WHERE tenant = $1 AND server = $2";

/// An instance that returns under its old id must not be confused with the one that left, so each starts at a
/// new number. With one beat a second it takes half a year to reach the start of the next one.
const FIRST_BEAT_SHIFT: u32 = 24;

const REGISTERING: &str = "register an instance";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RegisteredServer {
    pub name: ServerName,
    pub first_registered_ms: i64,
    /// The settings registered for the server as a whole, as an object.
    pub settings: RawJson,
}

#[derive(Clone, PartialEq, Debug)]
pub struct StoredInstance {
    pub server: ServerName,
    pub spec: InstanceSpec,
    pub lease: Duration,
    /// The time of its first registration; it keeps its place when it registers again.
    pub registered_at_ms: i64,
    /// Another number after each sign of life.
    pub beat: u64,
}

/// The data of an instance's registration.
#[derive(Clone, PartialEq, Debug)]
pub struct NewInstance {
    pub server: ServerName,
    pub spec: InstanceSpec,
    pub lease: Duration,
    /// For the server as a whole; `None` leaves the current value.
    pub settings: Option<RawJson>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RegistrationLimits {
    pub servers_max: usize,
    /// The limit of one server.
    pub instances_max: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JoinedInstance {
    pub join: JoinKind,
    pub beat: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JoinKind {
    /// The server was not known before.
    FirstOfServer,
    New,
    /// It was known, and its data has changed.
    Changed,
    /// It was known and its data is the same: only a sign of life.
    Unchanged,
}

#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    #[error("{max} servers are registered, and no more are allowed")]
    TooManyServers { max: usize },
    #[error("the server has {max} instances, and no more are allowed")]
    TooManyInstances { max: usize },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl StoredInstance {
    fn says_the_same(&self, registering: &NewInstance) -> bool {
        self.spec == registering.spec && self.lease == registering.lease
    }
}

impl Store {
    /// By name, those without an instance too.
    pub async fn read_registered_servers(&self) -> Result<Vec<RegisteredServer>, StoreError> {
        const DOING: &str = "read the registered servers";
        let read = self.db.sql(READ_SERVERS).bind(self.tenant);
        let rows: Vec<ServerRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let read = |row: ServerRow| {
            let name = read_server(&row.server, DOING)?;
            let settings = read_raw(row.settings, DOING, "settings of a server")?;
            Ok(RegisteredServer { name, first_registered_ms: row.first_registered_ms, settings })
        };
        rows.into_iter().map(read).collect()
    }

    /// By server, and then in order of arrival.
    pub async fn read_instances(&self) -> Result<Vec<StoredInstance>, StoreError> {
        const DOING: &str = "read the instances";
        let rows: Vec<InstanceRow> =
            self.db.sql(READ_ALL).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING)).collect()
    }

    pub async fn read_beats(&self) -> Result<Vec<(ServerName, InstanceId, u64)>, StoreError> {
        const DOING: &str = "read the signs of life";
        let read = self.db.sql(READ_BEATS).bind(self.tenant);
        let rows: Vec<BeatRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let read = |row: BeatRow| {
            let (server, instance) = (read_server(&row.server, DOING)?, read_instance(&row.instance, DOING)?);
            Ok((server, instance, read_count(row.beat)))
        };
        rows.into_iter().map(read).collect()
    }

    /// A sign of life. Returns the new beat, or `None` if there is no such instance.
    pub async fn bump_beat(
        &self,
        server: &ServerName,
        instance: &InstanceId,
    ) -> Result<Option<u64>, StoreError> {
        let bump = self.db.sql(BUMP_BEAT).bind(self.tenant).bind(server.as_str()).bind(instance.as_str());
        // Reads all rows: SQLite commits a statement when its last row has been read.
        let rows: Vec<(i64,)> = bump.fetch_all().await.map_err(doing("note a sign of life"))?;
        Ok(rows.first().map(|(beat,)| read_count(*beat)))
    }
}

impl Books {
    /// Adds an instance, or replaces its data. `events` makes the events to record, unless nothing changed.
    pub async fn upsert_instance(
        &self,
        registering: &NewInstance,
        limits: RegistrationLimits,
        events: impl FnOnce(JoinKind) -> Vec<Event>,
    ) -> Result<JoinedInstance, RegisterError> {
        let doing = doing(REGISTERING);
        let mut change = TopicChange::begin(self, RevisionTopic::Registrations).await.map_err(&doing)?;
        let join = join(&mut change, registering, limits).await?;
        let beat = write(&mut change, registering).await.map_err(&doing)?;
        match join {
            JoinKind::Unchanged => change.finish_unnoticed().await.map_err(&doing)?,
            join => change.finish(events(join)).await.map_err(&doing)?,
        }
        Ok(JoinedInstance { join, beat: read_count(beat) })
    }

    /// Removes an instance; with a `beat`, only if it gave no sign of life since. `false` if it was missing,
    /// or gave one; then there are no events either.
    pub async fn remove_instance_if(
        &self,
        server: &ServerName,
        instance: &InstanceId,
        beat: Option<u64>,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let doing = doing("take an instance out");
        let mut change = TopicChange::begin(self, RevisionTopic::Registrations).await.map_err(&doing)?;
        let remove = change.tx.sql(if beat.is_some() { REMOVE_AT_BEAT } else { REMOVE });
        let mut remove = remove.bind(change.tenant).bind(server.as_str()).bind(instance.as_str());
        if let Some(beat) = beat {
            remove.push(stored_count(beat));
        }
        if remove.execute().await.map_err(&doing)? == 0 {
            return Ok(false);
        }
        let forget = change.tx.sql(FORGET_TOKEN).bind(change.tenant).bind(server.as_str());
        let forget = forget.bind(InstanceSpec::token_name(instance));
        if forget.execute().await.map_err(&doing)? > 0 {
            change.touch(RevisionTopic::Vault).await.map_err(&doing)?;
        }
        change.finish(events).await.map_err(&doing)?;
        Ok(true)
    }

    /// Removes a registered server and all its instances. `false` if it was not registered; then there are no
    /// events either.
    pub async fn remove_registered_server(
        &self,
        server: &ServerName,
        events: Vec<Event>,
    ) -> Result<bool, StoreError> {
        let doing = doing("forget a registered server");
        let mut change = TopicChange::begin(self, RevisionTopic::Registrations).await.map_err(&doing)?;
        let mut removed = 0;
        for statement in [REMOVE_ALL_OF, REMOVE_SERVER] {
            let remove = change.tx.sql(statement).bind(change.tenant).bind(server.as_str());
            removed += remove.execute().await.map_err(&doing)?;
        }
        if removed == 0 {
            return Ok(false);
        }
        let forget = change.tx.sql(FORGET_TOKENS).bind(change.tenant).bind(server.as_str());
        if forget.execute().await.map_err(&doing)? > 0 {
            change.touch(RevisionTopic::Vault).await.map_err(&doing)?;
        }
        change.finish(events).await.map_err(&doing)?;
        Ok(true)
    }
}

/// Stores the data of the server, and returns the instance's status.
async fn join(
    change: &mut TopicChange<'_>,
    registering: &NewInstance,
    limits: RegistrationLimits,
) -> Result<JoinKind, RegisterError> {
    let is_new_server = keep_server(change, &registering.server).await.map_err(doing(REGISTERING))?;
    if is_new_server {
        check_servers(change, limits).await?;
    }
    let settings_changed = set_server(change, registering).await.map_err(doing(REGISTERING))?;
    let known = read_of(change, &registering.server).await?;
    match known.iter().find(|known| known.spec.id == registering.spec.id) {
        None if known.len() >= limits.instances_max => {
            Err(RegisterError::TooManyInstances { max: limits.instances_max })
        }
        None if is_new_server => Ok(JoinKind::FirstOfServer),
        None => Ok(JoinKind::New),
        Some(before) if before.says_the_same(registering) && !settings_changed => Ok(JoinKind::Unchanged),
        Some(_) => Ok(JoinKind::Changed),
    }
}

/// True if the server was unknown before.
async fn keep_server(change: &mut TopicChange<'_>, server: &ServerName) -> Result<bool, sqlx::Error> {
    let keep = change.tx.sql(KEEP_SERVER).bind(change.tenant).bind(server.as_str()).bind(now_ms());
    Ok(keep.execute().await? > 0)
}

/// Includes the new one.
async fn check_servers(
    change: &mut TopicChange<'_>,
    limits: RegistrationLimits,
) -> Result<(), RegisterError> {
    let count = change.tx.sql(COUNT_SERVERS).bind(change.tenant);
    let (count,): (i64,) = count.fetch_one().await.map_err(doing(REGISTERING))?;
    let max = limits.servers_max;
    if usize::try_from(count).is_ok_and(|count| count <= max) {
        return Ok(());
    }
    Err(RegisterError::TooManyServers { max })
}

/// True if the value has changed.
async fn set_server(change: &mut TopicChange<'_>, registering: &NewInstance) -> Result<bool, sqlx::Error> {
    let Some(settings) = &registering.settings else { return Ok(false) };
    let set = change.tx.sql(SET_SERVER).bind(change.tenant).bind(registering.server.as_str());
    Ok(set.bind(settings.as_str()).execute().await? > 0)
}

async fn read_of(
    change: &mut TopicChange<'_>,
    server: &ServerName,
) -> Result<Vec<StoredInstance>, StoreError> {
    let read = change.tx.sql(READ_OF).bind(change.tenant).bind(server.as_str());
    let rows: Vec<InstanceRow> = read.fetch_all().await.map_err(doing(REGISTERING))?;
    rows.into_iter().map(|row| row.read(REGISTERING)).collect()
}

async fn write(change: &mut TopicChange<'_>, registering: &NewInstance) -> Result<i64, sqlx::Error> {
    let NewInstance { server, spec, lease, .. } = registering;
    let write = change.tx.sql(WRITE).bind(change.tenant).bind(server.as_str()).bind(spec.id.as_str());
    let write = write.bind(without_nul(&spec.url)).bind(spec.version.as_deref().map(without_nul));
    let write = write.bind(spec.concurrency_max.map(|max| stored_count(max as u64)));
    let write =
        write.bind(i64::try_from(lease.as_millis()).unwrap_or(i64::MAX)).bind(i64::from(spec.wants_token));
    let write = write.bind(RawJson::from_serialize(&*spec.extras).as_str().to_owned());
    let (beat,): (i64,) = write.bind(now_ms()).bind(change.revision << FIRST_BEAT_SHIFT).fetch_one().await?;
    Ok(beat)
}

fn read_instance(id: &str, doing: &'static str) -> Result<InstanceId, StoreError> {
    InstanceId::new(id).map_err(|_| unreadable(doing, "instance id"))
}

row! {
    struct ServerRow {
        server: String,
        first_registered_ms: i64,
        settings: String,
    }
}

row! {
    struct BeatRow {
        server: String,
        instance: String,
        beat: i64,
    }
}

row! {
    struct InstanceRow {
        server: String,
        instance: String,
        url: String,
        version: Option<String>,
        concurrency_max: Option<i64>,
        lease_ms: i64,
        wants_token: i64,
        extras: String,
        registered_at_ms: i64,
        beat: i64,
    }
}

impl InstanceRow {
    fn read(self, doing: &'static str) -> Result<StoredInstance, StoreError> {
        let extras: BTreeMap<String, ToolExtra> =
            serde_json::from_str(&self.extras).map_err(|_| unreadable(doing, "extras of an instance"))?;
        let spec = InstanceSpec {
            id: read_instance(&self.instance, doing)?,
            url: self.url,
            version: self.version,
            concurrency_max: self.concurrency_max.and_then(|max| usize::try_from(max).ok()),
            wants_token: self.wants_token != 0,
            extras: Arc::new(extras),
        };
        Ok(StoredInstance {
            server: read_server(&self.server, doing)?,
            spec,
            lease: Duration::from_millis(read_count(self.lease_ms)),
            registered_at_ms: self.registered_at_ms,
            beat: read_count(self.beat),
        })
    }
}
