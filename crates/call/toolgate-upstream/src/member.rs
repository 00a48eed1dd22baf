//! One instance of a server: its connection, its listing, and its health. A process that the gateway starts
//! is the only instance of its server.

mod endings;
mod secrets;
mod supervision;
mod todo;

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::server::{
    Era, EraChoice, InstanceId, InstanceState, Isolation, ServerHealth, ServerState, TransportSpec,
};
use toolgate_core::{FaultKind, Tool};
use toolgate_wire::ProtocolVersion;

use crate::breaker::{Breaker, BreakerPaused};
use crate::context::ServerContext;
use crate::deadline::{Deadline, DeadlinePassed};
use crate::fleet::{Fleet, Incidents};
use crate::gate::ConcurrencyGate;
use crate::http::timed_out;
use crate::latency::LatencyHistogram;
use crate::link::{LiveLink, ServerLink};
use crate::older;
use crate::own::OwnConnections;
use crate::pace::Pace;
use crate::reading::ListReading;
use crate::watching::WatchedResources;
use endings::EndingQueue;

/// The time after a check before a server is checked again.
const CHECK_PAUSE: Duration = Duration::from_secs(1);

pub(crate) struct FleetMember {
    /// Its specification names this instance and no other.
    pub(crate) ctx: Arc<ServerContext>,
    pub(crate) id: InstanceId,
    /// Later ones have a higher number; an instance that changed is another member.
    pub(crate) number: u64,
    fleet: Weak<Fleet>,
    phase: watch::Sender<MemberPhase>,
    /// Counts the connections it has had.
    connections: AtomicU64,
    state: Mutex<ServerState>,
    /// Its own limit, where it has one.
    pub(crate) gate: Option<ConcurrencyGate>,
    pub(crate) breaker: Breaker,
    pub(crate) incidents: Incidents,
    pub(crate) latency: LatencyHistogram,
    pub(crate) pace: Pace,
    under_way: AtomicUsize,
    /// Set when it is to be removed; then no request starts any more.
    leaves: AtomicBool,
    /// Set while it waits for the requests in progress before it reconnects; the end of the connection resets
    /// it.
    drains: AtomicBool,
    /// Wakes the waiter for the end of the last request.
    left: Notify,
    /// The watched resources, the same for all members.
    wanted: Arc<WatchedResources>,
    /// True if this is the member at which resources are watched.
    duty: watch::Sender<bool>,
    own: OwnConnections,
    pub(crate) endings: EndingQueue,
    /// The last listing of this connection; `None` until there is one.
    reading: RwLock<Option<Arc<ListReading>>>,
    /// Set while reading its lists fails.
    unreadable: AtomicBool,
    listening: AtomicBool,
    /// Set once the server was found to ask in the older way: it is tried once to speak the older era with it.
    fell_back: AtomicBool,
    falls_back: Notify,
    /// A request needs the server: no reason to sit out the whole pause.
    kick: Notify,
    /// A person wants it connected anew.
    restart: Notify,
}

/// `Starting → Up ↔ Down`.
#[derive(Clone)]
enum MemberPhase {
    /// The first attempt to connect is in progress.
    Starting,
    Up {
        live: Arc<LiveLink>,
        connection: ConnectionNumber,
    },
    Down {
        reason: String,
    },
}

/// One connection of a member, distinct from those before and after it: the listing of one says nothing about
/// another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionNumber(u64);

/// The readiness of a member for a request.
pub(crate) enum MemberReadiness {
    /// Over this connection and no later one.
    Ready(ConnectionNumber),
    /// It is being connected for the first time, or its lists have not been read yet.
    Soon,
    Down {
        reason: String,
    },
    /// It offers the tool in another version, or not at all.
    OffersOther,
    Resting(BreakerPaused),
}

impl FleetMember {
    pub(crate) fn start(
        ctx: Arc<ServerContext>,
        id: InstanceId,
        number: u64,
        wanted: Arc<WatchedResources>,
        fleet: Weak<Fleet>,
    ) -> Arc<Self> {
        let limit = match &ctx.spec.transport {
            TransportSpec::Http { instances, .. } => instances.first().and_then(|one| one.concurrency_max),
            TransportSpec::Stdio { .. } | TransportSpec::Api(_) => None,
        };
        let member = Arc::new(Self {
            ctx,
            id,
            number,
            fleet,
            phase: watch::Sender::new(MemberPhase::Starting),
            connections: AtomicU64::new(0),
            state: Mutex::new(ServerState::starting()),
            gate: limit.map(ConcurrencyGate::new),
            breaker: Breaker::default(),
            incidents: Incidents::default(),
            latency: LatencyHistogram::default(),
            pace: Pace::default(),
            under_way: AtomicUsize::new(0),
            leaves: AtomicBool::new(false),
            drains: AtomicBool::new(false),
            left: Notify::new(),
            wanted,
            duty: watch::Sender::new(false),
            own: OwnConnections::default(),
            endings: EndingQueue::default(),
            reading: RwLock::default(),
            unreadable: AtomicBool::new(false),
            listening: AtomicBool::new(false),
            fell_back: AtomicBool::new(false),
            falls_back: Notify::new(),
            kick: Notify::new(),
            restart: Notify::new(),
        });
        member.ctx.tasks.spawn(member.clone().run());
        member
    }

