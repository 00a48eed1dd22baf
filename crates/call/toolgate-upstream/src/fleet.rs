//! One server as the gateway knows it: a fleet of instances that come and go, with one state and one listing
//! to the outside. A process that the gateway starts is a fleet of one.

mod affinity;
mod choice;
mod failure;
mod incidents;
mod merge;
mod sending;
mod size;
mod tasks;
mod tools;
mod vitals;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::ServerName;
use toolgate_core::server::{Affinity, InstanceId, ServerListing, ServerSpec, ServerState, TransportSpec};

use crate::callers::EndedCaller;
use crate::context::{ServerContext, SharedContext};
use crate::gate::ConcurrencyGate;
use crate::latency::LatencyHistogram;
use crate::member::{FleetMember, MemberDuty};
use crate::rates::RateLimiter;
use crate::reading::ListReading;
use crate::watching::WatchedResources;
use size::FleetSize;

use affinity::{AffinityBond, HomeTable};
pub(crate) use incidents::Incidents;
use tools::ToolTable;
pub use vitals::{InstanceVitals, ServerPause, ServerVitals, ToolVitals};

/// The time that the first listing of several instances waits for the slower ones, so that their tools are
/// not missing at first and then new.
const SETTLE: Duration = Duration::from_secs(1);
/// The time that the parts of a member may take to end after the member itself has.
const LEFTOVERS: Duration = Duration::from_secs(10);

pub(crate) struct Fleet {
    name: ServerName,
    house: Arc<SharedContext>,
    stop: CancellationToken,
    /// For tasks that belong to no member.
    tasks: TaskTracker,
    roll: ArcSwap<FleetMembers>,
    pub(crate) wanted: Arc<WatchedResources>,
    /// The instance of each session.
    sessions: HomeTable<AffinityBond>,
    /// The instance of each task.
    task_homes: HomeTable<String>,
    tools: ToolTable,
    latency: LatencyHistogram,
    told: Mutex<FleetReport>,
    /// True if the first listing has waited long enough for slow instances.
    settled: AtomicBool,
    /// Changes with every change of a member.
    news: watch::Sender<()>,
    numbers: AtomicU64,
    dice: AtomicU64,
}

/// The members of the fleet. Replaced as a whole.
struct FleetMembers {
    spec: ServerSpec,
    /// In the order of the specification.
    members: Vec<Arc<FleetMember>>,
    gate: Arc<ConcurrencyGate>,
    limiter: Option<Arc<RateLimiter>>,
    /// Set when the server itself is removed: nothing more is reported about it.
    is_over: bool,
}

/// The last report to the gateway.
struct FleetReport {
    state: ServerState,
    listing: Option<ServerListing>,
    /// The readings behind the listing.
    readings: Vec<Arc<ListReading>>,
    /// The number of the member at which resources are watched.
    on_duty: Option<u64>,
}

impl Fleet {
    pub(crate) fn start(spec: ServerSpec, house: Arc<SharedContext>, stop: CancellationToken) -> Arc<Self> {
        let members_max = members_of(&spec).len();
        let unmanned = ServerSpec { transport: no_instances(), ..spec.clone() };
        let fleet = Arc::new(Self {
            name: spec.name.clone(),
            house,
            stop,
            tasks: TaskTracker::new(),
            roll: ArcSwap::from_pointee(FleetMembers::new(unmanned, Vec::new(), None)),
            wanted: Arc::default(),
            sessions: HomeTable::default(),
            task_homes: HomeTable::default(),
            tools: ToolTable::default(),
            latency: LatencyHistogram::default(),
            told: Mutex::new(FleetReport::nothing()),
            settled: AtomicBool::new(members_max < 2),
            news: watch::Sender::new(()),
            numbers: AtomicU64::new(0),
            dice: AtomicU64::new(u64::from(getrandom::u32().unwrap_or_default())),
        });
        fleet.man(spec);
        if members_max > 1 {
            fleet.tasks.spawn(settle(fleet.clone()));
        }
        fleet
    }

    pub(crate) fn transport(&self) -> TransportSpec {
        self.roll.load().spec.transport.clone()
    }

    /// Makes the fleet match `spec` and returns the members that leave. Unchanged members are not touched.
    pub(crate) fn apply(self: &Arc<Self>, spec: ServerSpec) -> Vec<Arc<FleetMember>> {
        let before = self.roll.load_full();
        if before.spec == spec {
            return Vec::new();
        }
        if !same_source(&before.spec.transport, &spec.transport) {
            self.house.cache.forget(&self.name);
        }
        self.man(spec)
    }

