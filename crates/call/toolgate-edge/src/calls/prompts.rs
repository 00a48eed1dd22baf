//! `prompts/get`.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::RpcError;

use crate::calls::deed::Deed;
use crate::calls::find::{self, FoundPrompt};
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;

pub(crate) async fn get(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    let name = request.parts.target(&request.head.method)?;
    let unknown = || RpcError::invalid_params(format!("unknown prompt: {name}"));
    let FoundPrompt { entry, is_shown } =
        find::prompt(gateway, &caller.client.seat(), name).await.ok_or_else(unknown)?;
    let not_shown = unknown();
    let deed = Deed::new(gateway, caller, request, &entry.server, &entry.own)?;
    deed.run_if(is_shown, not_shown, cancel).await
}
