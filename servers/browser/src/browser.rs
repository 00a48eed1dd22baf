//! The one Chromium of a server, started at the first need and again after a crash.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use capability_kit::{Caller, Trouble, TroubleCode};
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::chromium;
use crate::context::BrowserContext;
use crate::engine::Engine;
use crate::journal::Journal;
use crate::news::News;
use crate::settings::BrowserSettings;

/// A context that nobody uses is closed at most so much later than it might be.
const SWEEP_EVERY: Duration = Duration::from_secs(20);
const LOCAL: &str = "local";

/// Whose context it is: a run's, else a session's, else that of the only client.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ContextKey(String);

/// For people: which browser this is, and what confines it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserFacts {
    pub version: String,
    /// A sentence about Chromium's own sandbox.
    pub sandbox: String,
}

pub struct Browser {
    settings: BrowserSettings,
    running: AsyncMutex<RunningBrowser>,
    facts: Mutex<Option<BrowserFacts>>,
    tasks: TaskTracker,
    closed: CancellationToken,
}

#[derive(Default)]
struct RunningBrowser {
    engine: Option<Arc<Engine>>,
    contexts: BTreeMap<ContextKey, Arc<BrowserContext>>,
    /// Starts so far, for their folders.
    starts: usize,
    /// The time since which no context is there.
    empty_since: Option<Instant>,
    is_swept: bool,
}

impl ContextKey {
    pub fn of(caller: &Caller) -> Self {
        match caller {
            Caller { run: Some(run), .. } => Self(format!("run {run}")),
            Caller { session: Some(session), .. } => Self(format!("session {session}")),
            _ => Self(LOCAL.to_owned()),
        }
    }
}

impl Browser {
    /// Starts nothing yet.
    pub fn new(settings: BrowserSettings) -> Arc<Self> {
        Arc::new(Self {
            settings,
            running: AsyncMutex::default(),
            facts: Mutex::default(),
            tasks: TaskTracker::new(),
            closed: CancellationToken::new(),
        })
    }

    /// The trouble if there is no Chromium, with what to install.
    pub fn missing(&self) -> Option<Trouble> {
        chromium::find(self.settings.program.as_deref()).err()
    }

    /// `None` before the first start.
    pub fn facts(&self) -> Option<BrowserFacts> {
        self.facts.lock().clone()
    }

    /// The caller's context, made at the first call. After a crash it is a new one, whose first news say so.
    pub async fn context(self: &Arc<Self>, key: &ContextKey) -> Result<Arc<BrowserContext>, Trouble> {
        let mut running = self.running.lock().await;
        if let Some(context) = running.contexts.get(key).filter(|context| !context.is_ended()) {
            return Ok(Arc::clone(context));
        }
        let engine = self.engine(&mut running).await?;
        let journal = Arc::new(Journal::default());
        if running.contexts.remove(key).is_some() {
            journal.push(News::Crashed { tab: None });
        }
        self.check_room(&mut running)?;
        let context = engine.make_context(journal).await?;
        running.contexts.insert(key.clone(), Arc::clone(&context));
        running.empty_since = None;
        self.sweep_from_now_on(&mut running);
        Ok(context)
    }

    fn check_room(&self, running: &mut RunningBrowser) -> Result<(), Trouble> {
        running.contexts.retain(|_, context| !context.is_ended());
        let limit = self.settings.limits.contexts;
        if running.contexts.len() >= limit {
            let message = format!("{limit} callers use this browser, and no more are allowed");
            return Err(Trouble::new(TroubleCode::Busy, message).hint("try again when one of them has ended"));
        }
        Ok(())
    }

