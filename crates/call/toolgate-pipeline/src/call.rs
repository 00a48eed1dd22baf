//! One call from its proposal to its answer: a line per step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::Approval;
use toolgate_core::content::{Attached, Notice};
use toolgate_core::decision::{Policy, Template};
use toolgate_core::event::{About, Entry, Event, EventKind, Outcome};
use toolgate_core::governance::{Approvals, Clock, Ledger};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::port::{BoxFuture, Reply, ServerError};
use toolgate_core::scope::AgentName;
use toolgate_core::server::InstanceId;
use toolgate_core::{AuditLevel, Digest, OutputCheck, Principal, PrincipalId, RawJson, RpcError, Tool};

use crate::answer::Answer;
use crate::envelope::{Envelope, Warning};
use crate::filter::Filters;
use crate::flight::Flights;
use crate::held::Held;
use crate::redact::{Marks, Redactor};
use crate::schema::Schemas;
use crate::standing;
pub use crate::steps::filter::Clean;
use crate::steps::{approve, attach, decide, execute, filter, record, validate};
use crate::ticket::Received;

/// Everything a call passes on its way.
pub struct Pipeline {
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) approvals: Arc<dyn Approvals>,
    pub(crate) ledger: Arc<dyn Ledger>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) redactor: Redactor,
    /// `None` if there are no filters: then they cost nothing.
    pub(crate) filters: ArcSwapOption<Filters>,
    pub(crate) schemas: Schemas,
    pub(crate) settings: Settings,
    pub(crate) times: Times,
    pub(crate) flights: Flights,
    pub(crate) held: Held,
    /// The gateway is about to stop: no call waits any longer.
    pub(crate) closing: CancellationToken,
}

/// The parts that the binary provides.
pub struct Setup {
    pub policy: Arc<dyn Policy>,
    pub approvals: Arc<dyn Approvals>,
    pub ledger: Arc<dyn Ledger>,
    pub clock: Arc<dyn Clock>,
    pub redactor: Redactor,
    pub filters: Filters,
    pub settings: Settings,
    /// Cancelled when the gateway is about to end.
    pub closing: CancellationToken,
}

#[derive(Clone, Debug)]
pub struct Settings {
    /// The time that a call waits for people before it answers `pending_approval`.
    pub hold: Duration,
    /// The time that people have to decide, unless a gate sets it.
    pub approval_timeout: Duration,
    pub output_check: OutputCheck,
    pub reads_when_down: WhenDown,
    pub standard: Keep,
    pub detailed: Keep,
    /// The address of an approval for people; `{id}` is replaced by its id.
    pub link: Option<Arc<str>>,
}

/// The time that people have and the time that calls wait for them. Both may change while calls are in
/// progress.
#[derive(Debug)]
pub(crate) struct Times {
    hold_ms: AtomicU64,
    approval_timeout_ms: AtomicU64,
}

impl Times {
    fn new(hold: Duration, approval_timeout: Duration) -> Self {
        Self { hold_ms: millis(hold).into(), approval_timeout_ms: millis(approval_timeout).into() }
    }

    pub(crate) fn hold(&self) -> Duration {
        Duration::from_millis(self.hold_ms.load(Ordering::Relaxed))
    }

    pub(crate) fn approval_timeout(&self) -> Duration {
        Duration::from_millis(self.approval_timeout_ms.load(Ordering::Relaxed))
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The treatment of calls that only read while the ledger cannot be written. Calls that may change something
/// are refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenDown {
    Refuse,
    Serve,
}

/// The rules for storing arguments and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// Larger bodies are recorded by digest and size only.
    pub body_bytes_max: usize,
    pub time: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        Self {
            hold: Duration::from_secs(20),
            approval_timeout: Duration::from_secs(3600),
            output_check: OutputCheck::Warn,
            reads_when_down: WhenDown::Refuse,
            standard: Keep { body_bytes_max: 16 << 10, time: 90 * DAY },
            detailed: Keep { body_bytes_max: 1 << 20, time: 365 * DAY },
            link: None,
        }
    }
}

impl Settings {
    pub(crate) fn keep(&self, level: AuditLevel) -> Keep {
        match level {
            AuditLevel::Detailed => self.detailed,
            AuditLevel::None | AuditLevel::Standard => self.standard,
        }
    }
}

/// A proposed call.
#[derive(Clone, Debug)]
pub struct CallRequest {
    pub principal: Principal,
    pub tool: Arc<Tool>,
    /// The object of arguments as received; `None` if there was none.
    pub arguments: Option<RawJson>,
    pub context: CallContext,
}

