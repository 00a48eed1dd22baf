//! A request taken apart, once: what names its target, the machinery of the eras, and the rest as it stood.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use toolgate_core::id::RunId;
use toolgate_core::port::InputAnswers;
use toolgate_core::{Raw, RawJson, RpcError};
use toolgate_pipeline::{CallerLabels, InputRound};
use toolgate_wire::meta::RequestMeta;
use toolgate_wire::object::{self, push_member};
use toolgate_wire::{ObjectMembers, Request, header};

use crate::messages::request_state::{RequestState, read_state};
use crate::messages::server_state::OpenedState;
use crate::messages::text::quoted;

/// The members in which a request names its run, task and trace.
const RUN_KEY: &str = "dev.toolgate/run_id";
const CALL_KEY: &str = "dev.toolgate/call_id";
const TASK_KEY: &str = "dev.toolgate/task_id";
pub(crate) const TRACE_KEY: &str = "traceparent";

/// A request, owned.
#[derive(Debug)]
pub(crate) struct OwnedRequest {
    pub(crate) head: RequestHead,
    pub(crate) parts: RequestParts,
    /// `Mcp-Param-…` headers that came along.
    pub(crate) param_headers: Vec<(String, String)>,
}

/// The parts of a request that its answer needs.
#[derive(Clone, Debug)]
pub(crate) struct RequestHead {
    pub(crate) id: RawJson,
    pub(crate) method: Cow<'static, str>,
    /// `params` as they came; `{}` where there were none.
    pub(crate) params: RawJson,
}

#[derive(Debug, Default)]
pub(crate) struct RequestParts {
    /// The member that `Mcp-Name` repeats: a tool's or prompt's name, a resource's URI, a task's id.
    pub(crate) target: Option<String>,
    /// The method's other members, as text without braces. Unknown members are dropped: they were neither checked
    /// nor agreed to.
    pub(crate) rest: String,
    pub(crate) meta: ParsedMeta,
    pub(crate) input_responses: Option<RawJson>,
    pub(crate) request_state: Option<RawJson>,
    /// The arguments of a tool call, as they came.
    pub(crate) arguments: Option<RawJson>,
}

/// A client's answer to a server of the newer era, and the call that continues with it.
#[derive(Default)]
pub(crate) struct ClientInput {
    pub(crate) answers: Option<InputAnswers>,
    pub(crate) round: Option<InputRound>,
}

/// A request's `_meta`, taken apart.
#[derive(Debug, Default)]
pub(crate) struct ParsedMeta {
    pub(crate) given: bool,
    pub(crate) protocol_version: Option<String>,
    pub(crate) capabilities: Option<RawJson>,
    pub(crate) client_info: Option<RawJson>,
    pub(crate) log_level: Option<String>,
    pub(crate) progress_token: Option<RawJson>,
    /// Members that are only passed on, as text without braces.
    pub(crate) cargo: String,
    /// The run and the task that the client says the request belongs to.
    pub(crate) labels: CallerLabels,
    /// The client's own id of the call, within its run.
    pub(crate) call_id: Option<Box<str>>,
    /// W3C `traceparent`.
    pub(crate) trace: Option<Arc<str>>,
    /// The client's `_meta` for the server, as text without braces.
    pub(crate) extras: String,
}

impl OwnedRequest {
    /// Takes apart a request that was found in `body`.
    pub(crate) fn read(body: &Bytes, request: &Request<'_>) -> Result<Self, RpcError> {
        let method = intern(&request.method);
        let parts = match request.params {
            Some(params) => RequestParts::read(body, &method, params)?,
            None => RequestParts::default(),
        };
        let params = request.params.map_or(RawJson::EMPTY, |params| RawJson::within(body, params));
        let head = RequestHead { id: RawJson::within(body, request.id), method, params };
        Ok(Self { head, parts, param_headers: Vec::new() })
    }
}

