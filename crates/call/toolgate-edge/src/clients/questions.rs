//! Questions of servers to the clients behind a call: input of a person (elicitation), or a text of the client's model (sampling). A
//! client takes whatever the gateway sends for the gateway's own words, so each question says first which server asks; a
//! server asks only what the operator lets it ask, never for secrets, and a limited number of times. All of it is recorded.

mod screen;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use serde_json::Value;
use toolgate_catalog::Catalog;
use toolgate_core::event::EventSubject;
use toolgate_core::id::{CallId, SessionId};
use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey};
use toolgate_core::server::{AskPermissions, InstanceId};
use toolgate_core::{PrincipalId, RawJson, RpcError, ServerName};
use toolgate_pipeline::Pipeline;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::{may_say, with_member};

use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;

/// The number of questions that a server may ask during one call.
const QUESTIONS_PER_CALL_MAX: u32 = 10;

const INPUT_REQUESTS: &str = "inputRequests";

/// Lets questions of servers through.
pub(crate) struct ServerQuestions {
    catalog: Arc<Catalog>,
    pipeline: Arc<Pipeline>,
    /// Servers with an open question that belongs to no call.
    open: Mutex<HashSet<ServerName>>,
}

/// The asking server, the asked client, and the call between them.
#[derive(Clone)]
pub(crate) struct QuestionSource {
    pub(crate) server: ServerName,
    pub(crate) principal: PrincipalId,
    pub(crate) session: SessionId,
    pub(crate) call: Option<CallId>,
}

impl QuestionSource {
    pub(crate) fn of(client: &Client, server: &ServerName, call: Option<&CallId>) -> Self {
        Self {
            server: server.clone(),
            principal: client.principal.id.clone(),
            session: client.seat().session.clone(),
            call: call.cloned(),
        }
    }
}

impl ServerQuestions {
    pub(crate) fn new(catalog: Arc<Catalog>, pipeline: Arc<Pipeline>) -> Self {
        Self { catalog, pipeline, open: Mutex::default() }
    }

    pub(crate) fn asks(&self, server: &ServerName) -> AskPermissions {
        self.catalog.snapshot().asks(server)
    }

    /// The `params` of a question as the client is shown them. What is kept from it is recorded as well.
    pub(crate) async fn screen(
        &self,
        asker: &QuestionSource,
        kind: AskKind,
        params: RawJson,
    ) -> Result<RawJson, RpcError> {
        if kind == AskKind::Roots {
            return Ok(params);
        }
        let screened = self.screened(&asker.server, kind, &params);
        self.record(asker, kind, &params, screened.as_ref().err()).await?;
        screened
    }

    /// A result whose `inputRequests` are as the client is shown them. One question that may not be asked spoils them all:
    /// the server waits for every answer.
    pub(crate) async fn screen_all(
        &self,
        asker: &QuestionSource,
        result: RawJson,
    ) -> Result<RawJson, RpcError> {
        for (kind, params) in questions_of(&result)? {
            self.screen(asker, kind, params).await?;
        }
        self.screened_all(&asker.server, &result)
    }

    /// The same for what is sent again and again, and has been recorded.
    pub(crate) fn screened_all(&self, server: &ServerName, result: &RawJson) -> Result<RawJson, RpcError> {
        if questions_of(result)?.is_empty() {
            return Ok(result.clone());
        }
        let garbled = |error: &dyn std::fmt::Display| malformed(server, error);
        let members = ObjectMembers::of(result).map_err(|error| garbled(&error))?;
        let requests = members.get(INPUT_REQUESTS).expect("there are questions");
        let mut requests: serde_json::Map<String, Value> =
            serde_json::from_str(requests.get()).map_err(|error| garbled(&error))?;
        for request in requests.values_mut() {
            let Some(kind) = request["method"].as_str().and_then(AskKind::of_method) else { continue };
            if kind != AskKind::Roots {
                let params = RawJson::from(request["params"].take());
                let shown = self.screened(server, kind, &params)?;
                request["params"] = shown.decode().map_err(|error| garbled(&error))?;
            }
        }
        let requests = Value::from(requests).to_string();
        let text =
            with_member(result.as_str(), INPUT_REQUESTS, &requests).map_err(|error| garbled(&error))?;
        Ok(RawJson::from_composed(text))
    }

    /// A question that belongs to no call: a server has one at a time.
    pub(crate) fn hold_open(self: &Arc<Self>, server: &ServerName) -> Option<OpenQuestion> {
        let is_new = self.open.lock().insert(server.clone());
        is_new.then(|| OpenQuestion { questions: self.clone(), server: server.clone() })
    }

    fn screened(&self, server: &ServerName, kind: AskKind, params: &RawJson) -> Result<RawJson, RpcError> {
        if !self.asks(server).allows(kind) {
            return Err(may_not(server, kind));
        }
        let mut params: Value = params.decode().map_err(|error| malformed(server, &error))?;
        screen::screen(server, kind, &mut params).map_err(|why| {
            RpcError::new(
                RpcError::INVALID_PARAMS,
                format!("the question of server \"{server}\" is refused: {why}"),
            )
        })?;
        Ok(RawJson::from(params))
    }

