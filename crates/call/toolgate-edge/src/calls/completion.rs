//! `completion/complete`, for prompts and for templates of resources.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::RpcError;
use toolgate_wire::ObjectMembers;
use toolgate_wire::object::with_member;

use crate::calls::deed::{Deed, completion_params};
use crate::calls::find::{self, FoundPrompt, resource_not_found};
use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::messages::text::quoted;

pub(crate) async fn complete(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    let seat = caller.client.seat();
    let params = ObjectMembers::of(&request.head.params)
        .map_err(|error| RpcError::invalid_params(format!("params: {error}")))?;
    let reference = params.get("ref").ok_or_else(|| RpcError::invalid_params("params.ref is missing"))?;
    let members = ObjectMembers::parse(reference)
        .map_err(|error| RpcError::invalid_params(format!("params.ref: {error}")))?;
    let (server, key, own, is_shown) =
        match (members.get_str("type").as_deref(), members.get_str("name"), members.get_str("uri")) {
            (Some("ref/prompt"), Some(name), _) => {
                let found = find::prompt(gateway, &seat, &name).await;
                let FoundPrompt { entry, is_shown } =
                    found.ok_or_else(|| RpcError::invalid_params(format!("unknown prompt: {name}")))?;
                (entry.server.clone(), "name", entry.own.clone(), is_shown)
            }
            (Some("ref/resource"), _, Some(uri)) => {
                let view = gateway.discovery.view(&seat);
                let target = view.snapshot().template(&uri).ok_or_else(|| resource_not_found(&uri))?;
                let is_shown = view.shows_resources(&target.server);
                (target.server, "uri", target.uri, is_shown)
            }
            _ => {
                return Err(RpcError::invalid_params(
                    "params.ref must be of type ref/prompt or ref/resource",
                ));
            }
        };
    let not_shown = match key {
        "name" => RpcError::invalid_params(format!(
            "unknown prompt: {}",
            members.get_str("name").unwrap_or_default()
        )),
        _ => resource_not_found(&members.get_str("uri").unwrap_or_default()),
    };
    let own = with_member(reference.get(), key, &quoted(&own))
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let params = completion_params(&own, &params);
    let deed = Deed::with_params(gateway, caller, request, &server, params)?;
    deed.run_if(is_shown, not_shown, cancel).await
}
