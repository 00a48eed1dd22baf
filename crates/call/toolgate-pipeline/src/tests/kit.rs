//! Ports in memory: a policy with one answer, books that cannot be lost, a server that counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::approval::{Approval, ApprovalState, Binding, Grant, VoteEffect, WithdrawalReason};
use toolgate_core::content::AttachedContents;
use toolgate_core::decision::{
    ApprovalLikelihood, ApprovalRequirement, Decision, Denial, OnTimeout, Policy, PolicyRef, PolicyRequest,
    PolicyTemplate, Verdict, Visibility, VisibilityRequest,
};
use toolgate_core::event::{Durability, EventKind, LedgerEntry};
use toolgate_core::governance::{
    Approvals, Clock, DecideError, DecidedApproval, Ledger, NewApproval, OpenedApproval, RecordedEnd,
    StartRefused, StoreDown, VoteSubmission, Warrant,
};
use toolgate_core::id::{ApprovalId, CallId, GrantId};
use toolgate_core::port::{BoxFuture, ServerError, ServerReply};
use toolgate_core::scope::AgentName;
use toolgate_core::{
    AuditLevel, CanonicalName, Digest, Effects, Principal, PrincipalId, RawJson, Role, RpcError, ServerName,
    Tool, ToolHandling,
};

use crate::filter::Filters;
use crate::redact::Redactor;
use crate::{
    CallAnswer, CallAnswerBody, CallContext, CallPayload, CallRequest, Confirmer, DeliveredReply,
    DeliveryError, Executor, Pipeline, PipelineSettings, PipelineSetup, WaitMode,
};

/// Decides the same about everything, but forbids amounts above the limit, which is lower at stricter levels
/// of care, and has one more gate for trainees.
pub(super) struct FixedPolicy {
    pub(super) verdict: Mutex<Verdict>,
    /// Stands for the texts.
    pub(super) texts: Mutex<&'static str>,
    /// Whom it was asked about.
    pub(super) asked: Mutex<Vec<(Option<AgentName>, Option<PolicyTemplate>)>>,
}

pub(super) const AMOUNT_MAX: i64 = 1_000;
pub(super) const CAREFUL_AMOUNT_MAX: i64 = 100;
pub(super) const TRAINEE: &str = "trainee";

impl Policy for FixedPolicy {
    fn decide(&self, question: &PolicyRequest<'_>) -> Decision {
        self.asked.lock().push((question.agent.cloned(), question.template));
        let amount = question.arguments["amount"].as_i64().unwrap_or(0);
        let is_careful = question.template == Some(PolicyTemplate::AuditCritical);
        let amount_max = if is_careful { CAREFUL_AMOUNT_MAX } else { AMOUNT_MAX };
        let mut verdict = self.verdict.lock().clone();
        if amount > amount_max {
            verdict = Verdict::Deny(Denial { policies: vec![policy("too-much")], error: None });
        }
        if let Verdict::Approve(requirement) = &mut verdict
            && question.agent.is_some_and(|agent| agent.as_str() == TRAINEE)
        {
            requirement.gates.push(policy("trainees"));
        }
        Decision { verdict, policy_version: self.version_under(question.template), shadow: None }
    }

    fn visibility(&self, _glimpse: &VisibilityRequest<'_>) -> Visibility {
        match self.verdict.lock().clone() {
            Verdict::Permit => Visibility::Visible(ApprovalLikelihood::Never),
            Verdict::Approve(_) => Visibility::Visible(ApprovalLikelihood::Always),
            Verdict::Deny(denial) => Visibility::Hidden(denial),
        }
    }

    fn version(&self) -> Digest {
        self.version_under(None)
    }

    fn version_under(&self, template: Option<PolicyTemplate>) -> Digest {
        let template = template.unwrap_or_default();
        Digest::of(format!("{} {template}", self.texts.lock()))
    }
}

pub(super) fn policy(id: &str) -> PolicyRef {
    PolicyRef { id: id.into(), reason: None, text: Digest::of(id) }
}

pub(super) fn requirement() -> ApprovalRequirement {
    ApprovalRequirement {
        gates: vec![policy("transfers")],
        approvers: vec![],
        quorum: 1,
        timeout_seconds: None,
        on_timeout: OnTimeout::Deny,
        editable: true,
        unattended: false,
        excluded: Vec::new(),
    }
}

