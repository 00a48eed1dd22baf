//! A limited number of places, and a limited number of calls that wait for one, each in its turn.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

pub(crate) struct SlotQueue(Mutex<SlotQueueState>);

struct SlotQueueState {
    places_max: usize,
    waiting_max: usize,
    taken: usize,
    waiting: VecDeque<oneshot::Sender<CallSlot>>,
}

/// One of the places. The longest waiting call gets it when this is dropped.
pub(crate) struct CallSlot(Arc<SlotQueue>);

/// The outcome of joining the line.
pub(crate) enum QueueOutcome {
    Placed(CallSlot),
    /// The place comes when it is their turn.
    Waiting(oneshot::Receiver<CallSlot>),
    Full,
}

impl SlotQueue {
    pub(crate) fn new(places_max: usize, waiting_max: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(SlotQueueState {
            places_max,
            waiting_max,
            taken: 0,
            waiting: VecDeque::new(),
        })))
    }

    pub(crate) fn join(self: &Arc<Self>) -> QueueOutcome {
        let mut queue = self.lock();
        if queue.taken < queue.places_max && queue.waiting.is_empty() {
            queue.taken += 1;
            return QueueOutcome::Placed(CallSlot(self.clone()));
        }
        queue.waiting.retain(|one| !one.is_closed());
        if queue.waiting.len() >= queue.waiting_max {
            return QueueOutcome::Full;
        }
        let (turn, mine) = oneshot::channel();
        queue.waiting.push_back(turn);
        drop(queue);
        // There may have been a place all along, and no one else to give it up.
        self.call_next();
        QueueOutcome::Waiting(mine)
    }

    /// Other limits. Who has a place keeps it.
    pub(crate) fn resize(self: &Arc<Self>, places_max: usize, waiting_max: usize) {
        let mut queue = self.lock();
        (queue.places_max, queue.waiting_max) = (places_max, waiting_max);
        drop(queue);
        self.call_next();
    }

    /// The numbers of calls that run and that wait.
    pub(super) fn occupancy(&self) -> (usize, usize) {
        let queue = self.lock();
        let waiting = queue.waiting.iter().filter(|one| !one.is_closed()).count();
        (queue.taken, waiting)
    }

    pub(crate) fn is_idle(&self) -> bool {
        let queue = self.lock();
        queue.taken == 0 && queue.waiting.is_empty()
    }

    /// Gives free places to those who wait.
    fn call_next(self: &Arc<Self>) {
        loop {
            let mut queue = self.lock();
            if queue.taken >= queue.places_max {
                return;
            }
            let Some(next) = queue.waiting.pop_front() else { return };
            queue.taken += 1;
            drop(queue);
            // A call that has gone gives it back by dropping it.
            drop(next.send(CallSlot(self.clone())));
        }
    }

    fn lock(&self) -> MutexGuard<'_, SlotQueueState> {
        self.0.lock()
    }
}

impl Drop for CallSlot {
    fn drop(&mut self) {
        self.0.lock().taken -= 1;
        self.0.call_next();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(joined: QueueOutcome) -> oneshot::Receiver<CallSlot> {
        match joined {
            QueueOutcome::Waiting(turn) => turn,
            QueueOutcome::Placed(_) => panic!("there was a place"),
            QueueOutcome::Full => panic!("the line was full"),
        }
    }

    fn placed(joined: QueueOutcome) -> CallSlot {
        match joined {
            QueueOutcome::Placed(place) => place,
            _ => panic!("there was no place"),
        }
    }

    #[test]
    fn places_are_given_in_turn_and_the_line_has_an_end() {
        let line = SlotQueue::new(1, 2);
        let first = placed(line.join());
        let (mut second, mut third) = (waiting(line.join()), waiting(line.join()));
        assert!(matches!(line.join(), QueueOutcome::Full));
        drop(first);
        let second = second.try_recv().expect("its turn");
        assert!(third.try_recv().is_err());
        drop(second);
        drop(third.try_recv().expect("its turn"));
        assert!(line.is_idle());
    }

    #[test]
    fn who_leaves_the_line_holds_nobody_up() {
        let line = SlotQueue::new(1, 2);
        let first = placed(line.join());
        let (gone, mut stays) = (waiting(line.join()), waiting(line.join()));
        drop(gone);
        drop(first);
        drop(stays.try_recv().expect("its turn"));
        // A turn that came and was not taken.
        let first = placed(line.join());
        let late = waiting(line.join());
        drop(first);
        drop(late);
        assert!(line.is_idle());
    }

    #[test]
    fn more_places_are_given_at_once() {
        let line = SlotQueue::new(0, 4);
        let mut turns = [waiting(line.join()), waiting(line.join())];
        line.resize(2, 4);
        assert!(turns.iter_mut().all(|turn| turn.try_recv().is_ok()));
    }
}
