//! The permission to send a call is used up in the very transaction that records its start: exactly once,
//! under any concurrency.

use std::sync::Arc;

use toolgate_core::approval::{ApprovalRefusal, Grant};
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry};
use toolgate_core::governance::{StartRefused, StoreDown};
use toolgate_core::id::{ApprovalId, CallId, GrantId};
use toolgate_core::{Digest, approval::Binding};

use crate::approval::{self, VersionedApproval};
use crate::books::events;
use crate::clock::now_ms;
use crate::db::Transaction;
use crate::grant;

/// Events that belong directly before those of the start, or why the call may not be sent.
pub(crate) type WarrantOutcome = Result<Vec<Event>, StartRefused>;

/// Marks an approval as used by this one call.
pub(crate) async fn consume(
    transaction: &mut Transaction,
    tenant: &str,
    id: &ApprovalId,
    binding: &Binding,
    effective: Digest,
    call: &CallId,
) -> Result<WarrantOutcome, sqlx::Error> {
    let found = match readable(approval::lock(transaction, tenant, id).await)? {
        Ok(found) => found,
        Err(unreadable) => return Ok(Err(unreadable)),
    };
    let Some(VersionedApproval { mut approval, .. }) = found else {
        // A missing approval was at best given for another call.
        return Ok(Err(ApprovalRefusal::Changed.into()));
    };
    let now_ms = now_ms();
    if let Err(refusal) = approval.consume(binding, effective, call, now_ms) {
        return Ok(Err(refusal.into()));
    }
    approval::save(transaction, tenant, &approval).await?;
    Ok(Ok(vec![events::consumed(&approval, call, now_ms)]))
}

/// Uses a grant once, for the call that `entry` starts.
pub(crate) async fn use_grant(
    transaction: &mut Transaction,
    tenant: &str,
    id: &GrantId,
    entry: &LedgerEntry,
) -> Result<WarrantOutcome, sqlx::Error> {
    let now_ms = now_ms();
    let found = match readable(grant::lock(transaction, tenant, id).await)? {
        Ok(found) => found.filter(|grant| grant.is_live(now_ms)),
        Err(unreadable) => return Ok(Err(unreadable)),
    };
    let started = entry.events.iter().find(|event| event.kind == EventKind::CallStarted);
    let (Some(mut grant), Some(started)) = (found, started) else {
        return Ok(Err(StartRefused::Grant));
    };
    if !is_for(&grant, started) {
        return Ok(Err(StartRefused::Grant));
    }
    grant.uses_left = grant.uses_left.map(|left| left - 1);
    grant::save(transaction, tenant, &grant).await?;
    Ok(Ok(vec![events::grant_used(&grant, Arc::clone(&started.about), now_ms)]))
}

/// A row that cannot be read is the trouble of one call only.
fn readable<T>(read: Result<T, sqlx::Error>) -> Result<Result<T, StartRefused>, sqlx::Error> {
    match read {
        Ok(row) => Ok(Ok(row)),
        Err(error @ sqlx::Error::Decode(_)) => Ok(Err(StoreDown(error.to_string()).into())),
        Err(error) => Err(error),
    }
}

/// An id is a name, never a permission.
fn is_for(grant: &Grant, started: &Event) -> bool {
    let EventSubject { tool, tool_version, .. } = &*started.about;
    grant.principal == started.principal
        && tool.as_ref() == Some(&grant.tool)
        && *tool_version == Some(grant.tool_version)
}