/// Ledger and approvals in memory.
#[derive(Default)]
pub(super) struct MemoryBooks {
    pub(super) entries: Mutex<Vec<LedgerEntry>>,
    pub(super) approvals: Mutex<Vec<Approval>>,
    pub(super) grants: Mutex<Vec<Grant>>,
    pub(super) rounds: Mutex<Vec<(CallId, u32)>>,
    pub(super) down: AtomicBool,
    changed: tokio::sync::Notify,
}

impl MemoryBooks {
    pub(super) fn kinds(&self) -> Vec<&'static str> {
        self.entries
            .lock()
            .iter()
            .flat_map(|entry| entry.events.iter().map(|event| event.kind.as_str()))
            .collect()
    }

    pub(super) fn last_outcome(&self) -> &'static str {
        let entries = self.entries.lock();
        let last = entries.iter().flat_map(|entry| &entry.events).next_back().expect("something is recorded");
        last.outcome.expect("it has an outcome").as_str()
    }

    pub(super) fn durable(&self, kind: EventKind) -> bool {
        let entries = self.entries.lock();
        let entry = entries.iter().find(|entry| entry.events.iter().any(|event| event.kind == kind));
        entry.is_some_and(|entry| entry.durability == Durability::OnDisk)
    }

    pub(super) fn only_approval(&self) -> Approval {
        let approvals = self.approvals.lock();
        assert_eq!(approvals.len(), 1, "one approval: {approvals:?}");
        approvals[0].clone()
    }

    fn check(&self) -> Result<(), StoreDown> {
        if self.down.load(Ordering::Relaxed) { Err(StoreDown("unplugged".into())) } else { Ok(()) }
    }

    fn use_up(&self, warrant: Warrant) -> Result<(), StartRefused> {
        match warrant {
            Warrant::NoneNeeded => Ok(()),
            Warrant::Approval { id, binding, effective, call } => {
                let mut approvals = self.approvals.lock();
                let approval = approvals.iter_mut().find(|one| one.id == id).expect("it was opened");
                Ok(approval.consume(&binding, effective, &call, 0)?)
            }
            Warrant::Grant { id } => {
                let mut grants = self.grants.lock();
                let grant = grants
                    .iter_mut()
                    .find(|one| one.id == id && one.is_live(0))
                    .ok_or(StartRefused::Grant)?;
                grant.uses_left = grant.uses_left.map(|left| left - 1);
                Ok(())
            }
            Warrant::Round { call, round } => {
                let mut rounds = self.rounds.lock();
                if rounds.contains(&(call.clone(), round)) {
                    return Err(StartRefused::Round);
                }
                rounds.push((call, round));
                Ok(())
            }
        }
    }
}

/// The same books, held by everybody.
#[derive(Clone, Default)]
pub(super) struct Shared(pub(super) Arc<MemoryBooks>);

impl Ledger for Shared {
    fn append(&self, entry: LedgerEntry) -> BoxFuture<'static, Result<(), StoreDown>> {
        let books = self.0.clone();
        Box::pin(async move {
            books.check()?;
            books.entries.lock().push(entry);
            Ok(())
        })
    }

    fn start(&self, entry: LedgerEntry, warrant: Warrant) -> BoxFuture<'static, Result<(), StartRefused>> {
        let books = self.0.clone();
        Box::pin(async move {
            books.check()?;
            books.use_up(warrant)?;
            books.entries.lock().push(entry);
            Ok(())
        })
    }

    fn is_up(&self) -> bool {
        self.0.check().is_ok()
    }
}

