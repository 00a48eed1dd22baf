//! The ends of an approval: by people, by the caller, by time. And its lasting effect: a grant.

use toolgate_core::PrincipalId;
use toolgate_core::approval::{
    Approval, ApprovalState, BallotKind, Grant, GrantTerms, TimeOut, VoteEffect, WithdrawalReason,
};
use toolgate_core::event::Event;
use toolgate_core::governance::{DecideError, DecidedApproval, StoreDown, VoteSubmission};
use toolgate_core::id::{ApprovalId, GrantId};

use super::{BooksInner, down, events};
use crate::approval::{self, VersionedApproval};
use crate::clock::now_ms;
use crate::db::Transaction;
use crate::grant;
use crate::run::{ActionStamp, resume_waiting};

/// The number of expired approvals that are read at once.
const DUE_MAX: i64 = 100;

impl BooksInner {
    pub(super) async fn decide(&self, deciding: VoteSubmission) -> Result<DecidedApproval, DecideError> {
        let down = down("decide on an approval");
        let mut transaction = self.begin().await.map_err(&down)?;
        let found = approval::lock(&mut transaction, self.tenant(), &deciding.id).await.map_err(&down)?;
        let Some(VersionedApproval { mut approval, version }) = found else {
            return Err(DecideError::Unknown(deciding.id));
        };
        let now_ms = now_ms();
        let step = self.vote(&mut approval, &deciding, now_ms)?;
        if step == VoteEffect::Repeated {
            let grant = grant::of_approval(&mut transaction, self.tenant(), &approval.id).await;
            return Ok(DecidedApproval { grant: grant.map_err(down)?, approval });
        }
        let mut told = vec![events::voted(&approval, &deciding, now_ms)];
        if step == VoteEffect::Resolved {
            told.push(events::resolved(&approval, &deciding.word.voter.id, now_ms));
        }
        approval::save(&mut transaction, self.tenant(), &approval).await.map_err(&down)?;
        let grant = granted(&approval, &deciding, now_ms)?;
        if let Some(grant) = &grant {
            grant::insert(&mut transaction, self.tenant(), grant).await.map_err(&down)?;
            told.push(events::grant_created(grant, &approval, now_ms));
        }
        let by = &deciding.word.voter.id;
        told.extend(self.let_go(&mut transaction, &approval, by, now_ms).await.map_err(&down)?);
        self.record(transaction, told).await.map_err(down)?;
        self.store.waiting.tell(&approval.id, version + 1);
        Ok(DecidedApproval { approval, grant })
    }

    fn vote(
        &self,
        approval: &mut Approval,
        deciding: &VoteSubmission,
        now_ms: i64,
    ) -> Result<VoteEffect, DecideError> {
        let valid_ms = i64::try_from(self.terms().approved_valid.as_millis()).unwrap_or(i64::MAX);
        Ok(approval.vote(deciding.word.clone(), now_ms, valid_ms)?)
    }

    pub(super) async fn cancel(
        &self,
        id: &ApprovalId,
        by: &PrincipalId,
        why: WithdrawalReason,
    ) -> Result<(), DecideError> {
        let down = down("cancel an approval");
        let mut transaction = self.begin().await.map_err(&down)?;
        let found = approval::lock(&mut transaction, self.tenant(), id).await.map_err(&down)?;
        let Some(VersionedApproval { mut approval, version }) = found else {
            return Err(DecideError::Unknown(id.clone()));
        };
        let now_ms = now_ms();
        approval.cancel(why, now_ms)?;
        approval::save(&mut transaction, self.tenant(), &approval).await.map_err(&down)?;
        let mut told = vec![events::resolved(&approval, by, now_ms)];
        told.extend(self.let_go(&mut transaction, &approval, by, now_ms).await.map_err(&down)?);
        self.record(transaction, told).await.map_err(down)?;
        self.store.waiting.tell(id, version + 1);
        Ok(())
    }

    /// Nothing waits for this, and the ledger has the outcome of the call, so it is not an event.
    pub(super) async fn told(&self, id: &ApprovalId) -> Result<(), sqlx::Error> {
        let mut transaction = self.begin().await?;
        let found = approval::lock(&mut transaction, self.tenant(), id).await?;
        let Some(VersionedApproval { mut approval, .. }) = found else { return Ok(()) };
        if !approval.tell(now_ms()) {
            return Ok(());
        }
        approval::save(&mut transaction, self.tenant(), &approval).await?;
        transaction.commit().await
    }

