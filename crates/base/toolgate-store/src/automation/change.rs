//! Creating, changing, pausing and deleting automations.

use toolgate_core::automation::Automation;
use toolgate_core::id::AutomationId;

use super::error::AutomationError;
use super::events::{self, AutomationStep};
use super::held::HeldAutomation;
use super::pass::MissedInstant;
use crate::books::Books;
use crate::db::{SqlStatement, Transaction, without_nul};
use crate::error::doing;
use crate::registry::{read_count, stored_count};
use crate::run::{ActionStamp, TaskVersion};
use crate::{Store, StoreError};

/// The maximum number of automations.
pub const AUTOMATIONS_MAX: u64 = 1_000;

const COUNT: &str = "SELECT COUNT(*) FROM automations WHERE tenant = $1";
const NAMED: &str = "SELECT id FROM automations WHERE tenant = $1 AND name = $2";
const INSERT: &str =
    "INSERT INTO automations (tenant, id, name, task, fires_on, is_timed, overlap, catch_up_seconds, jitter_seconds,
        pause_on_failure, principal, updated_at_ms, row_version, passed_ms, paused, created_by, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING";
const CHANGE: &str = "UPDATE automations SET name = $3, task = $4, fires_on = $5, is_timed = $6, overlap = $7,
        catch_up_seconds = $8, jitter_seconds = $9, pause_on_failure = $10, principal = $11, updated_at_ms = $12,
        row_version = $13, passed_ms = $14
    WHERE tenant = $1 AND id = $2";
const DELETE: &str = "DELETE FROM automations WHERE tenant = $1 AND id = $2";
const DELETE_FIRES: &str = "DELETE FROM automation_fires WHERE tenant = $1 AND automation = $2";

impl Books {
    /// Stores a new automation. Its instants count from now on.
    pub async fn create_automation(
        &self,
        automation: &Automation,
        act: ActionStamp<'_>,
    ) -> Result<(), AutomationError> {
        const DOING: &str = "create an automation";
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let (count,): (i64,) = tx.sql(COUNT).bind(tenant).fetch_one().await.map_err(doing(DOING))?;
        if read_count(count) >= AUTOMATIONS_MAX {
            return Err(AutomationError::TooMany { max: AUTOMATIONS_MAX });
        }
        check_name(&mut tx, tenant, automation, DOING).await?;
        let mut insert = tx.sql(INSERT).bind(tenant).bind(without_nul(automation.id.as_str()));
        push_changing(automation, act.at_ms, &mut insert);
        insert = insert.bind(automation.paused.as_deref().map(without_nul));
        insert = insert.bind(without_nul(automation.created_by.as_str())).bind(automation.created_at_ms);
        // Another gateway may make one of this name at the same moment.
        if insert.execute().await.map_err(doing(DOING))? == 0 {
            return Err(AutomationError::NameTaken(automation.name.clone()));
        }
        let told = events::changed(automation, AutomationStep::Created, act);
        self.record(tx, vec![told]).await.map_err(doing(DOING))?;
        Ok(())
    }

    /// Changes an automation: `change` gets the current one. A new trigger counts from now on.
    pub async fn change_automation(
        &self,
        id: &AutomationId,
        version: TaskVersion,
        change: impl FnOnce(Automation) -> Automation,
        act: ActionStamp<'_>,
    ) -> Result<Automation, AutomationError> {
        const DOING: &str = "change an automation";
        let mut held = HeldAutomation::take(self, id, DOING).await?;
        let before = held.automation.clone();
        let current = before.row_version;
        if let TaskVersion::Seen(seen) = version
            && seen != current
        {
            return Err(AutomationError::Stale { current });
        }
        held.automation = Automation {
            id: before.id.clone(),
            paused: before.paused.clone(),
            created_by: before.created_by.clone(),
            created_at_ms: before.created_at_ms,
            updated_at_ms: act.at_ms,
            row_version: current + 1,
            ..change(before.clone())
        };
        check_name(&mut held.tx, held.tenant, &held.automation, DOING).await?;
        let passed_ms = if held.automation.trigger == before.trigger { held.passed_ms } else { act.at_ms };
        let mut update = held.tx.sql(CHANGE).bind(held.tenant).bind(without_nul(id.as_str()));
        push_changing(&held.automation, passed_ms, &mut update);
        // Another gateway may give its name away at the same moment: on Postgres, the check above does not see that.
        update.execute().await.map_err(|error| match is_taken(&error) {
            true => AutomationError::NameTaken(held.automation.name.clone()),
            false => AutomationError::Store(doing(DOING)(error)),
        })?;
        held.tell_change(AutomationStep::Changed, act);
        Ok(held.commit().await?)
    }

