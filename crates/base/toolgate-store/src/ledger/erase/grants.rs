//! Grants of a principal. Their pins are plain digests of single arguments, from which a short value can be guessed.

use toolgate_core::Digest;
use toolgate_core::approval::Grant;

use super::scope::ErasureScope;
use crate::Store;
use crate::clock::now_ms;
use crate::db::{Transaction, without_nul};

const READ: &str = "SELECT body FROM grants WHERE tenant = $1 AND principal = $2";
const DELETE: &str = "DELETE FROM grants WHERE tenant = $1 AND id = $2";
/// The digest of nothing: a call that the grant would have covered is asked about again.
const BLANK: Digest = Digest::from_bytes([0; 32]);

impl Store {
    /// The number of grants to delete or to blank. `approvals` are those within the scope.
    pub(super) async fn count_grants(
        &self,
        scope: &ErasureScope,
        approvals: &[String],
    ) -> Result<u64, sqlx::Error> {
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(scope.principal.as_str()));
        Ok(concerned(read.fetch_all().await?, scope, approvals).len() as u64)
    }
}

/// Deletes those that have ended, and blanks the pins of the others.
pub(super) async fn delete(
    tx: &mut Transaction,
    tenant: &'static str,
    scope: &ErasureScope,
    approvals: &[String],
) -> Result<u64, sqlx::Error> {
    let read = tx.sql_for_update(READ).bind(tenant).bind(without_nul(scope.principal.as_str()));
    let concerned = concerned(read.fetch_all().await?, scope, approvals);
    let count = concerned.len() as u64;
    for mut grant in concerned {
        if grant.is_live(now_ms()) {
            grant.pins.iter_mut().for_each(|pin| pin.value = BLANK);
            crate::grant::save(tx, tenant, &grant).await?;
        } else {
            tx.sql(DELETE).bind(tenant).bind(grant.id.as_str()).execute().await?;
        }
    }
    Ok(count)
}

fn concerned(rows: Vec<(String,)>, scope: &ErasureScope, approvals: &[String]) -> Vec<Grant> {
    let is_of_all_calls = scope.session.is_none() && scope.call.is_none();
    let grants = rows.iter().filter_map(|(body,)| serde_json::from_str::<Grant>(body).ok());
    let grants = grants.filter(|grant| {
        let is_within = is_of_all_calls || approvals.iter().any(|id| id == grant.approval.as_str());
        let says_something = grant.pins.iter().any(|pin| pin.value != BLANK);
        is_within && (says_something || !grant.is_live(now_ms()))
    });
    grants.collect()
}
