//! One pinned tool as columns.

use std::sync::Arc;

use toolgate_core::registry::{Definition, ToolRow, ToolStatus};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson};

use super::stored::{StoredTool, ToolRowChange, key};
use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::registry::columns::{read_count, stored_count};
use crate::registry::columns::{read_raw, read_server, unreadable};
use crate::row::row;

/// In the order of `push`.
pub(super) const COLUMNS: &str = "tenant, key, server, own, status, reason, pinned, pinned_version, candidate, \
     candidate_version, findings, rejected, first_seen_ms, last_seen_ms, reviewed_by, reviewed_at_ms, changes, changes_since_ms, traits, \
     row_version";
pub(super) const COLUMN_COUNT: usize = 20;
pub(super) const OVERWRITE: &str = " ON CONFLICT (tenant, key) DO UPDATE SET \
     status = excluded.status, reason = excluded.reason, pinned = excluded.pinned, \
     pinned_version = excluded.pinned_version, candidate = excluded.candidate, \
     candidate_version = excluded.candidate_version, findings = excluded.findings, rejected = excluded.rejected, \
     first_seen_ms = excluded.first_seen_ms, last_seen_ms = excluded.last_seen_ms, \
     reviewed_by = excluded.reviewed_by, reviewed_at_ms = excluded.reviewed_at_ms, changes = excluded.changes, \
     changes_since_ms = excluded.changes_since_ms, traits = excluded.traits, row_version = excluded.row_version";

pub(super) fn select(condition: &'static str) -> String {
    format!(
        "SELECT tools.server, own, status, reason, pinned, pinned_version, candidate, candidate_version, findings, \
         rejected, first_seen_ms, last_seen_ms, read_ms, reviewed_by, reviewed_at_ms, changes, changes_since_ms, \
         traits, row_version FROM registry_tools tools LEFT JOIN registry_readings readings \
         ON readings.tenant = tools.tenant AND readings.server = tools.server {condition}"
    )
}

pub(super) fn push(tenant: &'static str, change: &ToolRowChange, to: &mut SqlStatement<'_>) {
    let row = &change.row;
    let candidate = row.candidate.as_ref();
    to.push(tenant);
    to.push(key(&row.name));
    to.push(row.server.shared());
    to.push(json(&*row.own));
    to.push(row.status.as_str());
    to.push(row.reason.as_deref().map(without_nul));
    to.push(row.pinned.json.as_str());
    to.push(&row.pinned.version.as_bytes()[..]);
    to.push(candidate.map(|definition| definition.json.as_str()));
    to.push(candidate.map(|definition| &definition.version.as_bytes()[..]));
    to.push(json(&row.findings));
    to.push(row.rejected.as_ref().map(|version| &version.as_bytes()[..]));
    to.push(row.first_seen_ms);
    to.push(row.last_seen_ms);
    to.push(row.reviewed_by.as_ref().map(|by| without_nul(by.as_str())));
    to.push(row.reviewed_at_ms);
    to.push(i64::from(row.changes));
    to.push(row.changes_since_ms);
    to.push(json(&change.traits));
    to.push(stored_count(change.row_version()));
}

fn json(value: &(impl serde::Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("our own types serialise: string keys, no failing impls")
}

row! {
    pub(super) struct ToolText {
        server: String,
        own: String,
        status: String,
        reason: Option<String>,
        pinned: String,
        pinned_version: Vec<u8>,
        candidate: Option<String>,
        candidate_version: Option<Vec<u8>>,
        findings: String,
        rejected: Option<Vec<u8>>,
        first_seen_ms: i64,
        last_seen_ms: i64,
        /// The last time the server was read, if ever.
        read_ms: Option<i64>,
        reviewed_by: Option<String>,
        reviewed_at_ms: Option<i64>,
        changes: i64,
        changes_since_ms: i64,
        traits: String,
        row_version: i64,
    }
}

impl ToolText {
    pub(super) fn read(self, doing: &'static str) -> Result<StoredTool, StoreError> {
        let bad = |what| move |_| unreadable(doing, what);
        let server = read_server(&self.server, doing)?;
        let own: String = serde_json::from_str(&self.own).map_err(bad("name of a tool"))?;
        let status = ToolStatus::parse(&self.status).ok_or(unreadable(doing, "status of a tool"))?;
        let last_seen_ms = match status {
            ToolStatus::Retired => self.last_seen_ms,
            _ => self.last_seen_ms.max(self.read_ms.unwrap_or(i64::MIN)),
        };
        let candidate = self.candidate.zip(self.candidate_version);
        let row = ToolRow {
            name: CanonicalName::of(&server, &own),
            server,
            own: Arc::from(own),
            status,
            reason: self.reason,
            pinned: definition(self.pinned, &self.pinned_version, doing)?,
            candidate: candidate.map(|(json, version)| definition(json, &version, doing)).transpose()?,
            findings: serde_json::from_str(&self.findings).map_err(bad("findings of a tool"))?,
            rejected: self.rejected.map(|version| digest(&version, doing)).transpose()?,
            first_seen_ms: self.first_seen_ms,
            last_seen_ms,
            reviewed_by: self.reviewed_by.map(|by| PrincipalId::new(&by)),
            reviewed_at_ms: self.reviewed_at_ms,
            changes: u32::try_from(self.changes).unwrap_or_default(),
            changes_since_ms: self.changes_since_ms,
        };
        let traits = serde_json::from_str(&self.traits).map_err(bad("traits of a tool"))?;
        Ok(StoredTool { row, traits, row_version: read_count(self.row_version) })
    }
}

pub(super) fn definition(
    json: String,
    version: &[u8],
    doing: &'static str,
) -> Result<Definition, StoreError> {
    let json: RawJson = read_raw(json, doing, "definition of a tool")?;
    Ok(Definition { json, version: digest(version, doing)? })
}

fn digest(bytes: &[u8], doing: &'static str) -> Result<Digest, StoreError> {
    bytes.try_into().map(Digest::from_bytes).map_err(|_| unreadable(doing, "version of a tool"))
}

pub(super) fn in_order(rows: Vec<ToolText>, doing: &'static str) -> Result<Vec<StoredTool>, StoreError> {
    let mut tools = rows.into_iter().map(|row| row.read(doing)).collect::<Result<Vec<_>, _>>()?;
    tools.sort_unstable_by(|one, other| one.row.name.cmp(&other.row.name));
    Ok(tools)
}
