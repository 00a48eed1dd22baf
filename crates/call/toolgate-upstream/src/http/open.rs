//! The detection of a server's HTTP protocol: the newer era, the older era's sessions, or the older pair.

use std::sync::Arc;

use http::StatusCode;
use tokio::time::timeout;
use toolgate_core::port::ServerError;
use toolgate_core::server::{Era, EraChoice};
use toolgate_wire::ProtocolVersion;

use super::Endpoint;
use super::first_answer::{read, refused_at_the_door};
use super::pair::SsePair;
use super::session::OpenFailure;
use super::sessions::HttpSessions;
use super::stateless::StatelessLink;
use crate::context::ServerContext;
use crate::link::ServerLink;
use crate::probe::{
    DISCOVER_PATIENCE, OpenError, ServerIntroduction, discover_request, not_newer, shared_modern_version,
};

/// Opens a connection in a way that the server understands; that of the last time is tried first.
pub(crate) async fn open(
    ctx: &Arc<ServerContext>,
    remembered: Option<Era>,
) -> Result<(ServerLink, ServerIntroduction), OpenError> {
    let endpoint = Endpoint::new(ctx)?;
    match ctx.spec.era {
        EraChoice::Auto => {}
        EraChoice::Older => return older(ctx, &endpoint).await,
        EraChoice::Newer => {
            let (stateless, opening) = discover(ctx, &endpoint).await?.ok_or_else(not_newer)?;
            return Ok((ServerLink::Stateless(stateless), opening));
        }
    }
    if remembered != Some(Era::Legacy) {
        if let Some((stateless, opening)) = discover(ctx, &endpoint).await? {
            return Ok((ServerLink::Stateless(stateless), opening));
        }
        return older(ctx, &endpoint).await;
    }
    match older(ctx, &endpoint).await {
        Err(OpenError::Refused(_) | OpenError::NotMcp(_) | OpenError::Version(_)) => {}
        opened_or_unreachable => return opened_or_unreachable,
    }
    match discover(ctx, &endpoint).await? {
        Some((stateless, opening)) => Ok((ServerLink::Stateless(stateless), opening)),
        None => older(ctx, &endpoint).await,
    }
}

/// Asks in the newer era. `None` if the answer is not of that era.
async fn discover(
    ctx: &Arc<ServerContext>,
    endpoint: &Endpoint,
) -> Result<Option<(StatelessLink, ServerIntroduction)>, OpenError> {
    let patience = ctx.spec.connect_timeout.min(DISCOVER_PATIENCE);
    let mut version = ProtocolVersion::LATEST_MODERN;
    for _ in 0..2 {
        let stateless = StatelessLink::new(ctx.clone(), endpoint.clone(), version);
        let (id, answered) = match timeout(patience, stateless.knock(&discover_request())).await {
            Ok(answered) => answered?,
            Err(_) => return Ok(None),
        };
        refused_at_the_door(ctx, &answered)?;
        let answer = timeout(patience, read(ctx, answered, id)).await;
        match answer.unwrap_or_else(|_| Err(ctx.lost("it did not answer"))) {
            Ok(result) => {
                let opening = ServerIntroduction::of_discover(&result);
                return Ok(opening.map(|opening| (stateless.introduced(&opening), opening)));
            }
            Err(ServerError::Rpc(error)) => match shared_modern_version(&error) {
                Some(shared) => version = shared,
                None => return Ok(None),
            },
            Err(ServerError::Fault(_)) => return Ok(None),
        }
    }
    Ok(None)
}

async fn older(
    ctx: &Arc<ServerContext>,
    endpoint: &Endpoint,
) -> Result<(ServerLink, ServerIntroduction), OpenError> {
    let refused = match HttpSessions::open(ctx, endpoint).await {
        Ok((sessions, opening)) => return Ok((ServerLink::Sessions(sessions), opening)),
        Err(OpenFailure(error, Some(status))) if is_not_here(status) => error,
        Err(OpenFailure(error, _)) => return Err(error),
    };
    match SsePair::open(ctx, endpoint, None).await {
        Ok((pair, opening)) => Ok((ServerLink::Pair(pair), opening)),
        Err(OpenError::NoStream { .. }) => Err(refused),
        Err(error) => Err(error),
    }
}

fn is_not_here(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED)
}
