//! The way of automations through the ledger: in order, at least once, one gateway at a time. The row of a cause makes it once.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::automation::Automation;
use toolgate_core::event::{EventKind, Position, RecordedEvent};
use toolgate_core::id::{AutomationId, RunId};
use toolgate_core::run::{RunLabel, RunState};
use toolgate_store::{
    AutomationError, BusyFires, FireOutcome, FireRetake, FireVerdict, NewFire, Outage, StoreError,
    WatchedAutomation, ledger_event_json,
};

use crate::desk::TasksDesk;
use crate::overlap;
use crate::starting::short;
use crate::triggers::{self, CHAIN_DEPTH_MAX};

/// The position in the ledger is stored under this name.
pub(crate) const SINK: &str = "automations";
const BATCH_MAX: usize = 100;
/// Checks of the ledger's end before a batch is requested although nothing is new: another gateway may have released one.
const QUIET_LOOKS_MAX: u32 = 20;

pub(crate) async fn run(desk: Arc<TasksDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    let mut place = LedgerPlace::default();
    loop {
        let more = place.round(&desk).await;
        outage.note("automations do not hear of events", &more);
        if shutdown.is_cancelled() {
            return;
        }
        if !matches!(more, Ok(true)) {
            let pause = if place.has_automations { desk.pace.follow } else { desk.pace.look };
            tokio::select! {
                () = desk.clock.sleep(pause) => {}
                () = desk.made.notified() => {}
                () = shutdown.cancelled() => return,
            }
        }
    }
}

/// The end of the ledger up to which there was nothing to do.
#[derive(Default)]
struct LedgerPlace {
    nothing_until: Option<Position>,
    quiet_looks: u32,
    /// Without automations there is little to listen for: the first one of another gateway.
    has_automations: bool,
}

impl LedgerPlace {
    /// Deals with the next events. Returns true if there may be more.
    async fn round(&mut self, desk: &Arc<TasksDesk>) -> Result<bool, StoreError> {
        let end = desk.store.ledger_end().await?;
        if self.nothing_until.as_ref() == Some(&end) && self.quiet_looks < QUIET_LOOKS_MAX {
            self.quiet_looks += 1;
            return Ok(false);
        }
        self.quiet_looks = 0;
        let mut following = desk.store.following_automations().await?;
        self.has_automations = !following.is_empty() || !desk.store.automations(None, 1).await?.0.is_empty();
        if !self.has_automations {
            // A gateway without automations does not read its ledger.
            self.nothing_until = Some(end);
            return Ok(false);
        }
        following.iter().for_each(|watched| desk.unreadable.note(&watched.automation));
        let kinds = kinds_for(&following);
        let batch = desk.store.outbox(SINK, &kinds, BATCH_MAX).await?;
        if batch.is_empty() {
            self.nothing_until = Some(end);
            return Ok(false);
        }
        self.nothing_until = None;
        if batch.events.iter().any(|recorded| recorded.event.kind == EventKind::AutomationChanged) {
            // One that was made meanwhile may wait for kinds that were not asked for.
            following = desk.store.following_automations().await?;
            if kinds_for(&following) != kinds {
                return desk.store.not_delivered(SINK, &batch).await.map(|()| true);
            }
        }
        match desk.hear_all(&following, &batch.events).await {
            Ok(()) => desk.store.delivered(SINK, &batch).await.map(|()| true),
            Err(error) => {
                // If this fails too, the lease runs out.
                drop(desk.store.not_delivered(SINK, &batch).await);
                Err(error)
            }
        }
    }
}

impl TasksDesk {
    async fn hear_all(
        self: &Arc<Self>,
        following: &[WatchedAutomation],
        events: &[RecordedEvent],
    ) -> Result<(), StoreError> {
        for recorded in events {
            for WatchedAutomation { automation, passed_ms } in following {
                let cause = triggers::cause(&automation.trigger, recorded);
                if let Some(cause) = cause.filter(|_| is_since(recorded, *passed_ms)) {
                    self.fire(automation, cause, recorded).await?;
                }
            }
            if let Some(state) = triggers::final_state(&recorded.event) {
                self.run_ended(recorded.event.about.run.as_ref(), state).await?;
            }
        }
        Ok(())
    }

    async fn fire(
        self: &Arc<Self>,
        automation: &Automation,
        cause: String,
        recorded: &RecordedEvent,
    ) -> Result<(), StoreError> {
        let depth = match &recorded.event.about.run {
            Some(run) => self.store.chain_depth(run).await? + 1,
            None => 1,
        };
        let data = Some(ledger_event_json(recorded).to_string());
        let new = NewFire { cause, data, depth, retake: FireRetake::Missed };
        let rule = automation.overlap;
        let judge = |busy: &BusyFires| match depth > CHAIN_DEPTH_MAX {
            true => FireVerdict::Skip { reason: format!("{CHAIN_DEPTH_MAX} automations led to one another") },
            false => overlap::judge(rule, busy),
        };
        let permit = self.start_permit().await;
        match self.books.claim_fire(&automation.id, new, self.holder(), judge, self.own_act()).await {
            Ok(FireOutcome::Claimed(claim)) => self.begin_aside(automation.clone(), claim, permit),
            Err(AutomationError::Store(error)) => return Err(error),
            // It was skipped, buffered or claimed before, or the automation was paused or deleted since.
            Ok(_) | Err(_) => {}
        }
        Ok(())
    }

    /// A buffered start may have waited for it, and a failure may pause its automation.
    async fn run_ended(&self, run: Option<&RunId>, state: RunState) -> Result<(), StoreError> {
        self.changed.notify_one();
        let Some(run) = run.filter(|_| state == RunState::Failed) else { return Ok(()) };
        let Some(id) = self.automation_of(run).await? else { return Ok(()) };
        let automation = self.store.automation(&id).await?;
        let Some(automation) = automation.filter(|one| one.pause_on_failure && one.paused.is_none()) else {
            return Ok(());
        };
        let note = short(&format!("run {run} failed"));
        match self.books.pause_automation(&automation.id, &note, self.own_act()).await {
            Err(AutomationError::Store(error)) => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The automation that started a run. Its start may not be written down yet, but the run has its label.
    async fn automation_of(&self, run: &RunId) -> Result<Option<AutomationId>, StoreError> {
        if let Some(fire) = self.store.fire_of_run(run).await? {
            return Ok(Some(fire.automation));
        }
        let label = self.store.run(run).await?.map(|run| run.label);
        let label = label.filter(|label| label.run_type.as_deref() == Some(RunLabel::AUTOMATION));
        let name = label.and_then(|label| label.name);
        Ok(name.and_then(|name| name.split_once(' ').map(|(id, _)| AutomationId::new(id))))
    }
}

fn kinds_for(following: &[WatchedAutomation]) -> Vec<EventKind> {
    triggers::kinds(following.iter().map(|watched| &watched.automation.trigger))
}

/// False for an event from before its automation was made or resumed. The ledger's time does not go back if a clock is set back, and
/// does not run ahead with a clock that is fast.
fn is_since(recorded: &RecordedEvent, passed_ms: i64) -> bool {
    recorded.time.ms() >= passed_ms || recorded.event.at_ms >= passed_ms
}
