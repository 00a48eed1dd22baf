//! The content of a principal's calls in other tables: refs, results under ids of clients, the arguments that
//! people were shown, grants, and messages of runs.

use toolgate_core::approval::{Approval, ApprovalState};

use super::scope::{ErasureCounts, ErasureScope};
use super::{grants, messages};
use crate::Store;
use crate::db::{SqlStatement, Transaction, without_nul};

const COUNT: &str = "SELECT COUNT(*) FROM ";
const DELETE: &str = "DELETE FROM ";
const REFS: &str = "refs WHERE tenant = $1 AND principal = $2 \
     AND (CAST($3 AS TEXT) IS NULL OR session = $3) AND (CAST($4 AS TEXT) IS NULL OR call = $4)";
/// A sender that repeats such a call is told that its id was used for another: it does not run twice.
const FORGET_RESULTS: &str = "UPDATE batch_calls SET result = '{}', request = $4 WHERE ";
const RESULTS: &str = "tenant = $1 AND state = 'done' AND result <> '{}' AND run IN \
     (SELECT id FROM runs WHERE tenant = $1 AND principal = $2 AND (CAST($3 AS TEXT) IS NULL OR session = $3))";
const APPROVALS: &str = "SELECT id, body FROM approvals WHERE tenant = $1 AND principal = $2";
const DELETE_APPROVAL: &str = "DELETE FROM approvals WHERE tenant = $1 AND id = $2";

impl Store {
    /// The rows to delete, and the number of approvals that are still open.
    pub(super) async fn count_beside(
        &self,
        scope: &ErasureScope,
    ) -> Result<(ErasureCounts, u64), sqlx::Error> {
        let mut refs = self.db.sql(sqlx::AssertSqlSafe(format!("{COUNT}{REFS}")));
        push_scope(&mut refs, self.tenant, scope);
        let (refs,): (i64,) = refs.bind(call(scope)).fetch_one().await?;
        let results = match scope.call {
            Some(_) => 0,
            None => {
                let mut count =
                    self.db.sql(sqlx::AssertSqlSafe(format!("{COUNT}batch_calls WHERE {RESULTS}")));
                push_scope(&mut count, self.tenant, scope);
                count.fetch_one::<(i64,)>().await?.0
            }
        };
        let read = self.db.sql(APPROVALS).bind(self.tenant).bind(without_nul(scope.principal.as_str()));
        let (ended, open) = approvals(read.fetch_all().await?, scope);
        let counts = ErasureCounts {
            bodies: 0,
            refs: refs.unsigned_abs(),
            results: results.unsigned_abs(),
            approvals: ended.len() as u64,
            grants: self.count_grants(scope, &ended).await?,
            messages: self.count_messages(scope).await?,
        };
        Ok((counts, open))
    }
}

pub(super) async fn delete(
    tx: &mut Transaction,
    tenant: &'static str,
    scope: &ErasureScope,
) -> Result<ErasureCounts, sqlx::Error> {
    let read = tx.sql(APPROVALS).bind(tenant).bind(without_nul(scope.principal.as_str()));
    let (ended, _) = approvals(read.fetch_all().await?, scope);
    for id in &ended {
        tx.sql(DELETE_APPROVAL).bind(tenant).bind(id.as_str()).execute().await?;
    }
    let grants = grants::delete(tx, tenant, scope, &ended).await?;
    let mut refs = tx.sql(sqlx::AssertSqlSafe(format!("{DELETE}{REFS}")));
    push_scope(&mut refs, tenant, scope);
    let refs = refs.bind(call(scope)).execute().await?;
    let results = match scope.call {
        Some(_) => 0,
        None => forget_results(tx, tenant, scope).await?,
    };
    let messages = messages::empty(tx, tenant, scope).await?;
    Ok(ErasureCounts { bodies: 0, refs, results, approvals: ended.len() as u64, grants, messages })
}

async fn forget_results(
    tx: &mut Transaction,
    tenant: &'static str,
    scope: &ErasureScope,
) -> Result<u64, sqlx::Error> {
    let mut forget = tx.sql(sqlx::AssertSqlSafe(format!("{FORGET_RESULTS}{RESULTS}")));
    push_scope(&mut forget, tenant, scope);
    forget.bind(vec![0u8; 32]).execute().await
}

fn push_scope(to: &mut SqlStatement<'_>, tenant: &'static str, scope: &ErasureScope) {
    to.push(tenant);
    to.push(without_nul(scope.principal.as_str()));
    to.push(scope.session.as_ref().map(|session| without_nul(session.as_str())));
}

fn call(scope: &ErasureScope) -> Option<String> {
    scope.call.as_ref().map(|call| without_nul(call.as_str()))
}

/// The ids of those that have ended, and the number of the others.
fn approvals(rows: Vec<(String, String)>, scope: &ErasureScope) -> (Vec<String>, u64) {
    let (mut ended, mut open) = (Vec::new(), 0);
    for (id, body) in rows {
        let Ok(approval) = serde_json::from_str::<Approval>(&body) else { continue };
        if !concerns(scope, &approval) {
            continue;
        }
        match approval.state {
            ApprovalState::Pending | ApprovalState::Approved => open += 1,
            _ => ended.push(id),
        }
    }
    (ended, open)
}

fn concerns(scope: &ErasureScope, approval: &Approval) -> bool {
    let calls = [Some(&approval.call), approval.used_by.as_ref()];
    scope.session.as_ref().is_none_or(|wanted| approval.session.as_ref() == Some(wanted))
        && scope.call.as_ref().is_none_or(|wanted| calls.contains(&Some(wanted)))
}
