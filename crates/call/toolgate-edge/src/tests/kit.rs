//! A gateway whose ports are all in memory: a server that does what the names of its tools say, a policy that hides some of
//! them, a ledger that keeps what it is told.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{Catalog, CatalogUpdate, HintTrust, ServerSettings, ToolNameFilter};
use toolgate_core::approval::{Approval, ApprovalState, Binding, Grant, WithdrawalReason};
use toolgate_core::codes;
use toolgate_core::content::{
    AttachedContents, Attachment, ContentHolder, Contents, ExpandedArguments, SentContent, TrimmedResult,
};
use toolgate_core::credential::{CredentialHandles, CredentialHolder, CredentialUse, FilledArguments};
use toolgate_core::decision::{
    ApprovalLikelihood, Decision, Denial, Policy, PolicyRequest, Verdict, Visibility, VisibilityRequest,
};
use toolgate_core::event::{Event, LedgerEntry};
use toolgate_core::governance::{
    Approvals, Clock, DecideError, DecidedApproval, Ledger, NewApproval, OpenedApproval, RecordedEnd,
    StartRefused, StoreDown, VoteSubmission, Warrant,
};
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::platform::{Platform, PlatformAnswer, PlatformCall, PlatformTool};
use toolgate_core::port::{AskKind, BoxFuture, Caller, ServerError, ServerReply, ServerRequest, Servers};
use toolgate_core::run::{ClientCall, KeptCall, RunCall, RunCallEnd, RunOwnership, Runs};
use toolgate_core::scope::{AgentName, Credential, Mounts, Scope, Seat, SessionRoute, TokenBudget};
use toolgate_core::server::{AskPermissions, ServerListing};
use toolgate_core::{
    CanonicalName, Digest, MessageLimits, Principal, PrincipalId, RawJson, Refusal, Role, RpcError,
    ServerName, Tool,
};
use toolgate_discovery::Discovery;
use toolgate_pipeline::filter::Filters;
use toolgate_pipeline::redact::Redactor;
use toolgate_pipeline::{Pipeline, PipelineSettings};
use toolgate_wire::ProtocolVersion;
use toolgate_wire::message::{self, IncomingMessage};

use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;
use crate::clients::leash::Leash;
use crate::clients::session::ClientSession;
use crate::clients::stream::EventLog;
use crate::messages::frame::Frame;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::protocol::dispatch;
use crate::protocol::exchange::Exchange;
use crate::protocol::run::{self, ClientTies};
use crate::quotas::{QuotaUsage, Quotas};
use crate::{AllowedHosts, CredentialError, Credentials, Gateway, GatewaySetup, Hub, MetricSource, Seats};

pub(super) const SERVER: &str = "files";
/// The first only answers. `secret` is hidden by policy; the others do what they are called.
pub(super) const TOOLS: [&str; 5] = ["say", "secret", "ask", "tell", "hang"];

/// Everything that a gateway asks for.
#[derive(Default)]
pub(super) struct Ports {
    /// What the server answers, in this order; then it says that it is done.
    pub(super) replies: Mutex<VecDeque<ServerReply>>,
    /// What the server got.
    pub(super) requests: Mutex<Vec<ServerRequest>>,
    /// Requests that were dropped before the server had answered.
    pub(super) dropped: Arc<AtomicUsize>,
    /// What the server was asked to watch, and no longer to watch.
    pub(super) watched: Mutex<Vec<String>>,
    pub(super) levels: Mutex<Vec<String>>,
    entries: Arc<Mutex<Vec<LedgerEntry>>>,
    numbers: AtomicI64,
}

pub(super) struct EdgeFixture {
    pub(super) gateway: Arc<Gateway>,
    pub(super) ports: Arc<Ports>,
}