impl Approvals for Shared {
    fn open(&self, new: NewApproval) -> BoxFuture<'static, Result<OpenedApproval, StoreDown>> {
        let books = self.0.clone();
        Box::pin(async move {
            books.check()?;
            let mut approvals = books.approvals.lock();
            let owed = |one: &Approval| one.state.is_worth_telling() && one.told_at_ms.is_none();
            let same =
                approvals.iter().find(|one| (one.state.is_open() || owed(one)) && one.binding == new.binding);
            if let Some(approval) = same {
                return Ok(OpenedApproval { approval: approval.clone(), joined: true });
            }
            let approval = Approval {
                id: ApprovalId::new(format!("apr_{}", approvals.len() + 1)),
                call: new.call,
                effective: new.binding.proposed,
                binding: new.binding,
                requester: new.requester,
                arguments: new.arguments,
                attachments: new.attachments,
                credentials: new.credentials,
                proposed_arguments: None,
                complete: new.complete,
                requirement: new.requirement,
                state: ApprovalState::Pending,
                votes: vec![],
                session: new.session,
                opened_by: new.opened_by,
                agent: new.agent,
                template: new.template,
                run: new.run,
                task: new.task,
                created_at_ms: 0,
                expires_at_ms: i64::MAX,
                resolved_at_ms: None,
                escalated_to: None,
                used_by: None,
                policy_version: new.policy_version,
                withdrawn: None,
                told_at_ms: None,
            };
            approvals.push(approval.clone());
            Ok(OpenedApproval { approval, joined: false })
        })
    }

    fn find_open(&self, binding: &Binding) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>> {
        let (books, binding) = (self.0.clone(), binding.clone());
        Box::pin(async move {
            let open = |one: &&Approval| one.state.is_open() && one.binding == binding;
            Ok(books.approvals.lock().iter().find(open).cloned())
        })
    }

    fn get(&self, id: &ApprovalId) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>> {
        let (books, id) = (self.0.clone(), id.clone());
        Box::pin(async move { Ok(books.approvals.lock().iter().find(|one| one.id == id).cloned()) })
    }

    fn left(&self, id: &ApprovalId, state: ApprovalState) -> BoxFuture<'static, Approval> {
        let (books, id) = (self.0.clone(), id.clone());
        Box::pin(async move {
            loop {
                let changed = books.changed.notified();
                let found = books.approvals.lock().iter().find(|one| one.id == id).cloned();
                if let Some(approval) = found.filter(|approval| approval.state != state) {
                    return approval;
                }
                changed.await;
            }
        })
    }

    fn decide(&self, decision: VoteSubmission) -> BoxFuture<'static, Result<DecidedApproval, DecideError>> {
        let books = self.0.clone();
        Box::pin(async move {
            let mut approvals = books.approvals.lock();
            let approval = approvals
                .iter_mut()
                .find(|one| one.id == decision.id)
                .ok_or_else(|| DecideError::Unknown(decision.id.clone()))?;
            let VoteSubmission { word, grant, .. } = decision;
            let created_by = word.voter.id.clone();
            let step = approval.vote(word, 0, 1_000)?;
            let approval = approval.clone();
            let grant = grant.filter(|_| step == VoteEffect::Resolved).map(|terms| Grant {
                id: GrantId::new("grt_1"),
                principal: approval.binding.principal.clone(),
                tool: approval.binding.tool.clone(),
                tool_version: approval.binding.tool_version,
                pins: terms.pins,
                gates: approval.requirement.gates.iter().map(|gate| gate.text).collect(),
                uses_left: terms.uses,
                expires_at_ms: terms.expires_at_ms,
                created_at_ms: 0,
                created_by,
                approval: approval.id.clone(),
                revoked_at_ms: None,
            });
            books.grants.lock().extend(grant.clone());
            books.changed.notify_waiters();
            Ok(DecidedApproval { approval, grant })
        })
    }

    fn cancel(
        &self,
        id: &ApprovalId,
        _by: &PrincipalId,
        why: WithdrawalReason,
    ) -> BoxFuture<'static, Result<(), DecideError>> {
        let (books, id) = (self.0.clone(), id.clone());
        Box::pin(async move {
            let mut approvals = books.approvals.lock();
            let approval = approvals.iter_mut().find(|one| one.id == id).expect("it was opened");
            approval.cancel(why, 0)?;
            books.changed.notify_waiters();
            Ok(())
        })
    }

    fn told(&self, id: &ApprovalId) -> BoxFuture<'static, Result<(), StoreDown>> {
        let (books, id) = (self.0.clone(), id.clone());
        Box::pin(async move {
            books.check()?;
            let mut approvals = books.approvals.lock();
            approvals.iter_mut().find(|one| one.id == id).expect("it was opened").tell(0);
            Ok(())
        })
    }

    fn end_of(&self, call: &CallId) -> BoxFuture<'static, Result<Option<RecordedEnd>, StoreDown>> {
        let (books, call) = (self.0.clone(), call.clone());
        Box::pin(async move {
            let entries = books.entries.lock();
            let mut events = entries.iter().flat_map(|entry| &entry.events);
            let is_end = |event: &&toolgate_core::event::Event| {
                event.kind == EventKind::CallCompleted && event.about.call.as_ref() == Some(&call)
            };
            let Some(end) = events.rfind(is_end) else { return Ok(None) };
            let bodies = || entries.iter().flat_map(|entry| &entry.bodies);
            let result = end.output.and_then(|digest| bodies().find(|body| body.digest == digest));
            let result = result.map(|body| body.json.clone());
            Ok(end.outcome.map(|outcome| RecordedEnd { outcome, result }))
        })
    }

    fn open_ones(&self, count_max: usize) -> BoxFuture<'static, Result<Vec<Approval>, StoreDown>> {
        let books = self.0.clone();
        Box::pin(async move {
            let approvals = books.approvals.lock();
            Ok(approvals.iter().filter(|one| one.state.is_open()).take(count_max).cloned().collect())
        })
    }

    fn grants(
        &self,
        _principal: &PrincipalId,
        _tool: &CanonicalName,
        _tool_version: Digest,
    ) -> BoxFuture<'static, Result<Vec<Grant>, StoreDown>> {
        let books = self.0.clone();
        Box::pin(async move { Ok(books.grants.lock().clone()) })
    }
}

