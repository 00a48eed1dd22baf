//! One sleep to the next instant of all automations. It ends early when an automation changes, and after a while in any case: clocks are
//! set, machines sleep, and other gateways change automations as well.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolgate_core::automation::Automation;
use toolgate_store::{
    AutomationError, FireOutcome, FireRetake, InstantPass, NewFire, Outage, StoreError, WatchedAutomation,
};

use crate::catch_up::{self, CatchUp, CatchUpSpan};
use crate::desk::TasksDesk;
use crate::schedule::Schedule;
use crate::{jitter, overlap};

/// Starts that are taken up before instants get a turn.
const TAKEN_UP_MAX: usize = 100;
/// Fires are kept for 90 days.
const FIRES_KEPT_MS: i64 = 90 * 86_400_000;
const FORGET_EVERY_MS: i64 = 3_600_000;

pub(crate) async fn run(desk: Arc<TasksDesk>, shutdown: CancellationToken) {
    let mut outage = Outage::default();
    let mut forgotten_ms = i64::MIN;
    while !shutdown.is_cancelled() {
        let next = desk.look(&shutdown).await;
        outage.note("automations do not fire", &next);
        desk.forget(&mut forgotten_ms).await;
        let wait = desk.wait(next.ok().flatten());
        tokio::select! {
            () = desk.clock.sleep(wait) => {}
            () = desk.changed.notified() => {}
            () = shutdown.cancelled() => {}
        }
    }
}

impl TasksDesk {
    /// Deals with everything that is due. Returns the moment of the next start.
    async fn look(self: &Arc<Self>, shutdown: &CancellationToken) -> Result<Option<i64>, StoreError> {
        self.take_up(TAKEN_UP_MAX).await?;
        let mut next: Option<i64> = None;
        for watched in self.store.timed_automations().await? {
            if shutdown.is_cancelled() {
                break;
            }
            self.unreadable.note(&watched.automation);
            // Stored schedules were checked. One that this release cannot read does not stop the others.
            let Ok(Some(schedule)) = Schedule::read(&watched.automation.trigger) else { continue };
            self.pass(&watched, &schedule).await?;
            let due = self.due_next(&watched.automation, &schedule);
            next = next.into_iter().chain(due).min();
        }
        Ok(next)
    }

    async fn pass(
        self: &Arc<Self>,
        watched: &WatchedAutomation,
        schedule: &Schedule,
    ) -> Result<(), StoreError> {
        let automation = &watched.automation;
        let now_ms = self.clock.now_ms();
        let Some(planned) = due(watched, schedule, now_ms) else { return Ok(()) };
        let permit = self.start_permit().await;
        let CatchUp { start, missed, until_ms } = planned;
        let start = start.map(|instant| NewFire {
            cause: instant.to_string(),
            data: None,
            depth: 1,
            retake: FireRetake::Missed,
        });
        let pass = InstantPass { after_ms: watched.passed_ms, until_ms, missed, start };
        let rule = automation.overlap;
        let passed = self.books.pass_instants(
            &automation.id,
            pass,
            self.holder(),
            |busy| overlap::judge(rule, busy),
            self.own_act(),
        );
        let claim = match passed.await {
            Ok(Some(FireOutcome::Claimed(claim))) => claim,
            Err(AutomationError::Store(error)) => return Err(error),
            // It was skipped or buffered, or another gateway was faster, or it was deleted.
            Ok(_) | Err(_) => return Ok(()),
        };
        self.begin_aside(automation.clone(), claim, permit);
        Ok(())
    }

    /// The moment of the first start after now. Its instant may have come already, and be delayed.
    fn due_next(&self, automation: &Automation, schedule: &Schedule) -> Option<i64> {
        let now_ms = self.clock.now_ms();
        let due = |instant: i64| {
            let jitter_seconds = automation.jitter_seconds;
            instant.saturating_add(jitter::delay_ms(&automation.id, schedule, instant, jitter_seconds))
        };
        let first = schedule.next(now_ms.saturating_sub(in_ms(automation.jitter_seconds)));
        std::iter::successors(first, |last| schedule.next(*last)).map(due).find(|due_ms| *due_ms > now_ms)
    }

    fn wait(&self, next_ms: Option<i64>) -> Duration {
        let Some(next_ms) = next_ms else { return self.pace.look };
        let until = next_ms.saturating_sub(self.clock.now_ms());
        Duration::from_millis(u64::try_from(until).unwrap_or(0)).min(self.pace.look)
    }

    async fn forget(&self, forgotten_ms: &mut i64) {
        let now_ms = self.clock.now_ms();
        if now_ms.saturating_sub(*forgotten_ms) < FORGET_EVERY_MS {
            return;
        }
        *forgotten_ms = now_ms;
        if let Err(error) = self.store.forget_fires(now_ms - FIRES_KEPT_MS).await {
            tracing::debug!(%error, "old fires of automations are deleted later");
        }
    }
}

/// The plan of the instants that have come since the last one.
fn due(watched: &WatchedAutomation, schedule: &Schedule, now_ms: i64) -> Option<CatchUp> {
    let automation = &watched.automation;
    let span = CatchUpSpan {
        after_ms: watched.passed_ms,
        now_ms,
        window_ms: in_ms(automation.catch_up_seconds),
        jitter_ms: in_ms(automation.jitter_seconds),
    };
    catch_up::plan(schedule, span, |instant| {
        jitter::delay_ms(&automation.id, schedule, instant, automation.jitter_seconds)
    })
}

fn in_ms(seconds: u64) -> i64 {
    i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX)
}
