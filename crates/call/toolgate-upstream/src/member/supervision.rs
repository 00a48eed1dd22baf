//! The task that supervises one member: connect, list, watch, and after a loss, try again.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use toolgate_core::port::{ServerError, ServerRequest};
use toolgate_core::server::{Era, EraChoice, ServerHealth, TransportSpec};
use toolgate_core::{Fault, FaultKind};

use super::todo::{ConnectionTasks, until};
use super::{CHECK_PAUSE, ConnectionNumber, FleetMember, MemberPhase};
use crate::backoff::Backoff;
use crate::callers::{CallerNaming, EndedCaller};
use crate::deadline::Deadline;
use crate::http::sessions::SESSION_IDLE;
use crate::keys;
use crate::link::{LiveLink, ServerLink};
use crate::list;
use crate::own::OWN_IDLE;
use crate::probe::{OpenError, discover_request, open_process};
use crate::watching::{self, WatchedResources};

/// Connections are idle for a few seconds only, and nothing else closes older ones.
const SWEEP: Duration = Duration::from_secs(5);
/// The time that a connection may take to pass on that a caller has ended.
const TELL_PATIENCE: Duration = Duration::from_secs(10);
const SECRETS_CHANGED: &str = "its secrets changed";
const RESTARTED: &str = "somebody restarts it";
const ERA_CHANGES: &str = "the older era is to be spoken with it";

/// The lists to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListsToRead {
    All,
    Tools,
    /// All, only because the last check was a while ago.
    Look,
}

