//! A call of an action of a connector file: its requests one after the other, as the file's rules have them.

use connector_file::{AnswerKind, CallTurn, ConnectorAction, PlannedRequest, ProviderVerdict};
use serde_json::{Value, json};
use tokio::time::sleep;
use toolgate_core::port::ServerError;
use toolgate_core::{FaultKind, RawJson};

use super::call_time::CallTime;
use super::exchange::{AddressedRequest, ApiAnswer, ApiRoute};
use super::operation::ApiCall;
use super::result::{self, ResultNote};

/// The member of a result's `_meta` with the call that takes back what this one did.
const UNDO_META: &str = "dev.toolgate/undo";

pub(super) async fn call(
    route: ApiRoute<'_>,
    action: &ConnectorAction,
    call: &ApiCall<'_>,
) -> Result<RawJson, ServerError> {
    let mut steps = match action.call(call.arguments, call.id) {
        Ok(steps) => steps,
        Err(bad) => return Ok(result::of_failure(&bad.to_string())),
    };
    let (time, mut has_written) = (CallTime::begin(call.patience), false);
    loop {
        let planned = match steps.request(&route.origin.base) {
            Ok(planned) => planned,
            Err(bad) if has_written => return Err(route.ctx.lost(bad.to_string())),
            Err(bad) => return Ok(result::of_failure(&bad.to_string())),
        };
        let answered = route.exchange(&addressed(&planned, call.id)).await;
        let (turn, answer) = match answered {
            Ok(answer) => {
                let body = result::json_of(&answer);
                let headers = |name: &str| answer.header(name);
                route.hear(action.rate(&headers));
                (steps.answered(answer.status.as_u16(), &headers, body.as_ref()), Some(answer))
            }
            Err(error) if is_lost(&error) => (steps.lost(), None),
            // The step before this one has been carried out.
            Err(error) if has_written => return Err(route.ctx.lost(error.to_string())),
            Err(error) => return Err(error),
        };
        has_written |= !planned.request.method.effects().read_only;
        match turn {
            CallTurn::Send => {}
            CallTurn::Wait(wait) if time.has_room_for(wait) => sleep(wait).await,
            // Whoever waits past the end of the call is told nothing but that it ended.
            CallTurn::Wait(_) => {
                return ended(route, action, steps.given_up(), answer.as_ref(), call.uri);
            }
            CallTurn::End(verdict) => return ended(route, action, verdict, answer.as_ref(), call.uri),
        }
    }
}

pub(super) fn addressed<'a>(planned: &'a PlannedRequest, call: &'a str) -> AddressedRequest<'a> {
    AddressedRequest {
        request: &planned.request,
        address: planned.address.clone(),
        with_secrets: planned.with_secrets,
        call,
    }
}

/// True if the request went out and its answer did not come.
pub(super) fn is_lost(error: &ServerError) -> bool {
    matches!(error, ServerError::Fault(fault) if matches!(fault.kind, FaultKind::Lost { .. }))
}

fn ended(
    route: ApiRoute<'_>,
    action: &ConnectorAction,
    verdict: ProviderVerdict,
    answer: Option<&ApiAnswer>,
    uri: &str,
) -> Result<RawJson, ServerError> {
    match verdict {
        ProviderVerdict::Done { data } => Ok(match answer.filter(|_| action.answer() == AnswerKind::File) {
            Some(answer) => result::of_file(answer, uri),
            None => {
                let note = undo_note(route, action, &data);
                result::of_json(data, note)
            }
        }),
        ProviderVerdict::Failed { says, .. } | ProviderVerdict::Again { says, .. } => {
            Ok(result::of_failure(&says))
        }
        ProviderVerdict::SignIn { says } => Err(route.ctx.fault(FaultKind::Unauthorized { reason: says })),
        ProviderVerdict::Unsure { says } => Err(route.ctx.lost(says)),
    }
}

/// The call that takes this one back, if the file names one. Nothing calls it but the caller: it is judged like any other.
fn undo_note(route: ApiRoute<'_>, action: &ConnectorAction, data: &Value) -> Option<ResultNote> {
    let undo = action.undo(data)?;
    let tool = format!("{}:{}", route.ctx.name(), undo.action);
    let text = format!("to take this back: call {tool} with {}", Value::from(undo.arguments.clone()));
    Some(ResultNote { text, meta: Some((UNDO_META, json!({ "tool": tool, "arguments": undo.arguments }))) })
}
