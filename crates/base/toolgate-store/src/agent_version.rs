//! Versions of agent definitions: each that was ever in effect, numbered for each agent in the order they were seen.

use toolgate_core::event::Event;
use toolgate_core::scope::AgentName;
use toolgate_core::{Digest, RawJson};

use crate::books::Books;
use crate::error::doing;
use crate::registry::{read_count, read_raw, stored_count, unreadable};
use crate::revisions::{RevisionTopic, TopicChange};
use crate::row::row;
use crate::{Store, StoreError};

const READ: &str = "SELECT number, digest, definition, first_seen_at_ms FROM agent_versions
    WHERE tenant = $1 AND agent = $2 ORDER BY number";
const ALL: &str = "SELECT agent, digest FROM agent_versions WHERE tenant = $1";
const LAST: &str = "SELECT COALESCE(MAX(number), 0) FROM agent_versions WHERE tenant = $1 AND agent = $2";
const KEEP: &str = "INSERT INTO agent_versions (tenant, agent, number, digest, definition, first_seen_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentVersion {
    /// 1 is the first.
    pub number: u64,
    pub digest: Digest,
    /// As JSON.
    pub definition: RawJson,
    pub first_seen_at_ms: i64,
}

/// A version that may have been seen before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewAgentVersion {
    pub agent: AgentName,
    pub digest: Digest,
    pub definition: RawJson,
    pub seen_at_ms: i64,
}

impl Store {
    /// The versions of an agent, the first one first.
    pub async fn read_agent_versions(&self, agent: &AgentName) -> Result<Vec<AgentVersion>, StoreError> {
        const DOING: &str = "read the versions of an agent";
        let read = self.db.sql(READ).bind(self.tenant).bind(agent.as_str());
        let rows: Vec<VersionRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let read = |row: VersionRow| {
            Ok(AgentVersion {
                number: read_count(row.number),
                digest: read_digest(&row.digest, DOING)?,
                definition: read_raw(row.definition, DOING, "definition of an agent")?,
                first_seen_at_ms: row.first_seen_at_ms,
            })
        };
        rows.into_iter().map(read).collect()
    }

    /// The known versions of all agents.
    pub async fn read_agent_digests(&self) -> Result<Vec<(AgentName, Digest)>, StoreError> {
        const DOING: &str = "read which versions of agents were seen";
        let rows: Vec<(String, Vec<u8>)> =
            self.db.sql(ALL).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        let read = |(agent, digest): (String, Vec<u8>)| {
            let agent = AgentName::new(&agent).map_err(|_| unreadable(DOING, "name of an agent"))?;
            Ok((agent, read_digest(&digest, DOING)?))
        };
        rows.into_iter().map(read).collect()
    }
}

row! {
    struct VersionRow {
        number: i64,
        digest: Vec<u8>,
        definition: String,
        first_seen_at_ms: i64,
    }
}

impl Books {
    /// Numbers each version that was not seen before, and records the event that `event` makes of it. Returns
    /// how many there were.
    pub async fn keep_agent_versions(
        &self,
        versions: &[NewAgentVersion],
        event: impl Fn(&NewAgentVersion, u64) -> Event,
    ) -> Result<usize, StoreError> {
        let doing = doing("keep versions of agents");
        let mut change = TopicChange::begin(self, RevisionTopic::Sessions).await.map_err(&doing)?;
        let mut events = Vec::new();
        for version in versions {
            if let Some(number) = keep(&mut change, version).await.map_err(&doing)? {
                events.push(event(version, number));
            }
        }
        let count = events.len();
        change.finish_quietly(events).await.map_err(&doing)?;
        Ok(count)
    }
}

/// Its number, if it is new. No other transaction gives out numbers meanwhile.
async fn keep(change: &mut TopicChange<'_>, version: &NewAgentVersion) -> Result<Option<u64>, sqlx::Error> {
    let last = change.tx.sql(LAST).bind(change.tenant).bind(version.agent.as_str());
    let (last,): (i64,) = last.fetch_one().await?;
    let number = read_count(last) + 1;
    let keep =
        change.tx.sql(KEEP).bind(change.tenant).bind(version.agent.as_str()).bind(stored_count(number));
    let keep = keep.bind(&version.digest.as_bytes()[..]).bind(version.definition.as_str());
    Ok((keep.bind(version.seen_at_ms).execute().await? > 0).then_some(number))
}

fn read_digest(bytes: &[u8], doing: &'static str) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable(doing, "version of an agent"))
}
