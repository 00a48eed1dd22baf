//! `call_tool`: the call of another tool, judged, validated, approved, recorded and reported as that one.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_catalog::{CatalogEntry, MissingTool};
use toolgate_core::codes::{self, Code};
use toolgate_core::port::ServerReply;
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError};
use toolgate_discovery::{BuiltIn, exact_schema};
use toolgate_pipeline::CallWarning;

use crate::calls::find::{self, ResolvedTool};
use crate::calls::repeat;
use crate::calls::tool_call::{SchemaNote, ToolCall};
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;

/// The advice to a caller that is shown a schema instead of a result.
pub(crate) const FITTING: &str = "call it again with arguments that fit this schema";

/// The call that `call_tool` was asked to make.
pub(crate) struct TargetCall {
    pub(crate) name: String,
    pub(crate) arguments: RawJson,
    warning: Option<CallWarning>,
}

pub(crate) async fn call(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    let wish = match TargetCall::read(request.parts.arguments.as_ref()) {
        Ok(wish) => wish,
        Err(problem) => {
            return Ok(failed(&codes::INVALID_ARGUMENTS, &problem, "send `name` and `arguments`"));
        }
    };
    let seat = caller.client.seat();
    let found = match find::tool(gateway, &seat, &wish.name).await {
        Ok(found) => found,
        Err(missing) => {
            find::record_nowhere(gateway, &seat, &wish.name, &missing).await;
            return Ok(not_found(gateway, &seat, &wish.name, &missing));
        }
    };
    let note = match schema_note(gateway, &seat, &found) {
        Err(said) => return Ok(failed(&codes::DESCRIBE_FIRST, &said, FITTING)),
        Ok(note) => note,
    };
    let asked = wish.name.clone();
    let is_barred = found.barred.is_some();
    let mut call = ToolCall::new(gateway, caller, found, request.redirected(&wish.name, &wish.arguments));
    call.warnings.extend(wish.warning);
    call.note = note;
    match repeat::run(call, cancel).await {
        Err(_) if is_barred => Ok(not_found(gateway, &seat, &asked, &MissingTool::Unknown)),
        said => said,
    }
}

impl TargetCall {
    pub(crate) fn read(arguments: Option<&RawJson>) -> Result<Self, String> {
        let arguments: Value = match arguments {
            Some(arguments) => arguments.decode().map_err(|error| format!("the arguments: {error}"))?,
            None => Value::Null,
        };
        let Value::Object(mut members) = arguments else {
            return Err("call_tool takes an object with `name` and `arguments`".to_owned());
        };
        let Some(Value::String(name)) = members.remove("name") else {
            return Err("`name` is missing or is not a string".to_owned());
        };
        let given = members.remove("arguments");
        if let Some(other) = members.keys().next() {
            return Err(format!(
                "call_tool has no argument {other:?}; what the tool takes goes into `arguments`"
            ));
        }
        if let Some(built_in) = BuiltIn::named(&name) {
            return Err(format!(
                "{} is not called through call_tool; name a tool that search_tools has found",
                built_in.wire()
            ));
        }
        let (arguments, warning) = read_arguments(given)?;
        Ok(Self { name, arguments: arguments.into(), warning })
    }
}

/// Some models send the object as text.
fn read_arguments(given: Option<Value>) -> Result<(Value, Option<CallWarning>), String> {
    match given {
        None | Some(Value::Null) => Ok((json!({}), None)),
        Some(object @ Value::Object(_)) => Ok((object, None)),
        Some(Value::String(text)) => match serde_json::from_str::<Value>(&text) {
            Ok(object @ Value::Object(_)) => {
                let message = "`arguments` came as a string and was read as JSON; send an object";
                Ok((object, Some(CallWarning::new(&codes::ARGUMENTS_AS_TEXT, message))))
            }
            Ok(_) => Err("`arguments` is a string that holds no object".to_owned()),
            Err(error) => Err(format!("`arguments` is a string that is no JSON: {error}")),
        },
        Some(_) => Err("`arguments` is not an object".to_owned()),
    }
}

/// The schema, if the answer has to show it; or the answer that shows nothing else. A tool that may change something is not run on a guess: its first call without
/// describe answers with the schema alone.
pub(crate) fn schema_note(
    gateway: &Gateway,
    seat: &Seat,
    found: &ResolvedTool,
) -> Result<SchemaNote, String> {
    let entry = &found.entry;
    let view = gateway.discovery.view(seat);
    if found.barred.is_some()
        || gateway.described.knows(&seat.session, entry)
        || gateway.discovery.lists(&view, entry)
    {
        return Ok(SchemaNote::OnMistake);
    }
    gateway.described.note(&seat.session, [entry]);
    let guess_is_harmless = entry.tool.as_ref().is_some_and(|tool| !tool.effects.changes_something());
    if guess_is_harmless { Ok(SchemaNote::Always) } else { Err(schema_first(entry)) }
}

fn schema_first(entry: &CatalogEntry) -> String {
    format!(
        "{} was not called: it may change something, and its schema was not looked at in this session. It takes:\n{}",
        entry.wire,
        exact_schema(entry)
    )
}

fn not_found(gateway: &Gateway, seat: &Seat, asked: &str, missing: &MissingTool) -> EnvelopedReply {
    let error = find::error(gateway, seat, asked, missing);
    let view = gateway.discovery.view(seat);
    let near = gateway.discovery.nearest(&view, asked);
    let names: Vec<&str> = near.iter().map(|entry| entry.wire.as_str()).collect();
    let hint = match names[..] {
        [] => "search_tools finds the tools there are".to_owned(),
        _ => format!("did you mean {}? search_tools finds others", names.join(", ")),
    };
    failed(find::code_of(missing), &error.message, &hint)
}

/// A result that says what went wrong: a model can react to that, not to an error of the protocol.
pub(crate) fn failed(code: &'static Code, message: &str, hint: &str) -> EnvelopedReply {
    let result = json!({
        "content": [{ "type": "text", "text": format!("{message}\nhint: {hint}") }],
        "isError": true,
        "structuredContent": { "status": "failed", "error": { "code": code, "message": message, "hint": hint } },
    });
    ServerReply::Complete(result.into()).into()
}