    /// Pauses an automation. One that is paused already gets the new note.
    pub async fn pause_automation(
        &self,
        id: &AutomationId,
        note: &str,
        act: ActionStamp<'_>,
    ) -> Result<Automation, AutomationError> {
        let mut held = HeldAutomation::take(self, id, "pause an automation").await?;
        if held.automation.paused.as_deref() != Some(note) {
            held.set_paused(Some(note), act).await?;
        }
        Ok(held.commit().await?)
    }

    /// Lets a paused automation go on, from now on. `missed` tells the instants of the pause, from the automation and its last
    /// instant; each gets its row.
    pub async fn resume_automation(
        &self,
        id: &AutomationId,
        missed: impl FnOnce(&Automation, i64) -> Vec<MissedInstant>,
        act: ActionStamp<'_>,
    ) -> Result<Automation, AutomationError> {
        let mut held = HeldAutomation::take(self, id, "resume an automation").await?;
        if held.automation.paused.is_some() {
            let missed = missed(&held.automation, held.passed_ms);
            held.add_missed(missed, act).await?;
            held.set_paused(None, act).await?;
        }
        Ok(held.commit().await?)
    }

    /// Deletes an automation and its fires; its runs stay.
    pub async fn delete_automation(
        &self,
        id: &AutomationId,
        act: ActionStamp<'_>,
    ) -> Result<(), AutomationError> {
        const DOING: &str = "delete an automation";
        let mut held = HeldAutomation::take(self, id, DOING).await?;
        for delete in [DELETE_FIRES, DELETE] {
            let delete = held.tx.sql(delete).bind(held.tenant).bind(without_nul(id.as_str()));
            delete.execute().await.map_err(doing(DOING))?;
        }
        held.tell_change(AutomationStep::Deleted, act);
        held.commit().await?;
        Ok(())
    }
}

impl Store {
    /// The id of the automation with this name.
    pub async fn automation_id(&self, name: &str) -> Result<Option<AutomationId>, StoreError> {
        let read = self.db.sql(NAMED).bind(self.tenant).bind(without_nul(name));
        let found: Option<(String,)> =
            read.fetch_optional().await.map_err(doing("look up the name of an automation"))?;
        Ok(found.map(|(id,)| AutomationId::new(id)))
    }
}

async fn check_name(
    tx: &mut Transaction,
    tenant: &'static str,
    automation: &Automation,
    what: &'static str,
) -> Result<(), AutomationError> {
    let named = tx.sql(NAMED).bind(tenant).bind(without_nul(&automation.name));
    let named: Option<(String,)> = named.fetch_optional().await.map_err(doing(what))?;
    match named {
        Some((id,)) if id != automation.id.as_str() => {
            Err(AutomationError::NameTaken(automation.name.clone()))
        }
        _ => Ok(()),
    }
}

/// True if a write was refused by an index: the only one of the table besides its key is that of the names.
fn is_taken(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.is_unique_violation())
}

/// The columns that a change may set, in their order.
fn push_changing(automation: &Automation, passed_ms: i64, to: &mut SqlStatement<'_>) {
    let trigger = serde_json::to_string(&automation.trigger).expect("our own types serialise");
    to.push(without_nul(&automation.name));
    to.push(without_nul(automation.task.as_str()));
    to.push(without_nul(&trigger));
    to.push(i64::from(automation.trigger.is_timed()));
    to.push(automation.overlap.as_str());
    to.push(stored_count(automation.catch_up_seconds));
    to.push(stored_count(automation.jitter_seconds));
    to.push(i64::from(automation.pause_on_failure));
    to.push(without_nul(automation.principal.as_str()));
    to.push(automation.updated_at_ms);
    to.push(stored_count(automation.row_version));
    to.push(passed_ms);
}