    /// Sends a request over a live connection of this member.
    pub(crate) async fn request(
        &self,
        live: &LiveLink,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        let outcome = self.send(live, request, caller.clone(), deadline).await;
        let speaks_mcp = !matches!(live.link, ServerLink::Api(_));
        if speaks_mcp && live.era() == Era::Modern && older::was_asked(&outcome, &*caller) {
            self.fall_back();
        }
        outcome
    }

    async fn send(
        &self,
        live: &LiveLink,
        request: &ServerRequest,
        caller: Arc<dyn Caller>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        if live.pipe().is_none() {
            let outcome = live.request(request, Some(caller), deadline).await;
            return outcome.inspect_err(|error| self.doubt(error));
        }
        if self.ctx.spec.isolation == Isolation::Shared {
            return live.request(request, Some(caller), deadline).await;
        }
        let opening = self.own.of(&self.ctx, live, caller.principal());
        match deadline.limit(opening).await {
            Ok(own) => own?.request(request, Some(caller), deadline).await,
            Err(DeadlinePassed) => Err(timed_out(&self.ctx, deadline.length())),
        }
    }

    /// The server asks in the older way, for which the newer era has no way: from now on the older era is
    /// used with it, if it speaks that. New requests wait for it.
    fn fall_back(&self) {
        if self.ctx.spec.era != EraChoice::Auto || self.fell_back.swap(true, Ordering::AcqRel) {
            return;
        }
        let server = self.ctx.name();
        tracing::warn!(
            %server,
            "it asks its client in the way of the older era, which is spoken with it from now on. \
             hint: era = \"older\" for this server says so from the start"
        );
        self.ctx.house.facts.remember(server, Era::Legacy, ProtocolVersion::LATEST_LEGACY.as_str());
        self.phase.send_replace(MemberPhase::Starting);
        self.falls_back.notify_one();
    }

    /// An unresponsive process behind a URL may be another one when it responds again, without any notice.
    fn doubt(&self, error: &ServerError) {
        if let ServerError::Fault(fault) = error
            && matches!(fault.kind, FaultKind::Lost { .. } | FaultKind::Down { .. })
        {
            self.ctx.signals.look();
        }
    }

    /// The live connection if it is still this one.
    pub(crate) fn still(&self, connection: ConnectionNumber) -> Option<Arc<LiveLink>> {
        match &*self.phase.borrow() {
            MemberPhase::Up { live, connection: current } if *current == connection => Some(live.clone()),
            _ => None,
        }
    }

    /// The live connection.
    pub(crate) fn live(&self) -> Result<Arc<LiveLink>, ServerError> {
        match &*self.phase.borrow() {
            MemberPhase::Up { live, .. } => Ok(live.clone()),
            MemberPhase::Down { reason } => Err(self.ctx.down(reason.clone())),
            MemberPhase::Starting => Err(self.ctx.down("it is still starting")),
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        matches!(&*self.phase.borrow(), MemberPhase::Up { .. })
    }

    /// True if the first attempt to connect and list is still in progress.
    pub(crate) fn is_new(&self) -> bool {
        self.state().health == ServerHealth::Starting
    }

    /// True if it keeps a state for its callers and is told who they are.
    pub(crate) fn knows_callers(&self) -> bool {
        self.endings.is_wanted()
    }

    /// True if a principal's requests here leave state that the next request needs.
    pub(crate) fn keeps_sessions(&self) -> bool {
        if self.knows_callers() {
            return true;
        }
        match &*self.phase.borrow() {
            MemberPhase::Up { live, .. } => match &live.link {
                ServerLink::Sessions(sessions) => sessions.gives_ids(),
                ServerLink::Pair(_) => true,
                ServerLink::Process(_) | ServerLink::Stateless(_) | ServerLink::Api(_) => false,
            },
            _ => false,
        }
    }

    /// The readiness for a request. A judged tool is called only where that very version was listed, over the
    /// connection that listed it.
    pub(crate) fn standing(&self, tool: Option<&Tool>) -> MemberReadiness {
        // Held to the end: the reading below belongs to this connection only while it is the current one.
        let phase = self.phase.borrow();
        let connection = match &*phase {
            MemberPhase::Up { connection, .. } => *connection,
            MemberPhase::Starting => return MemberReadiness::Soon,
            MemberPhase::Down { reason } => {
                self.kick.notify_one();
                return MemberReadiness::Down { reason: reason.clone() };
            }
        };
        if let Some(tool) = tool {
            match &*self.reading.read() {
                Some(reading) if reading.offers(tool) => {}
                Some(_) => return MemberReadiness::OffersOther,
                None if self.unreadable.load(Ordering::Acquire) => {
                    return MemberReadiness::Down { reason: "its lists could not be read".into() };
                }
                None => return MemberReadiness::Soon,
            }
        }
        self.breaker.resting().map_or(MemberReadiness::Ready(connection), MemberReadiness::Resting)
    }

    /// Counts a request until the guard is dropped; `None` if the member is being removed.
    pub(crate) fn begin(&self) -> Option<LoadGuard<'_>> {
        // Counting before looking here, and the other way round in `emptied`: one of the two always sees the other.
        self.under_way.fetch_add(1, Ordering::SeqCst);
        let counted = LoadGuard(self);
        (!self.leaves.load(Ordering::SeqCst)).then_some(counted)
    }

