//! One `match` over request kinds: what is answered here, and what goes to which server. Whatever goes to one takes the path of
//! a call: tools as a [`ToolCall`], everything else as a [`Deed`].

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{Entry, Page};
use toolgate_core::content::Holder;
use toolgate_core::id::CallId;
use toolgate_core::port::{AskKind, Caller, InputAnswers, Reply, ServerError, ServerRequest};
use toolgate_core::scope::Seat;
use toolgate_core::server::Era;
use toolgate_core::{PrincipalId, RawJson, RpcError, ServerName, Tool};
use toolgate_discovery::{BuiltIn, View};
use toolgate_wire::Members;
use toolgate_wire::object::{push_member, with_member};

use crate::caller::{RequestCaller, cannot_answer, level_rank};
use crate::deed::{self, Deed};
use crate::era::{self, quoted, resource_not_found};
use crate::find::{self, FoundPrompt};
use crate::gateway::Gateway;
use crate::jobs;
use crate::lookup;
use crate::parts::{Head, OwnedRequest};
use crate::questions::{Askable, Asker};
use crate::said::Said;
use crate::seal::Sealer;
use crate::session::Session;
use crate::task_id;
use crate::through;
use crate::tool_call::ToolCall;

/// How often a server of the newer era may ask for more input before its call is given up.
const INPUT_ROUNDS_MAX: usize = 10;

/// How long to wait, at first, before a server is called again that asked for nothing else.
const CALL_AGAIN_PAUSE: Duration = Duration::from_millis(50);

/// Why somebody may not have a part of a server.
const OUT_OF_SIGHT: &str = "the session does not show this part of the server";

type Answer = Result<Said, RpcError>;

pub(crate) async fn run(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    let method = request.head.method.clone();
    let session = caller.session.clone();
    let modern = caller.client.era() == Era::Modern;
    match (&*method, session) {
        ("tools/list", _) => list_tools(gateway, &caller, &request).await,
        ("prompts/list", _) => list(gateway, &caller, &request, "prompts", |view| view.prompts()).await,
        ("resources/list", _) => list(gateway, &caller, &request, "resources", |view| view.resources()).await,
        ("resources/templates/list", _) => {
            list(gateway, &caller, &request, "resourceTemplates", |view| view.templates()).await
        }
        // The way of a call is long. In a box it is not copied each time that what holds it is handed on.
        ("tools/call", _) => Box::pin(call_tool(gateway, caller, request, cancel)).await,
        ("prompts/get", _) => Box::pin(get_prompt(gateway, caller, request, cancel)).await,
        ("resources/read", _) => Box::pin(read_resource(gateway, caller, request, cancel)).await,
        ("completion/complete", _) => Box::pin(complete(gateway, caller, request, cancel)).await,
        ("server/discover", None) => complete_with(era::discover(gateway, &caller.client.seat())),
        ("tasks/get" | "tasks/update" | "tasks/cancel", None) if modern => {
            Box::pin(task(gateway, caller, request, cancel)).await
        }
        ("ping", Some(_)) => empty(),
        ("logging/setLevel", Some(session)) => set_level(gateway, &session, &request),
        ("resources/subscribe", Some(session)) => {
            Box::pin(subscribe(gateway, caller, &session, request, cancel)).await
        }
        ("resources/unsubscribe", Some(session)) => unsubscribe(gateway, &session, &request),
        (other, _) => Err(RpcError::method_not_found(other)),
    }
}

fn empty() -> Answer {
    complete_with(RawJson::EMPTY)
}

fn complete_with(result: RawJson) -> Answer {
    Ok(Reply::Complete(result).into())
}

fn cursor(request: &OwnedRequest) -> Result<Option<String>, RpcError> {
    #[derive(Deserialize)]
    struct Params {
        cursor: Option<String>,
    }
    let params = request.head.params.decode::<Params>();
    params.map(|params| params.cursor).map_err(|_| RpcError::invalid_params("params.cursor must be a string"))
}

/// What the session shows of the tools: all of them, or those by which it finds the others.
async fn list_tools(gateway: &Gateway, caller: &RequestCaller, request: &OwnedRequest) -> Answer {
    let cursor = cursor(request)?;
    gateway.wait_settled().await;
    let view = gateway.discovery.view(&caller.client.seat());
    let revealed = caller.session.as_ref().map(|session| session.revealed()).unwrap_or_default();
    let page = gateway
        .discovery
        .page(&view, &revealed, cursor.as_deref(), gateway.limits.page_size)
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    count_tokens(gateway, view);
    complete_with(page)
}

