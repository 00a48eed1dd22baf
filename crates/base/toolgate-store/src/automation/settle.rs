//! The end of a claim, and claims that another gateway takes up.

use toolgate_core::automation::{Fire, FireState, Overlap};
use toolgate_core::id::{AutomationId, RunId};

use super::error::AutomationError;
use super::fire::{FireClaim, FireHolder};
use super::held::HeldAutomation;
use crate::StoreError;
use crate::books::Books;
use crate::db::without_nul;
use crate::registry::stored_count;
use crate::run::ActionStamp;

const SETTLE: &str =
    "UPDATE automation_fires SET state = $4, reason = $5, run = $6, data = NULL, claimed_by = NULL, claimed_until_ms = 0
    WHERE tenant = $1 AND automation = $2 AND cause = $3 AND state = 'claimed' AND attempts = $7";
const TAKE_UP: &str =
    "UPDATE automation_fires SET claimed_by = $4, claimed_until_ms = $5, attempts = attempts + 1
    WHERE tenant = $1 AND automation = $2 AND cause = $3 AND state = 'claimed' AND claimed_until_ms <= $6";
const UNBUFFER: &str =
    "UPDATE automation_fires SET state = 'claimed', claimed_by = $4, claimed_until_ms = $5, attempts = attempts + 1
    WHERE tenant = $1 AND automation = $2 AND cause = $3 AND state = 'buffered'";

impl Books {
    /// A claimed fire has its run. `false` if it is no longer claimed, or another attempt than this one has the claim.
    pub async fn fire_started(
        &self,
        fire: &Fire,
        attempt: u64,
        run: &RunId,
        act: ActionStamp<'_>,
    ) -> Result<bool, AutomationError> {
        let held = HeldAutomation::take(self, &fire.automation, "note the run of an automation").await?;
        let started = Fire { state: FireState::Started, run: Some(run.clone()), ..fire.clone() };
        settle(held, (&started, attempt), None, act).await
    }

    /// A claimed fire has no run. With a note, the automation is paused in the same transaction. `false` if it is no longer claimed,
    /// or another attempt than this one has the claim.
    pub async fn fire_failed(
        &self,
        fire: &Fire,
        attempt: u64,
        reason: &str,
        pause: Option<&str>,
        act: ActionStamp<'_>,
    ) -> Result<bool, AutomationError> {
        let held = HeldAutomation::take(self, &fire.automation, "note the failure of an automation").await?;
        let failed = Fire { state: FireState::Failed, reason: Some(reason.to_owned()), ..fire.clone() };
        settle(held, (&failed, attempt), pause, act).await
    }

    /// Takes up a claim whose time is over: the gateway that had it may be dead. `None` if it is no longer there.
    pub async fn take_up_fire(
        &self,
        automation: &AutomationId,
        cause: &str,
        holder: FireHolder<'_>,
        act: ActionStamp<'_>,
    ) -> Result<Option<FireClaim>, AutomationError> {
        let mut held = HeldAutomation::take(self, automation, "take up a start of an automation").await?;
        let Some(row) = held.fire(cause).await? else { return Ok(None) };
        // Whoever died may not have come to cancelling them.
        let cancel = match held.automation.overlap {
            Overlap::CancelOther => held.busy(cause).await?.open,
            Overlap::Skip | Overlap::BufferOne | Overlap::AllowAll => Vec::new(),
        };
        let (failed, id) = (held.failed(), held.id());
        let take = held.tx.sql(TAKE_UP).bind(held.tenant).bind(id).bind(without_nul(cause));
        let take = take.bind(without_nul(holder.stream)).bind(holder.until_ms).bind(act.at_ms);
        if take.execute().await.map_err(failed)? == 0 {
            return Ok(None);
        }
        let claim = held.claim_of(row, cancel)?;
        held.commit().await?;
        Ok(Some(claim))
    }

    /// Claims a buffered fire, if nothing of its automation is open any more and it is not paused.
    pub async fn claim_buffered(
        &self,
        automation: &AutomationId,
        cause: &str,
        holder: FireHolder<'_>,
    ) -> Result<Option<FireClaim>, AutomationError> {
        let mut held = HeldAutomation::take(self, automation, "start a buffered run").await?;
        let busy = held.busy(cause).await?;
        if held.automation.paused.is_some() || !busy.open.is_empty() || busy.starting > 0 {
            return Ok(None);
        }
        let Some(row) = held.fire(cause).await? else { return Ok(None) };
        let (failed, id) = (held.failed(), held.id());
        let take = held.tx.sql(UNBUFFER).bind(held.tenant).bind(id).bind(without_nul(cause));
        let take = take.bind(without_nul(holder.stream)).bind(holder.until_ms);
        if take.execute().await.map_err(failed)? == 0 {
            return Ok(None);
        }
        let claim = held.claim_of(row, Vec::new())?;
        held.commit().await?;
        Ok(Some(claim))
    }
}

async fn settle(
    mut held: HeldAutomation<'_>,
    (fire, attempt): (&Fire, u64),
    pause: Option<&str>,
    act: ActionStamp<'_>,
) -> Result<bool, AutomationError> {
    if !put_settled(&mut held, fire, attempt).await? {
        return Ok(false);
    }
    held.tell_fire(fire, act);
    if let Some(note) = pause
        && held.automation.paused.is_none()
    {
        held.set_paused(Some(note), act).await?;
    }
    held.commit().await?;
    Ok(true)
}

async fn put_settled(held: &mut HeldAutomation<'_>, fire: &Fire, attempt: u64) -> Result<bool, StoreError> {
    let (failed, id) = (held.failed(), held.id());
    let put = held.tx.sql(SETTLE).bind(held.tenant).bind(id).bind(without_nul(&fire.cause));
    let put = put.bind(fire.state.as_str()).bind(fire.reason.as_deref().map(without_nul));
    let put = put.bind(fire.run.as_ref().map(|run| without_nul(run.as_str()))).bind(stored_count(attempt));
    Ok(put.execute().await.map_err(failed)? == 1)
}