impl EdgeFixture {
    pub(super) fn new() -> Self {
        let ports = Arc::<Ports>::default();
        let catalog = Arc::new(Catalog::new());
        let shutdown = CancellationToken::new();
        let pipeline = Arc::new(Pipeline::new(toolgate_pipeline::PipelineSetup {
            policy: ports.clone(),
            approvals: ports.clone(),
            ledger: ports.clone(),
            clock: ports.clone(),
            redactor: Redactor::new(Vec::new()).expect("no rules are good rules"),
            filters: Filters::new(&[]).expect("no filters are good filters"),
            settings: PipelineSettings::default(),
            closing: shutdown.clone(),
        }));
        let discovery = Arc::new(Discovery::new(catalog.clone(), ports.clone()));
        let hub = Hub::new(catalog, discovery.clone(), pipeline.clone());
        let gateway = Gateway::new(GatewaySetup {
            discovery,
            seats: ports.clone(),
            servers: ports.clone(),
            pipeline,
            approvals: ports.clone(),
            contents: ports.clone(),
            handles: ports.clone(),
            runs: ports.clone(),
            quotas: Quotas::new(Vec::new(), ports.clone()),
            platform: ports.clone(),
            rest: None,
            hub,
            credentials: ports.clone(),
            protected_resource: None,
            numbers: ports.clone(),
            allowed: AllowedHosts::new(([127, 0, 0, 1], 8700).into(), &[], &[]),
            limits: MessageLimits::default(),
            sealing_key: [7; 32],
            shutdown,
        });
        let house = Self { gateway, ports };
        house.offer(&TOOLS);
        house
    }

    /// The server offers these tools from now on, beside one of everything else.
    pub(super) fn offer(&self, tools: &[&str]) {
        let raw = |value: Value| vec![RawJson::from(value)];
        let schema = json!({"type": "object", "properties": {"what": {"type": "string"}}});
        let tools = tools.iter().map(|name| RawJson::from(json!({"name": name, "inputSchema": schema})));
        let listing = ServerListing {
            tools: tools.collect(),
            prompts: raw(json!({"name": "greet", "arguments": [{"name": "who"}]})),
            resources: raw(json!({"name": "page", "uri": "doc://page"})),
            templates: raw(json!({"name": "any", "uriTemplate": "doc://{name}"})),
            ..ServerListing::default()
        };
        let settings = ServerSettings {
            name: server(),
            prefix: true,
            filter: ToolNameFilter::default(),
            hints: HintTrust::Believed,
            asks: AskPermissions { elicitation: true, sampling: true },
        };
        let listings = BTreeMap::from([(server(), Some(listing))]);
        let names = self.gateway.hub.arrange(CatalogUpdate {
            servers: Some(vec![settings]),
            listings,
            ..CatalogUpdate::default()
        });
        self.gateway.hub.arrange(CatalogUpdate { names, ..CatalogUpdate::default() });
    }

    /// A request of the newer era, to its end.
    pub(super) async fn modern(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        self.dispatched(caller(client("ada", ProtocolVersion::LATEST_MODERN, json!({}))), method, params)
            .await
    }

    /// The same in a session of the older era.
    pub(super) async fn legacy(
        &self,
        session: &Arc<ClientSession>,
        method: &str,
        params: Value,
    ) -> Result<Value, RpcError> {
        let mut caller = RequestCaller::quiet(session_client("ada", json!({})), Duration::from_secs(60));
        caller.client = session.client.clone();
        caller.session = Some(session.clone());
        self.dispatched(caller, method, params).await
    }

    pub(super) async fn dispatched(
        &self,
        caller: RequestCaller,
        method: &str,
        params: Value,
    ) -> Result<Value, RpcError> {
        let request = request(1, method, params);
        let said = dispatch::run(&self.gateway, Arc::new(caller), request, &CancellationToken::new()).await;
        said.map(|said| whole(&said))
    }

