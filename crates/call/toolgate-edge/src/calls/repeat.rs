//! Calls that a client makes in a run under ids of its own, `_meta["dev.toolgate/call_id"]`: the same call again under the same id is
//! answered with the result of the first one, and not made again. One that waits for people goes on.

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::event::Outcome;
use toolgate_core::id::RunId;
use toolgate_core::port::ServerReply;
use toolgate_core::run::{ClientCall, KeptCall, RunOwnership};
use toolgate_core::{Digest, RawJson, Refusal, RpcError};
use toolgate_pipeline::{CallAnswer, CallAnswerBody, canonical};
use toolgate_wire::ObjectMembers;

use crate::calls::tool_call::ToolCall;
use crate::messages::reply::EnvelopedReply;

/// In front of ids, which are then none of those that calls over REST have: their results have another form.
const MARK: &str = "mcp\n";
/// The member under which an error of the protocol is kept.
const ERROR: &str = "rpcError";

/// Makes a call, or answers it.
pub(crate) async fn run(call: ToolCall, cancel: &CancellationToken) -> Result<EnvelopedReply, RpcError> {
    match call.request.parts.meta.call_id.clone().filter(|_| call.barred.is_none()) {
        None => call.run(cancel).await,
        Some(id) => Box::pin(run_once(call, &id, cancel)).await,
    }
}

async fn run_once(call: ToolCall, id: &str, cancel: &CancellationToken) -> Result<EnvelopedReply, RpcError> {
    if id.is_empty() || id.contains(char::is_control) {
        return Err(RpcError::invalid_params("dev.toolgate/call_id has printable characters, at least one"));
    }
    let Some(run) = run_of(&call).await else {
        return Err(RpcError::invalid_params(
            "dev.toolgate/call_id counts within a run: call in the session of a run, or name a run of yours in dev.toolgate/run_id",
        ));
    };
    let id = format!("{MARK}{id}");
    let runs = call.gateway.runs.clone();
    match runs.take_on(&run, &id, digest(&call)).await {
        Ok(ClientCall::Made(kept)) => replayed(&kept),
        Ok(ClientCall::Make) => {
            let (reply, kept) = make(call, cancel).await;
            runs.keep(&run, &id, kept).await;
            reply
        }
        Err(refusal) => Ok(told(&refusal)),
    }
}

/// The session's run, or the one that the call names, if it is the caller's.
async fn run_of(call: &ToolCall) -> Option<RunId> {
    let ToolCall { gateway, caller, request, .. } = call;
    if let Some(run) = caller.client.seat().run.clone() {
        return Some(run);
    }
    let run = request.parts.meta.labels.run.as_ref()?;
    let whose = gateway.runs.whose(run, &caller.client.principal.id).await;
    (whose == RunOwnership::Callers).then(|| run.clone())
}

/// The same for all that ask the same.
fn digest(call: &ToolCall) -> Digest {
    let arguments = call.request.parts.arguments.as_ref().map_or("{}", RawJson::as_str);
    let arguments =
        canonical::parse(arguments).map_or(arguments.to_owned(), |value| canonical::canonical(&value));
    Digest::of(canonical::canonical(&json!([call.tool().name.as_str(), arguments])))
}

async fn make(call: ToolCall, cancel: &CancellationToken) -> (Result<EnvelopedReply, RpcError>, KeptCall) {
    let (pipeline, tool) = (call.gateway.pipeline.clone(), call.tool().name.clone());
    let arguments = call.request.parts.arguments.clone().unwrap_or(RawJson::EMPTY);
    let answer = match call.govern(cancel).await {
        Ok(answer) => answer,
        Err(error) => return (Err(error), KeptCall::PutOff(RawJson::EMPTY)),
    };
    let ended = has_ended(&answer);
    let reply = call.say(answer);
    let whole = match &reply {
        Ok(reply) => reply.whole(),
        Err(error) => json!({ (ERROR): { "code": error.code, "message": error.message } }).into(),
    };
    let kept = pipeline.kept(&tool, &arguments, &whole);
    let kept = if ended { KeptCall::Ended(kept) } else { KeptCall::PutOff(kept) };
    (reply, kept)
}

/// True if the answer is the end of the call. If people are still asked, or nothing was sent, sending it again continues it.
fn has_ended(answer: &CallAnswer) -> bool {
    match &answer.body {
        CallAnswerBody::Result(_) | CallAnswerBody::Error(_) | CallAnswerBody::Task(_) => {
            !matches!(answer.envelope.status, Outcome::PendingApproval | Outcome::PendingInput)
        }
        CallAnswerBody::Refusal(refusal) => {
            let waits = [Outcome::PendingApproval, Outcome::PendingInput, Outcome::Refused];
            !waits.contains(&answer.envelope.status) && !refusal.retry
        }
        CallAnswerBody::InputRequired { .. } | CallAnswerBody::Handle(_) => false,
    }
}

/// What was kept, as an answer again.
fn replayed(kept: &RawJson) -> Result<EnvelopedReply, RpcError> {
    let members = ObjectMembers::of(kept).unwrap_or_default();
    if let Some(error) = members.get(ERROR) {
        let error: Value = serde_json::from_str(error.get()).unwrap_or_default();
        let code = error["code"].as_i64().unwrap_or(RpcError::INTERNAL);
        return Err(RpcError::new(code, error["message"].as_str().unwrap_or_default()));
    }
    match members.get("error") {
        // It is under way elsewhere, or its gateway died: the run says that in the form of REST.
        Some(error) => Ok(failed(&serde_json::from_str(error.get()).unwrap_or_default())),
        None => Ok(EnvelopedReply::complete(kept.clone())),
    }
}

fn told(refusal: &Refusal) -> EnvelopedReply {
    failed(&json!({ "code": refusal.code, "message": refusal.message, "hint": refusal.hint }))
}

fn failed(error: &Value) -> EnvelopedReply {
    let text = [&error["message"], &error["hint"]].map(|text| text.as_str().unwrap_or_default());
    let result = json!({
        "content": [{ "type": "text", "text": format!("{}\nhint: {}", text[0], text[1]) }],
        "isError": true,
        "structuredContent": { "status": "failed", "error": error },
    });
    ServerReply::Complete(result.into()).into()
}
