//! The callers that have ended and of whom an instance has not been told yet. They wait while it is away.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::callers::{CallerNaming, EndedCaller};

/// The maximum number that waits. Of more, the oldest are not told: servers forget idle callers by themselves.
const WAITING_MAX: usize = 4_096;

#[derive(Default)]
pub(crate) struct EndingQueue {
    /// True if the instance asked to be told when it was last connected.
    is_wanted: AtomicBool,
    waiting: Mutex<VecDeque<EndedCaller>>,
    came: Notify,
}

impl EndingQueue {
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Acquire)
    }

    /// A connection began.
    pub(super) fn begin(&self, naming: CallerNaming) {
        let is_wanted = naming == CallerNaming::Named;
        self.is_wanted.store(is_wanted, Ordering::Release);
        if !is_wanted {
            self.waiting.lock().clear();
        }
    }

    /// Takes note of an end, if the instance wants to know. Returns at once.
    pub(crate) fn add(&self, ended: &EndedCaller) {
        if !self.is_wanted() {
            return;
        }
        let mut waiting = self.waiting.lock();
        if waiting.len() >= WAITING_MAX {
            waiting.pop_front();
        }
        waiting.push_back(ended.clone());
        drop(waiting);
        self.came.notify_one();
    }

    /// The next one, oldest first.
    pub(super) async fn next(&self) -> EndedCaller {
        loop {
            if let Some(ended) = self.pop() {
                return ended;
            }
            self.came.notified().await;
        }
    }

    fn pop(&self) -> Option<EndedCaller> {
        self.waiting.lock().pop_front()
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::id::RunId;

    use super::*;

    fn run(number: usize) -> EndedCaller {
        EndedCaller::Run(RunId::new(format!("run_{number}")))
    }

    #[tokio::test]
    async fn an_instance_hears_of_the_latest_ends_and_only_if_it_wants_to() {
        let queue = EndingQueue::default();
        queue.add(&run(0));
        queue.begin(CallerNaming::Named);
        for number in 1..=WAITING_MAX + 1 {
            queue.add(&run(number));
        }
        assert_eq!(queue.waiting.lock().len(), WAITING_MAX, "they do not pile up");
        assert_eq!(
            queue.next().await,
            run(2),
            "the oldest gave way, and the one before the wish is not there"
        );
        queue.begin(CallerNaming::Unnamed);
        queue.add(&run(0));
        assert!(queue.pop().is_none());
    }
}