    /// A session of the older era that the hub knows.
    pub(super) fn session(&self, principal: &str, capabilities: Value) -> Arc<ClientSession> {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let id = format!("session-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let client = Arc::new(session_client(principal, capabilities));
        let session = Arc::new(ClientSession::new(id, client, &self.gateway.limits));
        assert!(self.gateway.hub.add_session(&session, 100, None), "there is room");
        session
    }

    /// Starts a request of the newer era.
    pub(super) fn start(&self, client: &Arc<Client>, request: OwnedRequest) -> Exchange {
        let ties = ClientTies { session: None, leash: Leash::new(CancellationToken::new()) };
        run::start(&self.gateway, client.clone(), request, ties)
    }

    /// Starts a request in a session.
    pub(super) fn start_in(&self, session: &Arc<ClientSession>, request: OwnedRequest) -> Exchange {
        let leash = session.begin(request.head.id.as_str(), 10).expect("the id is free");
        let ties = ClientTies { session: Some(session.clone()), leash };
        run::start(&self.gateway, session.client.clone(), request, ties)
    }

    /// What was recorded.
    pub(super) fn events(&self) -> Vec<Event> {
        self.ports.entries.lock().iter().flat_map(|entry| entry.events.clone()).collect()
    }
}

pub(super) fn server() -> ServerName {
    ServerName::new(SERVER).expect("a legal name")
}

pub(super) fn seat(principal: &str) -> Seat {
    let scope = Scope {
        layers: Vec::new(),
        mounts: Mounts::default(),
        template: None,
        servers: None,
        pinned: Vec::new(),
        token_budget: TokenBudget::Off,
        schema_diet: false,
        reveal_found: false,
    };
    Seat {
        principal: Principal::new(PrincipalId::new(principal), Role::Agent),
        session: SessionId::new(format!("ses_{principal}")),
        agent: AgentName::default_agent(),
        scope_id: scope.id(),
        scope: Arc::new(scope),
        opened_by: None,
        run: None,
        task: None,
    }
}

pub(super) fn client(principal: &str, version: ProtocolVersion, capabilities: Value) -> Client {
    Client::new(Arc::new(seat(principal)), version, capabilities.into())
}

pub(super) fn session_client(principal: &str, capabilities: Value) -> Client {
    client(principal, ProtocolVersion::V2025_11_25, capabilities)
}

pub(super) fn caller(client: Client) -> RequestCaller {
    RequestCaller::quiet(client, Duration::from_secs(60))
}

/// A request as a door reads it.
pub(super) fn request(id: u64, method: &str, params: Value) -> OwnedRequest {
    read(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).expect("it can be read")
}

pub(super) fn read(message: &Value) -> Result<OwnedRequest, RpcError> {
    let bytes = Bytes::from(message.to_string());
    match message::parse(&bytes, 100) {
        Ok(IncomingMessage::Request(request)) => OwnedRequest::read(&bytes, &request),
        _ => panic!("{message} is no request"),
    }
}

/// A call of one of the server's tools.
pub(super) fn tool_call(id: u64, tool: &str) -> OwnedRequest {
    request(id, "tools/call", json!({"name": format!("{SERVER}__{tool}"), "arguments": {"what": "this"}}))
}

/// The result of an answer with what stands in front of it.
pub(super) fn whole(said: &EnvelopedReply) -> Value {
    let (ServerReply::Complete(result)
    | ServerReply::Cached(result)
    | ServerReply::InputRequired(result)
    | ServerReply::Task(result)) = &said.reply;
    let mut result: Value = result.decode().expect("results are JSON");
    let front: Value = serde_json::from_str(&format!("{{{}}}", said.front)).expect("so is the front");
    for (key, value) in front.as_object().expect("it is an object") {
        result[key] = value.clone();
    }
    result
}

/// The next thing that a door would write, as JSON, and the exchange if more follows.
pub(super) async fn next(exchange: Exchange) -> (Value, Option<Exchange>) {
    let (frame, rest) = exchange.next().await;
    let bytes = match frame {
        Frame::Message(message) => message,
        Frame::Response(response) => response.body.joined(),
    };
    (serde_json::from_slice(&bytes).expect("frames are JSON"), rest)
}

/// What waits in a log and was not read before: methods, in their order.
pub(super) fn news(log: &EventLog) -> Vec<String> {
    let methods = messages(log).into_iter().map(|message| message["method"].as_str().map(str::to_owned));
    methods.map(|method| method.expect("a notification or a request")).collect()
}

pub(super) fn messages(log: &EventLog) -> Vec<Value> {
    let mut cursor = log.read(None);
    let mut messages = Vec::new();
    while let Some(Some((_, message))) = cursor.next().now_or_never() {
        messages.push(serde_json::from_slice(&message).expect("messages are JSON"));
    }
    messages
}

/// Lets other tasks run until something is so.
pub(super) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..60_000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    panic!("it never came to this: {what}");
}

