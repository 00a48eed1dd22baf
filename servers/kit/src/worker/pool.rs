//! A limited number of workers: calls wait for one, run in one, and kill it if necessary.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::fate::Fate;
use super::process::{Launch, Worker};
use super::{Job, Reply, frames};
use crate::metrics::Metrics;
use crate::settings::Limits;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::Progress;

/// The receiver of a call's progress.
pub(crate) trait Listener: Send + Sync {
    fn hear(&self, progress: Progress) -> impl Future<Output = ()> + Send;
}

/// The reason why a call has no answer.
#[derive(Debug)]
pub(crate) enum Ending {
    Trouble(Trouble),
    /// The caller cancelled it.
    Cancelled,
}

impl From<Trouble> for Ending {
    fn from(trouble: Trouble) -> Self {
        Ending::Trouble(trouble)
    }
}

/// The time limit of a call, its size, and its cancellation.
pub(crate) struct Terms {
    pub(crate) limit: Duration,
    pub(crate) bytes: usize,
    pub(crate) cancelled: CancellationToken,
}

#[derive(Clone)]
pub(crate) struct Pool(Arc<Inner>);

struct Inner {
    launch: Launch,
    limits: Limits,
    metrics: Arc<Metrics>,
    /// Ready for a job, the last used on top: its memory is warm.
    idle: Mutex<Vec<Worker>>,
    slots: Arc<Semaphore>,
    queue: Mutex<Queue>,
    /// Starts of workers in the background.
    tasks: TaskTracker,
    closed: CancellationToken,
}

/// The result with one worker.
enum Outcome {
    Said(Said),
    /// It died before it began: another one can be given the same job.
    Untouched(io::Error),
    Died(io::Error),
    TimedOut,
    Cancelled,
}

/// The final message of a worker.
enum Said {
    Answer(Value),
    Trouble(Trouble),
}

impl Pool {
    pub(crate) fn new(refs: PathBuf, limits: Limits, metrics: Arc<Metrics>) -> Self {
        Self(Arc::new(Inner {
            launch: Launch { refs },
            limits,
            metrics,
            idle: Mutex::default(),
            slots: Arc::new(Semaphore::new(limits.workers)),
            queue: Mutex::default(),
            tasks: TaskTracker::new(),
            closed: CancellationToken::new(),
        }))
    }

    /// Starts a worker in the background if none is ready, so that the next call does not wait for it.
    pub(crate) fn prepare(&self) {
        let inner = Arc::clone(&self.0);
        if inner.closed.is_cancelled() || !inner.idle().is_empty() {
            return;
        }
        let closed = inner.closed.clone();
        self.0.tasks.spawn(async move { closed.run_until_cancelled(inner.prepare()).await });
    }

    /// One call, from waiting for a worker to its answer.
    pub(crate) async fn call(
        &self,
        job: Job<'_>,
        terms: &Terms,
        listener: &impl Listener,
    ) -> Result<Value, Ending> {
        let _slot = self.0.admit(terms).await?;
        let _busy = self.0.metrics.busy();
        let tool = job.tool.clone();
        let frame = frames::pack(&job)
            .map_err(|error| Trouble::internal(format!("the call could not be passed on: {error}")))?;
        // It may be as large as a file.
        drop(job);
        let mut worker = self.0.worker().await?;
        let mut outcome = give(&mut worker, &frame, terms, listener).await;
        if let Outcome::Untouched(error) = &outcome {
            tracing::debug!(%error, "a worker died before it started; another worker gets its job");
            self.0.metrics.worker_ended("lost");
            worker = self.0.start().await?;
            outcome = give(&mut worker, &frame, terms, listener).await;
        }
        match outcome {
            Outcome::Said(said) => self.keep(worker, said),
            Outcome::Untouched(error) | Outcome::Died(error) => {
                Err(self.died(worker, &tool, &error).await.into())
            }
            Outcome::TimedOut => {
                let fate = Fate::TimedOut(terms.limit);
                self.end(worker, fate.as_str());
                Err(fate.trouble(&tool, &self.0.limits).into())
            }
            Outcome::Cancelled => {
                self.end(worker, "cancelled");
                Err(Ending::Cancelled)
            }
        }
    }

    /// Ends all idle workers, and starts no more.
    pub(crate) async fn close(&self) {
        self.0.closed.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
        self.0.idle().clear();
    }

    pub(crate) fn waiting(&self) -> usize {
        self.0.queue().calls
    }

    /// Takes back a worker that has answered, unless it is worn out.
    fn keep(&self, worker: Worker, said: Said) -> Result<Value, Ending> {
        let has_panicked = matches!(&said, Said::Trouble(trouble) if trouble.code == TroubleCode::Crashed);
        let resident = worker.resident().unwrap_or(u64::MAX);
        if has_panicked {
            self.end(worker, "panicked");
        } else if resident > self.0.limits.memory_bytes / 2 {
            tracing::info!(
                mib = resident >> 20,
                "a worker uses more than half of its memory limit and is replaced"
            );
            self.end(worker, "grown");
        } else if !self.0.closed.is_cancelled() {
            self.0.idle().push(worker);
        }
        match said {
            Said::Answer(answer) => Ok(answer),
            Said::Trouble(trouble) => Err(trouble.into()),
        }
    }

