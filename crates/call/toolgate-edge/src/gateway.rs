//! Shared by everything at the edge: the ports that the binary hands over, and the state that outlives a request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::MessageLimits;
use toolgate_core::Refusal;
use toolgate_core::content::Contents;
use toolgate_core::credential::CredentialHandles;
use toolgate_core::governance::Approvals;
use toolgate_core::id::RunId;
use toolgate_core::platform::Platform;
use toolgate_core::port::Servers;
use toolgate_core::run::Runs;
use toolgate_core::scope::{Credential, Seat, SessionRoute};
use toolgate_discovery::Discovery;
use toolgate_pipeline::Pipeline;

use crate::calls::described::DescribedTools;
use crate::calls::futile::Futile;
use crate::calls::in_runs::RunCalls;
use crate::calls::jobs::table::Jobs;
use crate::calls::links::ResourceLinks;
use crate::clients::hub::Hub;
use crate::doors::guard::{AllowedHosts, Credentials, ProtectedResource};
use crate::doors::pairs::Pairs;
use crate::doors::rest::RestService;
use crate::doors::seats::Seats;
use crate::messages::seal::Sealer;
use crate::metrics::MetricSource;
use crate::protocol::parked::ParkedExchanges;
use crate::quotas::Quotas;

/// The ports that the binary hands over.
pub struct GatewaySetup {
    /// The view of each session.
    pub discovery: Arc<Discovery>,
    /// Finds the session of a request.
    pub seats: Arc<dyn Seats>,
    pub servers: Arc<dyn Servers>,
    pub pipeline: Arc<Pipeline>,
    pub approvals: Arc<dyn Approvals>,
    /// Files and refs.
    pub contents: Arc<dyn Contents>,
    /// Credentials that agents use by handle.
    pub handles: Arc<dyn CredentialHandles>,
    pub runs: Arc<dyn Runs>,
    pub quotas: Arc<Quotas>,
    /// The gateway's own tools.
    pub platform: Arc<dyn Platform>,
    /// The service beside MCP.
    pub rest: Option<Arc<dyn RestService>>,
    pub hub: Arc<Hub>,
    pub credentials: Arc<dyn Credentials>,
    /// Set where callers may bring OAuth access tokens.
    pub protected_resource: Option<ProtectedResource>,
    pub numbers: Arc<dyn MetricSource>,
    pub allowed: AllowedHosts,
    pub limits: MessageLimits,
    pub sealing_key: [u8; 32],
    /// Ends every stream and every call.
    pub shutdown: CancellationToken,
}

pub struct Gateway {
    pub(crate) discovery: Arc<Discovery>,
    pub(crate) seats: Arc<dyn Seats>,
    pub(crate) described: DescribedTools,
    /// Attempts to call what is not there for the caller that are being recorded.
    pub(crate) attempts: Arc<Semaphore>,
    /// Calls that lead nowhere.
    pub(crate) futile: Futile,
    pub(crate) servers: Arc<dyn Servers>,
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) approvals: Arc<dyn Approvals>,
    pub(crate) contents: Arc<dyn Contents>,
    pub(crate) handles: Arc<dyn CredentialHandles>,
    pub(crate) runs: Arc<dyn Runs>,
    /// The calls of runs in progress.
    pub(crate) in_runs: Arc<RunCalls>,
    pub(crate) quotas: Arc<Quotas>,
    pub(crate) platform: Arc<dyn Platform>,
    pub(crate) rest: Option<Arc<dyn RestService>>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) credentials: Arc<dyn Credentials>,
    pub(crate) protected_resource: Option<ProtectedResource>,
    pub(crate) numbers: Arc<dyn MetricSource>,
    pub(crate) allowed: AllowedHosts,
    pub(crate) limits: MessageLimits,
    pub(crate) sealer: Sealer,
    pub(crate) parked: Arc<ParkedExchanges>,
    pub(crate) links: ResourceLinks,
    pub(crate) pairs: Pairs,
    pub(crate) jobs: Jobs,
    /// Every task that works for a client; shutdown waits for them.
    pub(crate) calls: TaskTracker,
    pub(crate) shutdown: CancellationToken,
    started: Instant,
    settled: watch::Receiver<bool>,
}

/// Attempts that are recorded at once in the background.
const ATTEMPTS_MAX: usize = 64;

