//! Calls of the gateway's own tools: answered here, in the form that platform tools answer in.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_catalog::CatalogEntry;
use toolgate_core::content::{AttachedContents, ContentHolder};
use toolgate_core::platform::{OWN_SERVER, PlatformAnswer, PlatformCall, PlatformTool, UsedApproval};
use toolgate_core::port::ServerReply;
use toolgate_core::scope::Scope;
use toolgate_core::{RawJson, Refusal};
use toolgate_pipeline::{DeliveredReply, DeliveryError, Envelope};

use crate::clients::caller::RequestCaller;
use crate::gateway::Gateway;
use crate::messages::reply::EnvelopedReply;

pub(crate) fn is_own(entry: &CatalogEntry) -> bool {
    entry.server.as_str() == OWN_SERVER
}

pub(crate) fn find(gateway: &Gateway, entry: &CatalogEntry) -> Option<Arc<PlatformTool>> {
    let named = |one: &&Arc<PlatformTool>| *one.wire == *entry.wire;
    gateway.platform.tools().iter().filter(|_| is_own(entry)).find(named).cloned()
}

/// One call of such a tool, by one client.
pub(crate) struct OwnCall<'a> {
    pub(crate) gateway: &'a Gateway,
    pub(crate) caller: &'a Arc<RequestCaller>,
    pub(crate) tool: &'a PlatformTool,
    pub(crate) holder: &'a ContentHolder,
    pub(crate) scope: &'a Arc<Scope>,
}

impl OwnCall<'_> {
    /// Looks up what the arguments name, for tools that do so before the decision.
    pub(crate) async fn prepare(&self, arguments: &Value) -> Result<AttachedContents, Refusal> {
        self.gateway.platform.prepare(self.with(arguments, None)).await
    }

    /// `approval` is the one that the call used up.
    pub(crate) async fn answer(
        &self,
        arguments: &Value,
        approval: Option<UsedApproval>,
    ) -> Result<DeliveredReply, DeliveryError> {
        Ok(match self.gateway.platform.call(self.with(arguments, approval)).await {
            Ok(PlatformAnswer { text, data, refs, notices, outcome }) => {
                let result =
                    json!({ "content": [{ "type": "text", "text": text }], "structuredContent": data });
                let refs = refs.iter().map(RawJson::from_serialize).collect();
                DeliveredReply { refs, notices, outcome, ..ServerReply::Complete(result.into()).into() }
            }
            Err(refusal) => ServerReply::Complete(failed(&refusal)).into(),
        })
    }

    fn with<'a>(&'a self, arguments: &'a Value, approval: Option<UsedApproval>) -> PlatformCall<'a> {
        PlatformCall {
            tool: self.tool,
            holder: self.holder,
            scope: self.scope,
            arguments,
            now_ms: self.gateway.pipeline.now_ms(),
            caller: self.caller.clone(),
            approval,
        }
    }
}

fn failed(refusal: &Refusal) -> RawJson {
    let Refusal { code, message, hint, details, .. } = refusal;
    let text = if hint.is_empty() { message.clone() } else { format!("{message}\nhint: {hint}") };
    let mut error = json!({ "code": code, "message": message, "hint": hint });
    if let Some(details) = details {
        error["details"] = (**details).clone();
    }
    json!({
        "content": [{ "type": "text", "text": text }],
        "isError": true,
        "structuredContent": { "error": error },
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
    // Data of a result may have a member of that name as well.
    match data.get("error").filter(|_| result["isError"] == true) {
        Some(error) => whole["error"] = error.clone(),
        None => whole["data"] = data,
    }
    result["structuredContent"] = whole;
    EnvelopedReply::enveloped(result.into(), envelope, ServerReply::Complete)
}
