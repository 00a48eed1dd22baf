//! Worker processes for a program of ours that is no MCP server. It has its own command line and its own jobs; the processes, their
//! limits and their ends are those of a server's tools.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::metrics::Metrics;
use crate::settings::WorkerLimits;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::{Progress, Work};
use crate::worker::child::{self, JobFunction};
use crate::worker::pool::{CallEnding, CallTerms, Pool, ProgressListener};
use crate::worker::{self, ProgressMode, WorkerJob};

/// The limits of jobs and of the processes that run them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct JobLimits {
    /// Processes, each with one job at a time.
    pub workers: usize,
    /// Address space of each of them.
    pub memory_bytes: u64,
    /// Of one job.
    pub time: Duration,
    /// Jobs that wait for a process.
    pub queue: usize,
}

impl JobLimits {
    /// Jobs name files and have none in them.
    const JOB_BYTES_MAX: usize = 1 << 20;

    fn of_workers(self) -> WorkerLimits {
        WorkerLimits {
            workers: self.workers,
            memory_bytes: self.memory_bytes,
            time: self.time,
            input_bytes: Self::JOB_BYTES_MAX,
            queue: self.queue,
            refs_bytes: 0,
            refs_age: Duration::ZERO,
        }
    }
}

/// The processes: this program, started again with the same command line.
#[derive(Clone)]
pub struct Workers {
    pool: Pool,
    time: Duration,
}

impl Workers {
    /// `folder` is there and the program's own. The variables `hidden` are not passed on: workers read untrusted data.
    pub fn new(limits: JobLimits, folder: impl Into<PathBuf>, hidden: &'static [&'static str]) -> Self {
        let metrics = Arc::new(Metrics::new());
        Self { pool: Pool::new(folder.into(), hidden, limits.of_workers(), metrics), time: limits.time }
    }

    /// Starts a process in the background, so that the first job does not wait for it.
    pub fn prepare(&self) {
        self.pool.prepare();
    }

    /// One job, from waiting for a process to its answer. A process that is cancelled or too slow is killed.
    pub async fn call(
        &self,
        job: &'static str,
        arguments: Value,
        cancelled: CancellationToken,
    ) -> Result<Value, CallEnding> {
        let job = WorkerJob { tool: job.into(), arguments, telling: ProgressMode::Nothing };
        let terms = CallTerms { limit: self.time, bytes: 0, cancelled };
        self.pool.call(job, &terms, &NobodyListens).await
    }

    /// Ends all idle processes, and starts no more.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

struct NobodyListens;

impl ProgressListener for NobodyListens {
    async fn hear(&self, _: Progress) {}
}

/// True in a process that [`Workers`] has started. The program calls [`work_as_worker`] then, and nothing else.
pub fn is_worker() -> bool {
    worker::is_worker()
}

/// The whole life of such a process: it limits itself, and runs one job after the other.
pub fn work_as_worker(
    limits: JobLimits,
    run: impl Fn(&str, Value) -> Result<Value, Trouble> + Send + 'static,
) -> ExitCode {
    let guarded = move |job: &str, arguments: Value, _: &Work| {
        let run = AssertUnwindSafe(|| run(job, arguments));
        catch_unwind(run).unwrap_or_else(|_| Err(panicked(job)))
    };
    child::run(|| Box::new(guarded) as JobFunction, &limits.of_workers())
}

fn panicked(job: &str) -> Trouble {
    Trouble::new(TroubleCode::Crashed, format!("{job} failed on this input"))
        .hint("the input may be damaged; try another file")
}