    async fn engine(&self, running: &mut RunningBrowser) -> Result<Arc<Engine>, Trouble> {
        if self.closed.is_cancelled() {
            return Err(Trouble::unavailable("the browser is being closed"));
        }
        match running.engine.take() {
            Some(engine) if !engine.is_gone() => return Ok(Arc::clone(running.engine.insert(engine))),
            Some(engine) => {
                tracing::warn!("the browser has ended and is started again");
                engine.end().await;
            }
            None => {}
        }
        running.starts += 1;
        let folder = self.settings.data.join(format!("chromium-{}-{}", std::process::id(), running.starts));
        let engine = Engine::start(&self.settings, folder).await?;
        let facts =
            BrowserFacts { version: engine.version.clone(), sandbox: engine.level.sentence().to_owned() };
        *self.facts.lock() = Some(facts);
        Ok(Arc::clone(running.engine.insert(engine)))
    }

    /// Pages, cookies and downloads are gone.
    pub async fn end(&self, key: &ContextKey) {
        let (context, engine) = {
            let mut running = self.running.lock().await;
            (running.contexts.remove(key), running.engine.clone())
        };
        if let (Some(context), Some(engine)) = (context, engine) {
            engine.end_context(&context).await;
        }
    }

    /// A session or a run has ended. A run's context outlives the session that started it.
    pub async fn end_of(&self, caller: &Caller) {
        self.end(&ContextKey::of(caller)).await;
    }

    /// The memory of all its processes, in bytes.
    pub async fn memory(&self) -> u64 {
        let engine = self.running.lock().await.engine.clone();
        match engine {
            Some(engine) => engine.memory().await.values().map(|(_, bytes)| bytes).sum(),
            None => 0,
        }
    }

    pub async fn close(&self) {
        self.closed.cancel();
        let running = std::mem::take(&mut *self.running.lock().await);
        if let Some(engine) = running.engine {
            engine.end().await;
        }
        // Only if it is empty: it is the operator's.
        drop(tokio::fs::remove_dir(&self.settings.data).await);
    }

    fn sweep_from_now_on(self: &Arc<Self>, running: &mut RunningBrowser) {
        if std::mem::replace(&mut running.is_swept, true) {
            return;
        }
        let (browser, closed) = (Arc::downgrade(self), self.closed.clone());
        let every = SWEEP_EVERY.min(self.settings.limits.idle / 4);
        self.tasks.spawn(async move {
            loop {
                tokio::select! {
                    () = closed.cancelled() => return,
                    () = tokio::time::sleep(every) => {}
                }
                let Some(browser) = browser.upgrade() else { return };
                browser.sweep().await;
            }
        });
    }

    async fn sweep(&self) {
        let idle: Vec<ContextKey> = {
            let running = self.running.lock().await;
            let limit = self.settings.limits.idle;
            let contexts = running.contexts.iter().filter(|(_, context)| context.is_idle(limit));
            contexts.map(|(key, _)| key.clone()).collect()
        };
        for key in idle {
            tracing::info!(?key, "a browser context that nobody used is closed");
            self.end(&key).await;
        }
        self.rest().await;
    }

    /// Ends a Chromium that had no context for so long as a context may be idle. The next call starts another one.
    async fn rest(&self) {
        let engine = {
            let mut running = self.running.lock().await;
            if !running.contexts.is_empty() || running.engine.is_none() {
                running.empty_since = None;
                return;
            }
            let since = *running.empty_since.get_or_insert_with(Instant::now);
            if since.elapsed() < self.settings.limits.idle {
                return;
            }
            running.empty_since = None;
            running.engine.take()
        };
        if let Some(engine) = engine {
            tracing::info!("a browser that nobody used is ended");
            engine.end().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_its_own_context_then_a_session_then_the_only_client() {
        let of = |session: Option<&str>, run: Option<&str>| {
            ContextKey::of(&Caller { session: session.map(str::to_owned), run: run.map(str::to_owned) })
        };
        assert_eq!(of(Some("s"), Some("r")), of(None, Some("r")));
        assert_ne!(of(Some("x"), None), of(None, Some("x")));
        assert_eq!(of(None, None), ContextKey("local".to_owned()));
    }
}
