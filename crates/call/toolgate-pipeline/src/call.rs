//! One call from its proposal to its answer: a line per step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use arc_swap::ArcSwapOption;
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::Approval;
use toolgate_core::content::{Attached, Notice};
use toolgate_core::decision::{Policy, Template};
use toolgate_core::event::Outcome;
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
use crate::redact::Redactor;
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
    /// Nothing where there are none: then they cost nothing.
    pub(crate) filters: ArcSwapOption<Filters>,
    pub(crate) schemas: Schemas,
    pub(crate) settings: Settings,
    pub(crate) times: Times,
    pub(crate) flights: Flights,
    pub(crate) held: Held,
    /// The gateway is about to end: nobody is held any longer.
    pub(crate) closing: CancellationToken,
}

/// What the binary hands over.
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
    /// How long a call is held for people before it answers `pending_approval`.
    pub hold: Duration,
    /// How long people have, where no gate says it.
    pub approval_timeout: Duration,
    pub output_check: OutputCheck,
    pub reads_when_down: WhenDown,
    pub standard: Keep,
    pub detailed: Keep,
    /// Where people find an approval; `{id}` stands for its id.
    pub link: Option<Arc<str>>,
}

/// How long people have and how long calls wait for them. They may change while calls are under way.
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

/// What becomes of calls that only read while the ledger cannot be written. What may change something is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenDown {
    Refuse,
    Serve,
}

/// What is kept of arguments and results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Keep {
    /// Larger bodies are told by digest and size alone.
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

/// A call that somebody proposes.
#[derive(Clone, Debug)]
pub struct CallRequest {
    pub principal: Principal,
    pub tool: Arc<Tool>,
    /// The object of arguments as it came; `None` where there was none.
    pub arguments: Option<RawJson>,
    pub context: CallContext,
}

/// What a call belongs to.
#[derive(Clone, Debug, Default)]
pub struct CallContext {
    pub session: Option<SessionId>,
    /// Who opened that session, where somebody did.
    pub opened_by: Option<PrincipalId>,
    pub agent: Option<AgentName>,
    /// The level of care of the session.
    pub template: Option<Template>,
    /// The run and the task that the session was opened for, or a run that is known to be the caller's.
    pub run: Option<RunId>,
    pub task: Option<Arc<str>>,
    pub labels: Labels,
    /// What goes to the server beside the arguments: members of `_meta`, as an object.
    pub extras: Option<RawJson>,
    /// W3C `traceparent`.
    pub trace: Option<Arc<str>>,
    /// The call this one goes on with, as its sealed state says.
    pub round: Option<Round>,
    /// What is to be said with the answer, whatever it is.
    pub warnings: Vec<Warning>,
    /// The name that the caller knows the tool by, where it is not the canonical one.
    pub called: Option<Arc<str>>,
    /// Why the session may not call this tool, whatever policy says: it is denied, and that is recorded.
    pub barred: Option<Arc<str>>,
}

/// What a caller says that its call belongs to. It is recorded, and policy does not go by it: nobody vouches for it.
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
    /// Stands for the exact call: nothing else may go on with it.
    pub agreed: Digest,
    /// Whether people agreed to it. Only then it may go on without asking them again.
    pub approved: bool,
}

