//! One `match` over methods, and one over the names of tools that the gateway itself answers to: which of the calls it is.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::RpcError;
use toolgate_core::server::Era;
use toolgate_discovery::BuiltIn;

use crate::calls::tool_call::ToolCall;
use crate::calls::{completion, find, lists, logging, lookup, prompts, repeat, resources, tasks, through};
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::protocol::opening;

type DispatchResult = Result<EnvelopedReply, RpcError>;

/// Answers a request.
pub(crate) async fn run(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> DispatchResult {
    let method = request.head.method.clone();
    let session = caller.session.clone();
    let modern = caller.client.era() == Era::Modern;
    match (&*method, session) {
        ("tools/list", _) => lists::tools(gateway, &caller, &request).await,
        ("prompts/list", _) => lists::prompts(gateway, &caller, &request).await,
        ("resources/list", _) => lists::resources(gateway, &caller, &request).await,
        ("resources/templates/list", _) => lists::templates(gateway, &caller, &request).await,
        // The way of a call is long. In a box it is not copied each time that what holds it is handed on.
        ("tools/call", _) => Box::pin(call_tool(gateway, caller, request, cancel)).await,
        ("prompts/get", _) => Box::pin(prompts::get(gateway, caller, request, cancel)).await,
        ("resources/read", _) => Box::pin(resources::read(gateway, caller, request, cancel)).await,
        ("completion/complete", _) => Box::pin(completion::complete(gateway, caller, request, cancel)).await,
        ("server/discover", None) => {
            Ok(EnvelopedReply::complete(opening::discover(gateway, &caller.client.seat())))
        }
        ("tasks/get" | "tasks/update" | "tasks/cancel", None) if modern => {
            Box::pin(tasks::answer(gateway, caller, request, cancel)).await
        }
        ("ping", Some(_)) => Ok(EnvelopedReply::empty()),
        ("logging/setLevel", Some(session)) => logging::set_level(gateway, &session, &request),
        ("resources/subscribe", Some(session)) => {
            Box::pin(resources::subscribe(gateway, caller, &session, request, cancel)).await
        }
        ("resources/unsubscribe", Some(session)) => resources::unsubscribe(gateway, &session, &request),
        (other, _) => Err(RpcError::method_not_found(other)),
    }
}

/// A tool by name: one by which others are found and called, or one that the session sees.
async fn call_tool(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> DispatchResult {
    let name = request.parts.target(&request.head.method)?;
    match BuiltIn::named(name) {
        Some(BuiltIn::Call) => return Box::pin(through::call(gateway, caller, request, cancel)).await,
        Some(built_in) => return lookup::run(gateway, &caller, built_in, request, cancel).await,
        None => {}
    }
    let seat = caller.client.seat();
    let found = match find::tool(gateway, &seat, name).await {
        Ok(found) => found,
        Err(missing) => {
            find::record_nowhere(gateway, &seat, name, &missing).await;
            return Err(find::error(gateway, &seat, name, &missing));
        }
    };
    repeat::run(ToolCall::new(gateway, caller, found, request), cancel).await
}