/// A clock that only counts.
#[derive(Default)]
struct CountingClock(AtomicI64);

impl Clock for CountingClock {
    fn now_ms(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// A server that reports what it got, and how often.
#[derive(Default)]
pub(super) struct FakeServer {
    pub(super) ran: AtomicUsize,
    pub(super) arguments: Mutex<Option<RawJson>>,
    pub(super) extras: Mutex<Option<RawJson>>,
    pub(super) replies: Mutex<Vec<Result<ServerReply, ServerError>>>,
    pub(super) hangs: AtomicBool,
    /// The files that the arguments name.
    pub(super) attached: Mutex<Option<Result<AttachedContents, toolgate_core::Refusal>>>,
    /// The request that people are shown.
    pub(super) previewed: Mutex<Option<Result<AttachedContents, toolgate_core::Refusal>>>,
    pub(super) not_admitted: Mutex<Option<toolgate_core::Refusal>>,
    pub(super) refs: Mutex<Vec<RawJson>>,
}

impl Executor for FakeServer {
    fn attach<'a>(
        &'a self,
        _arguments: &'a Value,
    ) -> Option<BoxFuture<'a, Result<AttachedContents, toolgate_core::Refusal>>> {
        let attached = self.attached.lock().clone()?;
        Some(Box::pin(async { attached }))
    }

    fn has_preview(&self) -> bool {
        self.previewed.lock().is_some()
    }

    fn preview<'a>(
        &'a self,
        _arguments: &'a Value,
    ) -> BoxFuture<'a, Result<AttachedContents, toolgate_core::Refusal>> {
        let previewed = self.previewed.lock().clone().unwrap_or_else(|| Ok(AttachedContents::default()));
        Box::pin(async { previewed })
    }

    fn admit<'a>(
        &'a self,
        _call: &'a CallId,
        _arguments: Option<&'a RawJson>,
    ) -> Option<BoxFuture<'a, Result<(), toolgate_core::Refusal>>> {
        let refusal = self.not_admitted.lock().clone()?;
        Some(Box::pin(async { Err(refusal) }))
    }

    fn execute<'a>(
        &'a self,
        _call: &'a CallId,
        load: CallPayload,
    ) -> BoxFuture<'a, Result<DeliveredReply, DeliveryError>> {
        Box::pin(async move {
            self.ran.fetch_add(1, Ordering::Relaxed);
            *self.arguments.lock() = load.arguments;
            *self.extras.lock() = load.extras;
            if self.hangs.load(Ordering::Relaxed) {
                std::future::pending::<()>().await;
            }
            let scripted = self.replies.lock().pop();
            let reply =
                scripted.unwrap_or_else(|| Ok(ServerReply::Complete(json!({ "content": [] }).into())))?;
            Ok(DeliveredReply { refs: self.refs.lock().clone(), ..reply.into() })
        })
    }
}

/// A client that can only wait.
pub(super) struct PlainClient {
    pub(super) patience: WaitMode,
    pub(super) confirms: Option<Value>,
    pub(super) has_left: AtomicBool,
    pub(super) has_withdrawn: AtomicBool,
}