    fn man(self: &Arc<Self>, spec: ServerSpec) -> Vec<Arc<FleetMember>> {
        // A member may fail at once, before it is on the roll: nothing is reported until it is.
        let quiet = self.told.lock();
        let before = self.roll.load_full();
        let members: Vec<Arc<FleetMember>> = members_of(&spec)
            .into_iter()
            .map(|(id, own)| match before.members.iter().find(|one| one.id == id && one.ctx.spec == own) {
                Some(same) => same.clone(),
                None => self.recruit(id, own),
            })
            .collect();
        let stays = |one: &Arc<FleetMember>| members.iter().any(|other| Arc::ptr_eq(one, other));
        let leaving: Vec<Arc<FleetMember>> =
            before.members.iter().filter(|one| !stays(one)).cloned().collect();
        leaving.iter().for_each(|member| member.set_duty(MemberDuty::None));
        self.roll.store(Arc::new(FleetMembers::new(spec, members, Some(&before))));
        drop(quiet);
        self.member_changed();
        leaving
    }

    fn recruit(self: &Arc<Self>, id: InstanceId, spec: ServerSpec) -> Arc<FleetMember> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let ctx = ServerContext::new(spec, self.house.clone(), self.stop.child_token());
        FleetMember::start(ctx, id, number, self.wanted.clone(), Arc::downgrade(self))
    }

    /// Removes all members. Requests in progress may finish; no new ones come in.
    pub(crate) fn disband(&self) -> Vec<Arc<FleetMember>> {
        let _quiet = self.told.lock();
        let before = self.roll.load_full();
        let spec = ServerSpec { transport: no_instances(), ..before.spec.clone() };
        self.roll.store(Arc::new(FleetMembers {
            is_over: true,
            ..FleetMembers::new(spec, Vec::new(), Some(&before))
        }));
        self.house.cache.forget(&self.name);
        self.news.send_replace(());
        before.members.clone()
    }

    pub(crate) fn members(&self) -> Vec<Arc<FleetMember>> {
        self.roll.load().members.clone()
    }

    /// True if the server keeps a state for its callers and is told who they are.
    pub(crate) fn knows_callers(&self) -> bool {
        self.roll.load().know_callers()
    }

    pub(crate) fn caller_ended(&self, ended: &EndedCaller) {
        self.roll.load().members.iter().for_each(|member| member.endings.add(ended));
    }

    /// Ends at once.
    pub(crate) async fn end(&self) {
        self.stop.cancel();
        let members = self.members();
        futures_util::future::join_all(members.iter().map(|member| end(member))).await;
        self.tasks.close();
        if timeout(LEFTOVERS, self.tasks.wait()).await.is_err() {
            tracing::warn!(server = %self.name, "something of a server did not end in time");
        }
    }

    /// Checks all members again and reports changes to the gateway.
    pub(crate) fn member_changed(&self) {
        // Locked while reporting, so that two concurrent changes are reported in order.
        let mut told = self.told.lock();
        let roll = self.roll.load_full();
        if roll.is_over {
            return;
        }
        elect(&roll, &mut told);
        self.tell_listing(&roll, &mut told);
        self.tell_state(&roll, &mut told);
        self.news.send_replace(());
    }

    fn tell_state(&self, roll: &FleetMembers, told: &mut FleetReport) {
        let states: Vec<ServerState> = roll.members.iter().map(|member| member.state()).collect();
        let instances = roll.members.iter().filter_map(|member| member.instance_state()).collect();
        let state = merge::state(&states, instances);
        if state != told.state {
            told.state = state;
            self.house.watcher.state_changed(&self.name, &told.state);
        }
    }

    /// Absent members have no listing, unless all are absent: then the last listing stays.
    fn tell_listing(&self, roll: &FleetMembers, told: &mut FleetReport) {
        let mut up: Vec<&Arc<FleetMember>> = roll.members.iter().filter(|member| member.is_up()).collect();
        up.sort_by_key(|member| std::cmp::Reverse(member.number));
        let readings: Vec<Arc<ListReading>> = up.iter().filter_map(|member| member.reading()).collect();
        if readings.is_empty() || same_readings(&readings, &told.readings) || self.waits_for_others(roll) {
            return;
        }
        let listing = merge::listing(&readings);
        told.readings = readings;
        if told.listing.as_ref() != Some(&listing) {
            told.listing = Some(listing.clone());
            self.house.watcher.listed(&self.name, listing);
        }
    }

    fn waits_for_others(&self, roll: &FleetMembers) -> bool {
        !self.settled.load(Ordering::Acquire) && roll.members.iter().any(|member| member.is_new())
    }
}

