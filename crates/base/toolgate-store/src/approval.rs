//! Approvals as rows: read under a lock, changed by the pure state machine of the core, written back.

use toolgate_core::approval::{Approval, ApprovalState, Binding};
use toolgate_core::id::ApprovalId;
use toolgate_core::{CanonicalName, Digest, PrincipalId};

use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::row::row;
use crate::{Store, StoreError};

const INSERT: &str =
    "INSERT INTO approvals (tenant, id, state, principal, tool, binding, created_at_ms, expires_at_ms,
        resolved_at_ms, version, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, $10) ON CONFLICT DO NOTHING";
const SAVE: &str =
    "UPDATE approvals SET state = $3, expires_at_ms = $4, resolved_at_ms = $5, version = version + 1,
        body = $6
    WHERE tenant = $1 AND id = $2";
const READ: &str = "SELECT version, body FROM approvals WHERE tenant = $1 AND id = $2";
const READ_OPEN: &str = "SELECT version, body FROM approvals
    WHERE tenant = $1 AND binding = $2 AND state IN ('pending', 'approved')";
const READ_ENDED: &str = "SELECT version, body FROM approvals
    WHERE tenant = $1 AND binding = $2 AND resolved_at_ms >= $3
        AND state IN ('denied', 'changes_requested', 'expired', 'used')
    ORDER BY id DESC LIMIT 1";
const OPEN: &str = "SELECT version, body FROM approvals
    WHERE tenant = $1 AND state IN ('pending', 'approved') ORDER BY expires_at_ms, id LIMIT $2";
const LIST: &str = "SELECT version, body FROM approvals WHERE tenant = $1";
const DUE: &str = "SELECT id FROM approvals
    WHERE tenant = $1 AND expires_at_ms <= $2 AND state IN ('pending', 'approved') ORDER BY expires_at_ms, id LIMIT $3";

/// The maximum number of approvals on a page.
pub const APPROVALS_PAGE_MAX: usize = 500;

/// A filter for approvals. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ApprovalFilter {
    pub state: Option<ApprovalState>,
    /// Excludes approvals in this state.
    pub except: Option<ApprovalState>,
    pub principal: Option<PrincipalId>,
    pub tool: Option<CanonicalName>,
}

/// An approval with the number of its changes.
#[derive(Clone, Debug)]
pub(crate) struct VersionedApproval {
    pub(crate) version: i64,
    pub(crate) approval: Approval,
}

impl Store {
    pub async fn get_approval(&self, id: &ApprovalId) -> Result<Option<Approval>, StoreError> {
        const DOING: &str = "read an approval";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<ApprovalRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        let found = row.map(ApprovalRow::read).transpose().map_err(doing(DOING))?;
        Ok(found.map(|found| found.approval))
    }

    /// The approval that is open for this very call.
    pub(crate) async fn open_approval(&self, binding: &Binding) -> Result<Option<Approval>, StoreError> {
        const DOING: &str = "look for an open approval";
        let read = self.db.sql(READ_OPEN).bind(self.tenant).bind(key(binding));
        let row: Option<ApprovalRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        let found = row.map(ApprovalRow::read).transpose().map_err(doing(DOING))?;
        Ok(found.map(|found| found.approval))
    }

    /// The open approvals, the most urgent first.
    pub(crate) async fn open_approvals(&self, count_max: usize) -> Result<Vec<Approval>, StoreError> {
        const DOING: &str = "list the open approvals";
        let read = self.db.sql(OPEN).bind(self.tenant).bind(i64::try_from(count_max).unwrap_or(i64::MAX));
        let rows: Vec<ApprovalRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let read = rows.into_iter().map(|row| row.read().map(|found| found.approval));
        read.collect::<Result<_, _>>().map_err(doing(DOING))
    }