/// The reason why a connection ended.
enum ConnectionEnd {
    Gone(String),
    /// It has to be reopened, and why.
    Outdated(&'static str),
    LetGo,
}

impl FleetMember {
    pub(super) async fn run(self: Arc<Self>) {
        let mut backoff = Backoff::default();
        loop {
            let generation = self.ctx.house.keyring.generation();
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
                        ConnectionEnd::Gone(reason) => reason,
                        ConnectionEnd::LetGo => break,
                        ConnectionEnd::Outdated(why) => {
                            self.start_again(why);
                            continue;
                        }
                    }
                }
                Ok(Err(error)) => error.to_string(),
                Err(_) => self.ctx.last_words.after(format!(
                    "did not answer within {} s",
                    self.ctx.spec.connect_timeout.as_secs_f32()
                )),
            };
            self.go_down(reason);
            if !self.pause(backoff.next(), generation).await {
                break;
            }
            self.update(|state| state.restarts = state.restarts.saturating_add(1));
        }
        self.phase.send_replace(MemberPhase::Down { reason: "the gateway is letting go of it".into() });
    }

    async fn open(&self) -> Result<Arc<LiveLink>, OpenError> {
        let facts = &self.ctx.house.facts;
        let remembered = match self.ctx.spec.era {
            EraChoice::Auto if self.fell_back.load(Ordering::Acquire) => Some(Era::Legacy),
            EraChoice::Auto => facts.remembered(self.ctx.name()).map(|(era, _)| era),
            EraChoice::Newer => Some(Era::Modern),
            EraChoice::Older => Some(Era::Legacy),
        };
        let (link, opening) = match self.ctx.spec.transport {
            TransportSpec::Stdio { .. } => {
                let (process, opening) = open_process(&self.ctx, remembered).await?;
                (ServerLink::Process(process), opening)
            }
            TransportSpec::Http { .. } => crate::http::open::open(&self.ctx, remembered).await?,
            TransportSpec::Api(ref spec) => crate::api::open::open(&self.ctx, spec).await?,
        };
        facts.remember(self.ctx.name(), opening.era(), opening.version.as_str());
        Ok(LiveLink::new(self.ctx.clone(), link, opening))
    }

    /// Looks after a live connection. Returns why it ended.
    async fn serve(&self, live: &Arc<LiveLink>) -> ConnectionEnd {
        self.ctx.signals.take();
        // The listing of the previous connection says nothing about the current server.
        self.forget_reading();
        self.endings.begin(live.naming);
        let connection = ConnectionNumber(self.connections.fetch_add(1, Ordering::Relaxed));
        self.phase.send_replace(MemberPhase::Up { live: live.clone(), connection });
        self.update(|state| {
            state.era = Some(live.era());
            state.protocol_version = Some(live.opening.version.as_str().to_owned());
            state.transport = Some(live.transport());
            state.pid = live.pid();
        });
        let ended = tokio::select! {
            reason = live.closed() => ConnectionEnd::Gone(reason),
            reason = self.keep_listing(live) => ConnectionEnd::Gone(reason),
            () = self.outdated(live) => ConnectionEnd::Outdated(SECRETS_CHANGED),
            () = self.fallen_back() => ConnectionEnd::Outdated(ERA_CHANGES),
            () = self.restarted() => ConnectionEnd::Outdated(RESTARTED),
            never = self.keep_watching(live) => match never {},
            never = self.keep_level(live) => match never {},
            never = self.keep_telling(live) => match never {},
            never = self.sweep(live) => match never {},
            () = self.ctx.stop.cancelled() => ConnectionEnd::LetGo,
        };
        self.drains.store(false, Ordering::SeqCst);
        if matches!(ended, ConnectionEnd::LetGo) {
            self.phase.send_replace(MemberPhase::Down { reason: "the gateway is letting go of it".into() });
        }
        live.end().await;
        ended
    }

    /// Resolves when another era is to be used, and the requests in progress have finished.
    async fn fallen_back(&self) {
        self.falls_back.notified().await;
        self.drained().await;
    }

    /// Resolves when a person restarts it, and the requests in progress have finished.
    async fn restarted(&self) {
        self.restart.notified().await;
        self.drained().await;
    }

    /// Keeps the lists current. Returns the reason when a look shows that the server is gone.
    async fn keep_listing(&self, live: &LiveLink) -> String {
        let mut failures = Backoff::default();
        let mut todo = ConnectionTasks::at_first();
        loop {
            let lists = tokio::select! {
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
                () = until(todo.list) => ListsToRead::All,
                () = until(todo.again) => ListsToRead::Tools,
                () = until(todo.look) => {
                    todo.look_again(live);
                    if self.hears() {
                        continue;
                    }
                    ListsToRead::Look
                }
            };
            match lists {
                ListsToRead::All => todo.list = None,
                ListsToRead::Tools => todo.again = None,
                ListsToRead::Look => {}
            }
            todo.reads();
            match Box::pin(self.read_lists(live, lists)).await {
                Ok(()) => {
                    failures = Backoff::default();
                    todo.look_again(live);
                }
                Err(ServerError::Fault(fault)) if is_gone(&fault.kind) && live.pipe().is_none() => {
                    return reason_of(fault);
                }
                // Many processes do one thing after the other. A busy one has not changed.
                Err(ServerError::Fault(fault))
                    if lists == ListsToRead::Look
                        && matches!(fault.kind, FaultKind::TimedOut { .. })
                        && live.pipe().is_some() => {}
                Err(error) => {
                    self.lists_unreadable(&error);
                    todo.list = Some(Instant::now() + failures.next());
                }
            }
        }
    }

    fn lists_unreadable(&self, error: &ServerError) {
        self.unreadable.store(true, Ordering::Release);
        self.update(|state| {
            state.health = ServerHealth::Degraded;
            state.reason = Some(format!("its lists could not be read: {error}"));
        });
    }

    /// True if the server reports changes by itself.
    fn hears(&self) -> bool {
        self.listening.load(Ordering::Acquire)
    }

    /// Checks that the server is still there. Shared connections notice by themselves.
    async fn check(&self, live: &LiveLink) -> Result<(), String> {
        let request = match live.link {
            // An API has no question that costs nothing: its next call tells.
            ServerLink::Process(_) | ServerLink::Pair(_) | ServerLink::Api(_) => return Ok(()),
            ServerLink::Sessions(_) => ServerRequest::new("ping", String::new()),
            ServerLink::Stateless(_) => discover_request(),
        };
        let deadline = Deadline::after(self.ctx.spec.connect_timeout);
        match live.request(&request, None, &deadline).await {
            Err(ServerError::Fault(fault)) => Err(reason_of(fault)),
            Err(ServerError::Rpc(error)) if matches!(live.link, ServerLink::Stateless(_)) => {
                Err(error.to_string())
            }
            _ => Ok(()),
        }
    }

    async fn read_lists(&self, live: &LiveLink, lists: ListsToRead) -> Result<(), ServerError> {
        let deadline = Deadline::after(self.ctx.spec.connect_timeout);
        match (lists, self.reading()) {
            (ListsToRead::Tools, Some(before)) => {
                let read = Box::pin(list::read_tools(&self.ctx, live, &deadline, &before)).await?;
                self.keep_reading(read);
                self.tell_fleet();
            }
            _ => {
                let read = Box::pin(list::read(&self.ctx, live, &deadline)).await?;
                self.keep_reading(read.reading);
                self.update(|state| {
                    state.health = ServerHealth::Healthy;
                    state.reason = read.remarks;
                });
            }
        }
        Ok(())
    }

    /// Resources are watched at one member only, so that each change is reported once.
    async fn keep_watching(&self, live: &LiveLink) -> Infallible {
        let mut duty = self.duty.subscribe();
        let nothing = WatchedResources::default();
        loop {
            let wanted = if *duty.borrow_and_update() { &*self.wanted } else { &nothing };
            tokio::select! {
                never = watching::keep(&self.ctx, live, wanted, &self.listening) => match never {},
                changed = duty.changed() => {
                    if changed.is_err() {
                        return std::future::pending().await;
                    }
                }
            }
            // The subscription for changes ends and another begins.
            self.listening.store(false, Ordering::Release);
            self.ctx.signals.look();
        }
    }

    async fn keep_level(&self, live: &LiveLink) -> Infallible {
        let mut level = self.ctx.house.level.subscribe();
        // Sessions got the level when they were opened.
        if !matches!(live.link, ServerLink::Sessions(_)) {
            level.mark_changed();
        }
        loop {
            if level.changed().await.is_err() {
                return std::future::pending().await;
            }
            let wanted = level.borrow_and_update().clone();
            let Some(wanted) = wanted else { continue };
            live.set_level(&wanted).await;
            for instance in self.own.all() {
                instance.set_level(&wanted).await;
            }
        }
    }

    /// Tells the instance which callers have ended, one after the other.
    async fn keep_telling(&self, live: &LiveLink) -> Infallible {
        if live.naming == CallerNaming::Unnamed {
            return std::future::pending().await;
        }
        loop {
            let ended = self.endings.next().await;
            Box::pin(self.tell_all(live, &ended)).await;
        }
    }

    async fn tell_all(&self, live: &LiveLink, ended: &EndedCaller) {
        let own = self.own.all();
        let all = own.iter().map(|own| &**own).chain([live]);
        let telling = all.map(|live| timeout(TELL_PATIENCE, live.caller_ended(ended)));
        let late = futures_util::future::join_all(telling).await.iter().filter(|told| told.is_err()).count();
        if late > 0 {
            tracing::debug!(server = %self.ctx.name(), instance = %self.id, late, "the end of a caller was not taken");
        }
    }

    async fn sweep(&self, live: &LiveLink) -> Infallible {
        loop {
            sleep(SWEEP).await;
            live.sweep(SESSION_IDLE).await;
            self.own.close_idle(OWN_IDLE).await;
        }
    }

    /// The process was ended on purpose: the next one is started at once, and requests wait for it.
    fn start_again(&self, reason: &'static str) {
        tracing::info!(server = %self.ctx.name(), reason, "a server is started again");
        self.update(|state| {
            state.health = ServerHealth::Degraded;
            state.reason = Some(reason.into());
            state.pid = None;
            state.restarts = state.restarts.saturating_add(1);
        });
    }

    fn go_down(&self, reason: String) {
        if self.state().reason.as_ref() == Some(&reason) {
            tracing::debug!(server = %self.ctx.name(), instance = %self.id, reason, "a server is still not available");
        } else {
            tracing::warn!(server = %self.ctx.name(), instance = %self.id, reason, "a server is not available");
        }
        self.phase.send_replace(MemberPhase::Down { reason: reason.clone() });
        self.update(|state| {
            state.health = ServerHealth::Degraded;
            state.reason = Some(reason);
            state.pid = None;
        });
    }

    /// Waits before the next attempt; `generation` is that of the credentials at the last one. `false` if
    /// there is to be none.
    async fn pause(&self, pause: Duration, generation: u64) -> bool {
        tokio::select! {
            () = sleep(pause) => true,
            // It may have been down because it was not shown the right credential.
            () = keys::changed_since(&*self.ctx.house.keyring, generation) => true,
            () = self.wanted_again() => true,
            () = self.restart.notified() => true,
            () = self.ctx.stop.cancelled() => false,
        }
    }

    /// A URL may answer again at any time and asking costs little, so a request cuts the pause short.
    /// Restarting a process over and over is not as cheap.
    async fn wanted_again(&self) {
        if matches!(self.ctx.spec.transport, TransportSpec::Stdio { .. }) {
            return std::future::pending().await;
        }
        sleep(CHECK_PAUSE).await;
        self.kick.notified().await;
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
