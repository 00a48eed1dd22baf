//! Creating, changing, pausing, reading and deleting automations.

use toolgate_core::automation::{Automation, Trigger};
use toolgate_core::id::{AutomationId, TaskId};
use toolgate_core::signature::SigningKey;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_store::{SinkStart, TaskVersion};

use super::Tasks;
use crate::follower::SINK;
use crate::refusal::{bad_schedule, down, refusal, unknown};
use crate::schedule::Schedule;
use crate::view::{AutomationPage, CATCH_UP_SECONDS_USUAL, FirePage, NewAutomation};
use crate::{catch_up, checks};

/// Instants that are computed at once.
const NEXT_MAX: usize = 1_000;

impl Tasks {
    /// Creates an automation. Its instants count from now on.
    pub async fn create_automation(
        &self,
        new: NewAutomation,
        by: &PrincipalId,
    ) -> Result<Automation, Refusal> {
        self.check(&new).await?;
        self.check_fires(&new.trigger)?;
        let act = self.desk.act(by);
        let automation = Automation {
            id: AutomationId::new(self.desk.clock.fresh_id(AutomationId::PREFIX)),
            name: new.name,
            task: new.task,
            trigger: new.trigger,
            overlap: new.overlap,
            catch_up_seconds: new.catch_up_seconds.unwrap_or(CATCH_UP_SECONDS_USUAL),
            jitter_seconds: new.jitter_seconds,
            pause_on_failure: new.pause_on_failure,
            paused: None,
            principal: new.principal.unwrap_or_else(|| by.clone()),
            created_by: by.clone(),
            created_at_ms: act.at_ms,
            updated_at_ms: act.at_ms,
            row_version: 1,
        };
        // Before it is there: it hears of every event from now on.
        let follows = self.desk.store.create_sink(SINK, SinkStart::Now).await;
        follows.map_err(|error| down(&error))?;
        self.desk.books.create_automation(&automation, act).await.map_err(refusal)?;
        self.desk.changed.notify_one();
        self.desk.made.notify_one();
        Ok(automation)
    }

    /// Replaces an automation. A new trigger counts from now on; a pause stays.
    pub async fn change_automation(
        &self,
        id_or_name: &str,
        change: NewAutomation,
        if_version: Option<u64>,
        by: &PrincipalId,
    ) -> Result<Automation, Refusal> {
        let before = self.automation(id_or_name).await?;
        self.check(&change).await?;
        if change.trigger != before.trigger {
            self.check_fires(&change.trigger)?;
        }
        let version = if_version.map_or(TaskVersion::Any, TaskVersion::Seen);
        let changed = |current: Automation| Automation {
            name: change.name,
            task: change.task,
            trigger: change.trigger,
            overlap: change.overlap,
            catch_up_seconds: change.catch_up_seconds.unwrap_or(CATCH_UP_SECONDS_USUAL),
            jitter_seconds: change.jitter_seconds,
            pause_on_failure: change.pause_on_failure,
            principal: change.principal.unwrap_or_else(|| current.principal.clone()),
            ..current
        };
        let act = self.desk.act(by);
        let changed = self.desk.books.change_automation(&before.id, version, changed, act).await;
        self.desk.changed.notify_one();
        changed.map_err(refusal)
    }

    /// Pauses an automation with a note. Its instants pass meanwhile, and are written down when it goes on.
    pub async fn pause_automation(
        &self,
        id_or_name: &str,
        note: &str,
        by: &PrincipalId,
    ) -> Result<Automation, Refusal> {
        checks::note(note)?;
        let id = self.automation(id_or_name).await?.id;
        self.desk.books.pause_automation(&id, note, self.desk.act(by)).await.map_err(refusal)
    }

    /// Lets a paused automation go on, from now on.
    pub async fn resume_automation(&self, id_or_name: &str, by: &PrincipalId) -> Result<Automation, Refusal> {
        let id = self.automation(id_or_name).await?.id;
        let act = self.desk.act(by);
        let missed = |paused: &Automation, passed_ms: i64| {
            let schedule = Schedule::read(&paused.trigger).ok().flatten();
            let note = paused.paused.as_deref().unwrap_or_default();
            let rows = |schedule: Schedule| catch_up::of_pause(&schedule, passed_ms, act.at_ms, note);
            schedule.map(rows).unwrap_or_default()
        };
        let resumed = self.desk.books.resume_automation(&id, missed, act).await;
        self.desk.changed.notify_one();
        resumed.map_err(refusal)
    }

