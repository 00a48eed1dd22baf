//! Messages between the runs of a principal and their models. The rows stay, with their digests: nobody can take one away
//! unnoticed. Runs that have not ended keep theirs, as open approvals do.

use super::scope::ErasureScope;
use crate::Store;
use crate::db::{SqlStatement, Transaction, without_nul};

const COUNT: &str = "SELECT COUNT(*) FROM run_messages WHERE ";
/// Without the salt, the digest says nothing about the content.
const EMPTY: &str = "UPDATE run_messages SET parts = '[]', salt = NULL WHERE ";
const ERASABLE: &str = "tenant = $1 AND salt IS NOT NULL AND run IN (SELECT r.id FROM runs r \
     JOIN run_loops l ON l.tenant = r.tenant AND l.run = r.id WHERE r.tenant = $1 AND r.principal = $2 \
     AND (CAST($3 AS TEXT) IS NULL OR r.session = $3) AND l.state = 'done')";

impl Store {
    /// The number of messages to empty.
    pub(super) async fn count_messages(&self, scope: &ErasureScope) -> Result<u64, sqlx::Error> {
        if scope.call.is_some() {
            return Ok(0);
        }
        let mut count = self.db.sql(sqlx::AssertSqlSafe(format!("{COUNT}{ERASABLE}")));
        push_runs(&mut count, self.tenant, scope);
        let (count,): (i64,) = count.fetch_one().await?;
        Ok(count.unsigned_abs())
    }
}

pub(super) async fn empty(
    tx: &mut Transaction,
    tenant: &'static str,
    scope: &ErasureScope,
) -> Result<u64, sqlx::Error> {
    if scope.call.is_some() {
        return Ok(0);
    }
    let mut empty = tx.sql(sqlx::AssertSqlSafe(format!("{EMPTY}{ERASABLE}")));
    push_runs(&mut empty, tenant, scope);
    empty.execute().await
}

fn push_runs(to: &mut SqlStatement<'_>, tenant: &'static str, scope: &ErasureScope) {
    to.push(tenant);
    to.push(without_nul(scope.principal.as_str()));
    to.push(scope.session.as_ref().map(|session| without_nul(session.as_str())));
}
