//! The gateway's side of the ports, recording its calls.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use toolgate_core::address::Reach;
use toolgate_core::governance::Clock;
use toolgate_core::port::{
    AskKind, BoxFuture, Caller, ClientKey, Keyring, NoKey, SecretViewer, ServerError, ServerReply,
    ServerRequest, ServerWatcher, Servers,
};
use toolgate_core::server::{
    Affinity, Era, EraChoice, Isolation, ServerHealth, ServerListing, ServerSpec, ServerState, TransportSpec,
};
use toolgate_core::{MessageLimits, PrincipalId, RawJson, RpcError, ServerName};
use toolgate_upstream::{ManagerSetup, ServerFacts, ServerManager};

/// Longer than anything here should take, shorter than a person's patience.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

#[derive(Clone, Debug, Default)]
pub(crate) struct WatcherReport {
    pub(crate) listings: Vec<ServerListing>,
    pub(crate) states: Vec<ServerState>,
    pub(crate) updated: Vec<String>,
    /// The principal of the connection, and the message.
    pub(crate) logged: Vec<(Option<PrincipalId>, String)>,
    pub(crate) asked: Vec<(Option<PrincipalId>, AskKind)>,
    pub(crate) stderr: Vec<String>,
    pub(crate) remembered: Option<(Era, String)>,
}

/// Records all notifications of the servers.
pub(crate) struct Recorder(watch::Sender<WatcherReport>);

impl Recorder {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(watch::Sender::new(WatcherReport::default())))
    }

    pub(crate) fn told(&self) -> WatcherReport {
        self.0.borrow().clone()
    }

    /// Waits until the recorded calls satisfy `enough`.
    pub(crate) async fn until(&self, what: &str, enough: impl Fn(&WatcherReport) -> bool) -> WatcherReport {
        let mut told = self.0.subscribe();
        match tokio::time::timeout(LIMIT, told.wait_for(|told| enough(told))).await {
            Ok(told) => told.unwrap().clone(),
            Err(_) => panic!("waited in vain for {what}; told so far: {:#?}", self.told()),
        }
    }

    pub(crate) async fn healthy(&self) -> ServerState {
        let told = self.until("a healthy server", |told| {
            told.states.last().is_some_and(|state| state.health == ServerHealth::Healthy)
        });
        told.await.states.last().unwrap().clone()
    }

    pub(crate) async fn degraded(&self) -> String {
        let told = self.until("a degraded server", |told| {
            told.states.last().is_some_and(|state| state.health == ServerHealth::Degraded)
        });
        told.await.states.last().unwrap().reason.clone().unwrap()
    }
}

