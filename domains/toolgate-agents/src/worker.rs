//! The worker: takes up loops that are due and drives each in a task of its own, under a lease that it keeps alive. A run that waits has
//! neither a task nor a timer.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::id::RunId;
use toolgate_core::run::{AgentLoop, RunState};
use toolgate_core::{PrincipalId, stop_point};
use toolgate_store::{LoopLease, Outage, StoreError};

use crate::desk::LoopDesk;
use crate::error::{DriveError, is_usual};
use crate::held::{LeasedLoop, LoopPace};
use crate::history::History;
use crate::settings::{REASON_CHARS_MAX, clipped};
use crate::turn::take_turn;

/// Runs until the gateway ends.
pub(crate) async fn run(desk: Arc<LoopDesk>, tasks: TaskTracker) {
    let permits = Arc::new(Semaphore::new(desk.settings.parallel_max));
    let (mut outage, mut has_old_leases) = (Outage::default(), true);
    while !desk.shutdown.is_cancelled() {
        outage.note("runs are not taken up", &look(&desk, &permits, &tasks, &mut has_old_leases).await);
        tokio::select! {
            () = desk.bell.notified() => {}
            () = desk.clock.sleep(desk.settings.poll) => {}
            () = desk.shutdown.cancelled() => {}
        }
    }
}

/// Looks at the runs that this gateway drives, and for those that are due.
async fn look(
    desk: &Arc<LoopDesk>,
    permits: &Arc<Semaphore>,
    tasks: &TaskTracker,
    has_old_leases: &mut bool,
) -> Result<(), StoreError> {
    if *has_old_leases {
        // No other gateway has the name of this one, so these leases are of a process that is gone.
        let given_up = desk.store.give_up_leases(&desk.stream, desk.clock.now_ms()).await?;
        tracing::debug!(given_up, "leases of an earlier process");
        *has_old_leases = false;
    }
    if !desk.driven.is_empty() {
        // They were paused or ended through another gateway, or by a tool.
        for run in desk.store.halted_loops(&desk.stream).await? {
            desk.driven.halt(&run);
        }
    }
    take_up(desk, permits, tasks).await
}

async fn take_up(
    desk: &Arc<LoopDesk>,
    permits: &Arc<Semaphore>,
    tasks: &TaskTracker,
) -> Result<(), StoreError> {
    let free = permits.available_permits();
    if free == 0 {
        return Ok(());
    }
    for run in desk.store.due_loops(desk.clock.now_ms(), free).await? {
        let Ok(permit) = Arc::clone(permits).try_acquire_owned() else { return Ok(()) };
        tasks.spawn(drive(Arc::clone(desk), run, permit));
    }
    Ok(())
}

/// Drives a run as far as it goes.
async fn drive(desk: Arc<LoopDesk>, run: RunId, permit: OwnedSemaphorePermit) {
    let Some(entered) = desk.driven.enter(&run, &desk.shutdown) else { return };
    let driven = Box::pin(claim_and_work(&desk, &run, &entered.halt)).await;
    drop(entered);
    drop(permit);
    match driven {
        // Another run may have waited for the place. After a fault the next look is soon enough, since the run may be due at once.
        Ok(()) => desk.bell.notify_one(),
        Err(error) if error.is_usual() => tracing::debug!(%run, %error, "a run is not driven on"),
        Err(error) => tracing::warn!(%run, %error, "a run is not driven on"),
    }
}

async fn claim_and_work(
    desk: &Arc<LoopDesk>,
    run: &RunId,
    halt: &CancellationToken,
) -> Result<(), DriveError> {
    let until_ms = desk.after(desk.settings.lease);
    let claimed = desk.store.claim_loop(run, &desk.stream, desk.clock.now_ms(), until_ms).await?;
    let Some((lease, agent_loop)) = claimed else { return Ok(()) };
    stop_point::reach("loop_claimed");
    let worked = tokio::select! {
        worked = Box::pin(work(desk, &lease, agent_loop, halt)) => worked,
        () = keep_lease(desk, &lease) => Err(DriveError::Lost),
    };
    let given_back = give_back(desk, &lease, worked).await;
    leave_if_ended(desk, run).await;
    given_back
}

/// A run that has ended needs its session no more.
async fn leave_if_ended(desk: &LoopDesk, run: &RunId) {
    if let Ok(run) = desk.runs.get(run).await
        && run.state.is_final()
    {
        desk.player.leave(&run).await;
    }
}

/// Turn after turn, until the run waits or ends.
async fn work(
    desk: &Arc<LoopDesk>,
    lease: &LoopLease,
    agent_loop: AgentLoop,
    halt: &CancellationToken,
) -> Result<LoopPace, DriveError> {
    let mut run = desk.runs.get(&lease.run).await?;
    if run.state == RunState::Pending {
        // Only a run that has started can wait for people.
        run = desk.runs.begin(&run.id, &run.principal).await?;
    }
    let mut held = LeasedLoop {
        desk: Arc::clone(desk),
        lease: lease.clone(),
        run,
        agent_loop,
        history: History::default(),
        last_turn: None,
        halt: halt.clone(),
    };
    held.reread().await?;
    loop {
        let pace = Box::pin(take_turn(&mut held)).await?;
        if pace != LoopPace::Next {
            return Ok(pace);
        }
        if halt.is_cancelled() {
            return Ok(held.halted());
        }
    }
}

/// Ends when the lease is another's.
async fn keep_lease(desk: &LoopDesk, lease: &LoopLease) {
    let lease_ms = i64::try_from(desk.settings.lease.as_millis()).unwrap_or(i64::MAX);
    let mut until_ms = desk.clock.now_ms().saturating_add(lease_ms);
    loop {
        desk.clock.sleep(desk.settings.beat()).await;
        let next_ms = desk.clock.now_ms().saturating_add(lease_ms);
        match desk.store.renew_loop(lease, next_ms).await {
            Ok(true) => until_ms = next_ms,
            Ok(false) => return,
            // While the store is down, the lease holds until it is over.
            Err(_) if desk.clock.now_ms() >= until_ms => return,
            Err(_) => {}
        }
    }
}

/// Gives the lease back, for the moment at which the loop goes on.
async fn give_back(
    desk: &LoopDesk,
    lease: &LoopLease,
    worked: Result<LoopPace, DriveError>,
) -> Result<(), DriveError> {
    let later_ms = desk.after(desk.settings.pause_after_trouble);
    let wake_at_ms = match &worked {
        // It was given back with the pause, or is another's.
        Ok(LoopPace::Waits) | Err(DriveError::Lost) => return worked.map(drop),
        Ok(LoopPace::Later { wake_at_ms }) => *wake_at_ms,
        // A run that is paused or has ended is not due, whatever the moment.
        Ok(LoopPace::Rests | LoopPace::Next) => desk.clock.now_ms(),
        Err(error @ DriveError::Tampered { .. }) => {
            fail(desk, lease, &error.to_string()).await?;
            // Nobody goes on with it, not even to write down the results of its last calls.
            i64::MAX
        }
        Err(_) => later_ms,
    };
    desk.store.release_loop(lease, wake_at_ms).await?;
    worked.map(drop)
}

/// Ends the run, if it has not ended yet.
async fn fail(desk: &LoopDesk, lease: &LoopLease, why: &str) -> Result<(), DriveError> {
    let reason = clipped(why, REASON_CHARS_MAX);
    match Box::pin(desk.runs.fail(&lease.run, &reason, &PrincipalId::gateway())).await {
        Err(refusal) if !is_usual(&refusal) => Err(refusal.into()),
        _ => Ok(()),
    }
}
