//! Grants as rows: permissions to run without asking again.

use toolgate_core::approval::Grant;
use toolgate_core::id::{ApprovalId, GrantId};
use toolgate_core::{CanonicalName, Digest, PrincipalId};

use crate::clock::now_ms;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::{Store, StoreError};

const INSERT: &str = "INSERT INTO grants (tenant, id, principal, tool, tool_version, approval, expires_at_ms,
        revoked_at_ms, uses_left, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const SAVE: &str =
    "UPDATE grants SET revoked_at_ms = $3, uses_left = $4, body = $5 WHERE tenant = $1 AND id = $2";
const READ: &str = "SELECT body FROM grants WHERE tenant = $1 AND id = $2";
const READ_OF_APPROVAL: &str = "SELECT body FROM grants WHERE tenant = $1 AND approval = $2";
const READ_LIVE: &str = "SELECT body FROM grants
    WHERE tenant = $1 AND principal = $2 AND tool = $3 AND tool_version = $4 AND expires_at_ms > $5
        AND revoked_at_ms IS NULL AND (uses_left IS NULL OR uses_left > 0)
    ORDER BY id LIMIT $6";
const LIST: &str = "SELECT body FROM grants WHERE tenant = $1 ORDER BY id DESC LIMIT $2";
const LIST_LIVE: &str = "SELECT body FROM grants
    WHERE tenant = $1 AND expires_at_ms > $3 AND revoked_at_ms IS NULL AND (uses_left IS NULL OR uses_left > 0)
    ORDER BY id DESC LIMIT $2";

/// The maximum number of grants that are checked for one call, and shown in one list.
pub const GRANTS_MAX: i64 = 1_000;

/// A filter for grants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GrantFilter {
    /// Grants that can be used now.
    Live,
    /// Used up, expired and revoked ones too.
    All,
}

impl Store {
    /// Newest first.
    pub async fn list_grants(&self, which: GrantFilter) -> Result<Vec<Grant>, StoreError> {
        const DOING: &str = "list the grants";
        let list = match which {
            GrantFilter::All => self.db.sql(LIST).bind(self.tenant).bind(GRANTS_MAX),
            GrantFilter::Live => self.db.sql(LIST_LIVE).bind(self.tenant).bind(GRANTS_MAX).bind(now_ms()),
        };
        let rows: Vec<(String,)> = list.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(read).collect::<Result<_, _>>().map_err(doing(DOING))
    }

    pub async fn get_grant(&self, id: &GrantId) -> Result<Option<Grant>, StoreError> {
        const DOING: &str = "read a grant";
        let get = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<(String,)> = get.fetch_optional().await.map_err(doing(DOING))?;
        row.map(read).transpose().map_err(doing(DOING))
    }

    /// Oldest first.
    pub(crate) async fn live_grants(
        &self,
        principal: &PrincipalId,
        tool: &CanonicalName,
        tool_version: Digest,
    ) -> Result<Vec<Grant>, StoreError> {
        const DOING: &str = "look for a grant";
        let live = self.db.sql(READ_LIVE).bind(self.tenant).bind(without_nul(principal.as_str()));
        let live = live.bind(without_nul(tool.as_str())).bind(tool_version.to_string());
        let live = live.bind(now_ms()).bind(GRANTS_MAX);
        let rows: Vec<(String,)> = live.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(read).collect::<Result<_, _>>().map_err(doing(DOING))
    }
}

pub(crate) async fn insert(
    transaction: &mut Transaction,
    tenant: &str,
    grant: &Grant,
) -> Result<(), sqlx::Error> {
    let insert = transaction.sql(INSERT).bind(tenant).bind(grant.id.as_str());
    let insert = insert.bind(without_nul(grant.principal.as_str())).bind(without_nul(grant.tool.as_str()));
    let insert = insert.bind(grant.tool_version.to_string()).bind(grant.approval.as_str());
    let insert =
        insert.bind(grant.expires_at_ms).bind(grant.revoked_at_ms).bind(grant.uses_left.map(i64::from));
    insert.bind(body(grant)).execute().await.map(drop)
}

/// Reads a grant and locks it until the end of this transaction.
pub(crate) async fn lock(
    transaction: &mut Transaction,
    tenant: &str,
    id: &GrantId,
) -> Result<Option<Grant>, sqlx::Error> {
    let lock = transaction.sql_for_update(READ).bind(tenant).bind(without_nul(id.as_str()));
    let row: Option<(String,)> = lock.fetch_optional().await?;
    row.map(read).transpose()
}

/// The grant that an approval created.
pub(crate) async fn of_approval(
    transaction: &mut Transaction,
    tenant: &str,
    approval: &ApprovalId,
) -> Result<Option<Grant>, sqlx::Error> {
    let find = transaction.sql(READ_OF_APPROVAL).bind(tenant).bind(approval.as_str());
    let row: Option<(String,)> = find.fetch_optional().await?;
    row.map(read).transpose()
}

pub(crate) async fn save(
    transaction: &mut Transaction,
    tenant: &str,
    grant: &Grant,
) -> Result<(), sqlx::Error> {
    let save = transaction.sql(SAVE).bind(tenant).bind(grant.id.as_str()).bind(grant.revoked_at_ms);
    let save = save.bind(grant.uses_left.map(i64::from)).bind(body(grant));
    save.execute().await.map(drop)
}

fn body(grant: &Grant) -> String {
    serde_json::to_string(grant).expect("a grant is plain data")
}

fn read((body,): (String,)) -> Result<Grant, sqlx::Error> {
    serde_json::from_str(&body).map_err(|cause| sqlx::Error::Decode(cause.into()))
}
