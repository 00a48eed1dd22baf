//! One server and the task that looks after it: connect, list, watch, and when it goes away, try again.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use toolgate_core::port::{Caller, Reply, ServerError, ServerRequest};
use toolgate_core::server::{Era, Isolation, Listing, ServerHealth, ServerState, TransportSpec};
use toolgate_core::{Fault, FaultKind};

use crate::backoff::Backoff;
use crate::context::{Context, Raised};
use crate::deadline::{Deadline, Passed};
use crate::gate::Gate;
use crate::http::sessions::SESSION_IDLE;
use crate::http::timed_out;
use crate::instances::{INSTANCE_IDLE, Instances};
use crate::link::{Link, Live};
use crate::list;
use crate::probe::{OpenError, discover_request, open_process};
use crate::watching::{self, Wanted};

/// Changes that come in a burst are read once.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// How often a server is looked at that cannot tell us of changes.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// A server that was just looked at is not looked at again for this long.
const CHECK_PAUSE: Duration = Duration::from_secs(1);
const SWEEP: Duration = Duration::from_secs(60);

pub(crate) struct Server {
    pub(crate) ctx: Arc<Context>,
    phase: watch::Sender<Phase>,
    state: Mutex<ServerState>,
    gate: Gate,
    pub(crate) wanted: Wanted,
    instances: Instances,
    /// What the watcher was told last.
    listed: Mutex<Option<Listing>>,
    listening: AtomicBool,
    /// Somebody wants the server: no reason to sit out the whole pause.
    kick: Notify,
}

/// `Starting → Up ↔ Down`.
#[derive(Clone)]
enum Phase {
    /// The first attempt to connect is under way.
    Starting,
    Up(Arc<Live>),
    Down {
        reason: String,
    },
}

