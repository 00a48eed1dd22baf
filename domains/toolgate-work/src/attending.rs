//! The loop of one gateway: takes up work that nobody does, keeps its lease, and lets it go when it is interrupted.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::run::{Run, RunState};
use toolgate_core::{Refusal, codes, stop_point};
use toolgate_store::{Outage, StoreError, WorkRow};

use crate::desk::{WorkDesk, millis};
use crate::refusal::{down, given_up};
use crate::worker::{WorkEnd, WorkItem, WorkProgress};

/// Gateways that take work up before it is given up.
const ATTEMPTS_MAX: u64 = 5;
/// Ended works that are forgotten at a time.
const FORGOTTEN_MAX: usize = 1_000;
/// The looks for work between two that forget old ones.
const LOOKS_BETWEEN: u64 = 1_000;

/// The reason why work does not go on here.
enum WorkInterruption {
    /// Another gateway has it, or it has ended.
    Lost,
    /// Its run is paused.
    Paused,
    /// Its run has ended.
    RunEnded(Box<Run>),
    /// This gateway ends.
    Stopped,
}

impl WorkDesk {
    /// Does work until it is told to stop. Work that is under way then is given back.
    pub async fn run_until(self: Arc<Self>, stop: CancellationToken) {
        let permits = Arc::new(Semaphore::new(self.settings.parallel_max));
        let tasks = TaskTracker::new();
        let (mut outage, mut has_old_leases, mut looks) = (Outage::default(), true, 0u64);
        while !stop.is_cancelled() {
            let looked = self.look(&permits, &tasks, &stop, &mut has_old_leases).await;
            outage.note("long work is not taken up", &looked);
            if looks.is_multiple_of(LOOKS_BETWEEN) {
                self.forget_old().await;
            }
            looks += 1;
            tokio::select! {
                () = self.bell.notified() => {}
                () = self.clock.sleep(self.settings.poll) => {}
                () = stop.cancelled() => {}
            }
        }
        tasks.close();
        tasks.wait().await;
    }

    async fn look(
        self: &Arc<Self>,
        permits: &Arc<Semaphore>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
        has_old_leases: &mut bool,
    ) -> Result<(), StoreError> {
        if *has_old_leases {
            // No other gateway has the name of this one, so these leases are of a process that is gone.
            let released = self.store.release_work_of(&self.stream).await?;
            tracing::debug!(released, "work of an earlier process");
            *has_old_leases = false;
        }
        let kinds = self.kinds();
        while let Ok(permit) = Arc::clone(permits).try_acquire_owned() {
            let (now_ms, until_ms) = (self.clock.now_ms(), self.after(self.settings.lease));
            let Some(row) = self.store.claim_work(&kinds, &self.stream, now_ms, until_ms).await? else {
                return Ok(());
            };
            stop_point::reach("work claimed");
            tasks.spawn(Arc::clone(self).attend(row, permit, stop.clone()));
        }
        Ok(())
    }

    async fn forget_old(&self) {
        let before_ms = self.clock.now_ms().saturating_sub(millis(self.settings.keep));
        if let Err(error) = self.store.forget_work(before_ms, FORGOTTEN_MAX).await {
            tracing::debug!(%error, "old work is not forgotten");
        }
    }

    async fn attend(self: Arc<Self>, row: WorkRow, permit: OwnedSemaphorePermit, stop: CancellationToken) {
        // Whatever fails here leaves the lease, and somebody takes it up when that is over.
        if let Err(refusal) = Box::pin(self.attend_to(&row, &stop)).await {
            tracing::warn!(work = %row.id, run = %row.run, %refusal, "long work is not done here");
        }
        drop(permit);
        self.bell.notify_one();
    }

    async fn attend_to(&self, row: &WorkRow, stop: &CancellationToken) -> Result<(), Refusal> {
        let run = match self.runs.get(&row.run).await {
            Err(refusal) if *refusal.code == codes::UNKNOWN_RUN => {
                return self.end_failed(row, &refusal).await;
            }
            run => run?,
        };
        match run.state {
            RunState::Pending => self.begin(row).await?,
            RunState::Running => {}
            RunState::Paused => return self.put_off(row).await,
            _ => return self.end_with_run(row, &run).await,
        }
        if row.attempts > ATTEMPTS_MAX {
            return self.fail(row, &given_up(ATTEMPTS_MAX)).await;
        }
        match self.work(row, stop).await {
            Ok(worked) => self.finish(row, worked).await,
            Err(WorkInterruption::Lost) => Ok(()),
            Err(WorkInterruption::Paused) => self.put_off(row).await,
            Err(WorkInterruption::RunEnded(run)) => self.end_with_run(row, &run).await,
            Err(WorkInterruption::Stopped) => self.release(row).await,
        }
    }

    async fn begin(&self, row: &WorkRow) -> Result<(), Refusal> {
        match self.runs.begin(&row.run, &row.actor.principal).await {
            // Somebody else started it a moment ago.
            Err(refusal) if *refusal.code == codes::RUN_STATE => Ok(()),
            begun => begun.map(drop),
        }
    }

    /// The worker's answer, if nothing interrupts it.
    async fn work(
        &self,
        row: &WorkRow,
        stop: &CancellationToken,
    ) -> Result<Result<WorkEnd, Refusal>, WorkInterruption> {
        let Some(worker) = self.worker(&row.kind) else { return Err(WorkInterruption::Stopped) };
        let (item, progress) = (WorkItem::of(row), WorkProgress::default());
        let worked = tokio::select! {
            worked = worker.work(&item, &progress) => worked,
            interrupted = self.keep(row, &progress) => return Err(interrupted),
            () = stop.cancelled() => return Err(WorkInterruption::Stopped),
        };
        // Whoever lost the lease must not end the run.
        let until_ms = self.after(self.settings.lease);
        let renewed =
            self.store.renew_work(&row.id, &self.stream, until_ms, progress.done(), progress.total()).await;
        match renewed {
            Ok(true) => Ok(worked),
            Ok(false) => Err(WorkInterruption::Lost),
            Err(error) => {
                // Nobody knows whose it is; the lease decides.
                drop(down(&error));
                Err(WorkInterruption::Lost)
            }
        }
    }

    /// Renews the lease, and ends when the work must not go on.
    async fn keep(&self, row: &WorkRow, progress: &WorkProgress) -> WorkInterruption {
        let mut until_ms = row.lease_until_ms;
        loop {
            self.clock.sleep(self.settings.beat).await;
            let next_ms = self.after(self.settings.lease);
            let (done, total) = (progress.done(), progress.total());
            match self.store.renew_work(&row.id, &self.stream, next_ms, done, total).await {
                Ok(true) => until_ms = next_ms,
                Ok(false) => return WorkInterruption::Lost,
                // While the store is down, the lease holds until it is over.
                Err(_) if self.clock.now_ms() >= until_ms => return WorkInterruption::Lost,
                Err(_) => continue,
            }
            match self.runs.get(&row.run).await {
                Ok(run) if run.state.is_final() => return WorkInterruption::RunEnded(Box::new(run)),
                Ok(run) if run.state == RunState::Paused => return WorkInterruption::Paused,
                _ => {}
            }
        }
    }
}