impl OwnedRequest {
    /// A tool call that no client sent as a message.
    pub(crate) fn of_tool_call(name: &str, arguments: &RawJson) -> Self {
        let mut rest = String::new();
        push_member(&mut rest, "arguments", arguments.as_str());
        let params = format!("{{\"name\":{},{rest}}}", quoted(name));
        Self {
            head: RequestHead {
                id: RawJson::from_composed("0".into()),
                method: Cow::Borrowed("tools/call"),
                params: RawJson::from_composed(params),
            },
            parts: RequestParts {
                target: Some(name.to_owned()),
                rest,
                arguments: Some(arguments.clone()),
                ..RequestParts::default()
            },
            param_headers: Vec::new(),
        }
    }
}

impl OwnedRequest {
    /// The same request for another tool: what it carries beside name and arguments stays.
    pub(crate) fn redirected(self, name: &str, arguments: &RawJson) -> Self {
        let called = Self::of_tool_call(name, arguments);
        let head = RequestHead { id: self.head.id, ..called.head };
        let RequestParts { target, rest, arguments, .. } = called.parts;
        let parts = RequestParts { target, rest, arguments, ..self.parts };
        // Headers that repeat arguments were those of the outer call.
        Self { head, parts, param_headers: Vec::new() }
    }
}

impl OwnedRequest {
    /// A parameter that must be a string.
    pub(crate) fn string_param(&self, key: &str) -> Result<String, RpcError> {
        let members = ObjectMembers::of(&self.head.params)
            .map_err(|error| RpcError::invalid_params(format!("params: {error}")))?;
        let text = members.get_str(key).map(Cow::into_owned);
        text.ok_or_else(|| RpcError::invalid_params(format!("params.{key} must be a string")))
    }
}

impl RequestHead {
    /// The arguments of a tool call, decoded. Only tools that want some of them as headers need this.
    pub(crate) fn arguments(&self) -> serde_json::Value {
        let members = ObjectMembers::of(&self.params).unwrap_or_default();
        members.get("arguments").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }
}

impl RequestParts {
    fn read(body: &Bytes, method: &str, params: Raw<'_>) -> Result<Self, RpcError> {
        let members = ObjectMembers::parse(params)
            .map_err(|error| RpcError::invalid_params(format!("params: {error}")))?;
        if members.has_duplicates() {
            // The gateway would go by the first and the server perhaps by the last.
            return Err(RpcError::invalid_params("params: a member stands twice"));
        }
        let target_key = header::name_member(method);
        let mut rest = String::with_capacity(params.get().len());
        members.write_without(&mut rest, |key| !is_taken(method, key));
        Ok(Self {
            target: target_key.and_then(|key| members.get_str(key)).map(Cow::into_owned),
            rest,
            meta: members
                .get("_meta")
                .map(|meta| ParsedMeta::read(body, meta))
                .transpose()?
                .unwrap_or_default(),
            input_responses: members.get("inputResponses").map(|raw| RawJson::within(body, raw)),
            request_state: members.get("requestState").map(|raw| RawJson::within(body, raw)),
            arguments: members.get("arguments").map(|raw| RawJson::within(body, raw)),
        })
    }

    /// The target, which the method cannot do without.
    pub(crate) fn target(&self, method: &str) -> Result<&str, RpcError> {
        self.target.as_deref().ok_or_else(|| {
            RpcError::invalid_params(format!(
                "params.{} must be a string",
                header::name_member(method).unwrap_or("name")
            ))
        })
    }

    /// The text of `params` for a server that knows the target as `own`.
    pub(crate) fn params_for(&self, method: &str, own: &str) -> String {
        let mut text = String::with_capacity(self.rest.len() + own.len() + 16);
        push_member(&mut text, header::name_member(method).unwrap_or("name"), &quoted(own));
        if !self.rest.is_empty() {
            text.push(',');
            text.push_str(&self.rest);
        }
        text
    }

    /// The same with other arguments than those that came, and where these begin in it.
    pub(crate) fn params_with(&self, method: &str, own: &str, arguments: &str) -> (String, usize) {
        let mut text = String::new();
        push_member(&mut text, header::name_member(method).unwrap_or("name"), &quoted(own));
        push_member(&mut text, "arguments", arguments);
        let start = text.len() - arguments.len();
        let rest = format!("{{{}}}", self.rest);
        if let Ok(members) = ObjectMembers::of_str(&rest) {
            members.write_without(&mut text, |key| key == "arguments");
        }
        (text, start)
    }