impl ServerWatcher for Recorder {
    fn listed(&self, _server: &ServerName, listing: ServerListing) {
        self.0.send_modify(|told| told.listings.push(listing));
    }
    fn state_changed(&self, _server: &ServerName, state: &ServerState) {
        self.0.send_modify(|told| told.states.push(state.clone()));
    }
    fn resource_updated(&self, _server: &ServerName, uri: &str, _params: RawJson) {
        self.0.send_modify(|told| told.updated.push(uri.to_owned()));
    }
    fn logged(&self, _server: &ServerName, owner: Option<&PrincipalId>, params: RawJson) {
        self.0.send_modify(|told| {
            if told.logged.len() < 100 {
                told.logged.push((owner.cloned(), params.as_str().to_owned()));
            }
        });
    }
    fn asked(
        &self,
        _server: &ServerName,
        owner: Option<&PrincipalId>,
        kind: AskKind,
        _params: RawJson,
    ) -> BoxFuture<'static, Result<RawJson, RpcError>> {
        self.0.send_modify(|told| told.asked.push((owner.cloned(), kind)));
        Box::pin(async { Ok(RawJson::from_composed(r#"{"by":"gateway"}"#.into())) })
    }
    fn stderr_line(&self, _server: &ServerName, line: &str) {
        self.0.send_modify(|told| told.stderr.push(line.to_owned()));
    }
}

impl ServerFacts for Recorder {
    fn remembered(&self, _server: &ServerName) -> Option<(Era, String)> {
        self.0.borrow().remembered.clone()
    }
    fn remember(&self, _server: &ServerName, era: Era, version: &str) {
        self.0.send_modify(|told| told.remembered = Some((era, version.to_owned())));
    }
}

/// Stands still.
pub(crate) struct FixedClock;

impl Clock for FixedClock {
    fn now_ms(&self) -> i64 {
        1_800_000_000_000
    }

    fn monotonic_us(&self) -> i64 {
        0
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        format!("{prefix}fixed")
    }
}

/// Has no credentials.
pub(crate) struct NoKeys;

impl Keyring for NoKeys {
    fn secret(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        name: &str,
        _: SecretViewer<'_>,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        let missing = NoKey(format!("there is no secret {name}"));
        Box::pin(std::future::ready(Err(missing)))
    }
    fn secrets_refused(&self, _: &ServerName) -> BoxFuture<'static, bool> {
        Box::pin(std::future::ready(false))
    }
    fn signs_in(&self, _server: &ServerName) -> bool {
        false
    }
    fn access_token(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        _url: &str,
    ) -> BoxFuture<'static, Result<String, NoKey>> {
        Box::pin(std::future::ready(Err(NoKey("nobody has signed in".into()))))
    }
    fn token_refused(
        &self,
        _server: &ServerName,
        _principal: Option<&PrincipalId>,
        _url: &str,
        _challenge: Option<&str>,
    ) -> BoxFuture<'static, Result<(), NoKey>> {
        Box::pin(std::future::ready(Err(NoKey("there is no other".into()))))
    }
    fn generation(&self) -> u64 {
        0
    }
}

/// A client of the gateway's.
pub(crate) struct Agent {
    pub(crate) principal: PrincipalId,
    pub(crate) client: ClientKey,
    pub(crate) capabilities: RawJson,
    pub(crate) can: Vec<AskKind>,
    pub(crate) wants_progress: bool,
    pub(crate) answer_after: Duration,
    pub(crate) heard: Mutex<HeardMessages>,
}

#[derive(Default)]
pub(crate) struct HeardMessages {
    pub(crate) progress: Vec<String>,
    pub(crate) logs: usize,
    pub(crate) questions: usize,
}

impl Agent {
    pub(crate) fn new(principal: &str, client: u64) -> Self {
        Self {
            principal: PrincipalId::new(principal),
            client: ClientKey(client),
            capabilities: RawJson::EMPTY,
            can: Vec::new(),
            wants_progress: false,
            answer_after: Duration::ZERO,
            heard: Mutex::default(),
        }
    }

    pub(crate) fn shared(self) -> Arc<Self> {
        Arc::new(self)
    }

    pub(crate) fn questions(&self) -> usize {
        self.heard.lock().questions
    }
}

pub(crate) fn someone() -> Arc<Agent> {
    Agent::new("someone", 1).shared()
}

impl Caller for Agent {
    fn principal(&self) -> &PrincipalId {
        &self.principal
    }
    fn client(&self) -> ClientKey {
        self.client
    }
    fn capabilities(&self) -> &RawJson {
        &self.capabilities
    }
    fn client_info(&self) -> Option<&RawJson> {
        None
    }
    fn can_answer(&self, kind: AskKind) -> bool {
        self.can.contains(&kind)
    }
    fn wants_progress(&self) -> bool {
        self.wants_progress
    }
    fn log_level(&self) -> Option<&str> {
        None
    }
    fn progress(&self, params: RawJson) {
        self.heard.lock().progress.push(params.as_str().to_owned());
    }
    fn log(&self, _params: RawJson) {
        self.heard.lock().logs += 1;
    }
    fn ask(&self, _kind: AskKind, _params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.heard.lock().questions += 1;
        Box::pin(async {
            tokio::time::sleep(self.answer_after).await;
            let text = format!(r#"{{"action":"accept","content":{{"client":{}}}}}"#, self.client.0);
            Ok(RawJson::from_composed(text))
        })
    }
}

pub(crate) fn name() -> ServerName {
    ServerName::new("neighbour").unwrap()
}

pub(crate) fn spec(transport: TransportSpec) -> ServerSpec {
    ServerSpec {
        name: name(),
        transport,
        timeout: LIMIT,
        connect_timeout: LIMIT,
        concurrency_max: 64,
        rate: None,
        isolation: Isolation::Shared,
        affinity: Affinity::default(),
        era: EraChoice::default(),
        reach: Reach::Anywhere,
        egress: Arc::default(),
    }
}

/// A gateway with one server.
pub(crate) struct UpstreamGateway {
    pub(crate) manager: Arc<ServerManager>,
    pub(crate) recorder: Arc<Recorder>,
}

impl UpstreamGateway {
    pub(crate) fn with(spec: ServerSpec) -> Self {
        Self::remembering(spec, None, MessageLimits::default())
    }

