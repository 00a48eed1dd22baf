//! Calls that share an approval: identical calls that were approved together run once, and all of them get
//! the one result.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;
use toolgate_core::RawJson;
use toolgate_core::id::ApprovalId;

/// Results that are remembered for calls that wake up a moment later.
const LANDED_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct Flights(Mutex<FlightBoard>);

#[derive(Default)]
struct FlightBoard {
    flights: HashMap<ApprovalId, FlightEntry>,
    landed: VecDeque<ApprovalId>,
}

struct FlightEntry {
    /// Gone once no call is left that could produce the result.
    result: Weak<watch::Sender<Option<RawJson>>>,
    waiting: watch::Receiver<Option<RawJson>>,
}

/// Held by every call that tries to start under an approval; only one of them is let through. If all are
/// dropped without landing, the waiting calls learn that there is no result.
pub(crate) struct Flight<'a> {
    flights: &'a Flights,
    approval: ApprovalId,
    result: Option<Arc<watch::Sender<Option<RawJson>>>>,
}

impl Flights {
    /// Must be called before the approval is used up: a call that comes too late for it looks for the flight
    /// at once.
    pub(crate) fn begin(&self, approval: &ApprovalId) -> Flight<'_> {
        let mut board = self.lock();
        let known = board.flights.get(approval);
        let result = match known.and_then(|entry| entry.result.upgrade()) {
            Some(result) => result,
            None => {
                let (result, waiting) = watch::channel(None);
                let result = Arc::new(result);
                // A landed result stays: an approval is good for one flight.
                if !known.is_some_and(FlightEntry::has_landed) {
                    let entry = FlightEntry { result: Arc::downgrade(&result), waiting };
                    board.flights.insert(approval.clone(), entry);
                }
                result
            }
        };
        Flight { flights: self, approval: approval.clone(), result: Some(result) }
    }

    /// The result of the call that ran or runs under this approval in this process, if there is one. The
    /// caller must have dropped its own flight.
    pub(crate) async fn result(&self, approval: &ApprovalId) -> Option<RawJson> {
        let mut waiting = self.lock().flights.get(approval)?.waiting.clone();
        let landed = waiting.wait_for(Option::is_some).await.ok()?;
        landed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, FlightBoard> {
        self.0.lock()
    }
}

impl FlightEntry {
    fn has_landed(&self) -> bool {
        self.waiting.borrow().is_some()
    }
}

impl Flight<'_> {
    pub(crate) fn land(self, result: RawJson) {
        if let Some(sender) = &self.result {
            sender.send_replace(Some(result));
        }
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
        let mut board = self.flights.lock();
        // Under the lock, so that the last one knows that it is the last.
        self.result = None;
        let over = |entry: &FlightEntry| entry.result.strong_count() == 0 && !entry.has_landed();
        if board.flights.get(&self.approval).is_some_and(over) {
            board.flights.remove(&self.approval);
        }
    }
}