    /// Deletes an automation and the list of its fires; its runs stay.
    pub async fn delete_automation(&self, id_or_name: &str, by: &PrincipalId) -> Result<(), Refusal> {
        let id = self.automation(id_or_name).await?.id;
        self.desk.books.delete_automation(&id, self.desk.act(by)).await.map_err(refusal)
    }

    /// The automation with this id or name.
    pub async fn automation(&self, id_or_name: &str) -> Result<Automation, Refusal> {
        let store = &self.desk.store;
        let id = match id_or_name.starts_with(AutomationId::PREFIX) {
            true => Some(AutomationId::new(id_or_name)),
            false => store.automation_id(id_or_name).await.map_err(|error| down(&error))?,
        };
        let id = id.ok_or_else(|| unknown(id_or_name))?;
        let found = store.automation(&id).await.map_err(|error| down(&error))?;
        found.ok_or_else(|| unknown(id_or_name))
    }

    /// One page, newest first. `cursor` is the `next` of the page before.
    pub async fn automations(&self, cursor: Option<&str>, limit: usize) -> Result<AutomationPage, Refusal> {
        let cursor = checks::cursor(cursor)?;
        let listed = self.desk.store.automations(cursor.as_ref(), limit).await;
        let (automations, next) = listed.map_err(|error| down(&error))?;
        Ok(AutomationPage { automations, next: next.map(|next| next.to_string()) })
    }

    /// One page of its instants and causes, newest first.
    pub async fn fires(
        &self,
        id: &AutomationId,
        cursor: Option<&str>,
        limit: usize,
    ) -> Result<FirePage, Refusal> {
        let cursor = checks::cursor(cursor)?;
        let listed = self.desk.store.fires(id, cursor.as_ref(), limit).await;
        let (fires, next) = listed.map_err(|error| down(&error))?;
        Ok(FirePage { fires, next: next.map(|next| next.to_string()) })
    }

    /// The instants of an automation after a moment, without their delays. Empty if it waits for something else.
    pub fn next(&self, automation: &Automation, from_ms: i64, count: usize) -> Vec<i64> {
        let schedule = Schedule::read(&automation.trigger).ok().flatten();
        schedule.map(|schedule| schedule.after(from_ms, count.min(NEXT_MAX))).unwrap_or_default()
    }

    async fn check(&self, new: &NewAutomation) -> Result<(), Refusal> {
        checks::automation(new)?;
        self.check_task(&new.task, "task").await?;
        match &new.trigger {
            Trigger::Webhook { secret } => self.check_secret(secret).await,
            Trigger::RunEnded { task: Some(task), .. } => {
                self.desk.runs.task(task).await.map(drop).map_err(|refusal| refusal.field("trigger.task"))
            }
            _ => Ok(()),
        }
    }

    /// A secret that can sign requests: with another one, every request would look forged.
    async fn check_secret(&self, name: &str) -> Result<(), Refusal> {
        const FIELD: &str = "trigger.secret";
        let secret = self.desk.keys.secret(name).await.map_err(|refusal| refusal.field(FIELD))?;
        SigningKey::parse(&secret).map(drop).map_err(|error| {
            Refusal::new(&codes::BAD_AUTOMATION, format!("the secret {name:?} signs nothing: {error}"))
                .field(FIELD)
                .hint("store a text of your choice, or `whsec_` and base64 as Standard Webhooks has it")
        })
    }

    /// A task that the gateway can run.
    async fn check_task(&self, id: &TaskId, field: &'static str) -> Result<(), Refusal> {
        let task = self.desk.runs.task(id).await.map_err(|refusal| refusal.field(field))?;
        match task.plan {
            Some(_) => Ok(()),
            None => {
                let message =
                    format!("task {id} has no goal: the gateway does not know what its agent shall do");
                Err(Refusal::new(&codes::TASK_WITHOUT_PLAN, message).field(field))
            }
        }
    }

    /// A schedule that never fires would be forgotten and then missed.
    pub(super) fn check_fires(&self, trigger: &Trigger) -> Result<(), Refusal> {
        let schedule = Schedule::read(trigger).map_err(|error| bad_schedule(&error))?;
        let checked = schedule.map(|schedule| schedule.check(self.desk.clock.now_ms())).transpose();
        checked.map(drop).map_err(|error| bad_schedule(&error))
    }
}
