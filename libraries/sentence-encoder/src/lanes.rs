//! The limit on concurrent encodings.
//!
//! A text is encoded on the thread that asks for it. A separate lane for catalogues keeps queries from
//! waiting behind them, and no more queries run at once than there are cores.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

/// Queries that are worked on at the same time.
const QUERY_LANES_MAX: usize = 8;

pub(crate) struct Lanes {
    catalogue: Mutex<()>,
    queries: Vec<Mutex<()>>,
    next: AtomicUsize,
}

impl Lanes {
    pub(crate) fn open() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let queries = (0..cores.min(QUERY_LANES_MAX)).map(|_| Mutex::default()).collect();
        Self { catalogue: Mutex::default(), queries, next: AtomicUsize::new(0) }
    }

    /// Runs when the lane for catalogues is free.
    pub(crate) fn catalogue<T>(&self, work: impl FnOnce() -> T) -> T {
        run_in(&self.catalogue, work)
    }

    /// Runs when the next of the lanes for queries is free.
    pub(crate) fn query<T>(&self, work: impl FnOnce() -> T) -> T {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        run_in(&self.queries[next % self.queries.len()], work)
    }
}

/// Runs something alone in its lane.
fn run_in<T>(lane: &Mutex<()>, work: impl FnOnce() -> T) -> T {
    let _running = lane.lock();
    work()
}
