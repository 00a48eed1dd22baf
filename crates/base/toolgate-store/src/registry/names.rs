//! The names of tools and prompts for agents, as rows. A name is written once and never changes its owner: if
//! several gateways assign it at the same moment, one wins, and the others learn the owner.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use toolgate_core::registry::{NamedKind, WireName};
use toolgate_core::{CanonicalName, Digest, RawJson, ServerName};

use super::columns::{read_server, unreadable};
use crate::books::Books;
use crate::clock::now_ms;
use crate::error::doing;
use crate::revisions::{RevisionTopic, TopicChange};
use crate::row::row;
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};

/// The maximum number of names per server, counting past ones. A server that makes up names without end keeps
/// the ones it had.
pub const NAMES_PER_SERVER_MAX: usize = 50_000;

const READ: &str = "SELECT kind, name, server, owner FROM wire_names WHERE tenant = $1";
/// Takes the tenant and the keys, as a JSON array.
const READ_SQLITE: &str = "SELECT kind, name, server, owner FROM wire_names
    WHERE tenant = $1 AND key IN (SELECT value FROM json_each($2))";
const READ_POSTGRES: &str = "SELECT kind, name, server, owner FROM wire_names
    WHERE tenant = $1 AND key IN (SELECT json_array_elements_text($2::json))";
const COUNT: &str = "SELECT COUNT(*) FROM wire_names WHERE tenant = $1 AND server = $2";
const COLUMN_COUNT: usize = 7;
static WRITE: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let before = "INSERT INTO wire_names (tenant, kind, key, name, server, owner, given_ms) VALUES ";
    MultiRowInsert::new(before, COLUMN_COUNT, " ON CONFLICT DO NOTHING")
});

row! {
    struct NameRow {
        kind: String,
        name: String,
        server: String,
        owner: String,
    }
}

impl Store {
    /// All that were ever given.
    pub async fn read_wire_names(&self) -> Result<Vec<WireName>, StoreError> {
        const DOING: &str = "read the names that agents know";
        let rows: Vec<NameRow> =
            self.db.sql(READ).bind(self.tenant).fetch_all().await.map_err(doing(DOING))?;
        rows.iter().map(|row| read(row, DOING)).collect()
    }
}

impl Books {
    /// Assigns the requested names, and returns the owner of each. A missing name was not assigned: its
    /// server has had too many.
    pub async fn give_wire_names(&self, wanted: &[WireName]) -> Result<Vec<WireName>, StoreError> {
        const DOING: &str = "write the names that agents know";
        let doing = doing(DOING);
        let mut change = TopicChange::begin(self, RevisionTopic::Tools).await.map_err(&doing)?;
        let allowed = within_limit(&mut change, wanted).await.map_err(&doing)?;
        let (tenant, given_ms) = (change.tenant, now_ms());
        let write = WRITE.execute(&mut change.tx, &allowed, |to, one| {
            to.push(tenant);
            to.push(one.kind.as_str());
            to.push(key(&one.name));
            to.push(json(&one.name));
            to.push(one.server.shared());
            to.push(json(one.owner.as_str()));
            to.push(given_ms);
        });
        write.await.map_err(&doing)?;
        let keys: Vec<String> = wanted.iter().map(|one| key(&one.name)).collect();
        let text = change.tx.dialect().pick(READ_SQLITE, READ_POSTGRES);
        let of_keys =
            change.tx.sql(text).bind(tenant).bind(RawJson::from_serialize(&keys).as_str().to_owned());
        let rows: Vec<NameRow> = of_keys.fetch_all().await.map_err(&doing)?;
        change.finish(Vec::new()).await.map_err(&doing)?;
        rows.iter().map(|row| read(row, DOING)).collect()
    }
}

async fn within_limit<'a>(
    change: &mut TopicChange<'_>,
    wanted: &'a [WireName],
) -> Result<Vec<&'a WireName>, sqlx::Error> {
    let mut room: BTreeMap<&ServerName, usize> = BTreeMap::new();
    for one in wanted {
        if !room.contains_key(&one.server) {
            let count = change.tx.sql(COUNT).bind(change.tenant).bind(one.server.as_str());
            let (count,): (i64,) = count.fetch_one().await?;
            let had = usize::try_from(count).unwrap_or_default();
            room.insert(&one.server, NAMES_PER_SERVER_MAX.saturating_sub(had));
        }
    }
    let mut has_room = |one: &&WireName| {
        let left = room.get_mut(&one.server).expect("counted above");
        left.checked_sub(1).map(|less| *left = less).is_some()
    };
    Ok(wanted.iter().filter(|one| has_room(one)).collect())
}

fn read(row: &NameRow, doing: &'static str) -> Result<WireName, StoreError> {
    let text = |json: &str| serde_json::from_str::<String>(json).map_err(|_| unreadable(doing, "name"));
    Ok(WireName {
        kind: NamedKind::parse(&row.kind).ok_or(unreadable(doing, "kind of a name"))?,
        name: text(&row.name)?,
        server: read_server(&row.server, doing)?,
        owner: CanonicalName::recorded(&text(&row.owner)?),
    })
}

fn json(text: &str) -> String {
    RawJson::from_serialize(&text).as_str().to_owned()
}

fn key(name: &str) -> String {
    Digest::of(name).to_string()
}