/// Counts what a list costs. The first time that takes a while, and nobody waits for it.
fn count_tokens(gateway: &Gateway, view: Arc<View>) {
    if let Some(tally) = view.tally() {
        return gateway.hub.metrics.listed(tally);
    }
    let (hub, discovery) = (gateway.hub.clone(), gateway.discovery.clone());
    gateway.calls.spawn_blocking(move || hub.metrics.listed(discovery.tally(&view)));
}

async fn list(
    gateway: &Gateway,
    caller: &RequestCaller,
    request: &OwnedRequest,
    key: &str,
    section: fn(&View) -> Vec<Arc<Entry>>,
) -> Answer {
    let cursor = cursor(request)?;
    gateway.wait_settled().await;
    let view = gateway.discovery.view(&caller.client.seat());
    let shown = section(&view);
    let page = Page::of(&shown, cursor.as_deref(), gateway.limits.page_size)
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let mut text = String::with_capacity(page.bytes_max() + 64);
    text.push_str("{\"");
    text.push_str(key);
    text.push_str("\":[");
    page.write(&mut text);
    text.push(']');
    if let Some(cursor) = page.next_cursor {
        push_member(&mut text, "nextCursor", &quoted(&cursor));
    }
    text.push('}');
    complete_with(RawJson::from_composed(text))
}

async fn call_tool(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    let name = request.parts.target(&request.head.method)?;
    match BuiltIn::named(name) {
        Some(BuiltIn::Call) => return through::call(gateway, caller, request, cancel).await,
        Some(built_in) => return lookup::run(gateway, &caller, built_in, request, cancel).await,
        None => {}
    }
    let seat = caller.client.seat();
    let found = find::tool(gateway, &seat, name).await;
    let found = found.map_err(|missing| find::error(gateway, &seat, name, &missing))?;
    ToolCall::new(gateway, caller, found, request).run(cancel).await
}

async fn get_prompt(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    let name = request.parts.target(&request.head.method)?;
    let unknown = || RpcError::invalid_params(format!("unknown prompt: {name}"));
    let FoundPrompt { entry, is_shown } =
        find::prompt(gateway, &caller.client.seat(), name).await.ok_or_else(unknown)?;
    let not_shown = unknown();
    let deed = Deed::new(gateway, caller, request, &entry.server, &entry.own)?;
    do_if(is_shown, deed, not_shown, cancel).await
}

async fn read_resource(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    let uri = request.parts.target(&request.head.method)?;
    let holder = Holder::of(&caller.client.seat());
    let is_ours = gateway.contents.read(&holder, uri).is_some();
    if is_ours {
        return Box::pin(Deed::own(gateway, caller, request)?.run(cancel)).await;
    }
    let not_shown = resource_not_found(uri);
    let Target { server, own, is_shown } = resource_target(gateway, &caller.client.seat(), uri).await?;
    let deed = Deed::new(gateway, caller, request, &server, &own)?;
    do_if(is_shown, deed, not_shown, cancel).await
}

/// Takes what a client asks for on its way, if its session shows it. The attempt is recorded in any case.
async fn do_if(is_shown: bool, deed: Deed, not_shown: RpcError, cancel: &CancellationToken) -> Answer {
    if is_shown {
        return Box::pin(deed.run(cancel)).await;
    }
    deed.record_attempt(OUT_OF_SIGHT).await;
    Err(not_shown)
}

/// Where a resource is.
struct Target {
    server: ServerName,
    own: String,
    is_shown: bool,
}

async fn resource_target(gateway: &Gateway, seat: &Seat, uri: &str) -> Result<Target, RpcError> {
    gateway.wait_settled().await;
    let view = gateway.discovery.view(seat);
    let snapshot = view.snapshot();
    // A link says where an unlisted resource is; it never takes over one that a server lists.
    let linked = match snapshot.resources.find(uri) {
        Some(_) => None,
        None => gateway.links.server_of(&seat.principal.id, uri).map(|server| (server, uri.to_owned())),
    };
    let target = || snapshot.resource(uri).map(|target| (target.server, target.uri));
    let (server, own) = linked.or_else(target).ok_or_else(|| resource_not_found(uri))?;
    let is_shown = view.shows_resources(&server);
    Ok(Target { server, own, is_shown })
}

