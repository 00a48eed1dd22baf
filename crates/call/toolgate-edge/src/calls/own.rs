//! Calls of the gateway's own tools: answered here, in the form that platform tools answer in.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_catalog::CatalogEntry;
use toolgate_core::content::ContentHolder;
use toolgate_core::platform::{OWN_SERVER, PlatformAnswer, PlatformCall, PlatformTool};
use toolgate_core::port::ServerReply;
use toolgate_core::{RawJson, Refusal};
use toolgate_pipeline::{DeliveredReply, DeliveryError, Envelope};

use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::reply::EnvelopedReply;

pub(crate) fn is_own(entry: &CatalogEntry) -> bool {
    entry.server.as_str() == OWN_SERVER
}

pub(crate) fn find(gateway: &Gateway, entry: &CatalogEntry) -> Option<Arc<PlatformTool>> {
    let named = |one: &&Arc<PlatformTool>| one.wire == entry.wire;
    gateway.platform.tools().iter().filter(|_| is_own(entry)).find(named).cloned()
}

pub(crate) async fn answer(
    gateway: &Gateway,
    caller: &Arc<RequestCaller>,
    tool: &PlatformTool,
    holder: &ContentHolder,
    arguments: &Value,
) -> Result<DeliveredReply, DeliveryError> {
    let call = PlatformCall { tool, holder, arguments, caller: caller.clone() };
    Ok(match gateway.platform.call(call).await {
        Ok(PlatformAnswer { text, data, notices, outcome }) => {
            let result = json!({ "content": [{ "type": "text", "text": text }], "structuredContent": data });
            DeliveredReply { notices, outcome, ..ServerReply::Complete(result.into()).into() }
        }
        Err(refusal) => ServerReply::Complete(failed(&refusal)).into(),
    })
}

fn failed(refusal: &Refusal) -> RawJson {
    let Refusal { code, message, hint, .. } = refusal;
    let text = if hint.is_empty() { message.clone() } else { format!("{message}\nhint: {hint}") };
    json!({
        "content": [{ "type": "text", "text": text }],
        "isError": true,
        "structuredContent": { "error": { "code": code, "message": message, "hint": hint } },
    })
    .into()
}

/// The result with the whole envelope as its structured content.
pub(crate) fn say(result: &RawJson, envelope: &Envelope) -> EnvelopedReply {
    let mut result: Value = result.decode().unwrap_or_default();
    let data = result["structuredContent"].take();
    let mut whole = json!({
        "status": envelope.status, "refs": envelope.refs,
        "warnings": envelope.warnings, "tool_call_id": envelope.tool_call_id,
    });
    match data.get("error") {
        Some(error) => whole["error"] = error.clone(),
        None => whole["data"] = data,
    }
    result["structuredContent"] = whole;
    EnvelopedReply::enveloped(result.into(), envelope, ServerReply::Complete)
}