impl Server {
    pub(crate) fn start(ctx: Arc<Context>) -> Arc<Self> {
        let server = Arc::new(Self {
            phase: watch::Sender::new(Phase::Starting),
            state: Mutex::new(ServerState::starting()),
            gate: Gate::new(ctx.spec.concurrency_max),
            wanted: Wanted::default(),
            instances: Instances::default(),
            listed: Mutex::default(),
            listening: AtomicBool::new(false),
            kick: Notify::new(),
            ctx,
        });
        server.ctx.tasks.spawn(server.clone().run());
        server
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> Result<Reply, ServerError> {
        let deadline = Deadline::after(self.ctx.spec.timeout);
        let live = self.live().await?;
        let place = self.gate.enter(&deadline).await.map_err(|kind| self.ctx.fault(kind))?;
        let reply = if self.ctx.spec.isolation == Isolation::Principal && live.pipe().is_some() {
            let opening = self.instances.of(&self.ctx, &live, caller.principal());
            let own = match deadline.limit(opening).await {
                Ok(own) => own?,
                Err(Passed) => return Err(timed_out(&self.ctx, deadline.length())),
            };
            own.request(request, Some(caller), &deadline).await
        } else {
            live.request(request, Some(caller), &deadline).await
        };
        drop(place);
        reply
    }

    /// The live connection. Waits for it only while the server starts for the first time.
    pub(crate) async fn live(&self) -> Result<Arc<Live>, ServerError> {
        match &*self.phase.borrow() {
            Phase::Up(live) => return Ok(live.clone()),
            Phase::Down { reason } => {
                self.kick.notify_one();
                return Err(self.ctx.down(reason.clone()));
            }
            Phase::Starting => {}
        }
        let mut phase = self.phase.subscribe();
        let started = phase.wait_for(|phase| !matches!(phase, Phase::Starting));
        match timeout(self.ctx.spec.connect_timeout, started).await {
            Ok(Ok(phase)) => match &*phase {
                Phase::Up(live) => Ok(live.clone()),
                Phase::Down { reason } => Err(self.ctx.down(reason.clone())),
                Phase::Starting => Err(self.ctx.down("it is still starting")),
            },
            _ => Err(self.ctx.down("it is still starting")),
        }
    }

    fn state(&self) -> ServerState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tells every older-era connection that roots changed.
    pub(crate) async fn roots_changed(&self) {
        let main = match &*self.phase.borrow() {
            Phase::Up(live) => Some(live.clone()),
            _ => None,
        };
        for live in main.into_iter().chain(self.instances.all()) {
            live.roots_changed().await;
        }
    }

    async fn run(self: Arc<Self>) {
        let mut backoff = Backoff::default();
        loop {
            let opened = tokio::select! {
                opened = timeout(self.ctx.spec.connect_timeout, Box::pin(self.open())) => opened,
                () = self.ctx.stop.cancelled() => break,
            };
            let reason = match opened {
                Ok(Ok(live)) => {
                    let began = Instant::now();
                    let ended = Box::pin(self.serve(&live)).await;
                    backoff.lasted(began.elapsed());
                    drop(live);
                    match ended {
                        Some(reason) => reason,
                        None => break,
                    }
                }
                Ok(Err(error)) => error.to_string(),
                Err(_) => self.ctx.last_words.after(format!(
                    "did not answer within {} s",
                    self.ctx.spec.connect_timeout.as_secs_f32()
                )),
            };
            self.go_down(reason);
            if !self.pause(backoff.next()).await {
                break;
            }
            self.update(|state| state.restarts = state.restarts.saturating_add(1));
        }
        self.phase.send_replace(Phase::Down { reason: "the gateway is letting go of it".into() });
    }

    async fn open(&self) -> Result<Arc<Live>, OpenError> {
        let facts = &self.ctx.house.facts;
        let remembered = facts.remembered(self.ctx.name()).map(|(era, _)| era);
        let (link, opening) = match self.ctx.spec.transport {
            TransportSpec::Stdio { .. } => {
                let (process, opening) = open_process(&self.ctx, remembered).await?;
                (Link::Process(process), opening)
            }
            TransportSpec::Http { .. } => crate::http::open::open(&self.ctx, remembered).await?,
        };
        facts.remember(self.ctx.name(), opening.era(), opening.version.as_str());
        Ok(Live::new(self.ctx.clone(), link, opening))
    }

    /// Looks after a live connection. Returns why it ended, or `None` if it is to be let go.
    async fn serve(&self, live: &Arc<Live>) -> Option<String> {
        self.ctx.signals.take();
        self.phase.send_replace(Phase::Up(live.clone()));
        self.update(|state| {
            state.era = Some(live.era());
            state.protocol_version = Some(live.opening.version.as_str().to_owned());
            state.transport = Some(live.transport());
            state.pid = live.pid();
        });
        let ended = tokio::select! {
            reason = live.closed() => Some(reason),
            reason = self.keep_listing(live) => Some(reason),
            never = watching::keep(&self.ctx, live, &self.wanted, &self.listening) => match never {},
            never = self.keep_level(live) => match never {},
            never = self.sweep(live) => match never {},
            () = self.ctx.stop.cancelled() => None,
        };
        if ended.is_none() {
            self.phase.send_replace(Phase::Down { reason: "the gateway is letting go of it".into() });
        }
        live.end().await;
        ended
    }

    /// Keeps the lists current. Returns the reason when a look shows that the server is gone.
    async fn keep_listing(&self, live: &Live) -> String {
        let mut failures = Backoff::default();
        let mut todo = Todo { list: Some(Instant::now()), ..Todo::default() };
        loop {
            let announced = tokio::select! {
                () = self.ctx.signals.raised() => {
                    todo.note(self.ctx.signals.take());
                    continue;
                }
                () = until(todo.check) => {
                    todo.checked();
                    match self.check(live).await {
                        Ok(()) => continue,
                        Err(reason) => return reason,
                    }
                }
                () = until(todo.announced) => true,
                () = until(todo.list) => false,
                () = until(todo.look) => {
                    todo.look_again(live);
                    if self.hears() {
                        continue;
                    }
                    false
                }
            };
            (todo.announced, todo.list) = (None, None);
            match Box::pin(self.read_lists(live, announced)).await {
                Ok(()) => {
                    failures = Backoff::default();
                    todo.look_again(live);
                }
                Err(ServerError::Fault(fault)) if is_gone(&fault.kind) && live.pipe().is_none() => {
                    return reason_of(fault);
                }
                Err(error) => {
                    self.lists_unreadable(&error);
                    todo.list = Some(Instant::now() + failures.next());
                }
            }
        }
    }

    fn lists_unreadable(&self, error: &ServerError) {
        self.update(|state| {
            state.health = ServerHealth::Degraded;
            state.reason = Some(format!("its lists could not be read: {error}"));
        });
    }

    /// Whether the server tells of changes by itself.
    fn hears(&self) -> bool {
        self.listening.load(Ordering::Acquire)
    }

    /// Whether the server is still there. Connections that all requests share tell by themselves.
    async fn check(&self, live: &Live) -> Result<(), String> {
        let request = match live.link {
            Link::Process(_) | Link::Pair(_) => return Ok(()),
            Link::Sessions(_) => ServerRequest::new("ping", String::new()),
            Link::Stateless(_) => discover_request(),
        };
        let deadline = Deadline::after(self.ctx.spec.connect_timeout);
        match live.request(&request, None, &deadline).await {
            Err(ServerError::Fault(fault)) => Err(reason_of(fault)),
            Err(ServerError::Rpc(error)) if matches!(live.link, Link::Stateless(_)) => Err(error.to_string()),
            _ => Ok(()),
        }
    }

    async fn read_lists(&self, live: &Live, announced: bool) -> Result<(), ServerError> {
        let deadline = Deadline::after(self.ctx.spec.connect_timeout);
        let read = Box::pin(list::read(&self.ctx, live, &deadline)).await?;
        let news = {
            let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            let news = announced || listed.as_ref() != Some(&read.listing);
            if news {
                *listed = Some(read.listing.clone());
            }
            news
        };
        if news {
            self.ctx.house.watcher.listed(self.ctx.name(), read.listing);
        }
        self.update(|state| {
            state.health = ServerHealth::Healthy;
            state.reason = read.remarks;
        });
        Ok(())
    }

    async fn keep_level(&self, live: &Live) -> Infallible {
        let mut level = self.ctx.house.level.subscribe();
        // Sessions have been told when they were opened.
        if !matches!(live.link, Link::Sessions(_)) {
            level.mark_changed();
        }
        loop {
            if level.changed().await.is_err() {
                return std::future::pending().await;
            }
            let wanted = level.borrow_and_update().clone();
            let Some(wanted) = wanted else { continue };
            live.set_level(&wanted).await;
            for instance in self.instances.all() {
                instance.set_level(&wanted).await;
            }
        }
    }

    async fn sweep(&self, live: &Live) -> Infallible {
        loop {
            sleep(SWEEP).await;
            live.sweep(SESSION_IDLE).await;
            self.instances.close_idle(INSTANCE_IDLE).await;
        }
    }

    fn go_down(&self, reason: String) {
        if self.state().reason.as_ref() == Some(&reason) {
            tracing::debug!(server = %self.ctx.name(), reason, "a server is still not available");
        } else {
            tracing::warn!(server = %self.ctx.name(), reason, "a server is not available");
        }
        self.phase.send_replace(Phase::Down { reason: reason.clone() });
        self.update(|state| {
            state.health = ServerHealth::Degraded;
            state.reason = Some(reason);
            state.pid = None;
        });
    }

    /// Waits before the next attempt. `false` if there is to be none.
    async fn pause(&self, pause: Duration) -> bool {
        tokio::select! {
            () = sleep(pause) => true,
            () = self.wanted_again() => true,
            () = self.ctx.stop.cancelled() => false,
        }
    }

    /// A URL may answer again at any time and asking costs little, so a request cuts the pause short. Starting a
    /// process over and over does not come as cheap.
    async fn wanted_again(&self) {
        if matches!(self.ctx.spec.transport, TransportSpec::Stdio { .. }) {
            return std::future::pending().await;
        }
        sleep(CHECK_PAUSE).await;
        self.kick.notified().await;
    }

    fn update(&self, change: impl FnOnce(&mut ServerState)) {
        let changed = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let before = state.clone();
            change(&mut state);
            (*state != before).then(|| state.clone())
        };
        if let Some(state) = changed {
            self.ctx.house.watcher.state_changed(self.ctx.name(), &state);
        }
    }
}

