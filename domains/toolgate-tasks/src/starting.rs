//! From a claimed cause to its run. A gateway may die anywhere on this way: another one takes the claim up, and looks for the run first.

use std::sync::Arc;

use toolgate_core::automation::{Automation, Fire, FireState};
use toolgate_core::id::RunId;
use toolgate_core::run::{RunBudget, RunStart, TaskPlan};
use toolgate_core::{Refusal, RefusalKind, codes, stop_point};
use toolgate_store::{AutomationError, FireClaim, StoreError};

use crate::checks::NOTE_CHARS_MAX;
use crate::desk::{StartPermit, TasksDesk};
use crate::refusal::down;
use crate::words;

/// Gateways that try to start one run.
const ATTEMPTS_MAX: u64 = 5;

impl TasksDesk {
    /// Starts the run of a claim and writes down how that went. A start that may work later stays claimed, and is taken up again.
    pub(crate) async fn begin(&self, automation: &Automation, claim: FireClaim) -> Fire {
        stop_point::reach("fire_claimed");
        let (fire, attempt) = (claim.fire.clone(), claim.attempts);
        // With all that goes before it: another gateway takes the claim up afterwards.
        let starting = tokio::time::timeout(self.pace.start_limit, self.start(automation, claim)).await;
        let late = |_| Err(Refusal::new(&codes::STORE_DOWN, "the run did not start in time"));
        let noted = match starting.unwrap_or_else(late) {
            Ok(run) => {
                stop_point::reach("fire_started");
                self.note_started(fire.clone(), attempt, run).await
            }
            Err(refusal) if may_work_later(&refusal) => {
                tracing::info!(automation = automation.name, %refusal, "a start is tried again later");
                Ok(fire.clone())
            }
            Err(refusal) => self.note_failed(automation, (fire.clone(), attempt), &refusal).await,
        };
        noted.unwrap_or_else(|error| {
            tracing::warn!(automation = automation.name, %error, "a start is written down later");
            fire
        })
    }

    async fn start(&self, automation: &Automation, claim: FireClaim) -> Result<RunId, Refusal> {
        let FireClaim { fire, data, attempts, cancel, .. } = claim;
        if attempts > 1
            && let Some(run) = self.begun_before(&fire).await?
        {
            return Ok(run);
        }
        if attempts > ATTEMPTS_MAX {
            let message = format!("the run could not be started {ATTEMPTS_MAX} times");
            return Err(Refusal::new(&codes::BAD_AUTOMATION, message));
        }
        // Before others are cancelled for it: without a task, nothing takes their place.
        let plan = self.plan(automation).await?;
        for run in &cancel {
            self.cancel(run).await?;
        }
        let goal = words::first_message(&plan.goal, automation, &fire, data.as_deref());
        let start = RunStart {
            task: Some(automation.task.clone()),
            plan: TaskPlan { goal, ..plan },
            agent: None,
            budget: RunBudget::default(),
            input: Vec::new(),
            parent: None,
            within: None,
            by: automation.principal.clone(),
            automation: Some(automation.id.clone()),
            cause: Some(fire.cause),
        };
        self.starter.start(start).await
    }

    /// The run that an earlier attempt started. One with a loop begins by itself, and may be doing so now. One without that never
    /// began is ended: nobody drives it.
    async fn begun_before(&self, fire: &Fire) -> Result<Option<RunId>, Refusal> {
        let Some(id) = self.store.run_of_fire(fire).await.map_err(|error| down(&error))? else {
            return Ok(None);
        };
        let run = self.runs.get(&id).await?;
        // A run with a loop begins when a gateway has room for it.
        let is_driven = self.store.agent_loop(&id).await.map_err(|error| down(&error))?.is_some();
        if is_driven || run.started_at_ms.is_some() {
            return Ok(Some(id));
        }
        if !run.state.is_final() {
            self.cancel(&id).await?;
        }
        Ok(None)
    }

    async fn plan(&self, automation: &Automation) -> Result<TaskPlan, Refusal> {
        let task = self.runs.task(&automation.task).await?;
        task.plan.ok_or_else(|| {
            let message =
                format!("task {} has no goal: the gateway does not know what its agent shall do", task.id);
            Refusal::new(&codes::TASK_WITHOUT_PLAN, message)
        })
    }

