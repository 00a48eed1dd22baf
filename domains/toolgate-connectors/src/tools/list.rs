//! `connector.list`: the connectors of mounted providers, with their actions and streams.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::{RawJson, Refusal};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::StoredListing;

use crate::connectors::Connectors;
use crate::limits::CONNECTORS_MAX;
use crate::reach::ConnectorServer;
use crate::refusal::down;
use crate::streams::declared;

pub(super) const LIST: ToolDefinition = ToolDefinition::reads(
    "connector.list",
    "List connectors",
    "Lists the connectors of mounted providers: their actions, which are tools of their own, and the streams that can be synced.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ListConnectorsArguments {
    /// Usually all
    provider: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListConnectorsOutput {
    connectors: Vec<ListedConnectorOutput>,
    /// Connectors past the limit of one answer
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct ListedConnectorOutput {
    provider: String,
    connection: String,
    server: String,
    /// Names of tools
    actions: Vec<String>,
    streams: Vec<String>,
    /// Its credentials are missing or over: what somebody has to do
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<String>,
}

pub(super) async fn list(
    connectors: Arc<Connectors>,
    context: ToolContext,
    arguments: ListConnectorsArguments,
) -> Result<ToolReply<ListConnectorsOutput>, Refusal> {
    let mut seen = connectors.seen(&context);
    seen.retain(|one| arguments.provider.as_deref().is_none_or(|wanted| wanted == one.connector.provider()));
    let left_out = seen.len().checked_sub(CONNECTORS_MAX).filter(|more| *more > 0);
    let listings = connectors.store.read_listings().await.map_err(|error| down(&error))?;
    seen.truncate(CONNECTORS_MAX);
    let sign_ins = connectors.sign_ins(&seen, &context.caller).await;
    let shown = seen.iter().zip(sign_ins).map(|(one, sign_in)| {
        let listing = listings.iter().find(|listing| listing.name == one.server);
        ListedConnectorOutput { next_step: sign_in.missing, ..ListedConnectorOutput::of(one, listing) }
    });
    Ok(ToolReply::new(ListConnectorsOutput { connectors: shown.collect(), left_out }))
}

impl ListedConnectorOutput {
    fn of(one: &ConnectorServer, listing: Option<&StoredListing>) -> Self {
        let tools = listing.map(|one| one.listing.tools.as_slice()).unwrap_or_default();
        let name = |tool: &RawJson| -> Option<String> {
            let tool: Value = tool.decode().ok()?;
            Some(format!("{}:{}", one.server, tool["name"].as_str()?))
        };
        Self {
            provider: one.connector.provider().to_owned(),
            connection: one.connector.connection().to_owned(),
            server: one.server.to_string(),
            actions: tools.iter().filter_map(name).collect(),
            streams: listing.and_then(|one| declared(&one.listing)).unwrap_or_default(),
            next_step: None,
        }
    }
}