/// What is to be done for a live connection, and when.
#[derive(Default)]
struct Todo {
    /// Read the lists because the server said they changed.
    announced: Option<Instant>,
    /// Read the lists unasked: the first time, after a failure, or because a change may have been missed.
    list: Option<Instant>,
    /// Read the lists of a server that cannot tell of changes.
    look: Option<Instant>,
    /// See whether the server is still there.
    check: Option<Instant>,
    checked_at: Option<Instant>,
}

impl Todo {
    fn note(&mut self, raised: Raised) {
        let now = Instant::now();
        if raised.list_changed {
            self.announced.get_or_insert(now + DEBOUNCE);
        }
        if raised.look {
            self.list.get_or_insert(now + DEBOUNCE);
        }
        if raised.suspect {
            let earliest = self.checked_at.map_or(now, |checked| checked + CHECK_PAUSE);
            let check = self.check.map_or(earliest, |check| check.min(earliest));
            self.check = Some(check);
        }
    }

    fn checked(&mut self) {
        self.checked_at = Some(Instant::now());
        self.check = self.check.map(|_| Instant::now() + LOOK_AGAIN);
    }

    /// Children tell by ending, and older servers by notifications; the rest is looked at now and then.
    fn look_again(&mut self, live: &Live) {
        let next = Instant::now() + LOOK_AGAIN;
        self.look = (live.era() == Era::Modern).then_some(next);
        if matches!(live.link, Link::Sessions(_)) {
            self.check.get_or_insert(next);
        }
    }
}

async fn until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

fn is_gone(kind: &FaultKind) -> bool {
    matches!(kind, FaultKind::Down { .. } | FaultKind::Lost { .. })
}

/// The reason alone, without the sentence around it that names the server: the state already belongs to it.
fn reason_of(fault: Fault) -> String {
    match fault.kind {
        FaultKind::Down { reason } | FaultKind::Lost { reason } => reason,
        FaultKind::TimedOut { after } => format!("did not answer within {} s", after.as_secs_f32()),
        kind => Fault { server: fault.server, kind }.to_string(),
    }
}