/// The context of a call.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    pub session: Option<SessionId>,
    /// The principal that opened that session, if any.
    pub opened_by: Option<PrincipalId>,
    pub agent: Option<AgentName>,
    /// The level of care of the session.
    pub template: Option<Template>,
    /// The run and the task that the session was opened for, or a run that is known to be the caller's.
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
    pub labels: Labels,
    /// Additional members of `_meta` for the server, as an object.
    pub extras: Option<RawJson>,
    /// W3C `traceparent`.
    pub trace: Option<Arc<str>>,
    /// The earlier round that this call continues, from its sealed state.
    pub round: Option<Round>,
    /// Warnings for the answer, whatever its outcome.
    pub warnings: Vec<Warning>,
    /// The name that the caller knows the tool by, where it is not the canonical one.
    pub called: Option<Arc<str>>,
    /// The reason why the session may not call this tool, regardless of policy: the call is denied, and the
    /// denial is recorded.
    pub barred: Option<Arc<str>>,
}

/// The caller's own claim of what its call belongs to. It is recorded, but policy ignores it because it is
/// not verified.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
}

/// A call that waited for its client, and how often it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    pub call: CallId,
    pub number: u32,
    /// Identifies the exact call: nothing else may continue with it.
    pub agreed: Digest,
    /// True if people agreed to it. Only then may it continue without asking them again.
    pub approved: bool,
}

/// The client of a call, as far as approvals need it.
pub trait Client: Send + Sync {
    /// True if the person at the client can be asked there.
    fn can_confirm(&self) -> bool;
    /// Puts an elicitation to the person at the client.
    fn confirm(&self, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>>;
    /// The way a call waits for a decision of other people.
    fn patience(&self) -> Patience;
    /// The call still waits.
    fn waiting(&self, approval: &Approval, waited: Duration);
    /// Checks whether people may be asked about one more call of this caller. `None` if there is no such
    /// limit.
    fn may_ask(&self) -> Option<BoxFuture<'_, Result<(), toolgate_core::Refusal>>> {
        None
    }
    /// True if the client is still there to take the answer.
    fn is_there(&self) -> bool {
        true
    }
    /// True if the client cancelled the call. A broken connection is not a cancellation.
    fn has_withdrawn(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// A bounded time; then the client repeats its call.
    Hold,
    /// No wait: the client gets a durable handle.
    Handle,
    /// Not at all: the client repeats its call.
    NotAtAll,
    /// Waits until there is a decision.
    Unbounded,
}

/// Sends an approved call to its server.
pub trait Executor: Send + Sync {
    /// Looks up files and refs that the arguments name, before the decision on the call: people agree to
    /// their content. `None` if there is nothing to look up.
    fn attach<'a>(
        &'a self,
        _arguments: &'a serde_json::Value,
    ) -> Option<BoxFuture<'a, Result<Attached, toolgate_core::Refusal>>> {
        None
    }

    /// Checks whether the call may start at this very moment, which may be long after it was proposed. `None`
    /// if there is nothing to check. `arguments` is set if they differ from what the client sent.
    fn admit<'a>(
        &'a self,
        _call: &'a CallId,
        _arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), toolgate_core::Refusal>>> {
        None
    }

    fn execute<'a>(&'a self, call: &'a CallId, load: Load) -> BoxFuture<'a, Result<Delivered, Undelivered>>;

    /// True if executing the call writes events: then the call's own events come first.
    fn writes_events(&self) -> bool {
        false
    }

    /// The details that the end of the call reports besides its result.
    fn account(&self, _arguments: &RawJson, _result: Option<&RawJson>) -> Account {
        Account::default()
    }

    /// A quick check whether a result has parts that are too large or too binary for the context. Most have
    /// none.
    fn must_unpack(&self, _clean: &Clean) -> bool {
        false
    }

    /// Takes that out, once filters have looked through it.
    fn unpack<'a>(&'a self, _call: &'a CallId, clean: Clean) -> BoxFuture<'a, Clean> {
        Box::pin(std::future::ready(clean))
    }
}

/// The instance that answered a call, and the call's cost in tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// The instance, if the server has several.
    pub instance: Option<InstanceId>,
    pub tokens: Option<Tokens>,
}

/// Numbers of tokens, those of long texts estimated.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Tokens {
    pub tokenizer: &'static str,
    /// The tokens of the arguments, as the client sent them.
    pub arguments: usize,
    /// The tokens of the result, as the client gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<usize>,
    /// The tokens of the session's list of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<usize>,
}

/// The parts of a call that are sent.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The arguments, if they differ from what the client sent.
    pub arguments: Option<RawJson>,
    /// The other members of `_meta` for the server.
    pub extras: Option<RawJson>,
    /// True if only inspected content may be sent: people agreed to the arguments, or filters inspect them.
    pub only_seen: bool,
}

