//! Lists: what a session sees of tools, prompts, resources and templates, page by page.

use std::sync::Arc;

use serde::Deserialize;
use toolgate_catalog::{CatalogEntry, ListPage};
use toolgate_core::{RawJson, RpcError};
use toolgate_discovery::View;
use toolgate_wire::object::push_member;

use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::reply::EnvelopedReply;
use crate::messages::text::quoted;

type ListResult = Result<EnvelopedReply, RpcError>;

/// The tools that the session lists: all of them, or those that find the others.
pub(crate) async fn tools(gateway: &Gateway, caller: &RequestCaller, request: &OwnedRequest) -> ListResult {
    let cursor = cursor(request)?;
    gateway.wait_settled().await;
    let view = gateway.discovery.view(&caller.client.seat());
    let revealed = caller.session.as_ref().map(|session| session.revealed()).unwrap_or_default();
    let page = gateway
        .discovery
        .page(&view, &revealed, cursor.as_deref(), gateway.limits.page_size)
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    count_tokens(gateway, view);
    Ok(EnvelopedReply::complete(page))
}

/// Counts what a list costs. The first time takes a while, and no request waits for it.
fn count_tokens(gateway: &Gateway, view: Arc<View>) {
    if let Some(tally) = view.tally() {
        return gateway.hub.metrics.listed(tally);
    }
    let (hub, discovery) = (gateway.hub.clone(), gateway.discovery.clone());
    gateway.calls.spawn_blocking(move || hub.metrics.listed(discovery.tally(&view)));
}

pub(crate) async fn prompts(gateway: &Gateway, caller: &RequestCaller, request: &OwnedRequest) -> ListResult {
    list(gateway, caller, request, "prompts", |view| view.prompts()).await
}

pub(crate) async fn resources(
    gateway: &Gateway,
    caller: &RequestCaller,
    request: &OwnedRequest,
) -> ListResult {
    list(gateway, caller, request, "resources", |view| view.resources()).await
}

pub(crate) async fn templates(
    gateway: &Gateway,
    caller: &RequestCaller,
    request: &OwnedRequest,
) -> ListResult {
    list(gateway, caller, request, "resourceTemplates", |view| view.templates()).await
}

async fn list(
    gateway: &Gateway,
    caller: &RequestCaller,
    request: &OwnedRequest,
    key: &str,
    section: fn(&View) -> Vec<Arc<CatalogEntry>>,
) -> ListResult {
    let cursor = cursor(request)?;
    gateway.wait_settled().await;
    let view = gateway.discovery.view(&caller.client.seat());
    let shown = section(&view);
    let page = ListPage::of(&shown, cursor.as_deref(), gateway.limits.page_size)
        .map_err(|error| RpcError::invalid_params(error.to_string()))?;
    let mut text = String::with_capacity(page.bytes_max() + 64);
    text.push_str("{\"");
    text.push_str(key);
    text.push_str("\":[");
    page.write(&mut text);
    text.push(']');
    if let Some(cursor) = page.next_cursor {
        push_member(&mut text, "nextCursor", &quoted(&cursor));
    }
    text.push('}');
    Ok(EnvelopedReply::complete(RawJson::from_composed(text)))
}

fn cursor(request: &OwnedRequest) -> Result<Option<String>, RpcError> {
    #[derive(Deserialize)]
    struct ListParams {
        cursor: Option<String>,
    }
    let params = request.head.params.decode::<ListParams>();
    params.map(|params| params.cursor).map_err(|_| RpcError::invalid_params("params.cursor must be a string"))
}
