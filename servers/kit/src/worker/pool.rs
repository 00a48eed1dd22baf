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

use super::fate::WorkerFate;
use super::process::{Launch, Worker};
use super::{WorkerJob, WorkerReply, frames};
use crate::metrics::Metrics;
use crate::settings::WorkerLimits;
use crate::trouble::{Trouble, TroubleCode};
use crate::work::Progress;

/// The receiver of a call's progress.
pub(crate) trait ProgressListener: Send + Sync {
    fn hear(&self, progress: Progress) -> impl Future<Output = ()> + Send;
}

/// The reason why a call has no answer.
#[derive(Debug)]
pub enum CallEnding {
    Trouble(Trouble),
    /// The caller cancelled it.
    Cancelled,
}

impl From<Trouble> for CallEnding {
    fn from(trouble: Trouble) -> Self {
        CallEnding::Trouble(trouble)
    }
}

/// The time limit of a call, its size, and its cancellation.
pub(crate) struct CallTerms {
    pub(crate) limit: Duration,
    pub(crate) bytes: usize,
    pub(crate) cancelled: CancellationToken,
}

#[derive(Clone)]
pub(crate) struct Pool(Arc<PoolInner>);

struct PoolInner {
    launch: Launch,
    limits: WorkerLimits,
    metrics: Arc<Metrics>,
    /// Ready for a job, the last used on top: its memory is warm.
    idle: Mutex<Vec<Worker>>,
    slots: Arc<Semaphore>,
    queue: Mutex<WaitingCalls>,
    /// Starts of workers in the background.
    tasks: TaskTracker,
    closed: CancellationToken,
}

/// The result with one worker.
enum WorkerOutcome {
    Said(FinalMessage),
    /// It died before it began: another one can be given the same job.
    Untouched(io::Error),
    Died(io::Error),
    TimedOut,
    Cancelled,
}

/// The final message of a worker.
enum FinalMessage {
    Answer(Value),
    Trouble(Trouble),
}

impl Pool {
    /// The variables `hidden` are not passed on to workers.
    pub(crate) fn new(
        refs: PathBuf,
        hidden: &'static [&'static str],
        limits: WorkerLimits,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self(Arc::new(PoolInner {
            launch: Launch { refs, hidden },
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
        job: WorkerJob<'_>,
        terms: &CallTerms,
        listener: &impl ProgressListener,
    ) -> Result<Value, CallEnding> {
        let _slot = self.0.admit(terms).await?;
        let _busy = self.0.metrics.busy();
        let tool = job.tool.clone();
        let frame = frames::pack(&job)
            .map_err(|error| Trouble::internal(format!("the call could not be passed on: {error}")))?;
        // It may be as large as a file.
        drop(job);
        let mut worker = self.0.worker().await?;
        let mut outcome = give(&mut worker, &frame, terms, listener).await;
        if let WorkerOutcome::Untouched(error) = &outcome {
            tracing::debug!(%error, "a worker died before it started; another worker gets its job");
            self.0.metrics.worker_ended("lost");
            worker = self.0.start().await?;
            outcome = give(&mut worker, &frame, terms, listener).await;
        }
        match outcome {
            WorkerOutcome::Said(said) => self.keep(worker, said),
            WorkerOutcome::Untouched(error) | WorkerOutcome::Died(error) => {
                Err(self.died(worker, &tool, &error).await.into())
            }
            WorkerOutcome::TimedOut => {
                let fate = WorkerFate::TimedOut(terms.limit);
                self.end(worker, fate.as_str());
                Err(fate.trouble(&tool, &self.0.limits).into())
            }
            WorkerOutcome::Cancelled => {
                self.end(worker, "cancelled");
                Err(CallEnding::Cancelled)
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
    fn keep(&self, worker: Worker, said: FinalMessage) -> Result<Value, CallEnding> {
        let has_panicked =
            matches!(&said, FinalMessage::Trouble(trouble) if trouble.code == TroubleCode::Crashed);
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
            FinalMessage::Answer(answer) => Ok(answer),
            FinalMessage::Trouble(trouble) => Err(trouble.into()),
        }
    }

    async fn died(&self, worker: Worker, tool: &str, error: &io::Error) -> Trouble {
        let (status, words) = worker.autopsy().await;
        let fate = WorkerFate::of(status, &words);
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
async fn give(
    worker: &mut Worker,
    job: &[u8],
    terms: &CallTerms,
    listener: &impl ProgressListener,
) -> WorkerOutcome {
    let exchange = tokio::time::timeout(terms.limit, exchange(worker, job, listener));
    match terms.cancelled.run_until_cancelled(exchange).await {
        None => WorkerOutcome::Cancelled,
        Some(Err(_)) => WorkerOutcome::TimedOut,
        Some(Ok(outcome)) => outcome,
    }
}

async fn exchange(worker: &mut Worker, job: &[u8], listener: &impl ProgressListener) -> WorkerOutcome {
    if let Err(error) = worker.send(job).await {
        return WorkerOutcome::Untouched(error);
    }
    let mut has_begun = false;
    loop {
        match worker.receive().await {
            Ok(WorkerReply::Taken) => has_begun = true,
            Ok(WorkerReply::Progress(progress)) => listener.hear(progress).await,
            Ok(WorkerReply::Answer(answer)) => return WorkerOutcome::Said(FinalMessage::Answer(answer)),
            Ok(WorkerReply::Trouble(trouble)) => return WorkerOutcome::Said(FinalMessage::Trouble(trouble)),
            Ok(WorkerReply::Ready) => {
                return WorkerOutcome::Died(io::Error::other("a worker said twice that it is ready"));
            }
            Err(error) if has_begun => return WorkerOutcome::Died(error),
            Err(error) => return WorkerOutcome::Untouched(error),
        }
    }
}

impl PoolInner {
    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock()
    }

    fn queue(&self) -> MutexGuard<'_, WaitingCalls> {
        self.queue.lock()
    }

    /// A place among those that work, or in the queue before them.
    async fn admit(&self, terms: &CallTerms) -> Result<OwnedSemaphorePermit, CallEnding> {
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Ok(slot);
        }
        let _place = QueuePlace::take(self, terms.bytes)?;
        let slot = terms.cancelled.run_until_cancelled(Arc::clone(&self.slots).acquire_owned()).await;
        let slot = slot.ok_or(CallEnding::Cancelled)?;
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
struct WaitingCalls {
    calls: usize,
    bytes: usize,
}

/// One of them.
struct QueuePlace<'a> {
    inner: &'a PoolInner,
    bytes: usize,
}

impl<'a> QueuePlace<'a> {
    fn take(inner: &'a PoolInner, bytes: usize) -> Result<Self, Trouble> {
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

impl Drop for QueuePlace<'_> {
    fn drop(&mut self) {
        let mut queue = self.inner.queue();
        queue.calls -= 1;
        queue.bytes -= self.bytes;
    }
}