    async fn record(
        &self,
        asker: &QuestionSource,
        kind: AskKind,
        params: &RawJson,
        refused: Option<&RpcError>,
    ) -> Result<(), RpcError> {
        let about = EventSubject {
            session: Some(asker.session.clone()),
            call: asker.call.clone(),
            server: Some(asker.server.clone()),
            ..EventSubject::default()
        };
        let mut detail = screen::summary(kind, &params.decode().unwrap_or_default());
        if let Some(refused) = refused {
            detail["refused"] = refused.message.as_str().into();
        }
        let recorded = self.pipeline.record_question(asker.principal.clone(), about, detail).await;
        recorded.map_err(|down| RpcError::new(RpcError::INTERNAL, down.told()))
    }
}

/// Kinds and `params` of all questions of a result.
fn questions_of(result: &RawJson) -> Result<Vec<(AskKind, RawJson)>, RpcError> {
    let garbled = |what: &dyn std::fmt::Display| {
        RpcError::new(RpcError::INTERNAL, format!("the server's input_required is malformed: {what}"))
    };
    // Most results ask nothing, and are not read for that.
    if !may_say(result.as_bytes(), INPUT_REQUESTS) {
        return Ok(Vec::new());
    }
    let members = ObjectMembers::of(result).map_err(|error| garbled(&error))?;
    let Some(requests) = members.get(INPUT_REQUESTS) else { return Ok(Vec::new()) };
    let requests = ObjectMembers::parse(requests).map_err(|error| garbled(&error))?;
    let question = |request| {
        let request = ObjectMembers::parse(request).map_err(|error| garbled(&error))?;
        let method = request.get_str("method").unwrap_or_default();
        let kind = AskKind::of_method(&method).ok_or_else(|| garbled(&format!("unknown method {method}")))?;
        Ok((kind, request.get("params").map_or(RawJson::EMPTY, RawJson::from)))
    };
    requests.iter().map(|(_, request)| question(request)).collect()
}

/// A question that belongs to no call and has no answer yet.
pub(crate) struct OpenQuestion {
    questions: Arc<ServerQuestions>,
    server: ServerName,
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.questions.open.lock().remove(&self.server);
    }
}

/// The client of a call as the server that it calls may ask it.
pub(crate) struct AskableClient {
    caller: Arc<RequestCaller>,
    questions: Arc<ServerQuestions>,
    asker: QuestionSource,
    asks: AskPermissions,
    /// The client's capabilities, less those that this server may not use.
    capabilities: RawJson,
    asked: AtomicU32,
}

impl AskableClient {
    /// The client itself where nobody answers questions to it anyway.
    pub(crate) fn of(
        caller: &Arc<RequestCaller>,
        questions: &Arc<ServerQuestions>,
        server: &ServerName,
        asker: impl FnOnce() -> QuestionSource,
    ) -> Arc<dyn Caller> {
        if !caller.client.takes_questions() {
            return caller.clone();
        }
        let asks = questions.asks(server);
        Arc::new(Self {
            capabilities: declared(&caller.client.capabilities, asks),
            caller: caller.clone(),
            questions: questions.clone(),
            asker: asker(),
            asks,
            asked: AtomicU32::new(0),
        })
    }
}

fn declared(capabilities: &RawJson, asks: AskPermissions) -> RawJson {
    let Ok(members) = ObjectMembers::of(capabilities) else { return RawJson::EMPTY };
    let is_closed = |key: &str| {
        let kinds = [AskKind::Elicitation, AskKind::Sampling];
        kinds.into_iter().any(|kind| kind.capability() == key && !asks.allows(kind))
    };
    let mut text = String::with_capacity(capabilities.as_bytes().len());
    members.write_without(&mut text, is_closed);
    RawJson::from_composed(format!("{{{text}}}"))
}

impl Caller for AskableClient {
    fn principal(&self) -> &PrincipalId {
        self.caller.principal()
    }

    fn client(&self) -> ClientKey {
        self.caller.client()
    }

    fn capabilities(&self) -> &RawJson {
        &self.capabilities
    }

    fn client_info(&self) -> Option<&RawJson> {
        self.caller.client_info()
    }

    fn can_answer(&self, kind: AskKind) -> bool {
        self.asks.allows(kind) && self.caller.can_answer(kind)
    }

    fn wants_progress(&self) -> bool {
        self.caller.wants_progress()
    }

    fn log_level(&self) -> Option<&str> {
        self.caller.log_level()
    }

    fn answered_by(&self, instance: &InstanceId) {
        self.caller.answered_by(instance);
    }

    fn progress(&self, params: RawJson) {
        self.caller.progress(params);
    }

    fn log(&self, params: RawJson) {
        self.caller.log(params);
    }

    fn ask(&self, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        Box::pin(async move {
            if kind != AskKind::Roots && self.asked.fetch_add(1, Ordering::Relaxed) >= QUESTIONS_PER_CALL_MAX
            {
                let message = format!("a server may ask {QUESTIONS_PER_CALL_MAX} times during one call");
                return Err(RpcError::new(RpcError::INVALID_PARAMS, message));
            }
            let params = self.questions.screen(&self.asker, kind, params).await?;
            self.caller.ask(kind, params).await
        })
    }
}

fn may_not(server: &ServerName, kind: AskKind) -> RpcError {
    let key = kind.capability();
    let message =
        format!("server \"{server}\" may not use {key}; the operator allows it with `{key} = true`");
    RpcError::new(RpcError::METHOD_NOT_FOUND, message)
}

fn malformed(server: &ServerName, why: &dyn std::fmt::Display) -> RpcError {
    RpcError::new(RpcError::INTERNAL, format!("a question of server \"{server}\" is malformed: {why}"))
}