/// The response to a call.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub reply: Reply,
    /// The names of the parts that were taken out of the result.
    pub refs: Vec<RawJson>,
    pub notices: Vec<Notice>,
    /// The outcome, if the result alone does not show it.
    pub outcome: Option<Outcome>,
}

impl From<Reply> for Delivered {
    fn from(reply: Reply) -> Self {
        Self { reply, refs: Vec::new(), notices: Vec::new(), outcome: None }
    }
}

/// The reason why nothing came back.
#[derive(Clone, Debug)]
pub enum Undelivered {
    Server(ServerError),
    /// It was not sent.
    Refused(toolgate_core::Refusal),
}

impl<E: Into<ServerError>> From<E> for Undelivered {
    fn from(error: E) -> Self {
        Undelivered::Server(error.into())
    }
}

impl Pipeline {
    pub fn new(setup: Setup) -> Self {
        Self {
            times: Times::new(setup.settings.hold, setup.settings.approval_timeout),
            policy: setup.policy,
            approvals: setup.approvals,
            ledger: setup.ledger,
            clock: setup.clock,
            redactor: setup.redactor,
            filters: ArcSwapOption::new(some(setup.filters)),
            schemas: Schemas::default(),
            settings: setup.settings,
            flights: Flights::default(),
            held: Held::default(),
            closing: setup.closing,
        }
    }

    /// True if policy still requires this approval in the same way as when people were asked.
    pub fn policy_stands(&self, approval: &Approval, tool: &Tool) -> bool {
        standing::stands(&*self.policy, approval, tool)
    }

    /// Sets the times for calls that begin to wait from now on: how long they wait, and how long people have
    /// if no gate sets it.
    pub fn set_times(&self, hold: Duration, approval_timeout: Duration) {
        self.times.hold_ms.store(millis(hold), Ordering::Relaxed);
        self.times.approval_timeout_ms.store(millis(approval_timeout), Ordering::Relaxed);
    }

    /// From now on these filters look through calls.
    pub fn set_filters(&self, filters: Filters) {
        self.filters.store(some(filters));
    }

    /// The filters in force, if there are any.
    pub fn filters(&self) -> Option<Arc<Filters>> {
        self.filters.load_full()
    }

    /// True if calls can be recorded right now. A call that cannot be recorded is not sent.
    pub fn is_recording(&self) -> bool {
        self.ledger.is_up()
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Records a call that led to no tool as refused. Nothing depends on it, so it is left out while the ledger
    /// cannot be written.
    pub async fn record_nowhere(&self, principal: &PrincipalId, about: About, detail: serde_json::Value) {
        if !self.is_recording() {
            return;
        }
        let call = CallId::new(self.clock.fresh_id(CallId::PREFIX));
        let about = Arc::new(About { call: Some(call), ..about });
        let mut event = Event::new(EventKind::CallCompleted, self.clock.now_ms(), principal.clone(), about);
        event.outcome = Some(Outcome::Refused);
        let detail = self.redactor.redact_input("", &detail, Marks::Plain).value.into_owned();
        event.detail = Some(detail.into());
        let entry = Entry { events: vec![event], ..Entry::default() };
        drop(self.ledger.append(entry).await);
    }

    /// Takes a call through every step. It must run to its end: an unwanted call is ended through `cancel`,
    /// and recorded.
    pub async fn call(
        &self,
        request: CallRequest,
        client: &dyn Client,
        executor: &dyn Executor,
        cancel: &CancellationToken,
    ) -> Answer {
        let ended = async {
            let received = Received::new(self, request);
            let filtered = filter::filter(self, received)?;
            let validated = validate::validate(self, filtered)?;
            let attached = attach::attach(self, validated, executor).await?;
            let permitted = decide::decide(self, attached)?;
            let approved = approve::approve(self, permitted, client, cancel).await?;
            execute::execute(self, approved, executor, cancel).await
        };
        let answer = record::record(self, ended.await).await.answer();
        self.tell(&answer.envelope, client).await;
        answer
    }

    /// Notes that the caller hears the outcome of its approval. A caller that has left does not, and hears it
    /// when the same call comes again.
    async fn tell(&self, envelope: &Envelope, client: &dyn Client) {
        let Some(id) = &envelope.approval_id else { return };
        if envelope.status == Outcome::PendingApproval || !client.is_there() {
            return;
        }
        // If the store is down, the caller hears it a second time rather than not at all.
        drop(self.approvals.told(id).await);
    }
}

fn some(filters: Filters) -> Option<Arc<Filters>> {
    (!filters.is_empty()).then(|| Arc::new(filters))
}