/// The client of a call, as far as people are asked for it.
pub trait Client: Send + Sync {
    /// Whether the person at the client can be asked there.
    fn can_confirm(&self) -> bool;
    /// Puts an elicitation to the person at the client.
    fn confirm(&self, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>>;
    /// How a call waits that other people decide on.
    fn patience(&self) -> Patience;
    /// The call still waits.
    fn waiting(&self, approval: &Approval, waited: Duration);
    /// Whether people may be asked about one more call of this caller. Nothing where they may in any case.
    fn may_ask(&self) -> Option<BoxFuture<'_, Result<(), toolgate_core::Refusal>>> {
        None
    }
    /// Whether anybody is there who would take the answer.
    fn is_there(&self) -> bool {
        true
    }
    /// Whether the client said that it does not want the call any more. One whose connection broke has not.
    fn has_withdrawn(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// A bounded time; then the client repeats its call.
    Hold,
    /// Not at all: the client gets a durable handle.
    Handle,
    /// Not at all: the client repeats its call.
    NotAtAll,
    /// Until there is a decision.
    Unbounded,
}

/// Sends an approved call to its server.
pub trait Executor: Send + Sync {
    /// Looks up files and refs that the arguments name, before anybody decides on the call: what people agree to is
    /// their content. Nothing where there is nothing to look up.
    fn attach<'a>(
        &'a self,
        _arguments: &'a serde_json::Value,
    ) -> Option<BoxFuture<'a, Result<Attached, toolgate_core::Refusal>>> {
        None
    }

    /// Whether the call may begin at this very moment, which may be long after it was proposed. Nothing where nobody
    /// has to be asked. `arguments` where they differ from what the client sent.
    fn admit<'a>(
        &'a self,
        _call: &'a CallId,
        _arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), toolgate_core::Refusal>>> {
        None
    }

    fn execute<'a>(&'a self, call: &'a CallId, load: Load) -> BoxFuture<'a, Result<Delivered, Undelivered>>;

    /// Whether carrying the call out writes events: then those of the call itself come first.
    fn writes_events(&self) -> bool {
        false
    }

    /// What the end of the call says beside its result.
    fn account(&self, _arguments: &RawJson, _result: Option<&RawJson>) -> Account {
        Account::default()
    }

    /// Whether something in a result is too big or too binary for the context. Of most there is not.
    fn must_unpack(&self, _clean: &Clean) -> bool {
        false
    }

    /// Takes that out, once filters have looked through it.
    fn unpack<'a>(&'a self, _call: &'a CallId, clean: Clean) -> BoxFuture<'a, Clean> {
        Box::pin(std::future::ready(clean))
    }
}

/// Who answered a call, and what it costs a model.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// Which of several instances of the server.
    pub instance: Option<InstanceId>,
    pub tokens: Option<Tokens>,
}

/// Numbers of tokens, those of long texts estimated.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Tokens {
    pub tokenizer: &'static str,
    /// Of the arguments, as the client sent them.
    pub arguments: usize,
    /// Of the result, as the client gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<usize>,
    /// Of the list of tools that the session shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<usize>,
}

/// What is sent of a call.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// Where they differ from what the client sent.
    pub arguments: Option<RawJson>,
    /// What else of `_meta` goes to the server.
    pub extras: Option<RawJson>,
    /// Whether nothing is sent that was not looked at: people agreed to the arguments, or filters watch them.
    pub only_seen: bool,
}

/// What came back of a call.
#[derive(Clone, Debug)]
pub struct Delivered {
    pub reply: Reply,
    /// Names of what was taken out of the result.
    pub refs: Vec<RawJson>,
    pub notices: Vec<Notice>,
    /// Where the result alone does not say how it ended.
    pub outcome: Option<Outcome>,
}

impl From<Reply> for Delivered {
    fn from(reply: Reply) -> Self {
        Self { reply, refs: Vec::new(), notices: Vec::new(), outcome: None }
    }
}

/// Why nothing came back.
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

    /// Whether policy asks for this approval now as it did when people were asked.
    pub fn policy_stands(&self, approval: &Approval, tool: &Tool) -> bool {
        standing::stands(&*self.policy, approval, tool)
    }

    /// Calls that begin to wait from now on wait for so long, and people have so long where no gate says it.
    pub fn set_times(&self, hold: Duration, approval_timeout: Duration) {
        self.times.hold_ms.store(millis(hold), Ordering::Relaxed);
        self.times.approval_timeout_ms.store(millis(approval_timeout), Ordering::Relaxed);
    }

    /// From now on these filters look through calls.
    pub fn set_filters(&self, filters: Filters) {
        self.filters.store(some(filters));
    }

    /// The filters that look through calls now, if there are any.
    pub fn filters(&self) -> Option<Arc<Filters>> {
        self.filters.load_full()
    }

    /// Whether calls can be recorded at the moment. What cannot be is not sent.
    pub fn is_recording(&self) -> bool {
        self.ledger.is_up()
    }

    pub fn now_ms(&self) -> i64 {
        self.clock.now_ms()
    }

    /// Takes a call through every step. Must be driven to its end: a call that is not wanted any more is ended
    /// through `cancel`, and recorded.
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

    /// Notes that the caller hears how its approval ended. Whoever has left does not, and is told when the same call comes
    /// again.
    async fn tell(&self, envelope: &Envelope, client: &dyn Client) {
        let Some(id) = &envelope.approval_id else { return };
        if envelope.status == Outcome::PendingApproval || !client.is_there() {
            return;
        }
        // Where the store is away, the caller is told a second time rather than not at all.
        drop(self.approvals.told(id).await);
    }
}

fn some(filters: Filters) -> Option<Arc<Filters>> {
    (!filters.is_empty()).then(|| Arc::new(filters))
}
