//! `logging/setLevel` of the older era.

use toolgate_core::RpcError;

use crate::clients::log_level::level_rank;
use crate::clients::session::Session;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::said::Said;

pub(crate) fn set_level(
    gateway: &Gateway,
    session: &Session,
    request: &OwnedRequest,
) -> Result<Said, RpcError> {
    let level = request.string_param("level")?;
    if level_rank(&level).is_none() {
        return Err(RpcError::invalid_params(format!("unknown log level: {level}")));
    }
    session.set_log_level(&level);
    if let Some(lowest) = gateway.hub.lowest_log_level() {
        gateway.servers.set_log_level(&lowest);
    }
    Ok(Said::empty())
}
