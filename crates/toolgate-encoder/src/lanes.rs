//! Which thread works on what.
//!
//! The tensor library spreads its work over the threads of the pool it is called from. A pool with a single thread keeps
//! a text on one core; a lane of its own for catalogues keeps queries from waiting behind them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::LoadError;

/// Queries that are worked on at the same time.
const QUERY_LANES_MAX: usize = 8;

pub(crate) struct Lanes {
    catalogue: ThreadPool,
    queries: Vec<ThreadPool>,
    next: AtomicUsize,
}

impl Lanes {
    pub(crate) fn open() -> Result<Self, LoadError> {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let queries = (0..cores.min(QUERY_LANES_MAX)).map(|number| lane(&format!("encoder-query-{number}")));
        Ok(Self {
            catalogue: lane("encoder")?,
            queries: queries.collect::<Result<_, _>>()?,
            next: AtomicUsize::new(0),
        })
    }

    /// Runs in the lane for catalogues.
    pub(crate) fn catalogue<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.catalogue.install(work)
    }

    /// Runs in the next of the lanes for queries.
    pub(crate) fn query<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        self.queries[next % self.queries.len()].install(work)
    }
}

fn lane(name: &str) -> Result<ThreadPool, LoadError> {
    let name = name.to_owned();
    let built = ThreadPoolBuilder::new().num_threads(1).thread_name(move |_| name.clone()).build();
    built.map_err(|error| LoadError::Thread { reason: error.to_string() })
}
