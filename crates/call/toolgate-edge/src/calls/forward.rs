//! The way to a server. A request comes in; what the server answers goes out, in a form that this client understands.

use std::sync::Arc;
use std::time::Duration;

use toolgate_core::id::CallId;
use toolgate_core::port::{AskKind, Caller, InputAnswers, ServerError, ServerReply, ServerRequest};
use toolgate_core::server::Era;
use toolgate_core::{RawJson, RpcError, ServerName};
use toolgate_pipeline::redact::SecretMask;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::push_member;

use crate::calls::masked::{MaskedClient, masked};
use crate::clients::caller::{RequestCaller, cannot_answer};
use crate::clients::questions::{AskableClient, QuestionSource};
use crate::gateway::Gateway;
use crate::messages::task_id;

/// The number of times that a server of the newer era may ask for more input before its call is given up.
const INPUT_ROUNDS_MAX: usize = 10;

/// The first wait before the next call to a server that asked for nothing else.
const CALL_AGAIN_PAUSE: Duration = Duration::from_millis(50);

/// Sends a request to its server and brings the answer into a form this client understands. What a server of the newer
/// era wants to know is still unsealed then.
pub(crate) async fn forward(
    gateway: &Arc<Gateway>,
    caller: &Arc<RequestCaller>,
    server: &ServerName,
    call: Option<&CallId>,
    request: ServerRequest,
) -> Result<ServerReply, ServerError> {
    forward_masked(gateway, caller, server, call, request, None).await
}

/// The same for a request with values of credentials in it: the server's words are passed on without them.
pub(crate) async fn forward_masked(
    gateway: &Arc<Gateway>,
    caller: &Arc<RequestCaller>,
    server: &ServerName,
    call: Option<&CallId>,
    mut request: ServerRequest,
    mask: Option<Arc<SecretMask>>,
) -> Result<ServerReply, ServerError> {
    request.belongs_to = caller.belonging();
    request.call = call.cloned();
    if let Some(call) = call {
        caller.sends(call);
    }
    let asker = || QuestionSource::of(&caller.client, server, call);
    let client = AskableClient::of(caller, &gateway.hub.questions, server, asker);
    let client = MaskedClient::of(client, mask.as_ref());
    for round in 0..INPUT_ROUNDS_MAX {
        if round > 0 && request.input.as_ref().is_some_and(|input| input.responses.is_none()) {
            // The server only asked to be called again: it is busy, and hurrying it does not help.
            tokio::time::sleep(CALL_AGAIN_PAUSE * (1 << round)).await;
        }
        let reply = gateway.servers.request(server, request.clone(), client.clone()).await;
        match masked(server, reply, mask.as_deref())? {
            // A round without questions is between gateway and server; no client hears of it.
            ServerReply::InputRequired(result)
                if caller.client.era() == Era::Legacy || asks_nothing(&result) =>
            {
                request.input = Some(ask_client(&*client, &result).await?);
            }
            ServerReply::InputRequired(result) => {
                let shown = gateway.hub.questions.screen_all(&asker(), result).await?;
                return Ok(ServerReply::InputRequired(shown));
            }
            ServerReply::Task(result) => {
                let exposed = task_id::expose_in(&gateway.sealer, server, &caller.client.owner(), &result);
                return Ok(ServerReply::Task(exposed.unwrap_or(result)));
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

/// True if the server only wants to be called again.
fn asks_nothing(result: &RawJson) -> bool {
    let Ok(members) = ObjectMembers::of(result) else { return false };
    let requests = members.get("inputRequests").map(ObjectMembers::parse);
    requests.is_none_or(|requests| requests.is_ok_and(|requests| requests.iter().next().is_none()))
}

/// A client of the older era is asked directly what a server of the newer one wants to know.
async fn ask_client(client: &dyn Caller, result: &RawJson) -> Result<InputAnswers, RpcError> {
    let garbled = |what: &str| {
        RpcError::new(RpcError::INTERNAL, format!("the server's input_required is malformed: {what}"))
    };
    let members = ObjectMembers::of(result).map_err(|error| garbled(&error.to_string()))?;
    let mut responses = String::from("{");
    if let Some(requests) = members.get("inputRequests") {
        for (key, request) in
            ObjectMembers::parse(requests).map_err(|error| garbled(&error.to_string()))?.iter()
        {
            let request = ObjectMembers::parse(request).map_err(|error| garbled(&error.to_string()))?;
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