async fn complete(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    let seat = caller.client.seat();
    let params = Members::of(&request.head.params)
        .map_err(|error| RpcError::invalid_params(format!("params: {error}")))?;
    let reference = params.get("ref").ok_or_else(|| RpcError::invalid_params("params.ref is missing"))?;
    let members = Members::parse(reference)
        .map_err(|error| RpcError::invalid_params(format!("params.ref: {error}")))?;
    let (server, key, own, is_shown) =
        match (members.get_str("type").as_deref(), members.get_str("name"), members.get_str("uri")) {
            (Some("ref/prompt"), Some(name), _) => {
                let found = find::prompt(gateway, &seat, &name).await;
                let FoundPrompt { entry, is_shown } =
                    found.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {name}")))?;
                (entry.server.clone(), "name", entry.own.clone(), is_shown)
            }
            (Some("ref/resource"), _, Some(uri)) => {
                let view = gateway.discovery.view(&seat);
                let target = view.snapshot().template(&uri).ok_or_else(|| resource_not_found(&uri))?;
                let is_shown = view.shows_resources(&target.server);
                (target.server, "uri", target.uri, is_shown)
            }
            _ => {
                return Err(RpcError::invalid_params(
                    "params.ref must be of type ref/prompt or ref/resource",
                ));
            }
        };
    let not_shown = match key {
        "name" => RpcError::invalid_params(format!(
            "unknown prompt: {}",
            members.get_str("name").unwrap_or_default()
        )),
        _ => resource_not_found(&members.get_str("uri").unwrap_or_default()),
    };
    let own = with_member(reference.get(), key, &quoted(&own))
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let params = deed::completion_params(&own, &params);
    let deed = Deed::with_params(gateway, caller, request, &server, params)?;
    do_if(is_shown, deed, not_shown, cancel).await
}

async fn task(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    if !caller.client.abilities.tasks {
        let required = json!({ "requiredCapabilities": { "extensions": { (toolgate_wire::meta::TASKS_EXTENSION): {} } } });
        let message = "the client did not declare the tasks extension";
        return Err(RpcError::new(RpcError::MISSING_CAPABILITY, message).with_data(required));
    }
    let exposed = request.parts.target(&request.head.method)?;
    if let Some(approval) = jobs::resolve(&gateway.sealer, &caller.client.owner(), exposed) {
        return jobs::answer(gateway, &caller, &request.head.method, exposed, approval).await;
    }
    let unknown = RpcError::invalid_params(format!("unknown task: {exposed}"));
    let Some((server, own)) = task_id::resolve(&gateway.sealer, &caller.client.owner(), exposed) else {
        return Err(unknown);
    };
    let is_shown = gateway.discovery.view(&caller.client.seat()).reaches(&server);
    let deed = Deed::new(gateway, caller, request, &server, &own)?;
    do_if(is_shown, deed, unknown, cancel).await
}

/// The state of a task of a server as the client of this gateway must see it.
pub(crate) async fn tell_task(
    gateway: &Gateway,
    caller: &RequestCaller,
    server: &ServerName,
    result: RawJson,
) -> RawJson {
    let result = expose_task(&gateway.sealer, server, &caller.client.owner(), &result).unwrap_or(result);
    unpack_task(gateway, caller, server, result).await
}

/// The state of a task with the result of its call as a client would have got it at once.
async fn unpack_task(
    gateway: &Gateway,
    caller: &RequestCaller,
    server: &ServerName,
    task: RawJson,
) -> RawJson {
    let result = Members::of(&task).ok().and_then(|members| members.get("result").map(RawJson::from));
    let Some(result) = result.filter(|result| gateway.contents.must_look(result)) else { return task };
    let holder = Holder::of(&caller.client.seat());
    let tool = Tool::unread(server, "task");
    let taken = gateway.contents.take_out(&holder, &tool, result, &[]).await;
    with_member(task.as_str(), "result", taken.result.as_str()).map_or(task, RawJson::from_composed)
}

/// The object with its `taskId` as the client must see it; `None` if it has none.
pub(crate) fn expose_task(
    sealer: &Sealer,
    server: &ServerName,
    principal: &PrincipalId,
    object: &RawJson,
) -> Option<RawJson> {
    let own = Members::of(object).ok()?.get_str("taskId")?.into_owned();
    let exposed = quoted(&task_id::expose(sealer, server, principal, &own));
    with_member(object.as_str(), "taskId", &exposed).ok().map(RawJson::from_composed)
}

fn set_level(gateway: &Gateway, session: &Session, request: &OwnedRequest) -> Answer {
    let level = string_param(request, "level")?;
    if level_rank(&level).is_none() {
        return Err(RpcError::invalid_params(format!("unknown log level: {level}")));
    }
    session.set_log_level(&level);
    if let Some(lowest) = gateway.hub.lowest_log_level() {
        gateway.servers.set_log_level(&lowest);
    }
    empty()
}