    /// One page, newest first, and the cursor of the next one. A cursor stays valid while rows come and go.
    pub async fn list_approvals(
        &self,
        filter: &ApprovalFilter,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Approval>, Option<String>), StoreError> {
        const DOING: &str = "list the approvals";
        let limit = limit.clamp(1, APPROVALS_PAGE_MAX);
        let conditions = [
            (" AND state = ", filter.state.map(|state| state.as_str().to_owned())),
            (" AND state <> ", filter.except.map(|state| state.as_str().to_owned())),
            (" AND principal = ", filter.principal.as_ref().map(|principal| without_nul(principal.as_str()))),
            (" AND tool = ", filter.tool.as_ref().map(|tool| without_nul(tool.as_str()))),
            (" AND id < ", cursor.map(without_nul)),
        ];
        let wanted: Vec<_> =
            conditions.into_iter().filter_map(|(text, value)| Some((text, value?))).collect();
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(list_text(&wanted))).bind(self.tenant);
        for (_, value) in wanted {
            statement = statement.bind(value);
        }
        // One row more than requested shows whether there is a next page.
        let statement = statement.bind(i64::try_from(limit + 1).expect("a page is limited"));
        let rows: Vec<ApprovalRow> = statement.fetch_all().await.map_err(doing(DOING))?;
        let more = rows.len() > limit;
        let approvals = rows.into_iter().take(limit).map(|row| row.read().map(|found| found.approval));
        let approvals: Vec<Approval> = approvals.collect::<Result<_, _>>().map_err(doing(DOING))?;
        let next = approvals.last().filter(|_| more).map(|last| last.id.to_string());
        Ok((approvals, next))
    }

    /// The oldest approvals whose time is over.
    pub(crate) async fn due_approvals(&self, now_ms: i64, limit: i64) -> Result<Vec<ApprovalId>, StoreError> {
        let due = self.db.sql(DUE).bind(self.tenant).bind(now_ms).bind(limit);
        let ids: Vec<(String,)> =
            due.fetch_all().await.map_err(doing("find approvals whose time is over"))?;
        Ok(ids.into_iter().map(|(id,)| ApprovalId::new(id)).collect())
    }

    /// Those among `ids` that exist.
    pub(crate) async fn approvals_named(&self, ids: &[ApprovalId]) -> Result<Vec<Approval>, StoreError> {
        const DOING: &str = "read some approvals";
        let Some(last) = ids.last() else { return Ok(Vec::new()) };
        // Few different texts, so that they stay prepared.
        let count = ids.len().next_power_of_two();
        let mut statement =
            self.db.sql(sqlx::AssertSqlSafe(named_text("version, body", count))).bind(self.tenant);
        for id in ids.iter().chain(std::iter::repeat(last)).take(count) {
            statement.push(without_nul(id.as_str()));
        }
        let rows: Vec<ApprovalRow> = statement.fetch_all().await.map_err(doing(DOING))?;
        let read = rows.into_iter().map(|row| row.read().map(|found| found.approval));
        read.collect::<Result<_, _>>().map_err(doing(DOING))
    }

    /// The versions of those among `ids` that exist.
    pub(crate) async fn approval_versions(
        &self,
        ids: &[ApprovalId],
    ) -> Result<Vec<(ApprovalId, i64)>, StoreError> {
        let Some(last) = ids.last() else { return Ok(Vec::new()) };
        // Few different texts, so that they stay prepared.
        let count = ids.len().next_power_of_two();
        let mut statement =
            self.db.sql(sqlx::AssertSqlSafe(named_text("id, version", count))).bind(self.tenant);
        for id in ids.iter().chain(std::iter::repeat(last)).take(count) {
            statement = statement.bind(without_nul(id.as_str()));
        }
        let rows: Vec<(String, i64)> = statement.fetch_all().await.map_err(doing("watch approvals"))?;
        Ok(rows.into_iter().map(|(id, version)| (ApprovalId::new(id), version)).collect())
    }
}

