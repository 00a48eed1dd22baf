//! A request while it is worked on: its cancellation and its progress.

use std::time::{Duration, Instant};

use engine_protocol::{EngineFault, EngineLine};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::fault::cancelled;

/// Nobody reads faster than this.
const TELL_EVERY: Duration = Duration::from_millis(100);

pub(crate) struct RequestTicket {
    id: u64,
    cancelled: CancellationToken,
    outbox: mpsc::Sender<EngineLine>,
    told: Mutex<Option<Instant>>,
}

impl RequestTicket {
    pub(crate) fn new(id: u64, cancelled: CancellationToken, outbox: mpsc::Sender<EngineLine>) -> Self {
        Self { id, cancelled, outbox, told: Mutex::new(None) }
    }

    pub(crate) fn cancelled(&self) -> CancellationToken {
        self.cancelled.clone()
    }

    /// A fault if nobody wants the answer any more.
    pub(crate) fn check(&self) -> Result<(), EngineFault> {
        if self.cancelled.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Tells the progress now and then. A gateway that does not read misses it.
    pub(crate) fn progress(&self, done: u64, total: u64) {
        let mut told = self.told.lock();
        if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            *told = Some(Instant::now());
            drop(self.outbox.try_send(EngineLine::Progress { id: self.id, done, total }));
        }
    }
}