    async fn died(&self, worker: Worker, tool: &str, error: &io::Error) -> Trouble {
        let (status, words) = worker.autopsy().await;
        let fate = Fate::of(status, &words);
        let ended = status.map_or_else(|| error.to_string(), |status| status.to_string());
        tracing::warn!(tool, ended, "a worker died: {}", fate.as_str());
        self.0.metrics.worker_ended(fate.as_str());
        self.prepare();
        fate.trouble(tool, &self.0.limits)
    }

    fn end(&self, worker: Worker, why: &'static str) {
        drop(worker);
        self.0.metrics.worker_ended(why);
        self.prepare();
    }
}

/// Gives a worker a job and waits for its outcome. A worker that was cancelled or timed out is still busy and
/// must be ended.
async fn give(worker: &mut Worker, job: &[u8], terms: &Terms, listener: &impl Listener) -> Outcome {
    let exchange = tokio::time::timeout(terms.limit, exchange(worker, job, listener));
    match terms.cancelled.run_until_cancelled(exchange).await {
        None => Outcome::Cancelled,
        Some(Err(_)) => Outcome::TimedOut,
        Some(Ok(outcome)) => outcome,
    }
}

async fn exchange(worker: &mut Worker, job: &[u8], listener: &impl Listener) -> Outcome {
    if let Err(error) = worker.send(job).await {
        return Outcome::Untouched(error);
    }
    let mut has_begun = false;
    loop {
        match worker.receive().await {
            Ok(Reply::Taken) => has_begun = true,
            Ok(Reply::Progress(progress)) => listener.hear(progress).await,
            Ok(Reply::Answer(answer)) => return Outcome::Said(Said::Answer(answer)),
            Ok(Reply::Trouble(trouble)) => return Outcome::Said(Said::Trouble(trouble)),
            Ok(Reply::Ready) => {
                return Outcome::Died(io::Error::other("a worker said twice that it is ready"));
            }
            Err(error) if has_begun => return Outcome::Died(error),
            Err(error) => return Outcome::Untouched(error),
        }
    }
}

impl Inner {
    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    /// A place among those that work, or in the queue before them.
    async fn admit(&self, terms: &Terms) -> Result<OwnedSemaphorePermit, Ending> {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Ok(slot);
        }
        let _place = Place::take(self, terms.bytes)?;
        let slot = terms.cancelled.run_until_cancelled(Arc::clone(&self.slots).acquire_owned()).await;
        let slot = slot.ok_or(Ending::Cancelled)?;
        Ok(slot.expect("the semaphore is never closed"))
    }

    async fn worker(&self) -> Result<Worker, Trouble> {
        loop {
            let Some(mut worker) = self.idle().pop() else { break };
            if worker.is_alive() {
                return Ok(worker);
            }
            self.metrics.worker_ended("lost");
        }
        self.start().await
    }

    async fn start(&self) -> Result<Worker, Trouble> {
        self.launch.start().await.map_err(|error| {
            tracing::error!("a worker could not be started: {error}");
            Trouble::internal(format!("the server could not start a worker: {error}"))
                .hint("this is the server's fault, not the call's; see the server's log")
        })
    }

    async fn prepare(&self) {
        let started = self.launch.start().await;
        let mut idle = self.idle();
        let busy = self.limits.workers - self.slots.available_permits();
        match started {
            Ok(worker) if idle.len() + busy < self.limits.workers => idle.push(worker),
            Ok(_) => tracing::debug!("a prepared worker is not needed"),
            Err(error) => tracing::error!("a worker could not be started: {error}"),
        }
    }
}

/// The calls that wait.
#[derive(Default)]
struct Queue {
    calls: usize,
    bytes: usize,
}

/// One of them.
struct Place<'a> {
    inner: &'a Inner,
    bytes: usize,
}

impl<'a> Place<'a> {
    fn take(inner: &'a Inner, bytes: usize) -> Result<Self, Trouble> {
        let mut queue = inner.queue();
        let limits = &inner.limits;
        if queue.calls >= limits.queue || queue.bytes + bytes > limits.waiting_bytes() {
            let message = format!("{} calls are running and {} are waiting", limits.workers, queue.calls);
            return Err(Trouble::new(TroubleCode::Busy, message).hint("try again in a few seconds"));
        }
        queue.calls += 1;
        queue.bytes += bytes;
        Ok(Self { inner, bytes })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut queue = self.inner.queue();
        queue.calls -= 1;
        queue.bytes -= self.bytes;
    }
}
