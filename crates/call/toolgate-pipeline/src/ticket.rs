//! The state of a call between steps, and its end.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use toolgate_core::approval::Approval;
use toolgate_core::content::Attachment;
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::{ApprovalRequirement, PolicyTemplate};
use toolgate_core::event::{DecisionKind, Event, EventKind, EventSubject, LedgerBody, LedgerEntry, Outcome};
use toolgate_core::id::{ApprovalId, CallId, RunId};
use toolgate_core::scope::AgentName;
use toolgate_core::{AuditLevel, Digest, Principal, PrincipalId, RawJson, Tool};

use crate::answer::CallRefusal;
use crate::envelope::{CallWarning, Envelope};
use crate::filter::Filters;
use crate::pipeline::Pipeline;
use crate::redact::MarkStyle;
use crate::request::{CallRequest, InputRound};

/// A call that has just arrived. Only filters take it further.
pub struct Received {
    pub(crate) ticket: Ticket,
}

impl Received {
    pub(crate) fn new(pipeline: &Pipeline, request: CallRequest) -> Self {
        let CallRequest { principal, tool, arguments, context } = request;
        let call = match &context.round {
            Some(round) => round.call.clone(),
            None => CallId::new(pipeline.clock.fresh_id(CallId::PREFIX)),
        };
        let about = Arc::new(EventSubject {
            session: context.session,
            run: context.run.clone().or(context.labels.run),
            task: context.task.clone().or(context.labels.task),
            call: Some(call.clone()),
            tool: Some(tool.name.clone()),
            server: Some(tool.server.clone()),
            tool_version: Some(tool.version),
            trace: context.trace,
        });
        let ticket = Ticket {
            call,
            principal,
            tool,
            about,
            opened_by: context.opened_by,
            forced_by: context.labels.forced_by,
            agent: context.agent,
            template: context.template,
            run: context.run,
            task: context.task,
            extras: context.extras,
            arguments: arguments.unwrap_or(RawJson::EMPTY),
            round: context.round,
            started_us: pipeline.clock.monotonic_us(),
            policy_version: None,
            permit: None,
            basis: None,
            approval: None,
            is_gated: false,
            watched: None,
            is_filtered: false,
            warnings: context.warnings,
            note: None,
            called: context.called,
            barred: context.barred,
            unwritten: LedgerEntry::default(),
            input: None,
            secrets: Vec::new(),
            attachments: Vec::new(),
            credentials: Vec::new(),
            asked_of_contents: None,
            excluded: Vec::new(),
            refs: Vec::new(),
        };
        Self { ticket }
    }
}

pub(crate) struct Ticket {
    pub(crate) call: CallId,
    pub(crate) principal: Principal,
    pub(crate) tool: Arc<Tool>,
    pub(crate) about: Arc<EventSubject>,
    pub(crate) opened_by: Option<PrincipalId>,
    /// Set if somebody makes the call by hand.
    pub(crate) forced_by: Option<PrincipalId>,
    pub(crate) agent: Option<AgentName>,
    /// The level of care of the session.
    pub(crate) template: Option<PolicyTemplate>,
    /// The verified run; `about` also has the caller's own claims.
    pub(crate) run: Option<RunId>,
    pub(crate) task: Option<Arc<str>>,
    /// Additional content for the server, unless people agree to the arguments alone.
    pub(crate) extras: Option<RawJson>,
    /// The arguments as they came, except for what filters masked.
    pub(crate) arguments: RawJson,
    pub(crate) round: Option<InputRound>,
    pub(crate) started_us: i64,
    pub(crate) policy_version: Option<Digest>,
    /// A plain permit, which the next event of the call tells.
    permit: Option<DecisionKind>,
    /// The policy's requirement, without that of filters and contents.
    pub(crate) basis: Option<Digest>,
    pub(crate) approval: Option<ApprovalId>,
    /// A gate matched, so people or a grant of theirs let it through.
    pub(crate) is_gated: bool,
    /// The verdict of filters, if there are any. Boxed, because most gateways have none and a ticket is moved
    /// often.
    pub(crate) watched: Option<Box<WatchedCall>>,
    /// True if a filter matched.
    pub(crate) is_filtered: bool,
    pub(crate) warnings: Vec<CallWarning>,
    /// A note in front of the server's result.
    pub(crate) note: Option<String>,
    /// The name that the caller knows the tool by.
    pub(crate) called: Option<Arc<str>>,
    pub(crate) barred: Option<Arc<str>>,
    /// Events that are written with the next entry.
    pub(crate) unwritten: LedgerEntry,
    /// The digest of the arguments, redacted, once they are known to be readable.
    input: Option<Digest>,
    /// The redacted values of the arguments: a server may repeat them.
    pub(crate) secrets: Vec<String>,
    /// Files and refs that the arguments name.
    pub(crate) attachments: Vec<Attachment>,
    /// Credentials that the arguments name.
    pub(crate) credentials: Vec<CredentialUse>,
    /// The approval that what the arguments name requires.
    pub(crate) asked_of_contents: Option<Box<ApprovalRequirement>>,
    /// Those whose own work the call judges.
    pub(crate) excluded: Vec<PrincipalId>,
    /// The names of the parts that were taken out of the result.
    pub(crate) refs: Vec<RawJson>,
}

/// The verdict of filters on a call.
pub(crate) struct WatchedCall {
    /// The filters that inspected it.
    pub(crate) filters: Arc<Filters>,
    /// The approval that they require.
    pub(crate) asks: Option<ApprovalRequirement>,
    /// Some of them inspect what is sent, so content that they cannot inspect is not sent.
    pub(crate) is_looked_at: bool,
    /// The arguments to send differ from what the client sent.
    pub(crate) is_masked: bool,
}