    pub(crate) fn remembering(spec: ServerSpec, remembered: Option<Era>, limits: MessageLimits) -> Self {
        Self::start(spec, remembered, limits, Arc::new(NoKeys))
    }

    pub(crate) fn with_keyring(spec: ServerSpec, keyring: Arc<dyn Keyring>) -> Self {
        Self::start(spec, None, MessageLimits::default(), keyring)
    }

    fn start(
        spec: ServerSpec,
        remembered: Option<Era>,
        limits: MessageLimits,
        keyring: Arc<dyn Keyring>,
    ) -> Self {
        let recorder = Recorder::new();
        recorder.0.send_modify(|told| told.remembered = remembered.map(|era| (era, String::new())));
        let manager = ServerManager::start(ManagerSetup {
            specs: vec![spec],
            watcher: recorder.clone(),
            facts: recorder.clone(),
            keyring,
            clock: Arc::new(FixedClock),
            limits,
            env: std::env::vars().chain([("SECRET".to_owned(), "x".to_owned())]).collect::<BTreeMap<_, _>>(),
            reaper_command: None,
            confiner: None,
        });
        Self { manager, recorder }
    }

    pub(crate) fn request(
        &self,
        request: ServerRequest,
        caller: &Arc<Agent>,
    ) -> BoxFuture<'static, Result<ServerReply, ServerError>> {
        self.manager.request(&name(), request, caller.clone())
    }

    pub(crate) fn call(
        &self,
        tool: &str,
        arguments: &str,
        caller: &Arc<Agent>,
    ) -> BoxFuture<'static, Result<ServerReply, ServerError>> {
        self.request(call_of(tool, arguments), caller)
    }

    /// The text of a tool's answer.
    pub(crate) async fn text(&self, tool: &str, caller: &Arc<Agent>) -> String {
        text_of(&self.call(tool, "{}", caller).await.unwrap())
    }

    pub(crate) async fn end(self) {
        tokio::time::timeout(LIMIT, self.manager.shutdown()).await.unwrap();
    }
}

pub(crate) fn call_of(tool: &str, arguments: &str) -> ServerRequest {
    let params = format!(r#""name":"{tool}","arguments":{arguments}"#);
    ServerRequest { name: Some(tool.to_owned()), ..ServerRequest::new("tools/call", params) }
}

pub(crate) fn result_of(reply: &ServerReply) -> &RawJson {
    match reply {
        ServerReply::Complete(result) => result,
        other => panic!("not complete: {other:?}"),
    }
}

pub(crate) fn text_of(reply: &ServerReply) -> String {
    let value: serde_json::Value = result_of(reply).decode().unwrap();
    value["content"][0]["text"].as_str().unwrap().to_owned()
}

pub(crate) fn fault_code(error: ServerError) -> &'static str {
    match error {
        ServerError::Fault(fault) => fault.kind.code().name,
        ServerError::Rpc(error) => panic!("the server answered: {error}"),
    }
}

/// Waits until a condition outside of the recorder holds.
pub(crate) async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(LIMIT, waiting).await.is_ok(), "waited in vain for {what}");
}

pub(crate) fn runs(pid: u32) -> bool {
    // A zombie has no command line; it has ended and only waits to be noticed.
    std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}