    /// One transaction for each, so that one that cannot be changed does not block the others.
    pub(super) async fn expire_due(&self, now_ms: i64) -> Result<Vec<Approval>, StoreDown> {
        let (mut changed, mut failed) = (Vec::new(), None);
        loop {
            let due = self.store.due_approvals(now_ms, DUE_MAX).await;
            let due = due.map_err(|error| StoreDown(error.to_string()))?;
            let before = changed.len();
            for id in &due {
                match self.expire(id, now_ms).await {
                    Ok(approval) => changed.extend(approval),
                    Err(error) => failed = Some(error),
                }
            }
            if due.len() < DUE_MAX as usize || changed.len() == before {
                break;
            }
        }
        match failed {
            Some(error) if changed.is_empty() => Err(down("end an approval whose time is over")(error)),
            // Approvals that could not be changed are due again the next time.
            _ => Ok(changed),
        }
    }

    async fn expire(&self, id: &ApprovalId, now_ms: i64) -> Result<Option<Approval>, sqlx::Error> {
        let mut transaction = self.begin().await?;
        let found = approval::lock(&mut transaction, self.tenant(), id).await?;
        let Some(VersionedApproval { mut approval, version }) = found else { return Ok(None) };
        let Some(told) = self.time_out(&mut approval, now_ms) else { return Ok(None) };
        approval::save(&mut transaction, self.tenant(), &approval).await?;
        let mut told = vec![told];
        told.extend(self.let_go(&mut transaction, &approval, &PrincipalId::gateway(), now_ms).await?);
        self.record(transaction, told).await?;
        self.store.waiting.tell(id, version + 1);
        Ok(Some(approval))
    }

    /// Resumes the runs that wait for an approval, or for another one of the same run, if nobody decides on it any more. Returns their events.
    pub(super) async fn let_go(
        &self,
        transaction: &mut Transaction,
        approval: &Approval,
        by: &PrincipalId,
        now_ms: i64,
    ) -> Result<Vec<Event>, sqlx::Error> {
        match approval.state {
            ApprovalState::Pending => Ok(Vec::new()),
            _ => {
                let act = ActionStamp { by, at_ms: now_ms };
                resume_waiting(transaction, self.tenant(), approval, act).await
            }
        }
    }

    /// Applies a timeout that is due, and returns its event.
    pub(super) fn time_out(&self, approval: &mut Approval, now_ms: i64) -> Option<Event> {
        Some(match approval.time_out(now_ms, &self.terms().escalate_to)? {
            TimeOut::Escalated => events::escalated(approval, now_ms),
            TimeOut::Expired | TimeOut::Lapsed => events::resolved(approval, &PrincipalId::gateway(), now_ms),
        })
    }

    pub(super) async fn revoke_grant(&self, id: &GrantId, by: &PrincipalId) -> Result<bool, sqlx::Error> {
        let mut transaction = self.begin().await?;
        let now_ms = now_ms();
        let found = grant::lock(&mut transaction, self.tenant(), id).await?;
        let Some(mut grant) = found.filter(|grant| grant.is_live(now_ms)) else { return Ok(false) };
        grant.revoked_at_ms = Some(now_ms);
        grant::save(&mut transaction, self.tenant(), &grant).await?;
        self.record(transaction, vec![events::grant_revoked(&grant, by, now_ms)]).await?;
        Ok(true)
    }
}

/// The grant that came with an approval. One person may give it only if one approval was enough.
fn granted(
    approval: &Approval,
    deciding: &VoteSubmission,
    now_ms: i64,
) -> Result<Option<Grant>, DecideError> {
    let Some(terms) = &deciding.grant else { return Ok(None) };
    let word = &deciding.word;
    match word.ballot.kind() {
        BallotKind::Deny | BallotKind::RequestChanges => return Ok(None),
        BallotKind::Approve | BallotKind::Edit => {}
    }
    let is_alone = approval.votes.iter().all(|vote| vote.person == word.voter.id);
    if approval.state != ApprovalState::Approved || approval.requirement.quorum != 1 || !is_alone {
        return Err(DecideError::GrantNeedsQuorumOfOne);
    }
    Ok(Some(grant_of(approval, terms, word.voter.id.clone(), now_ms)))
}

fn grant_of(approval: &Approval, terms: &GrantTerms, created_by: PrincipalId, now_ms: i64) -> Grant {
    let GrantTerms { pins, uses, expires_at_ms } = terms.clone();
    Grant {
        id: GrantId::new(format!("{}{}", GrantId::PREFIX, uuid::Uuid::now_v7().simple())),
        principal: approval.binding.principal.clone(),
        tool: approval.binding.tool.clone(),
        tool_version: approval.binding.tool_version,
        pins,
        gates: approval.requirement.gates.iter().map(|gate| gate.text).collect(),
        uses_left: uses,
        expires_at_ms,
        created_at_ms: now_ms,
        created_by,
        approval: approval.id.clone(),
        revoked_at_ms: None,
    }
}