/// Counts a request as dropped unless it was answered.
struct Pending(Option<Arc<AtomicUsize>>);

impl Pending {
    /// It was answered.
    fn end(mut self) {
        self.0 = None;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(dropped) = &self.0 {
            dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Servers for Ports {
    fn request(
        &self,
        _server: &ServerName,
        request: ServerRequest,
        caller: Arc<dyn Caller>,
    ) -> BoxFuture<'static, Result<ServerReply, ServerError>> {
        self.requests.lock().push(request.clone());
        let done = || ServerReply::Complete(json!({"content": [{"type": "text", "text": "done"}]}).into());
        let reply = self.replies.lock().pop_front().unwrap_or_else(done);
        let pending = Pending(Some(self.dropped.clone()));
        Box::pin(async move {
            let reply = match request.name.as_deref() {
                Some("ask") => {
                    let schema = json!({"type": "object", "properties": {"why": {"type": "string"}}});
                    let params = json!({"message": "why?", "requestedSchema": schema});
                    Ok(ServerReply::Complete(caller.ask(AskKind::Elicitation, params.into()).await?))
                }
                Some("tell") => {
                    caller.progress(json!({"progress": 1}).into());
                    Ok(reply)
                }
                Some("hang") => std::future::pending().await,
                _ => Ok(reply),
            };
            pending.end();
            reply
        })
    }

    fn watch_resource(&self, server: &ServerName, uri: &str) -> BoxFuture<'static, bool> {
        self.watched.lock().push(format!("+ {server} {uri}"));
        Box::pin(async { true })
    }

    fn unwatch_resource(&self, server: &ServerName, uri: &str) {
        self.watched.lock().push(format!("- {server} {uri}"));
    }

    fn watch_tasks(
        &self,
        _server: &ServerName,
        _task_ids: Vec<String>,
        _on_change: Box<dyn Fn(RawJson) + Send + Sync>,
    ) -> Box<dyn Send + Sync> {
        Box::new(())
    }

    fn set_log_level(&self, level: &str) {
        self.levels.lock().push(level.to_owned());
    }

    fn roots_changed(&self) {}
}

impl Policy for Ports {
    fn decide(&self, question: &PolicyRequest<'_>) -> Decision {
        let verdict = match is_hidden(question.tool) {
            true => Verdict::Deny(denial()),
            false => Verdict::Permit,
        };
        Decision { verdict, policy_version: self.version(), shadow: None }
    }

    fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility {
        match is_hidden(glimpse.tool) {
            true => Visibility::Hidden(denial()),
            false => Visibility::Visible(ApprovalLikelihood::Never),
        }
    }

    fn version(&self) -> Digest {
        Digest::of("the only one")
    }
}

fn is_hidden(tool: &Tool) -> bool {
    tool.name.as_str().ends_with(":secret")
}

fn denial() -> Denial {
    Denial { policies: Vec::new(), error: None }
}

impl Ledger for Ports {
    fn append(&self, entry: LedgerEntry) -> BoxFuture<'static, Result<(), StoreDown>> {
        let entries = self.entries.clone();
        Box::pin(async move {
            entries.lock().push(entry);
            Ok(())
        })
    }

