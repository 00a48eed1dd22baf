//! One page of a stream of a connector file.

use std::time::Duration;

use connector_file::{ConnectorStream, ProviderVerdict, StreamPage, StreamTurn};
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use toolgate_core::port::ServerError;
use toolgate_core::{FaultKind, RawJson, RpcError};

use super::call_time::CallTime;
use super::connector::{addressed, is_lost};
use super::exchange::ApiRoute;
use super::result;

/// The wait that a provider is given that limits its rate and names no time.
const UNNAMED_LIMIT: Duration = Duration::from_secs(60);

/// Reads the page that `params` name: `cursor` and `page`, both optional. A wait that the call has no time for is left to
/// whoever asked, who is told the time: a request that sleeps past its own end would be asked for again, and again.
pub(super) async fn read(
    route: ApiRoute<'_>,
    stream: &ConnectorStream,
    params: &Map<String, Value>,
    call: &str,
    time: CallTime,
) -> Result<RawJson, ServerError> {
    let refused = |bad: connector_file::BadActionArguments| RpcError::invalid_params(bad.to_string());
    let page = params.get("page").and_then(Value::as_str);
    let mut reading = stream.page(params.get("cursor"), page).map_err(refused)?;
    loop {
        let planned = reading.request(&route.origin.base).map_err(refused)?;
        let turn = match route.exchange(&addressed(&planned, call)).await {
            Ok(answer) => {
                let body = result::json_of(&answer);
                let headers = |name: &str| answer.header(name);
                reading.answered(answer.status.as_u16(), &headers, body.as_ref())
            }
            Err(error) if is_lost(&error) => reading.lost(),
            Err(error) => return Err(error),
        };
        match turn {
            StreamTurn::Wait(wait) if time.has_room_for(wait) => sleep(wait).await,
            StreamTurn::Wait(_) => return Err(failed(route, reading.given_up())),
            StreamTurn::Page(page) => {
                route.hear(page.rate);
                return Ok(RawJson::from_serialize(&page_json(page)));
            }
            StreamTurn::Failed(verdict) => return Err(failed(route, verdict)),
        }
    }
}

fn page_json(page: StreamPage) -> Value {
    let records: Vec<Value> = page
        .records
        .into_iter()
        .map(|record| {
            let mut shown = json!({ "key": record.key, "value": record.value });
            if let Some(updated) = record.updated {
                shown["updated"] = updated;
            }
            shown
        })
        .collect();
    let mut shown = json!({ "records": records, "done": page.next_page.is_none() });
    if let Some(next) = page.next_page {
        shown["next_page"] = next.into();
    }
    if let Some(cursor) = page.cursor {
        shown["cursor"] = cursor;
    }
    let rate = [("remaining", page.rate.remaining), ("reset_s", page.rate.reset_s)];
    for (name, value) in rate {
        if let Some(value) = value {
            shown["rate"][name] = value.into();
        }
    }
    shown
}

fn failed(route: ApiRoute<'_>, verdict: ProviderVerdict) -> ServerError {
    match verdict {
        ProviderVerdict::SignIn { says } => route.ctx.fault(FaultKind::Unauthorized { reason: says }),
        ProviderVerdict::Again { after, is_limit: true, .. } => {
            route.ctx.fault(FaultKind::RateLimited { retry_after: after.unwrap_or(UNNAMED_LIMIT) })
        }
        ProviderVerdict::Failed { says, .. }
        | ProviderVerdict::Again { says, .. }
        | ProviderVerdict::Unsure { says } => RpcError::new(RpcError::INTERNAL, says).into(),
        ProviderVerdict::Done { .. } => route.ctx.garbled("its page could not be read"),
    }
}
