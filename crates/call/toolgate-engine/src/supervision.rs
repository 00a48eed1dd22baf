//! The one engine of a gateway: started when it is needed, started again after its end, with growing pauses.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use engine_protocol::{EngineGreeting, EngineRequest, PROTOCOL};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::Refusal;
use toolgate_core::governance::Clock;
use toolgate_sandbox::Confiner;

use crate::contents;
use crate::process::{self, StartTrouble};
use crate::program::EngineProgram;
use crate::refusal;
use crate::settings::EngineSettings;
use crate::talk::EngineTalk;

/// The pause after a first failure; each further one doubles it.
const PAUSE_FIRST: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// An engine that lasted this long was healthy, and its end is a first failure.
const WELL_AFTER: Duration = Duration::from_secs(60);
/// A request waits for the end of a pause that is no longer than this.
const PAUSE_WAIT_MAX: Duration = Duration::from_secs(5);
/// The time that the end of a process may take.
const END_WAIT_MAX: Duration = Duration::from_secs(10);

/// The engine, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineState {
    /// Nothing was asked of it yet.
    NotStarted,
    Running {
        since_ms: i64,
        version: String,
    },
    /// It ended or did not start; the next request starts it.
    Broken {
        why: String,
    },
    /// It is not installed.
    Missing {
        why: String,
    },
    /// The gateway ends.
    Stopped,
}

/// An engine that has introduced itself.
pub(crate) struct RunningEngine {
    pub(crate) talk: EngineTalk,
    pub(crate) greeting: EngineGreeting,
    started: Instant,
    since_ms: i64,
}

pub(crate) struct EngineSupervisor {
    pub(crate) settings: EngineSettings,
    /// Folders in which the program may lie.
    pub(crate) beside: Vec<PathBuf>,
    /// The environment that the process inherits.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) confiner: Option<Confiner>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) slot: tokio::sync::Mutex<EngineSlot>,
    pub(crate) known: Mutex<KnownEngine>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// The process, or the pause until the next one.
#[derive(Default)]
pub(crate) struct EngineSlot {
    running: Option<Arc<RunningEngine>>,
    failures: u32,
    /// The end of the pause, and the reason for it.
    resting: Option<(Instant, String)>,
}

/// What is known without waiting for a start that is under way.
#[derive(Default)]
pub(crate) enum KnownEngine {
    #[default]
    NotStarted,
    Running(Arc<RunningEngine>),
    Broken(String),
    Missing(String),
}

impl EngineSupervisor {
    /// The running engine; started, if there is none.
    pub(crate) async fn running(&self) -> Result<Arc<RunningEngine>, Refusal> {
        let mut slot = self.slot.lock().await;
        if let Some(running) = slot.running.take() {
            match running.talk.ended(END_WAIT_MAX).await {
                Some(why) => slot.fail(why, running.started.elapsed()),
                None => {
                    slot.running = Some(Arc::clone(&running));
                    return Ok(running);
                }
            }
        }
        let started = self.stop.run_until_cancelled(self.start_after_pause(&mut slot)).await;
        started.unwrap_or_else(|| Err(refusal::stopped()))
    }

    async fn start_after_pause(&self, slot: &mut EngineSlot) -> Result<Arc<RunningEngine>, Refusal> {
        slot.rest().await?;
        match self.start().await {
            Ok(running) => {
                let running = Arc::new(running);
                slot.running = Some(Arc::clone(&running));
                *self.known.lock() = KnownEngine::Running(Arc::clone(&running));
                Ok(running)
            }
            // It may be there the next time, and looking for it costs nothing.
            Err(StartTrouble::Missing(why)) => {
                let refusal = refusal::missing(&why);
                *self.known.lock() = KnownEngine::Missing(why);
                Err(refusal)
            }
            Err(trouble) => {
                tracing::warn!("{trouble}");
                slot.fail(trouble.to_string(), Duration::ZERO);
                *self.known.lock() = KnownEngine::Broken(trouble.to_string());
                Err(refusal::not_started(&trouble))
            }
        }
    }

