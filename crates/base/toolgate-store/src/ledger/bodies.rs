//! Bodies: arguments and results under the commitments to them, each with its salt, for as long as they are
//! retained.

use std::sync::LazyLock;

use toolgate_core::event::Durability;
use toolgate_core::{Commitment, Digest, RawJson, Salt};

use super::commitments::{BatchCommitments, BodyRow, STEP_MS};
use super::head::LedgerStream;
use crate::db::{SqlStatement, Transaction};
use crate::error::doing;
use crate::rows::MultiRowInsert;
use crate::{Store, StoreError};

/// The delay before a body is deleted: the stored time may be one step short, and a writer's memory of it
/// another.
const SLACK_MS: i64 = 2 * STEP_MS;
/// The number of bodies that are deleted in one transaction, which blocks all other writers of SQLite.
const DELETED_AT_ONCE: u32 = 1_000;

const INSERT_INTO: &str = "INSERT INTO ledger_bodies (digest, tenant, body, keep_until_ms, salt) VALUES ";
static INSERT: LazyLock<MultiRowInsert> = LazyLock::new(|| MultiRowInsert::new(INSERT_INTO, 5, ""));
/// The same for one body.
pub(super) static INSERT_ONE: LazyLock<String> =
    LazyLock::new(|| format!("{INSERT_INTO}(?1, ?2, ?3, ?4, ?5)"));
/// Looks into each box, the latest first: most bodies that people look at are young. A cross join keeps the boxes first; SQLite would
/// read all bodies and look for their boxes.
pub(super) const READ: &str = "WITH RECURSIVE boxes (number) AS (SELECT MAX(place) >> 8 FROM ledger_bodies UNION ALL \
     SELECT number - 1 FROM boxes WHERE number > (SELECT MIN(place) >> 8 FROM ledger_bodies)) \
     SELECT salt, body FROM boxes CROSS JOIN ledger_bodies WHERE place >> 8 = number AND digest = $1 AND tenant = $2 LIMIT 1";
const DELETE: &str = "DELETE FROM ledger_bodies WHERE place IN \
     (SELECT place FROM ledger_bodies WHERE keep_until_ms <= $1 LIMIT $2)";

pub(super) async fn insert(
    tx: &mut Transaction,
    pen: &LedgerStream,
    committed: &BatchCommitments<'_>,
) -> Result<(), sqlx::Error> {
    let push = |to: &mut SqlStatement<'_>, row: &BodyRow<'_>| {
        to.push(&row.digest.as_bytes()[..]);
        to.push(pen.tenant);
        to.push(row.body.json.as_str());
        to.push(row.body.keep_until_ms);
        to.push(&row.salt.as_bytes()[..]);
    };
    INSERT.execute(tx, &committed.rows, push).await
}

/// A body that is what its event says.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptBody {
    /// `None` for bodies of the ledger's first form, which events name by their plain digests.
    pub salt: Option<Salt>,
    pub json: RawJson,
}

/// True if a stored body is the one that an event committed to. Without a salt it is of the first form.
pub(super) fn is_intact(recorded: Digest, salt: Option<&[u8]>, body: &[u8]) -> bool {
    let commitment = Commitment::recorded(recorded);
    match salt.map(<[u8; Salt::BYTES]>::try_from) {
        None => commitment.is_plain(body),
        Some(Ok(salt)) => commitment.opens(&Salt::from_bytes(salt), body),
        Some(Err(_)) => false,
    }
}

impl Store {
    /// A body that an event references, unless it has expired, was erased or was never stored. One that was
    /// changed is not returned.
    pub async fn ledger_body(&self, digest: &Digest) -> Result<Option<RawJson>, StoreError> {
        Ok(self.kept_body(digest).await?.map(|kept| kept.json))
    }

    /// The same with its salt, which proves that it is the one.
    pub async fn kept_body(&self, digest: &Digest) -> Result<Option<KeptBody>, StoreError> {
        const DOING: &str = "read a body of the ledger";
        let read = self.db.sql(READ).bind(&digest.as_bytes()[..]).bind(self.tenant);
        let row: Option<(Option<Vec<u8>>, String)> = read.fetch_optional().await.map_err(doing(DOING))?;
        let Some((salt, body)) = row else { return Ok(None) };
        if !is_intact(*digest, salt.as_deref(), body.as_bytes()) {
            return Err(StoreError::BodyChanged { digest: *digest });
        }
        let unreadable = |_| StoreError::Unreadable { doing: DOING, what: "body" };
        let json = RawJson::parse(body.into_bytes().into()).map_err(unreadable)?;
        let salt = salt.and_then(|salt| salt.try_into().ok()).map(Salt::from_bytes);
        Ok(Some(KeptBody { salt, json }))
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
