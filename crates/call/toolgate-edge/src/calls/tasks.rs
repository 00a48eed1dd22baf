//! `tasks/get`, `tasks/update` and `tasks/cancel`: for calls that wait for people, and for tasks of servers.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolgate_core::RpcError;
use toolgate_wire::meta;

use crate::calls::deed::Deed;
use crate::calls::jobs;
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::messages::task_id;

pub(crate) async fn answer(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    if !caller.client.abilities.tasks {
        let required = json!({ "requiredCapabilities": { "extensions": { (meta::TASKS_EXTENSION): {} } } });
        let message = "the client did not declare the tasks extension";
        return Err(RpcError::new(RpcError::MISSING_CAPABILITY, message).with_data(required));
    }
    let exposed = request.parts.target(&request.head.method)?;
    if let Some(approval) = jobs::resolve(&gateway.sealer, &caller.client.owner(), exposed) {
        return jobs::answer(gateway, &caller, &request.head.method, exposed, approval).await;
    }
    let unknown = RpcError::invalid_params(format!("unknown task: {exposed}"));
    let Some((server, own)) = task_id::resolve(&gateway.sealer, &caller.client.owner(), exposed) else {
        return Err(unknown);
    };
    let is_shown = gateway.discovery.view(&caller.client.seat()).reaches(&server);
    let deed = Deed::new(gateway, caller, request, &server, &own)?;
    deed.run_if(is_shown, unknown, cancel).await
}