    async fn start(&self) -> Result<RunningEngine, StartTrouble> {
        let EngineSettings { folder, limits, .. } = &self.settings;
        let program =
            EngineProgram::find(&self.settings, &self.beside, &self.env).map_err(StartTrouble::Missing)?;
        contents::prepare(folder).map_err(|source| StartTrouble::Folder { path: folder.clone(), source })?;
        let (confiner, stop) = (self.confiner.as_ref(), self.stop.child_token());
        let talk = process::start(&program, confiner, &self.tasks, stop, limits.cancel)?;
        let said = talk.exchange(EngineRequest::Hello, limits.start).await.map_err(StartTrouble::Silent)?;
        let greeting = greeting(said)?;
        tracing::info!(version = %greeting.version, "the engine is up");
        Ok(RunningEngine { talk, greeting, started: Instant::now(), since_ms: self.clock.now_ms() })
    }

    pub(crate) fn state(&self) -> EngineState {
        if self.stop.is_cancelled() {
            return EngineState::Stopped;
        }
        match &*self.known.lock() {
            KnownEngine::NotStarted => EngineState::NotStarted,
            KnownEngine::Broken(why) => EngineState::Broken { why: why.clone() },
            KnownEngine::Missing(why) => EngineState::Missing { why: why.clone() },
            KnownEngine::Running(running) => match running.talk.waiting.ended() {
                Some(why) => EngineState::Broken { why: format!("the engine {why}") },
                None => EngineState::Running {
                    since_ms: running.since_ms,
                    version: running.greeting.version.clone(),
                },
            },
        }
    }

    /// Ends the engine, and returns when its process is gone.
    pub(crate) async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        drop(tokio::time::timeout(END_WAIT_MAX, self.tasks.wait()).await);
    }
}

impl Drop for EngineSupervisor {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl EngineSlot {
    /// Notes the end of an engine, or of the try to start one.
    fn fail(&mut self, why: String, lasted: Duration) {
        if lasted >= WELL_AFTER {
            self.failures = 0;
        }
        let doubled = 1u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        let pause = PAUSE_FIRST.saturating_mul(doubled).min(PAUSE_MAX);
        self.failures = (self.failures + 1).min(16);
        self.resting = Some((Instant::now() + pause, why));
    }

    /// Waits for the end of a short pause. During a long one there is nothing to wait for.
    async fn rest(&self) -> Result<(), Refusal> {
        let Some((until, why)) = &self.resting else { return Ok(()) };
        let left = until.saturating_duration_since(Instant::now());
        if left > PAUSE_WAIT_MAX {
            return Err(refusal::resting(why, left));
        }
        tokio::time::sleep(left).await;
        Ok(())
    }
}

/// The version comes first: a greeting of another one may have another form.
fn greeting(said: Value) -> Result<EngineGreeting, StartTrouble> {
    let theirs = said["protocol"].as_u64().unwrap_or_default();
    if theirs != u64::from(PROTOCOL) {
        return Err(StartTrouble::Protocol { theirs, ours: PROTOCOL });
    }
    serde_json::from_value(said).map_err(StartTrouble::Greeting)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_until_requests_are_refused_and_start_over_after_a_good_time() {
        let mut slot = EngineSlot::default();
        assert!(slot.rest().await.is_ok(), "nothing has failed yet");
        let mut failures = 0;
        let refusal = loop {
            slot.fail("exited with status 1".to_owned(), Duration::ZERO);
            failures += 1;
            if let Err(refusal) = slot.rest().await {
                break refusal;
            }
            assert!(failures < 20, "it is never left alone");
        };
        assert_eq!(failures, 6, "200 ms, doubled five times");
        assert_eq!(refusal.code.name, "engine_failed");
        assert!(refusal.message.contains("exited with status 1"), "{}", refusal.message);
        slot.fail("exited with status 1".to_owned(), WELL_AFTER);
        assert!(slot.rest().await.is_ok(), "the end of a healthy engine is a first failure");
    }
}