async fn settle(fleet: Arc<Fleet>) {
    tokio::select! {
        () = sleep(SETTLE) => {}
        () = fleet.stop.cancelled() => return,
    }
    fleet.settled.store(true, Ordering::Release);
    fleet.member_changed();
}

impl FleetMembers {
    /// Unchanged limits keep their state.
    fn new(spec: ServerSpec, members: Vec<Arc<FleetMember>>, before: Option<&FleetMembers>) -> Self {
        let gate = before.filter(|before| before.spec.concurrency_max == spec.concurrency_max);
        let gate = gate.map_or_else(
            || Arc::new(ConcurrencyGate::new(spec.concurrency_max)),
            |before| before.gate.clone(),
        );
        let limiter = match before.filter(|before| before.spec.rate == spec.rate) {
            Some(before) => before.limiter.clone(),
            None => spec.rate.map(|rate| Arc::new(RateLimiter::new(rate))),
        };
        Self { spec, members, gate, limiter, is_over: false }
    }

    fn know_callers(&self) -> bool {
        self.members.iter().any(|member| member.knows_callers())
    }

    fn company(&self) -> FleetSize {
        if self.members.len() == 1 { FleetSize::Alone } else { FleetSize::Others }
    }
}

impl FleetReport {
    fn nothing() -> Self {
        Self { state: ServerState::starting(), listing: None, readings: Vec::new(), on_duty: None }
    }
}

/// Resources are watched at the first member that is up, for as long as it is.
fn elect(roll: &FleetMembers, told: &mut FleetReport) {
    let is_alone = roll.members.len() == 1;
    let fit = |member: &&Arc<FleetMember>| is_alone || member.is_up();
    let still = roll.members.iter().filter(fit).any(|member| Some(member.number) == told.on_duty);
    if still {
        return;
    }
    let next = roll.members.iter().find(fit).map(|member| member.number);
    for member in &roll.members {
        member.set_duty(if Some(member.number) == next {
            MemberDuty::WatchesResources
        } else {
            MemberDuty::None
        });
    }
    told.on_duty = next;
}

fn same_readings(ones: &[Arc<ListReading>], others: &[Arc<ListReading>]) -> bool {
    ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| Arc::ptr_eq(one, other))
}

fn no_instances() -> TransportSpec {
    TransportSpec::Http { instances: Vec::new(), headers: std::collections::BTreeMap::new() }
}

/// True if both lead to the same software with the same credentials, regardless of the number of instances.
fn same_source(one: &TransportSpec, other: &TransportSpec) -> bool {
    match (one, other) {
        (TransportSpec::Http { headers: one, .. }, TransportSpec::Http { headers: other, .. }) => {
            one == other
        }
        (one, other) => one == other,
    }
}

/// The members of a specification, each with a specification of its own that names no other instance. It
/// excludes shared limits: a change to them disturbs no member.
fn members_of(spec: &ServerSpec) -> Vec<(InstanceId, ServerSpec)> {
    let alone = |transport| ServerSpec {
        transport,
        concurrency_max: usize::MAX,
        rate: None,
        affinity: Affinity::default(),
        ..spec.clone()
    };
    match &spec.transport {
        TransportSpec::Stdio { .. } | TransportSpec::Api(_) => {
            vec![(InstanceId::only(), alone(spec.transport.clone()))]
        }
        TransportSpec::Http { instances, headers } => instances
            .iter()
            .enumerate()
            .filter(|(at, instance)| instances[..*at].iter().all(|earlier| earlier.id != instance.id))
            .map(|(_, instance)| {
                let only =
                    TransportSpec::Http { instances: vec![instance.clone()], headers: headers.clone() };
                (instance.id.clone(), alone(only))
            })
            .collect(),
    }
}

/// Waits, for a limited time, until a leaving member has nothing in progress, and ends it.
pub(crate) async fn see_off(member: Arc<FleetMember>) {
    tokio::select! {
        _ = timeout(member.ctx.spec.timeout, member.emptied()) => {}
        () = member.ctx.stop.cancelled() => {}
    }
    end(&member).await;
}

async fn end(member: &FleetMember) {
    member.ctx.stop.cancel();
    member.ctx.tasks.close();
    if timeout(LEFTOVERS, member.ctx.tasks.wait()).await.is_err() {
        tracing::warn!(server = %member.ctx.name(), "something of a server did not end in time");
    }
}