    fn start(&self, entry: LedgerEntry, _warrant: Warrant) -> BoxFuture<'static, Result<(), StartRefused>> {
        let entries = self.entries.clone();
        Box::pin(async move {
            entries.lock().push(entry);
            Ok(())
        })
    }

    fn is_up(&self) -> bool {
        true
    }
}

/// Policy never asks for people here, so nobody may come this far.
fn nobody_asks<T>() -> BoxFuture<'static, T> {
    panic!("no call of these tests needs an approval")
}

impl Approvals for Ports {
    fn open(&self, _new: NewApproval) -> BoxFuture<'static, Result<OpenedApproval, StoreDown>> {
        nobody_asks()
    }

    fn find_open(&self, _binding: &Binding) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>> {
        nobody_asks()
    }

    fn get(&self, _id: &ApprovalId) -> BoxFuture<'static, Result<Option<Approval>, StoreDown>> {
        nobody_asks()
    }

    fn left(&self, _id: &ApprovalId, _state: ApprovalState) -> BoxFuture<'static, Approval> {
        nobody_asks()
    }

    fn decide(&self, _decision: VoteSubmission) -> BoxFuture<'static, Result<DecidedApproval, DecideError>> {
        nobody_asks()
    }

    fn cancel(
        &self,
        _id: &ApprovalId,
        _by: &PrincipalId,
        _why: WithdrawalReason,
    ) -> BoxFuture<'static, Result<(), DecideError>> {
        nobody_asks()
    }

    fn told(&self, _id: &ApprovalId) -> BoxFuture<'static, Result<(), StoreDown>> {
        nobody_asks()
    }

    fn end_of(&self, _call: &CallId) -> BoxFuture<'static, Result<Option<RecordedEnd>, StoreDown>> {
        nobody_asks()
    }

    fn open_ones(&self, _count_max: usize) -> BoxFuture<'static, Result<Vec<Approval>, StoreDown>> {
        nobody_asks()
    }

    fn grants(
        &self,
        _principal: &PrincipalId,
        _tool: &CanonicalName,
        _tool_version: Digest,
    ) -> BoxFuture<'static, Result<Vec<Grant>, StoreDown>> {
        nobody_asks()
    }
}

impl Clock for Ports {
    fn now_ms(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> i64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.numbers.fetch_add(1, Ordering::Relaxed))
    }
}

impl Credentials for Ports {
    fn check_known(&self, _secret: &str) -> Option<Result<Credential, CredentialError>> {
        Some(Err(CredentialError::Unknown))
    }

    fn check(
        &self,
        _secret: String,
    ) -> BoxFuture<'_, Result<Result<Credential, CredentialError>, StoreDown>> {
        Box::pin(async { Ok(Err(CredentialError::Unknown)) })
    }
}

impl Seats for Ports {
    fn seat_known(
        &self,
        credential: &Credential,
        _route: &SessionRoute,
    ) -> Option<Result<Arc<Seat>, Refusal>> {
        Some(Ok(Arc::new(seat(credential.principal.id.as_str()))))
    }

    fn seat<'a>(
        &'a self,
        credential: &'a Credential,
        _route: &'a SessionRoute,
    ) -> BoxFuture<'a, Result<Arc<Seat>, Refusal>> {
        Box::pin(async { Ok(Arc::new(seat(credential.principal.id.as_str()))) })
    }

    fn seat_of(&self, _session: &SessionId) -> Option<Arc<Seat>> {
        None
    }

    fn has_ended(&self, _session: &SessionId) -> bool {
        false
    }
}

impl Contents for Ports {
    fn concerns(&self, _tool: &Tool, _arguments: &RawJson) -> bool {
        false
    }

