//! Asking people, or attaching to the open question about the very same call.

use toolgate_core::PrincipalId;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::event::Event;
use toolgate_core::governance::{NewApproval, OpenedApproval};
use toolgate_core::id::ApprovalId;

use super::{BooksInner, events};
use crate::approval::{self, VersionedApproval};
use crate::clock::now_ms;
use crate::db::Transaction;

/// The time for which a decision that its caller has not heard of is reported before the same call counts as
/// a new one: a decision from days ago does not answer today's question.
const OWED_MS: i64 = 24 * 3600 * 1000;

/// The result of one attempt; `None` if another attempt was faster.
type OpenAttempt = Option<OpenedApproval>;

impl BooksInner {
    pub(super) async fn open(&self, new: NewApproval) -> Result<OpenedApproval, sqlx::Error> {
        loop {
            let mut transaction = self.begin().await?;
            let found = approval::lock_open(&mut transaction, self.tenant(), &new.binding).await?;
            let attempt = match found {
                Some(found) => self.join(transaction, found, &new).await?,
                None => match self.owed(&mut transaction, &new).await? {
                    Some(approval) => return Ok(OpenedApproval { approval, joined: true }),
                    None => self.ask(transaction, &new, Vec::new()).await?,
                },
            };
            if let Some(opened) = attempt {
                return Ok(opened);
            }
        }
    }

    /// A recent decision on the very same call that its caller has not heard of.
    async fn owed(
        &self,
        transaction: &mut Transaction,
        new: &NewApproval,
    ) -> Result<Option<Approval>, sqlx::Error> {
        let since_ms = now_ms().saturating_sub(OWED_MS);
        let last = approval::last_ended(transaction, self.tenant(), &new.binding, since_ms).await?;
        Ok(last.filter(|approval| approval.told_at_ms.is_none()))
    }

    /// Attaches to an open approval; but one that has expired and was not swept up yet is returned as it
    /// ended.
    async fn join(
        &self,
        mut transaction: Transaction,
        found: VersionedApproval,
        new: &NewApproval,
    ) -> Result<OpenAttempt, sqlx::Error> {
        let VersionedApproval { mut approval, version } = found;
        let now_ms = now_ms();
        let timed_out = self.time_out(&mut approval, now_ms);
        let changed = timed_out.is_some();
        if changed {
            approval::save(&mut transaction, self.tenant(), &approval).await?;
        }
        let mut told: Vec<Event> = timed_out.into_iter().collect();
        if changed {
            let gateway = PrincipalId::gateway();
            told.extend(self.let_go(&mut transaction, &approval, &gateway, now_ms).await?);
        }
        let attempt = if approval.state.is_open() {
            told.push(events::joined(&approval, &new.call, now_ms));
            self.record(transaction, told).await?;
            Some(OpenedApproval { approval: approval.clone(), joined: true })
        } else if approval.state.is_worth_telling() {
            self.record(transaction, told).await?;
            Some(OpenedApproval { approval: approval.clone(), joined: true })
        } else {
            self.ask(transaction, new, told).await?
        };
        if changed {
            self.store.waiting.tell(&approval.id, version + 1);
        }
        Ok(attempt)
    }

    async fn ask(
        &self,
        mut transaction: Transaction,
        new: &NewApproval,
        mut told: Vec<Event>,
    ) -> Result<OpenAttempt, sqlx::Error> {
        let approval = fresh(new, now_ms());
        if !approval::insert(&mut transaction, self.tenant(), &approval).await? {
            return Ok(None);
        }
        told.push(events::requested(&approval));
        self.record(transaction, told).await?;
        Ok(Some(OpenedApproval { approval, joined: false }))
    }
}

fn fresh(new: &NewApproval, now_ms: i64) -> Approval {
    let NewApproval {
        call,
        binding,
        requester,
        arguments,
        attachments,
        credentials,
        complete,
        requirement,
        policy_version,
        session,
        opened_by,
        agent,
        template,
        run,
        task,
        timeout,
    } = new.clone();
    let timeout_ms = i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX);
    Approval {
        id: ApprovalId::new(format!("{}{}", ApprovalId::PREFIX, uuid::Uuid::now_v7().simple())),
        call,
        effective: binding.proposed,
        binding,
        requester,
        arguments,
        attachments,
        credentials,
        proposed_arguments: None,
        complete,
        requirement,
        state: ApprovalState::Pending,
        votes: Vec::new(),
        session,
        opened_by,
        agent,
        template,
        run,
        task,
        created_at_ms: now_ms,
        expires_at_ms: now_ms.saturating_add(timeout_ms),
        resolved_at_ms: None,
        escalated_to: None,
        used_by: None,
        policy_version,
        withdrawn: None,
        told_at_ms: None,
    }
}