impl WatchedCall {
    pub(crate) fn new(filters: Arc<Filters>) -> Box<Self> {
        Box::new(Self { filters, asks: None, is_looked_at: false, is_masked: false })
    }
}

impl Ticket {
    /// The approval that filters and the contents require.
    pub(crate) fn asks(&self) -> Option<ApprovalRequirement> {
        let of_filters = self.watched.as_ref().and_then(|watched| watched.asks.clone());
        let of_contents = self.asked_of_contents.as_deref().cloned();
        of_filters.into_iter().chain(of_contents).reduce(ApprovalRequirement::merged)
    }

    /// The arguments, if they differ from what the client sent.
    pub(crate) fn masked_arguments(&self) -> Option<RawJson> {
        let is_masked = self.watched.as_ref().is_some_and(|watched| watched.is_masked);
        is_masked.then(|| self.arguments.clone())
    }

    pub(crate) fn event(&self, pipeline: &Pipeline, kind: EventKind) -> Event {
        let now_ms = pipeline.clock.now_ms();
        let mut event = Event::new(kind, now_ms, self.principal.id.clone(), self.about.clone());
        event.policy_version = self.policy_version;
        event.approval = self.approval.clone();
        event.input = self.input;
        event
    }

    /// The next event of a call that policy has judged.
    pub(crate) fn judged_event(&mut self, pipeline: &Pipeline, kind: EventKind) -> Event {
        Event { decision: self.permit.take(), ..self.event(pipeline, kind) }
    }

    /// Notes the arguments, redacted, as far as they are stored.
    pub(crate) fn keep_input(&mut self, pipeline: &Pipeline, arguments: &Value) {
        if self.input.is_some() || !self.is_recorded() {
            return;
        }
        let redacted = pipeline.redactor.redact_input(self.tool.name.as_str(), arguments, MarkStyle::Plain);
        self.secrets = redacted.secrets;
        let json = match redacted.value {
            Cow::Borrowed(_) => self.arguments.clone(),
            Cow::Owned(value) => RawJson::from(value),
        };
        self.input = Some(self.keep_body(pipeline, json));
    }

    /// Stores a body if it is small enough, and returns its digest in any case.
    pub(crate) fn keep_body(&mut self, pipeline: &Pipeline, json: RawJson) -> Digest {
        let keep = pipeline.settings.keep(self.tool.audit);
        let digest = Digest::of(json.as_bytes());
        if json.as_bytes().len() <= keep.body_bytes_max {
            let time = i64::try_from(keep.time.as_millis()).unwrap_or(i64::MAX);
            let keep_until_ms = pipeline.clock.now_ms().saturating_add(time);
            self.unwritten.bodies.push(LedgerBody { digest, json, keep_until_ms });
        }
        digest
    }

    /// Makes an attempt that may not continue another call a call of its own: its end must not be taken for
    /// the end of that one.
    pub(crate) fn stand_alone(&mut self, pipeline: &Pipeline) {
        self.call = CallId::new(pipeline.clock.fresh_id(CallId::PREFIX));
        self.round = None;
        Arc::make_mut(&mut self.about).call = Some(self.call.clone());
        self.unwritten.events.iter_mut().for_each(|event| event.about = self.about.clone());
    }

    /// True if a permitted call of this tool leaves a record. Calls that may change something always do, and
    /// so do calls in which a filter found something, those that use a credential, and those that somebody makes by hand.
    pub(crate) fn is_recorded(&self) -> bool {
        self.tool.audit != AuditLevel::None
            || self.tool.effects.changes_something()
            || self.is_gated
            || self.is_filtered
            || !self.credentials.is_empty()
            || self.forced_by.is_some()
    }

    pub(crate) fn elapsed_us(&self, pipeline: &Pipeline) -> i64 {
        pipeline.clock.monotonic_us() - self.started_us
    }

    pub(crate) fn envelope(&mut self, status: Outcome) -> Envelope {
        Envelope {
            status,
            refs: std::mem::take(&mut self.refs),
            warnings: std::mem::take(&mut self.warnings),
            tool_call_id: self.call.clone(),
            approval_id: self.approval.clone(),
        }
    }

    /// Notes what policy decided. A permit about which there is nothing to say needs no event of its own.
    pub(crate) fn decided(&mut self, pipeline: &Pipeline, decision: DecisionKind, detail: Option<RawJson>) {
        self.permit = None;
        if decision == DecisionKind::Permit && detail.is_none() {
            self.permit = Some(decision);
            return;
        }
        let mut event = self.event(pipeline, EventKind::PolicyDecided);
        event.decision = Some(decision);
        event.detail = detail;
        self.unwritten.events.push(event);
    }
}

/// A call that a step ended before it was sent.
pub(crate) struct StoppedCall {
    pub(crate) ticket: Ticket,
    pub(crate) outcome: Outcome,
    pub(crate) words: StopAnswer,
}

pub(crate) enum StopAnswer {
    /// The gateway's message to the caller.
    Refusal(CallRefusal),
    /// The client gets a handle for this.
    Handle(Box<Approval>),
    /// An identical call that was approved together with this one has run; this is its result.
    Shared(RawJson),
}

impl StoppedCall {
    pub(crate) fn new(ticket: Ticket, outcome: Outcome, refusal: CallRefusal) -> Box<Self> {
        Box::new(Self { ticket, outcome, words: StopAnswer::Refusal(refusal) })
    }
}
