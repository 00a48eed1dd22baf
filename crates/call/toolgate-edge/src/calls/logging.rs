//! `logging/setLevel` of the older era.

use toolgate_core::RpcError;

use crate::clients::log_level::level_rank;
use crate::clients::session::ClientSession;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;

pub(crate) fn set_level(
    gateway: &Gateway,
    session: &ClientSession,
    request: &OwnedRequest,
) -> Result<EnvelopedReply, RpcError> {
    let level = request.string_param("level")?;
    if level_rank(&level).is_none() {
        return Err(RpcError::invalid_params(format!("unknown log level: {level}")));
    }
    session.set_log_level(&level);
    if let Some(lowest) = gateway.hub.lowest_log_level() {
        gateway.servers.set_log_level(&lowest);
    }
    Ok(EnvelopedReply::empty())
}