    fn attach<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _tool: &'a Tool,
        _arguments: &'a Value,
    ) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        Box::pin(async { Ok(AttachedContents::default()) })
    }

    fn keep_request<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _text: String,
    ) -> BoxFuture<'a, Result<AttachedContents, Refusal>> {
        Box::pin(async { Ok(AttachedContents::default()) })
    }

    fn expand<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _tool: &'a Tool,
        arguments: &'a Value,
        _attachments: &'a [Attachment],
    ) -> BoxFuture<'a, Result<ExpandedArguments, Refusal>> {
        let expanded =
            ExpandedArguments { arguments: arguments.to_string(), inserts: Vec::new(), secrets: Vec::new() };
        Box::pin(async { Ok(expanded) })
    }

    fn must_look(&self, _result: &RawJson) -> bool {
        false
    }

    fn take_out<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        _tool: &'a Tool,
        result: RawJson,
        _secrets: &'a [SentContent],
    ) -> BoxFuture<'a, TrimmedResult> {
        Box::pin(async { TrimmedResult { result, refs: Vec::new(), notices: Vec::new() } })
    }

    fn read<'a>(
        &'a self,
        _holder: &'a ContentHolder,
        uri: &'a str,
    ) -> Option<BoxFuture<'a, Result<RawJson, Refusal>>> {
        let kept = uri.strip_prefix("toolgate://")?.to_owned();
        Some(Box::pin(async move { Ok(json!({"contents": [{"uri": kept, "text": "kept"}]}).into()) }))
    }
}

impl CredentialHandles for Ports {
    fn look_up<'a>(
        &'a self,
        _holder: &'a CredentialHolder,
        _tool: &'a Tool,
        _arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Vec<CredentialUse>, Refusal>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn fill<'a>(
        &'a self,
        _holder: &'a CredentialHolder,
        _tool: &'a Tool,
        arguments: Value,
        _judged: &'a [CredentialUse],
    ) -> BoxFuture<'a, Result<FilledArguments, Refusal>> {
        Box::pin(async { Ok(FilledArguments { arguments, sent: Vec::new() }) })
    }
}

impl Runs for Ports {
    fn take_on(
        &self,
        _run: &RunId,
        _client_id: &str,
        _request: Digest,
    ) -> BoxFuture<'static, Result<ClientCall, Refusal>> {
        Box::pin(async { Ok(ClientCall::Make) })
    }

    fn keep(&self, _run: &RunId, _client_id: &str, _kept: KeptCall) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn admit(&self, _run: &RunId, _call: RunCall) -> BoxFuture<'static, Result<(), Refusal>> {
        Box::pin(async { Ok(()) })
    }

    fn whose(&self, _run: &RunId, _caller: &PrincipalId) -> BoxFuture<'static, RunOwnership> {
        Box::pin(async { RunOwnership::Nobodys })
    }

    fn finish(&self, _run: &RunId, _call: &CallId, _end: RunCallEnd) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

impl Platform for Ports {
    fn tools(&self) -> &[Arc<PlatformTool>] {
        &[]
    }

    fn call<'a>(&'a self, call: PlatformCall<'a>) -> BoxFuture<'a, Result<PlatformAnswer, Refusal>> {
        let refusal = Refusal::new(&codes::UNKNOWN_TOOL, &*call.tool.wire);
        Box::pin(async { Err(refusal) })
    }
}

impl MetricSource for Ports {
    fn write(&self, _text: &mut String) {}
}

impl QuotaUsage for Ports {
    fn pending_approvals(&self, _principal: &PrincipalId) -> BoxFuture<'static, Result<u64, StoreDown>> {
        Box::pin(async { Ok(0) })
    }

    fn add_calls(
        &self,
        _day: i64,
        counts: Vec<(String, u64)>,
    ) -> BoxFuture<'static, Result<Vec<u64>, StoreDown>> {
        Box::pin(async move { Ok(counts.into_iter().map(|(_, count)| count).collect()) })
    }
}
