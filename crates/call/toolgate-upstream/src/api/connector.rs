//! A call of an action of a connector file: its requests one after the other, as the file's rules have them.

use connector_file::{AnswerKind, CallTurn, ConnectorAction, PlannedRequest, ProviderVerdict};
use tokio::time::sleep;
use toolgate_core::port::ServerError;
use toolgate_core::{FaultKind, RawJson};

use super::exchange::{AddressedRequest, ApiAnswer, ApiRoute};
use super::operation::ApiCall;
use super::result;

pub(super) async fn call(
    route: ApiRoute<'_>,
    action: &ConnectorAction,
    call: &ApiCall<'_>,
) -> Result<RawJson, ServerError> {
    let mut steps = match action.call(call.arguments, call.id) {
        Ok(steps) => steps,
        Err(bad) => return Ok(result::of_failure(&bad.to_string())),
    };
    let mut has_written = false;
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
            CallTurn::Wait(wait) => sleep(wait).await,
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
            None => result::of_json(data),
        }),
        ProviderVerdict::Failed { says, .. } | ProviderVerdict::Again { says, .. } => {
            Ok(result::of_failure(&says))
        }
        ProviderVerdict::SignIn { says } => Err(route.ctx.fault(FaultKind::Unauthorized { reason: says })),
        ProviderVerdict::Unsure { says } => Err(route.ctx.lost(says)),
    }
}
