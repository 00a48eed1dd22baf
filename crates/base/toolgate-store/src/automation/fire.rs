//! Claiming the instant or the cause of an automation.

use toolgate_core::automation::{Fire, FireState};
use toolgate_core::id::{AutomationId, RunId};

use super::error::AutomationError;
use super::held::HeldAutomation;
use super::row::FireRow;
use crate::StoreError;
use crate::books::Books;
use crate::db::without_nul;
use crate::registry::{read_count, stored_count};
use crate::run::ActionStamp;

const INSERT: &str =
    "INSERT INTO automation_fires (tenant, automation, cause, state, reason, depth, data, claimed_by, claimed_until_ms,
        attempts, at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
const RETAKE: &str =
    "UPDATE automation_fires SET state = $4, reason = $5, depth = $6, data = $7, claimed_by = $8, claimed_until_ms = $9,
        attempts = $10, at_ms = $11
    WHERE tenant = $1 AND automation = $2 AND cause = $3";

/// An instant or a cause.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewFire {
    pub cause: String,
    /// The text that came with it.
    pub data: Option<String>,
    pub depth: u64,
    pub retake: FireRetake,
}

/// The rows of the same cause that may become a start after all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FireRetake {
    /// Missed ones: the clock was wrong, and was set back since.
    Missed,
    /// All that started no run: somebody makes up for them.
    Unstarted,
}

impl FireRetake {
    fn admits(self, state: FireState) -> bool {
        match self {
            FireRetake::Missed => state == FireState::Missed,
            FireRetake::Unstarted => {
                matches!(state, FireState::Missed | FireState::Skipped | FireState::Failed)
            }
        }
    }
}

/// The gateway that starts the run, and until when it may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FireHolder<'a> {
    /// Its ledger stream.
    pub stream: &'a str,
    pub until_ms: i64,
}

/// The other fires of an automation that have begun and not ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BusyFires {
    pub open: Vec<RunId>,
    /// The number of those whose runs are being started.
    pub starting: u64,
    pub buffered: u64,
}

/// The rule's word on a start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FireVerdict {
    Start {
        /// The runs that are cancelled for it.
        cancel: Vec<RunId>,
    },
    Buffer,
    Skip {
        reason: String,
    },
}

/// A fire whose run this gateway starts.
#[derive(Clone, PartialEq, Debug)]
pub struct FireClaim {
    pub fire: Fire,
    pub data: Option<String>,
    pub depth: u64,
    /// 1 for the first gateway that tries.
    pub attempts: u64,
    pub cancel: Vec<RunId>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum FireOutcome {
    /// The caller starts its run.
    Claimed(FireClaim),
    /// It was buffered or skipped.
    Settled(Fire),
    /// There is a row of this cause already.
    Before(Fire),
}

impl Books {
    /// Claims a cause, or settles it as the rule says. A paused automation refuses.
    pub async fn claim_fire(
        &self,
        automation: &AutomationId,
        new: NewFire,
        holder: FireHolder<'_>,
        rule: impl FnOnce(&BusyFires) -> FireVerdict,
        act: ActionStamp<'_>,
    ) -> Result<FireOutcome, AutomationError> {
        let mut held = HeldAutomation::take(self, automation, "claim a cause of an automation").await?;
        if let Some(note) = &held.automation.paused {
            let (name, note) = (held.automation.name.clone(), note.clone());
            return Err(AutomationError::Paused { name, note });
        }
        let outcome = held.claim(new, holder, rule, act).await?;
        held.commit().await?;
        Ok(outcome)
    }
}

impl HeldAutomation<'_> {
    pub(super) async fn claim(
        &mut self,
        new: NewFire,
        holder: FireHolder<'_>,
        rule: impl FnOnce(&BusyFires) -> FireVerdict,
        act: ActionStamp<'_>,
    ) -> Result<FireOutcome, StoreError> {
        let before = match self.fire(&new.cause).await? {
            Some(row) => Some(row.read(self.doing)?),
            None => None,
        };
        if let Some(before) = &before
            && !new.retake.admits(before.state)
        {
            return Ok(FireOutcome::Before(before.clone()));
        }
        let busy = self.busy(&new.cause).await?;
        let (state, reason, cancel) = match rule(&busy) {
            FireVerdict::Start { cancel } => (FireState::Claimed, None, cancel),
            FireVerdict::Buffer => (FireState::Buffered, None, Vec::new()),
            FireVerdict::Skip { reason } => (FireState::Skipped, Some(reason), Vec::new()),
        };
        let (automation, cause) = (self.automation.id.clone(), new.cause.clone());
        let fire = Fire { automation, cause, state, reason, run: None, at_ms: act.at_ms };
        let statement = if before.is_some() { RETAKE } else { INSERT };
        self.put_fire(statement, &fire, &new, Some(holder)).await?;
        if state == FireState::Claimed {
            let NewFire { data, depth, .. } = new;
            return Ok(FireOutcome::Claimed(FireClaim { fire, data, depth, attempts: 1, cancel }));
        }
        self.tell_fire(&fire, act);
        Ok(FireOutcome::Settled(fire))
    }

    /// Adds a row that starts nothing, unless there is one.
    pub(super) async fn add_settled(
        &mut self,
        fire: &Fire,
        depth: u64,
        act: ActionStamp<'_>,
    ) -> Result<(), StoreError> {
        if self.fire(&fire.cause).await?.is_some() {
            return Ok(());
        }
        let new = NewFire { cause: fire.cause.clone(), data: None, depth, retake: FireRetake::Missed };
        self.put_fire(INSERT, fire, &new, None).await?;
        self.tell_fire(fire, act);
        Ok(())
    }

    async fn put_fire(
        &mut self,
        statement: &'static str,
        fire: &Fire,
        new: &NewFire,
        holder: Option<FireHolder<'_>>,
    ) -> Result<(), StoreError> {
        let (failed, id) = (self.failed(), self.id());
        let holder = holder.filter(|_| fire.state == FireState::Claimed);
        let waits = matches!(fire.state, FireState::Claimed | FireState::Buffered);
        let put = self.tx.sql(statement).bind(self.tenant).bind(id).bind(without_nul(&fire.cause));
        let put = put.bind(fire.state.as_str()).bind(fire.reason.as_deref().map(without_nul));
        let put = put.bind(stored_count(new.depth));
        let put = put.bind(new.data.as_deref().filter(|_| waits).map(without_nul));
        let put = put.bind(holder.map(|holder| without_nul(holder.stream)));
        let put = put.bind(holder.map_or(0, |holder| holder.until_ms));
        let put = put.bind(i64::from(holder.is_some())).bind(fire.at_ms);
        put.execute().await.map(drop).map_err(failed)
    }

    /// The claim of a row that has just become this gateway's.
    pub(super) fn claim_of(&self, row: FireRow, cancel: Vec<RunId>) -> Result<FireClaim, StoreError> {
        let (data, depth, attempts) = (row.data.clone(), read_count(row.depth), read_count(row.attempts));
        let fire = Fire { state: FireState::Claimed, ..row.read(self.doing)? };
        Ok(FireClaim { fire, data, depth, attempts: attempts + 1, cancel })
    }
}
