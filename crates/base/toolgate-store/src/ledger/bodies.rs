//! Bodies: arguments and results under their digests, for as long as they are retained.

use std::collections::HashMap;
use std::sync::LazyLock;

use toolgate_core::event::{Durability, LedgerBody, LedgerEntry};
use toolgate_core::{Digest, RawJson};

use super::head::LedgerStream;
use crate::db::{SqlStatement, Transaction};
use crate::error::doing;
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};

/// The same body comes with every call of some tools. Its expiry is moved only when it is this much too
/// short, or each call would rewrite the row.
const STEP_MS: i64 = 12 * 60 * 60 * 1000;
/// The delay before a body is deleted: the stored time may be one step short, and a writer's memory of it
/// another.
const SLACK_MS: i64 = 2 * STEP_MS;
/// The number of bodies that are deleted in one transaction, which blocks all other writers of SQLite.
const DELETED_AT_ONCE: u32 = 1_000;
/// The number of stored bodies that a writer remembers.
const KNOWN_MAX: usize = 8_192;

const INSERT_INTO: &str = "INSERT INTO ledger_bodies (digest, tenant, body, keep_until_ms) VALUES ";
pub(super) static UNLESS_THERE: LazyLock<String> = LazyLock::new(|| {
    format!(
        " ON CONFLICT (digest) DO UPDATE SET keep_until_ms = excluded.keep_until_ms \
         WHERE ledger_bodies.keep_until_ms <= excluded.keep_until_ms - {STEP_MS}"
    )
});
static INSERT: LazyLock<MultiRowInsert> =
    LazyLock::new(|| MultiRowInsert::new(INSERT_INTO, 4, &UNLESS_THERE));
/// The same for one body.
pub(super) static INSERT_ONE: LazyLock<String> =
    LazyLock::new(|| format!("{INSERT_INTO}(?1, ?2, ?3, ?4){}", *UNLESS_THERE));
const READ: &str = "SELECT body FROM ledger_bodies WHERE digest = $1 AND tenant = $2";
const DELETE: &str = "DELETE FROM ledger_bodies WHERE digest IN \
     (SELECT digest FROM ledger_bodies WHERE keep_until_ms <= $1 LIMIT $2)";

/// No digest twice.
pub(super) async fn insert(
    tx: &mut Transaction,
    pen: &LedgerStream,
    bodies: Vec<&LedgerBody>,
) -> Result<(), sqlx::Error> {
    let push = |to: &mut SqlStatement<'_>, body: &&LedgerBody| {
        to.push(&body.digest.as_bytes()[..]);
        to.push(pen.tenant);
        to.push(body.json.as_str());
        to.push(body.keep_until_ms);
    };
    INSERT.execute(tx, &bodies, push).await
}

/// Bodies that this process has stored and that are not deleted yet, with their retention time.
#[derive(Default)]
pub(super) struct KnownBodies(HashMap<Digest, i64>);

impl KnownBodies {
    pub(super) fn covers(&self, body: &LedgerBody) -> bool {
        self.0.get(&body.digest).is_some_and(|until| *until > body.keep_until_ms.saturating_sub(STEP_MS))
    }

    /// Notes committed bodies.
    pub(super) fn note(&mut self, entries: &[&LedgerEntry]) {
        for body in entries.iter().flat_map(|entry| &entry.bodies) {
            if self.0.len() >= KNOWN_MAX && !self.0.contains_key(&body.digest) {
                self.0.clear();
            }
            if !self.covers(body) {
                self.0.insert(body.digest, body.keep_until_ms);
            }
        }
    }
}

impl Store {
    /// A body that an event references, unless it has expired or was never stored.
    pub async fn ledger_body(&self, digest: &Digest) -> Result<Option<RawJson>, StoreError> {
        const DOING: &str = "read a body of the ledger";
        let read = self.db.sql(READ).bind(&digest.as_bytes()[..]).bind(self.tenant);
        let Some((body,)) = read.fetch_optional::<(String,)>().await.map_err(doing(DOING))? else {
            return Ok(None);
        };
        let body = RawJson::parse(body.into_bytes().into());
        body.map(Some).map_err(|_| StoreError::Unreadable { doing: DOING, what: "body" })
    }

    /// Deletes the bodies that expired a day or more ago, and returns how many.
    pub async fn delete_expired_bodies(&self, now_ms: i64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let some = self.delete_some_bodies(now_ms.saturating_sub(SLACK_MS)).await;
            let some = some.map_err(doing("delete bodies whose time is over"))?;
            deleted += some;
            if some < u64::from(DELETED_AT_ONCE) {
                return Ok(deleted);
            }
        }
    }

    async fn delete_some_bodies(&self, until_ms: i64) -> Result<u64, sqlx::Error> {
        let mut tx = self.db.begin(Durability::Written).await?;
        let deleted = tx.sql(DELETE).bind(until_ms).bind(i64::from(DELETED_AT_ONCE)).execute().await?;
        tx.commit().await?;
        Ok(deleted)
    }
}
