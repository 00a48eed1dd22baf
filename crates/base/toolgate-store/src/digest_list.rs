//! Statements over a list of digests. Postgres takes the list as one value; SQLite has a place for each, in texts for 1, 2, 4, …
//! digests, so that each text is prepared once.

use std::sync::Arc;

use sqlx::AssertSqlSafe;
use toolgate_core::Digest;

use crate::Store;
use crate::db::{DbRow, Dialect, SqlStatement, Transaction};

/// The largest text has 2 to the power of this many digests.
const LARGEST_POWER: usize = 8;
/// The number of digests of one statement.
pub(crate) const DIGESTS_AT_ONCE: usize = 1 << LARGEST_POWER;

/// `SELECT … WHERE tenant = … AND digest IN (…)`
pub(crate) struct DigestListQuery {
    sqlite: [Arc<str>; LARGEST_POWER + 1],
    postgres: Arc<str>,
    /// The same, and the rows stay as they are until the end of the transaction.
    postgres_locked: Arc<str>,
}

impl DigestListQuery {
    /// `select` is a statement without its conditions; `more` may add some, each beginning with `AND`.
    pub(crate) fn new(select: &str, more: &str) -> Self {
        let sqlite = std::array::from_fn(|power| {
            let mut places = "?".to_owned();
            for _ in 1..1 << power {
                places.push_str(", ?");
            }
            format!("{select} WHERE tenant = ? AND digest IN ({places}){more}").into()
        });
        let postgres = format!("{select} WHERE tenant = $1 AND digest = ANY($2){more}");
        Self { sqlite, postgres_locked: format!("{postgres} FOR SHARE").into(), postgres: postgres.into() }
    }

    /// The rows of these digests, in any order.
    pub(crate) async fn fetch<T: DbRow>(
        &self,
        store: &Store,
        digests: &[Digest],
    ) -> Result<Vec<T>, sqlx::Error> {
        let mut rows = Vec::with_capacity(digests.len());
        for both in digests.chunks(2 * DIGESTS_AT_ONCE) {
            let (one, other) = both.split_at(both.len().min(DIGESTS_AT_ONCE));
            // The database looks for the rows of one part while those of the other are read.
            let (one, other) = tokio::try_join!(self.fetch_part(store, one), self.fetch_part(store, other))?;
            rows.extend(one);
            rows.extend(other);
        }
        Ok(rows)
    }

    /// The rows of so many digests as one statement takes, or of none.
    async fn fetch_part<T: DbRow>(&self, store: &Store, digests: &[Digest]) -> Result<Vec<T>, sqlx::Error> {
        if digests.is_empty() {
            return Ok(Vec::new());
        }
        let text = match store.db.dialect() {
            Dialect::Sqlite => Arc::clone(&self.sqlite[power_of(digests.len())]),
            Dialect::Postgres => Arc::clone(&self.postgres),
        };
        let mut statement = store.db.sql(AssertSqlSafe(text));
        push(&mut statement, store.db.dialect(), store.tenant, digests);
        statement.fetch_all::<T>().await
    }

    /// The same within a transaction, which keeps the rows from being changed or removed.
    pub(crate) async fn lock<T: DbRow>(
        &self,
        tx: &mut Transaction,
        tenant: &'static str,
        digests: &[Digest],
    ) -> Result<Vec<T>, sqlx::Error> {
        let dialect = tx.dialect();
        let mut rows = Vec::with_capacity(digests.len());
        for part in digests.chunks(DIGESTS_AT_ONCE) {
            let text = match dialect {
                Dialect::Sqlite => Arc::clone(&self.sqlite[power_of(part.len())]),
                Dialect::Postgres => Arc::clone(&self.postgres_locked),
            };
            let mut statement = tx.sql(AssertSqlSafe(text));
            push(&mut statement, dialect, tenant, part);
            rows.extend(statement.fetch_all::<T>().await?);
        }
        Ok(rows)
    }
}

fn power_of(count: usize) -> usize {
    count.next_power_of_two().trailing_zeros() as usize
}

/// On SQLite, places that are left have the last digest once more.
fn push(statement: &mut SqlStatement<'_>, dialect: Dialect, tenant: &'static str, digests: &[Digest]) {
    statement.push(tenant);
    match dialect {
        Dialect::Postgres => {
            statement.push_list(digests.iter().map(|one| &one.as_bytes()[..]).collect::<Vec<_>>())
        }
        Dialect::Sqlite => {
            let last = digests.last().into_iter().cycle();
            let padded = digests.iter().chain(last).take(digests.len().next_power_of_two());
            padded.for_each(|one| statement.push(&one.as_bytes()[..]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_a_place_for_each_digest_and_few_are_prepared() {
        let query = DigestListQuery::new("SELECT a FROM t", " AND b IS NULL");
        assert_eq!(&*query.sqlite[0], "SELECT a FROM t WHERE tenant = ? AND digest IN (?) AND b IS NULL");
        assert_eq!(query.sqlite[LARGEST_POWER].matches('?').count(), DIGESTS_AT_ONCE + 1);
        assert!(query.postgres_locked.ends_with("= ANY($2) AND b IS NULL FOR SHARE"));
        for (count, power) in [(1, 0), (2, 1), (3, 2), (4, 2), (255, 8), (256, 8)] {
            assert_eq!(power_of(count), power, "{count}");
        }
    }
}
