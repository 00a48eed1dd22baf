//! Calls under an approval that others wait with: identical calls that were approved together run once, and all of
//! them get the one result.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use toolgate_core::RawJson;
use toolgate_core::id::ApprovalId;

/// Results that are remembered for calls that wake up a moment later.
const LANDED_MAX: usize = 64;

type Waiting = watch::Receiver<Option<RawJson>>;

#[derive(Default)]
pub(crate) struct Flights(Mutex<Board>);

#[derive(Default)]
struct Board {
    flights: HashMap<ApprovalId, Waiting>,
    landed: VecDeque<ApprovalId>,
}

/// Held by the call that runs. Dropped without landing, those who wait hear that there is no result.
pub(crate) struct Flight<'a> {
    flights: &'a Flights,
    approval: ApprovalId,
    result: watch::Sender<Option<RawJson>>,
}

impl Flights {
    pub(crate) fn begin(&self, approval: &ApprovalId) -> Flight<'_> {
        let (result, waiting) = watch::channel(None);
        self.lock().flights.insert(approval.clone(), waiting);
        Flight { flights: self, approval: approval.clone(), result }
    }

    /// The result of the call that ran or runs under this approval in this process, if there is one.
    pub(crate) async fn result(&self, approval: &ApprovalId) -> Option<RawJson> {
        let mut waiting = self.lock().flights.get(approval).cloned()?;
        let landed = waiting.wait_for(Option::is_some).await.ok()?;
        landed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Board> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Flight<'_> {
    pub(crate) fn land(self, result: RawJson) {
        self.result.send_replace(Some(result));
        let mut board = self.flights.lock();
        board.landed.push_back(self.approval.clone());
        if board.landed.len() > LANDED_MAX
            && let Some(oldest) = board.landed.pop_front()
        {
            board.flights.remove(&oldest);
        }
    }
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        if self.result.borrow().is_none() {
            self.flights.lock().flights.remove(&self.approval);
        }
    }
}