    /// The client's answer to a server's earlier `input_required`; `open` unseals that server's state.
    pub(crate) fn input(&self, open: impl Fn(&str) -> Option<OpenedState>) -> Result<ClientInput, RpcError> {
        let refused = || RpcError::invalid_params("requestState was not issued for this call");
        let opened = match self.request_state() {
            None => None,
            Some(Some(RequestState::Server(sealed))) => Some(open(&sealed).ok_or_else(refused)?),
            // A handle of ours is taken up before a request comes this far; any other is not ours at all.
            Some(_) => return Err(refused()),
        };
        let (own, round) = opened.map(|opened| (opened.own, opened.round)).unzip();
        let state = own.map(|own| RawJson::from_composed(quoted(&own)));
        let responses = self.input_responses.clone();
        let answers = (responses.is_some() || state.is_some()).then_some(InputAnswers { responses, state });
        Ok(ClientInput { answers, round: round.flatten() })
    }

    /// The `requestState`, if there is one, and what it is, if it is anything of ours.
    pub(crate) fn request_state(&self) -> Option<Option<RequestState>> {
        let state = self.request_state.as_ref()?;
        Some(object::string(Raw::found(state.as_str())).as_deref().and_then(read_state))
    }
}

impl ParsedMeta {
    fn read(body: &Bytes, raw: Raw<'_>) -> Result<Self, RpcError> {
        let meta = RequestMeta::parse(raw)
            .map_err(|error| RpcError::invalid_params(format!("params._meta: {error}")))?;
        let (labels, call_id) = claimed(&meta.claims)?;
        Ok(Self {
            given: true,
            protocol_version: meta.protocol_version.and_then(object::string).map(Cow::into_owned),
            capabilities: meta
                .client_capabilities
                .filter(|raw| raw.is_object())
                .map(|raw| RawJson::within(body, raw)),
            client_info: meta.client_info.map(|raw| RawJson::within(body, raw)),
            log_level: meta.log_level.and_then(object::string).map(Cow::into_owned),
            progress_token: meta.progress_token.map(|raw| RawJson::within(body, raw)),
            labels,
            call_id,
            trace: trace(&meta.cargo),
            cargo: meta.cargo,
            extras: meta.extras,
        })
    }
}

/// The run and task that a client's claims name, and its own id of the call. An id that is not text is refused: its client
/// counts on it.
fn claimed(claims: &str) -> Result<(CallerLabels, Option<Box<str>>), RpcError> {
    if claims.is_empty() {
        return Ok((CallerLabels::default(), None));
    }
    let claims = format!("{{{claims}}}");
    let members = ObjectMembers::of_str(&claims).unwrap_or_default();
    let labels = CallerLabels {
        run: members.get_str(RUN_KEY).map(|run| RunId::new(run.as_ref())),
        task: members.get_str(TASK_KEY).map(|task| task.as_ref().into()),
        forced_by: None,
    };
    let call_id = members.get_str(CALL_KEY).map(|id| id.as_ref().into());
    if call_id.is_none() && members.get(CALL_KEY).is_some() {
        return Err(RpcError::invalid_params(format!("params._meta.{CALL_KEY} must be a string")));
    }
    Ok((labels, call_id))
}

fn trace(cargo: &str) -> Option<Arc<str>> {
    if !cargo.contains(TRACE_KEY) {
        return None;
    }
    let cargo = format!("{{{cargo}}}");
    let members = ObjectMembers::of_str(&cargo).unwrap_or_default();
    members.get_str(TRACE_KEY).map(|trace| trace.as_ref().into())
}

/// True if a method takes a member beside its target and the protocol's own members.
fn is_taken(method: &str, key: &str) -> bool {
    match method {
        "tools/call" | "prompts/get" => key == "arguments",
        "completion/complete" => matches!(key, "ref" | "argument" | "context"),
        _ => false,
    }
}

/// The methods of MCP, so that naming one costs nothing.
pub(crate) const METHODS: &[&str] = &[
    "tools/call",
    "tools/list",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "ping",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
    "initialize",
    "server/discover",
    "subscriptions/listen",
];

fn intern(method: &str) -> Cow<'static, str> {
    match METHODS.iter().find(|one| **one == method) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(method.to_owned()),
    }
}
