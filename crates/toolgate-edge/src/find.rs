//! What a name leads to: wire names, canonical names, aliases; and what is said where it leads nowhere.

use std::sync::Arc;

use serde_json::json;
use toolgate_catalog::{Alias, Entry, Missing, Snapshot, Why};
use toolgate_core::RpcError;
use toolgate_core::moment::rfc3339;
use toolgate_pipeline::Warning;

use crate::gateway::Gateway;

/// A tool, and what is to be said about the name it was called by.
pub(crate) struct Found {
    pub(crate) entry: Arc<Entry>,
    pub(crate) warning: Option<Warning>,
}

/// A tool by any of its names. One that is not known yet may belong to a server that is still starting.
pub(crate) async fn tool(gateway: &Gateway, name: &str) -> Result<Found, Missing> {
    let now_ms = gateway.pipeline.now_ms();
    if let Some(found) = tool_in(&gateway.catalog.snapshot(), name, now_ms) {
        return Ok(found);
    }
    gateway.wait_settled().await;
    let snapshot = gateway.catalog.snapshot();
    tool_in(&snapshot, name, now_ms).ok_or_else(|| snapshot.missing_tool(name, now_ms))
}

fn tool_in(snapshot: &Snapshot, name: &str, now_ms: i64) -> Option<Found> {
    let found = snapshot.find_tool(name, now_ms)?;
    let warning = found.alias.filter(|alias| !alias.primary).map(|alias| old_name(alias, &found.entry));
    Some(Found { entry: found.entry, warning })
}

fn old_name(alias: &Alias, entry: &Entry) -> Warning {
    let until = alias.until_ms.map(|until_ms| format!(" It works until {}.", rfc3339(until_ms)));
    let until = until.unwrap_or_default();
    let message =
        format!("\"{}\" is another name for {}.{until} Use \"{}\".", alias.name, entry.canonical, entry.wire);
    Warning::new("alias", message)
}

/// A prompt by any of its names.
pub(crate) async fn prompt(gateway: &Gateway, name: &str) -> Option<Arc<Entry>> {
    let now = || gateway.catalog.snapshot().prompts.find(name).cloned();
    if let Some(entry) = now() {
        return Some(entry);
    }
    gateway.wait_settled().await;
    now()
}

pub(crate) fn error(asked: &str, missing: &Missing) -> RpcError {
    match missing {
        Missing::Unknown => RpcError::invalid_params(format!("unknown tool: {asked}")),
        Missing::Withheld { name, why: Why::Retired, .. } => {
            RpcError::invalid_params(format!("tool {name} is not offered by its server any more"))
                .with_data(json!({ "code": "tool_retired", "hint": "list the tools again" }))
        }
        Missing::Withheld { name, why: Why::Unreadable, reason } => {
            RpcError::invalid_params(format!("tool {name} cannot be used: {reason}"))
                .with_data(json!({ "code": "tool_unreadable", "hint": "its server has to be mended" }))
        }
        Missing::Withheld { name, why: Why::Quarantined, reason } => {
            let hint = format!(
                "the operator looks at it with `toolgate tools diff {name}` and accepts or rejects it"
            );
            RpcError::invalid_params(format!(
                "tool {name} is withheld until somebody has looked at it: {reason}"
            ))
            .with_data(json!({ "code": "tool_quarantined", "hint": hint }))
        }
        Missing::Sunset { alias } => {
            let message =
                format!("the name \"{}\" is no longer in use; the tool is {}", alias.name, alias.target);
            let hint = format!("call {}", alias.target);
            RpcError::invalid_params(message).with_data(json!({ "code": "alias_sunset", "hint": hint }))
        }
    }
}
