//! `resources/read`, and the subscriptions of the older era.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_core::RpcError;
use toolgate_core::content::ContentHolder;

use crate::calls::deed::{Deed, uri_params};
use crate::calls::find::{self, FoundResource, resource_not_found};
use crate::clients::caller::RequestCaller;
use crate::clients::session::ClientSession;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;

pub(crate) async fn read(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    let uri = request.parts.target(&request.head.method)?;
    let holder = ContentHolder::of(&caller.client.seat());
    let is_ours = gateway.contents.read(&holder, uri).is_some();
    if is_ours {
        return Box::pin(Deed::own(gateway, caller, request)?.run(cancel)).await;
    }
    let not_shown = resource_not_found(uri);
    let FoundResource { server, own, is_shown } = find::resource(gateway, &caller.client.seat(), uri).await?;
    let deed = Deed::new(gateway, caller, request, &server, &own)?;
    deed.run_if(is_shown, not_shown, cancel).await
}

pub(crate) async fn subscribe(
    gateway: &Arc<Gateway>,
    caller: Arc<RequestCaller>,
    session: &ClientSession,
    request: OwnedRequest,
    cancel: &CancellationToken,
) -> Result<EnvelopedReply, RpcError> {
    let uri = request.string_param("uri")?;
    let FoundResource { server, own, is_shown } =
        find::resource(gateway, &session.client.seat(), &uri).await?;
    let deed = Deed::with_params(gateway, caller, request, &server, uri_params(&own))?;
    deed.run_if(is_shown, resource_not_found(&uri), cancel).await?;
    if session.watch(&server, &own, &uri)? {
        let taken = gateway.servers.watch_resource(&server, &own).await;
        if !taken {
            if session.unwatch(&uri).is_some() {
                gateway.servers.unwatch_resource(&server, &own);
            }
            let message = format!("server \"{server}\" takes no subscription to this resource");
            return Err(RpcError::new(RpcError::INTERNAL, message));
        }
    }
    Ok(EnvelopedReply::empty())
}

pub(crate) fn unsubscribe(
    gateway: &Gateway,
    session: &ClientSession,
    request: &OwnedRequest,
) -> Result<EnvelopedReply, RpcError> {
    let uri = request.string_param("uri")?;
    if let Some((server, own)) = session.unwatch(&uri) {
        gateway.servers.unwatch_resource(&server, &own);
    }
    Ok(EnvelopedReply::empty())
}