async fn subscribe(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    session: &Session,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Answer {
    let uri = string_param(&request, "uri")?;
    let Target { server, own, is_shown } = resource_target(gateway, &session.client.seat(), &uri).await?;
    let deed = Deed::with_params(gateway, caller, request, &server, deed::uri_params(&own))?;
    do_if(is_shown, deed, resource_not_found(&uri), cancel).await?;
    if session.watch(&server, &own, &uri)? {
        let taken = gateway.servers.watch_resource(&server, &own).await;
        if !taken {
            if session.unwatch(&uri).is_some() {
                gateway.servers.unwatch_resource(&server, &own);
            }
            let message = format!("server \"{server}\" takes no subscription to this resource");
            return Err(RpcError::new(RpcError::INTERNAL, message));
        }
    }
    empty()
}

fn unsubscribe(gateway: &Gateway, session: &Session, request: &OwnedRequest) -> Answer {
    let uri = string_param(request, "uri")?;
    if let Some((server, own)) = session.unwatch(&uri) {
        gateway.servers.unwatch_resource(&server, &own);
    }
    empty()
}

/// A parameter that must be a string.
fn string_param(request: &OwnedRequest, key: &str) -> Result<String, RpcError> {
    let members = Members::of(&request.head.params)
        .map_err(|error| RpcError::invalid_params(format!("params: {error}")))?;
    let text = members.get_str(key).map(std::borrow::Cow::into_owned);
    text.ok_or_else(|| RpcError::invalid_params(format!("params.{key} must be a string")))
}

/// The arguments of a call, decoded. Only tools that want some of them as headers need this.
pub(crate) fn arguments(head: &Head) -> serde_json::Value {
    let members = Members::of(&head.params).unwrap_or_default();
    members.get("arguments").and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

/// Sends a request to its server and brings the answer into a form this client understands. What a server of the newer
/// era wants to know is still unsealed then.
pub(crate) async fn forward(
    gateway: &Arc<Gateway>,
    caller: &Arc<RequestCaller>,
    server: &ServerName,
    call: Option<&CallId>,
    mut request: ServerRequest,
) -> Result<Reply, ServerError> {
    request.belongs_to = caller.belonging();
    let asker = || Asker::of(&caller.client, server, call);
    let client = Askable::of(caller, &gateway.hub, server, asker);
    for round in 0..INPUT_ROUNDS_MAX {
        if round > 0 && request.input.as_ref().is_some_and(|input| input.responses.is_none()) {
            // The server only asked to be called again: it is busy, and hurrying it does not help.
            tokio::time::sleep(CALL_AGAIN_PAUSE * (1 << round)).await;
        }
        let reply = gateway.servers.request(server, request.clone(), client.clone()).await?;
        match reply {
            Reply::InputRequired(result) if caller.client.era() == Era::Legacy => {
                request.input = Some(ask_client(&*client, &result).await?);
            }
            Reply::InputRequired(result) => {
                let shown = gateway.hub.questions.screen_all(&asker(), result).await?;
                return Ok(Reply::InputRequired(shown));
            }
            Reply::Task(result) => {
                let exposed = expose_task(&gateway.sealer, server, &caller.client.owner(), &result);
                return Ok(Reply::Task(exposed.unwrap_or(result)));
            }
            other => return Ok(other),
        }
    }
    Err(RpcError::new(
        RpcError::INTERNAL,
        format!("server \"{server}\" asked for input {INPUT_ROUNDS_MAX} times"),
    )
    .into())
}

/// A client of the older era is asked directly what a server of the newer one wants to know.
async fn ask_client(client: &dyn Caller, result: &RawJson) -> Result<InputAnswers, RpcError> {
    let garbled = |what: &str| {
        RpcError::new(RpcError::INTERNAL, format!("the server's input_required is malformed: {what}"))
    };
    let members = Members::of(result).map_err(|error| garbled(&error.to_string()))?;
    let mut responses = String::from("{");
    if let Some(requests) = members.get("inputRequests") {
        for (key, request) in Members::parse(requests).map_err(|error| garbled(&error.to_string()))?.iter() {
            let request = Members::parse(request).map_err(|error| garbled(&error.to_string()))?;
            let method = request.get_str("method").unwrap_or_default();
            let kind =
                AskKind::of_method(&method).ok_or_else(|| garbled(&format!("unknown method {method}")))?;
            if !client.can_answer(kind) {
                return Err(cannot_answer(kind));
            }
            let params = request.get("params").map_or(RawJson::EMPTY, RawJson::from);
            let answer = client.ask(kind, params).await?;
            push_member(&mut responses, key, answer.as_str());
        }
    }
    responses.push('}');
    let responses = (responses != "{}").then(|| RawJson::from_composed(responses));
    Ok(InputAnswers { responses, state: members.get("requestState").map(RawJson::from) })
}

/// Seals a server's `requestState`, so that it is told apart from handles of ours when it comes back.
pub(crate) fn mark_state(result: &RawJson, seal: impl Fn(&str) -> String) -> RawJson {
    let state =
        Members::of(result).ok().and_then(|members| members.get_str("requestState").map(|s| s.into_owned()));
    let marked =
        state.and_then(|own| with_member(result.as_str(), "requestState", &quoted(&seal(&own))).ok());
    marked.map_or_else(|| result.clone(), RawJson::from_composed)
}