    /// A run that has ended meanwhile needs no cancelling.
    async fn cancel(&self, run: &RunId) -> Result<(), Refusal> {
        match self.starter.cancel(run, &self.gateway).await {
            Err(refusal) if *refusal.code == codes::RUN_ENDED || refusal.kind == RefusalKind::NotFound => {
                Ok(())
            }
            cancelled => cancelled,
        }
    }

    async fn note_started(&self, fire: Fire, attempt: u64, run: RunId) -> Result<Fire, AutomationError> {
        if !self.books.fire_started(&fire, attempt, &run, self.own_act()).await? {
            self.end_second(&fire, &run).await?;
        }
        Ok(Fire { state: FireState::Started, run: Some(run), ..fire })
    }

    /// Another gateway took the claim up, since this one stood still for so long. Where that one made a run of its own, there are two of
    /// them for one cause.
    async fn end_second(&self, fire: &Fire, run: &RunId) -> Result<(), AutomationError> {
        let noted = self.store.fire(&fire.automation, &fire.cause).await?.and_then(|noted| noted.run);
        if noted.is_some_and(|noted| noted != *run)
            && let Err(refusal) = self.cancel(run).await
        {
            tracing::warn!(%run, %refusal, "a second run for one cause could not be cancelled");
        }
        Ok(())
    }

    async fn note_failed(
        &self,
        automation: &Automation,
        (fire, attempt): (Fire, u64),
        refusal: &Refusal,
    ) -> Result<Fire, AutomationError> {
        let reason = short(&refusal.message);
        let note = short(&format!("it could not start a run: {}", refusal.message));
        let pause = automation.pause_on_failure.then_some(&*note);
        self.books.fire_failed(&fire, attempt, &reason, pause, self.own_act()).await?;
        tracing::warn!(
            automation = automation.name,
            cause = fire.cause,
            reason,
            "an automation started no run"
        );
        Ok(Fire { state: FireState::Failed, reason: Some(reason), ..fire })
    }

    /// Takes up starts that nobody finished, and starts buffered runs whose time has come.
    pub(crate) async fn take_up(self: &Arc<Self>, limit: usize) -> Result<(), StoreError> {
        for (id, cause) in self.store.lapsed_fires(self.clock.now_ms(), limit).await? {
            let permit = self.start_permit().await;
            let taken = self.books.take_up_fire(&id, &cause, self.holder(), self.own_act()).await;
            self.go_on(taken, permit).await?;
        }
        for (id, cause) in self.store.buffered_fires(limit).await? {
            let permit = self.start_permit().await;
            let taken = self.books.claim_buffered(&id, &cause, self.holder()).await;
            self.go_on(taken, permit).await?;
        }
        Ok(())
    }

    async fn go_on(
        self: &Arc<Self>,
        taken: Result<Option<FireClaim>, AutomationError>,
        permit: StartPermit,
    ) -> Result<(), StoreError> {
        let claim = match taken {
            Ok(Some(claim)) => claim,
            Err(AutomationError::Store(error)) => return Err(error),
            // Somebody else has it, or the automation was deleted.
            Ok(None) | Err(_) => return Ok(()),
        };
        if let Some(automation) = self.store.automation(&claim.fire.automation).await? {
            self.begin_aside(automation, claim, permit);
        }
        Ok(())
    }

    /// Starts a run while other work goes on.
    pub(crate) fn begin_aside(
        self: &Arc<Self>,
        automation: Automation,
        claim: FireClaim,
        permit: StartPermit,
    ) {
        let desk = Arc::clone(self);
        self.work.spawn(async move {
            desk.begin(&automation, claim).await;
            drop(permit);
        });
    }
}

/// The store is down, or there are too many runs at the moment.
fn may_work_later(refusal: &Refusal) -> bool {
    matches!(refusal.kind, RefusalKind::Down | RefusalKind::TooMany)
}

pub(crate) fn short(text: &str) -> String {
    text.chars().take(NOTE_CHARS_MAX).collect()
}