impl Default for PlainClient {
    fn default() -> Self {
        Self {
            patience: WaitMode::Hold,
            confirms: None,
            has_left: AtomicBool::new(false),
            has_withdrawn: AtomicBool::new(false),
        }
    }
}

impl Confirmer for PlainClient {
    fn can_confirm(&self) -> bool {
        self.confirms.is_some()
    }

    fn confirm<'a>(
        &'a self,
        _approval: &'a ApprovalId,
        _params: RawJson,
    ) -> BoxFuture<'a, Result<RawJson, RpcError>> {
        let answer = self.confirms.clone().unwrap_or_default();
        Box::pin(async move { Ok(answer.into()) })
    }

    fn patience(&self) -> WaitMode {
        self.patience
    }

    fn waiting(&self, _approval: &Approval, _waited: Duration) {}

    fn is_there(&self) -> bool {
        !self.has_left.load(Ordering::Relaxed)
    }

    fn has_withdrawn(&self) -> bool {
        self.has_withdrawn.load(Ordering::Relaxed)
    }
}

/// A pipeline and everything around it.
pub(super) struct PipelineWorld {
    pub(super) pipeline: Pipeline,
    pub(super) books: Shared,
    pub(super) policy: Arc<FixedPolicy>,
    pub(super) server: FakeServer,
    pub(super) client: PlainClient,
    pub(super) tool: Tool,
    pub(super) cancel: CancellationToken,
    pub(super) context: CallContext,
}

impl PipelineWorld {
    pub(super) fn new(verdict: Verdict) -> Self {
        Self::with(verdict, PipelineSettings::default())
    }

    pub(super) fn with(verdict: Verdict, settings: PipelineSettings) -> Self {
        let policy = Arc::new(FixedPolicy {
            verdict: Mutex::new(verdict),
            texts: Mutex::new("policies"),
            asked: Mutex::default(),
        });
        let books = Shared::default();
        let pipeline = Pipeline::new(PipelineSetup {
            policy: policy.clone(),
            approvals: Arc::new(books.clone()),
            ledger: Arc::new(books.clone()),
            clock: Arc::new(CountingClock::default()),
            redactor: Redactor::new(vec![]).expect("no rules are good rules"),
            filters: Filters::new(&[]).expect("no filters are good filters"),
            settings,
            closing: CancellationToken::new(),
        });
        Self {
            pipeline,
            books,
            policy,
            server: FakeServer::default(),
            client: PlainClient::default(),
            tool: tool(),
            cancel: CancellationToken::new(),
            context: CallContext::default(),
        }
    }

    pub(super) async fn call(&self, arguments: Value) -> CallAnswer {
        let request = CallRequest {
            principal: agent(),
            tool: Arc::new(self.tool.clone()),
            arguments: Some(arguments.into()),
            context: self.context.clone(),
        };
        self.pipeline.call(request, &self.client, &self.server, &self.cancel).await
    }

    pub(super) fn ran(&self) -> usize {
        self.server.ran.load(Ordering::Relaxed)
    }
}

pub(super) fn agent() -> Principal {
    Principal::new(PrincipalId::new("agent"), Role::Agent)
}

pub(super) fn person(name: &str) -> Principal {
    Principal::new(PrincipalId::new(name), Role::Approver)
}

pub(super) fn tool() -> Tool {
    let server = ServerName::new("bank").expect("a name");
    let schema = json!({ "type": "object", "properties": {
        "amount": { "type": "integer" }, "account": { "type": "string" }, "password": { "type": "string" } },
        "required": ["amount"] });
    Tool {
        name: CanonicalName::of(&server, "transfer"),
        server,
        own: "transfer".into(),
        version: Digest::of("1"),
        effects: Effects::ALL,
        hinted: false,
        idempotent: false,
        audit: AuditLevel::Standard,
        input_schema: Some(schema.into()),
        output_schema: None,
        output_check: None,
        handling: ToolHandling::default(),
    }
}

/// The code of the gateway's refusal.
pub(super) fn code(answer: &CallAnswer) -> &'static str {
    match &answer.body {
        CallAnswerBody::Refusal(refusal) => refusal.code.name,
        other => panic!("a refusal and not {other:?}"),
    }
}