    pub(crate) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::Acquire)
    }

    /// Takes no more requests, and returns when none is in progress.
    pub(crate) async fn emptied(&self) {
        self.leaves.store(true, Ordering::SeqCst);
        self.unused().await;
    }

    /// Ends its connection, or its process, and begins another. One that is just starting is left alone.
    pub(crate) fn restart(&self) {
        self.restart.notify_waiters();
    }

    /// Takes no more requests over this connection, and returns when none is in progress or they take too
    /// long. New requests wait for the next connection.
    async fn drained(&self) {
        self.phase.send_replace(MemberPhase::Starting);
        self.drains.store(true, Ordering::SeqCst);
        drop(timeout(self.ctx.spec.timeout, self.unused()).await);
    }

    async fn unused(&self) {
        loop {
            let left = self.left.notified();
            if self.under_way.load(Ordering::SeqCst) == 0 {
                return;
            }
            left.await;
        }
    }

    pub(crate) fn state(&self) -> ServerState {
        self.state.lock().clone()
    }

    /// As one of several; `None` for processes, which are alone.
    pub(crate) fn instance_state(&self) -> Option<InstanceState> {
        let TransportSpec::Http { instances, .. } = &self.ctx.spec.transport else { return None };
        let state = self.state();
        let version = instances.first().and_then(|instance| instance.version.clone());
        Some(InstanceState { id: self.id.clone(), version, health: state.health, reason: state.reason })
    }

    pub(crate) fn reading(&self) -> Option<Arc<ListReading>> {
        self.reading.read().clone()
    }

    /// The same reading again changes nothing.
    fn keep_reading(&self, read: ListReading) {
        self.unreadable.store(false, Ordering::Release);
        let mut reading = self.reading.write();
        if reading.as_ref().is_none_or(|before| before.listing != read.listing) {
            *reading = Some(Arc::new(read));
        }
    }

    fn forget_reading(&self) {
        self.unreadable.store(false, Ordering::Release);
        *self.reading.write() = None;
    }

    pub(crate) fn set_duty(&self, wanted: MemberDuty) {
        let on_duty = wanted == MemberDuty::WatchesResources;
        self.duty.send_if_modified(|duty| std::mem::replace(duty, on_duty) != on_duty);
    }

    /// Tells every older-era connection that roots changed.
    pub(crate) async fn roots_changed(&self) {
        for live in self.live().into_iter().chain(self.own.all()) {
            live.roots_changed().await;
        }
    }

    fn update(&self, change: impl FnOnce(&mut ServerState)) {
        change(&mut self.state.lock());
        self.tell_fleet();
    }

    /// Reports a possible change of this member. A member that is being removed does not count.
    fn tell_fleet(&self) {
        if let Some(fleet) = self.fleet.upgrade() {
            fleet.member_changed();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberDuty {
    WatchesResources,
    None,
}

/// A request that counts towards a member's load.
pub(crate) struct LoadGuard<'a>(&'a FleetMember);

impl Drop for LoadGuard<'_> {
    fn drop(&mut self) {
        let was_last = self.0.under_way.fetch_sub(1, Ordering::SeqCst) == 1;
        if was_last && (self.0.leaves.load(Ordering::SeqCst) || self.0.drains.load(Ordering::SeqCst)) {
            self.0.left.notify_waiters();
        }
    }
}