fn named_text(columns: &str, count: usize) -> String {
    let places: Vec<String> = (2..count + 2).map(|place| format!("${place}")).collect();
    format!("SELECT {columns} FROM approvals WHERE tenant = $1 AND id IN ({})", places.join(", "))
}

fn list_text(wanted: &[(&'static str, String)]) -> String {
    let mut text = LIST.to_owned();
    for (place, (condition, _)) in wanted.iter().enumerate() {
        text.push_str(&format!("{condition}${}", place + 2));
    }
    text.push_str(&format!(" ORDER BY id DESC LIMIT ${}", wanted.len() + 2));
    text
}

/// Stores a new approval, unless there is an open one with the same binding.
pub(crate) async fn insert(
    transaction: &mut Transaction,
    tenant: &str,
    approval: &Approval,
) -> Result<bool, sqlx::Error> {
    let insert = transaction.sql(INSERT).bind(tenant).bind(approval.id.as_str());
    let insert = insert.bind(approval.state.as_str()).bind(without_nul(approval.binding.principal.as_str()));
    let insert = insert.bind(without_nul(approval.binding.tool.as_str())).bind(key(&approval.binding));
    let insert =
        insert.bind(approval.created_at_ms).bind(approval.expires_at_ms).bind(approval.resolved_at_ms);
    Ok(insert.bind(body(approval)).execute().await? > 0)
}

/// Reads an approval and locks it until the end of this transaction.
pub(crate) async fn lock(
    transaction: &mut Transaction,
    tenant: &str,
    id: &ApprovalId,
) -> Result<Option<VersionedApproval>, sqlx::Error> {
    let read = transaction.sql_for_update(READ).bind(tenant).bind(without_nul(id.as_str()));
    let row: Option<ApprovalRow> = read.fetch_optional().await?;
    row.map(ApprovalRow::read).transpose()
}

/// The same for the open approval of a binding.
pub(crate) async fn lock_open(
    transaction: &mut Transaction,
    tenant: &str,
    binding: &Binding,
) -> Result<Option<VersionedApproval>, sqlx::Error> {
    let read = transaction.sql_for_update(READ_OPEN).bind(tenant).bind(key(binding));
    let row: Option<ApprovalRow> = read.fetch_optional().await?;
    row.map(ApprovalRow::read).transpose()
}

/// The last approval of a binding that ended since then and must be reported.
pub(crate) async fn last_ended(
    transaction: &mut Transaction,
    tenant: &str,
    binding: &Binding,
    since_ms: i64,
) -> Result<Option<Approval>, sqlx::Error> {
    let read = transaction.sql(READ_ENDED).bind(tenant).bind(key(binding)).bind(since_ms);
    let row: Option<ApprovalRow> = read.fetch_optional().await?;
    Ok(row.map(ApprovalRow::read).transpose()?.map(|found| found.approval))
}

/// Writes back a locked approval.
pub(crate) async fn save(
    transaction: &mut Transaction,
    tenant: &str,
    approval: &Approval,
) -> Result<(), sqlx::Error> {
    let save = transaction.sql(SAVE).bind(tenant).bind(approval.id.as_str()).bind(approval.state.as_str());
    let save = save.bind(approval.expires_at_ms).bind(approval.resolved_at_ms).bind(body(approval));
    save.execute().await.map(drop)
}

row! {
    struct ApprovalRow {
        version: i64,
        body: String,
    }
}

impl ApprovalRow {
    fn read(self) -> Result<VersionedApproval, sqlx::Error> {
        let approval = serde_json::from_str(&self.body).map_err(|cause| sqlx::Error::Decode(cause.into()))?;
        Ok(VersionedApproval { version: self.version, approval })
    }
}

fn body(approval: &Approval) -> String {
    serde_json::to_string(approval).expect("an approval is plain data")
}

/// One value for the whole binding: its texts may be too long for an index.
fn key(binding: &Binding) -> String {
    let text = serde_json::to_vec(binding).expect("a binding is plain data");
    Digest::of(text).to_string()
}
