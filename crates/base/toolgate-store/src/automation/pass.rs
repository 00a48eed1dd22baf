//! The instants of an automation that have come, in one transaction.

use toolgate_core::automation::{Fire, FireState};
use toolgate_core::id::AutomationId;

use super::error::AutomationError;
use super::fire::{BusyFires, FireHolder, FireOutcome, FireVerdict, NewFire};
use super::held::HeldAutomation;
use crate::StoreError;
use crate::books::Books;
use crate::error::doing;
use crate::run::ActionStamp;

const PASS: &str = "UPDATE automations SET passed_ms = $3 WHERE tenant = $1 AND id = $2";

/// The instants between the last one and now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstantPass {
    /// The last one, as it was read.
    pub after_ms: i64,
    pub until_ms: i64,
    pub missed: Vec<MissedInstant>,
    pub start: Option<NewFire>,
}

/// An instant that starts nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissedInstant {
    pub cause: String,
    pub reason: String,
}

impl Books {
    /// Gives every instant its row and claims the one that starts a run. `None` if another gateway was faster, or if the automation is
    /// paused.
    pub async fn pass_instants(
        &self,
        automation: &AutomationId,
        pass: InstantPass,
        holder: FireHolder<'_>,
        rule: impl FnOnce(&BusyFires) -> FireVerdict,
        act: ActionStamp<'_>,
    ) -> Result<Option<FireOutcome>, AutomationError> {
        const DOING: &str = "pass the instants of an automation";
        let mut held = HeldAutomation::take(self, automation, DOING).await?;
        if held.passed_ms != pass.after_ms || held.automation.paused.is_some() {
            return Ok(None);
        }
        held.add_missed(pass.missed, act).await?;
        let outcome = match pass.start {
            Some(start) => Some(held.claim(start, holder, rule, act).await?),
            None => None,
        };
        let id = held.id();
        let update = held.tx.sql(PASS).bind(held.tenant).bind(id).bind(pass.until_ms);
        update.execute().await.map_err(doing(DOING))?;
        held.commit().await?;
        Ok(outcome)
    }
}

impl HeldAutomation<'_> {
    /// Adds a row for each instant that has none.
    pub(super) async fn add_missed(
        &mut self,
        missed: Vec<MissedInstant>,
        act: ActionStamp<'_>,
    ) -> Result<(), StoreError> {
        for MissedInstant { cause, reason } in missed {
            let (automation, state) = (self.automation.id.clone(), FireState::Missed);
            let fire = Fire { automation, cause, state, reason: Some(reason), run: None, at_ms: act.at_ms };
            self.add_settled(&fire, 1, act).await?;
        }
        Ok(())
    }
}