impl Gateway {
    pub fn new(setup: GatewaySetup) -> Arc<Self> {
        let sealer = Sealer::new(setup.sealing_key);
        let gateway = Arc::new(Self {
            parked: Arc::new(ParkedExchanges::new(sealer.clone(), setup.limits.input_wait)),
            settled: setup.hub.settled(),
            discovery: setup.discovery,
            seats: setup.seats,
            described: DescribedTools::default(),
            attempts: Arc::new(Semaphore::new(ATTEMPTS_MAX)),
            futile: Futile::default(),
            servers: setup.servers,
            pipeline: setup.pipeline,
            approvals: setup.approvals,
            contents: setup.contents,
            handles: setup.handles,
            runs: setup.runs,
            in_runs: Arc::default(),
            quotas: setup.quotas,
            platform: setup.platform,
            rest: setup.rest,
            jobs: Jobs::default(),
            hub: setup.hub,
            credentials: setup.credentials,
            protected_resource: setup.protected_resource,
            numbers: setup.numbers,
            allowed: setup.allowed,
            limits: setup.limits,
            sealer,
            links: ResourceLinks::default(),
            pairs: Pairs::default(),
            calls: TaskTracker::new(),
            shutdown: setup.shutdown,
            started: Instant::now(),
        });
        gateway.calls.spawn(sweep(gateway.clone()));
        gateway.calls.spawn(tell_counts(gateway.clone()));
        gateway
    }

    /// The seat of a request with this credential.
    pub async fn seat(&self, credential: &Credential, route: &SessionRoute) -> Result<Arc<Seat>, Refusal> {
        match self.seats.seat_known(credential, route) {
            Some(seat) => seat,
            None => self.seats.seat(credential, route).await,
        }
    }

    /// Records an attempt at something that the caller may not see. The caller does not wait for it: how long an answer takes
    /// must not tell that there is something.
    pub(crate) async fn record_aside(&self, recording: impl Future<Output = ()> + Send + 'static) {
        match self.attempts.clone().try_acquire_owned() {
            Ok(permit) => {
                self.calls.spawn(async move {
                    recording.await;
                    drop(permit);
                });
            }
            // So many at once are no mistakes: they wait for each other.
            Err(_) => recording.await,
        }
    }

    /// Waits until every server has been reached or given up once, at most as long as a start may take.
    pub(crate) async fn wait_settled(&self) {
        let left = self.limits.start_wait.saturating_sub(self.started.elapsed());
        let mut settled = self.settled.clone();
        if left.is_zero() || *settled.borrow() {
            return;
        }
        // Whether time ran out or the last server settled, what is known then is what is served.
        drop(tokio::time::timeout(left, settled.wait_for(|settled| *settled)).await);
    }

    /// Ends the calls of a run that are in progress here, down to their servers. What was sent may have had its effect: such a
    /// call ends as cancelled.
    pub fn cancel_run(&self, run: &RunId) {
        self.in_runs.cancel(run);
    }

    /// Resolves when every server has been reached or given up once, or the time to start is over.
    pub async fn settled(&self) {
        self.wait_settled().await;
    }

    /// Sessions may see something else now, or have ended: their clients are told, or disconnected.
    pub fn look_again(&self) {
        self.hub.end_where(|session| self.seats.has_ended(session), &*self.servers);
        self.hub.look_again_with(|seat| self.seats.seat_of(&seat.session));
    }

    /// Waits for calls under way, up to the limit for shutting down.
    pub async fn drain(&self) {
        self.calls.close();
        if tokio::time::timeout(self.limits.shutdown_wait, self.calls.wait()).await.is_err() {
            tracing::warn!(
                left = self.calls.len(),
                "calls were still under way when the time to shut down ran out"
            );
        }
    }
}

/// Forgets idle sessions and calls whose client did not come back.
async fn sweep(gateway: Arc<Gateway>) {
    let period = (gateway.limits.session_idle / 10).clamp(Duration::from_secs(1), Duration::from_secs(30));
    let mut tick = tokio::time::interval(period);
    loop {
        tokio::select! {
            () = gateway.shutdown.cancelled() => return,
            _ = tick.tick() => {
                gateway.parked.sweep();
                gateway.quotas.sweep();
                gateway.hub.sweep(gateway.limits.session_idle, &*gateway.servers);
            }
        }
    }
}

/// The time after which a replica learns the counts of the others.
const COUNTS_TOLD_EVERY: Duration = Duration::from_secs(1);

/// Tells the store how many calls were made, and once more when the gateway ends.
async fn tell_counts(gateway: Arc<Gateway>) {
    let mut tick = tokio::time::interval(COUNTS_TOLD_EVERY);
    while !gateway.shutdown.is_cancelled() {
        tokio::select! {
            () = gateway.shutdown.cancelled() => {}
            _ = tick.tick() => {}
        }
        gateway.quotas.tell_counts().await;
    }
}
